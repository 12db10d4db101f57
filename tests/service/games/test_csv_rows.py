import csv

from inkeek.service.games.library.data import csv_lines


def test_a_table_holds_no_formula():
    starts = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
    head, *rows = csv_lines(["cell"], [[start + "1"] for start in starts])
    assert head == "cell\r\n"
    assert [cell for (cell,) in csv.reader(rows)] == [f"'{start}1" for start in starts]
    assert "".join(csv_lines([], [[-1.5, "a=1", None, 'a "b", c']])) == '\r\n-1.5,a=1,,"a ""b"", c"\r\n'
