import pickle

from inkeek.drivers.errors import DriverError, UrlError
from inkeek.records.errors import ErrorText, message_of


def test_values_fill_the_template_of_an_error_and_stay_known():
    message = message_of(UrlError("%(port)r is no port", port="x"))
    assert isinstance(message, ErrorText)
    assert (message, message.template, message.values) == ("'x' is no port", "%(port)r is no port", {"port": "x"})


def test_a_template_without_values_stands_for_itself():
    assert str(DriverError("the supply is at 50 %(d)")) == "the supply is at 50 %(d)"
    text = ErrorText("pit %(pit)s", pit=3)
    assert message_of(DriverError(text)) is text
    assert str(DriverError()) == ""


def test_an_error_that_was_pickled_keeps_its_values():
    message = message_of(pickle.loads(pickle.dumps(DriverError("pit %(pit)s", pit=3))))
    assert isinstance(message, ErrorText)
    assert message.values == {"pit": 3}
