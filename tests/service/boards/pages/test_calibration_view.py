from inkeek.service.boards.view_models import SEEDS, calibration_view
from inkeek.service.storage import LogRow

SENSORS = [(0, "a"), (1, "b"), (2, "A"), (3, "B")]


def entries(*kinds_and_data):
    return [
        LogRow(number=number, time="2026-11-20T18:00:00Z", kind=kind, data=data)
        for number, (kind, data) in enumerate(kinds_and_data, 1)
    ]


def tare(*results: bool):
    answers = [("calibrated", {"pit": pit, "ok": ok}) for pit, ok in enumerate(results)]
    return [("calibration-asked", {"pit": None, "seeds": 0}), *answers]


def asked(pit: int, seeds: int = 10):
    return ("calibration-asked", {"pit": pit, "seeds": seeds})


def answered(pit: int, **reason: str):
    return ("calibrated", {"pit": pit, "ok": not reason, **reason})


def states(view) -> list[str]:
    return [one.state for one in view.sensors]


def test_before_the_first_step_the_first_sensor_is_next():
    view = calibration_view(entries(("gap", {"reason": "x"})), SENSORS)
    assert (view.next, view.seeds, view.is_tared, view.done) == (0, SEEDS, False, 0)


def test_all_must_be_set_to_zero():
    assert calibration_view(entries(*tare(True, True, True, True)), SENSORS).is_tared
    assert not calibration_view(entries(*tare(True, False, True, True)), SENSORS).is_tared
    assert not calibration_view(entries(*tare(True, True)), SENSORS).is_tared


def test_each_answer_leads_to_the_next_sensor_and_keeps_the_seeds():
    steps = [*tare(True, True, True, True), asked(0), answered(0), asked(1, 12)]
    view = calibration_view(entries(*steps), SENSORS)
    assert (states(view), view.next, view.seeds, view.done) == (["done", "asked", "", ""], 2, 12, 1)


def test_a_sensor_that_failed_is_next_again_with_the_reason():
    steps = [*tare(True, True, True, True), asked(0), answered(0, reason="too-light"), asked(1), answered(1)]
    view = calibration_view(entries(*steps), SENSORS)
    assert (states(view), view.next) == (["failed", "done", "", ""], 0)
    assert view.sensors[0].why
    late = ("calibration-failed", {"pit": 2, "seeds": 10, "reason": "the board sent no answer for A"})
    view = calibration_view(entries(*steps, asked(2), late), SENSORS)
    assert view.sensors[2].why == "the board sent no answer for A"


def test_setting_all_to_zero_begins_again():
    steps = [*tare(True, True, True, True), asked(0), answered(0), *tare(True, True, True, True)]
    assert states(calibration_view(entries(*steps), SENSORS)) == ["", "", "", ""]


def test_setting_one_to_zero_is_no_calibration_of_it():
    steps = [*tare(True, False, True, True), asked(1, 0), answered(1)]
    view = calibration_view(entries(*steps), SENSORS)
    assert (view.is_tared, states(view)) == (True, ["", "", "", ""])


def test_when_all_are_calibrated_none_is_next():
    steps = [step for pit in range(4) for step in (asked(pit), answered(pit))]
    view = calibration_view(entries(*tare(True, True, True, True), *steps), SENSORS)
    assert (view.next, view.done) == (None, 4)
