"""Everything that can be done to a proof, and by whom, is found, with its place."""

import re

import pytest
from hypothesis import given, settings, strategies as st

from inkeek.service.maintenance.checkpoint import Checkpoint
from inkeek.service.maintenance.signatures import sign
from inkeek.service.proofs.check import CHECKS, check_proof

from .falsified import (
    GAME,
    KEY,
    NOW,
    OTHER_GAME,
    OTHER_KEY,
    OTHER_PUBLIC,
    PUBLIC,
    Draft,
    changed_values,
    encoded,
    resigned,
)


def verdict(data, key=PUBLIC, kept=()):
    """The faults that are found, by their checks."""
    named = {f"kept {number}": one for number, one in enumerate(kept)}
    report = check_proof(data, [key], named)
    found = {}
    for fault in report.faults:
        found.setdefault(fault.check, []).append(fault.message)
    assert report.ok is not bool(found)
    return found


def names(messages, *numbers):
    """Whether one of the messages names one of these numbers, or one beside it."""
    return any(int(word) in numbers for message in messages for word in re.findall(r"\d+", message))


def test_a_proof_holds(proof):
    assert verdict(proof) == {}
    report = check_proof(proof, [OTHER_PUBLIC, PUBLIC])
    assert report.ok
    assert (report.game, report.dispute, report.key) == (GAME, 11, PUBLIC)
    assert report.checked.keys() == set(CHECKS)


def test_the_game_has_events_of_every_kind(draft):
    kinds = {event[5] for event in draft.events}
    assert {"created", "turn", "tags", "join", "leave", "trial", "annotations"} < kinds
    assert {"dispute", "ruling", "retraction", "ended", "correction"} < kinds


def every_change(draft):
    """Each change of a value in a line, as the changed draft and the number of the line."""
    for at, line in enumerate(draft.lines):
        for other in changed_values(line):
            changed = Draft(b"")
            changed.lines = [*draft.lines[:at], other, *draft.lines[at + 1 :]]
            yield changed, at


def test_every_change_of_every_value_is_found(draft):
    count = 0
    for changed, _ in every_change(draft):
        assert verdict(changed.data())
        count += 1
    assert count > 2000


def test_every_change_of_an_event_is_found_with_its_place_even_if_it_is_signed(draft):
    first, last = draft.places("event")[0], draft.places("event")[-1]
    for changed, at in every_change(draft):
        if first <= at <= last:
            found = verdict(changed.signed())
            assert "signature" not in found
            (check, messages) = next(iter(found.items()))
            assert (check, names(messages, at, at + 1)) in (("chain", True), ("file", True)), changed.lines[at]


def test_every_change_of_the_ledger_is_found_with_its_place_even_if_it_is_signed(draft):
    for at in draft.places("entry"):
        position = draft.lines[at]["entry"][0]
        for other in changed_values(draft.lines[at]):
            changed = draft.copy()
            changed.lines[at] = other
            found = verdict(changed.signed())
            messages = [*found.get("file", ()), *found.get("ledger", ()), *found.get("checkpoints", ())]
            assert names(messages, position, position + 1, at + 1)


def rearranged(draft, name):
    """Each line of a kind removed, doubled and swapped with the next one, with the places."""
    places = draft.places(name)
    for at in places:
        for lines in (
            [*draft.lines[:at], *draft.lines[at + 1 :]],
            [*draft.lines[: at + 1], *draft.lines[at:]],
            [*draft.lines[:at], *reversed(draft.lines[at : at + 2]), *draft.lines[at + 2 :]],
        ):
            if at == places[-1] and len(lines) == len(draft.lines):
                continue  # the next line is of another kind
            changed = draft.copy()
            changed.lines = lines
            yield changed, at


def test_events_removed_doubled_and_swapped_are_found_with_their_place(draft):
    for changed, at in rearranged(draft, "event"):
        assert "signature" in verdict(changed.data())
        found = verdict(changed.signed())
        assert names([*found.get("chain", ()), *found.get("ledger", ())], at, at + 1)


def test_events_removed_doubled_and_swapped_are_found_by_the_ledger_if_they_are_hashed_again(draft):
    for changed, at in rearranged(draft, "event"):
        changed.rehash()
        assert "signature" in verdict(changed.data())
        found = verdict(changed.signed())
        assert names(found["ledger"], *range(at, at + 4))  # an entry has all events of a transaction
        assert "chain" not in found


def test_entries_removed_doubled_and_swapped_are_found_with_their_place(draft):
    for changed, at in rearranged(draft, "entry"):
        position = draft.lines[at]["entry"][0]
        found = verdict(changed.signed())
        assert names([*found.get("ledger", ()), *found.get("checkpoints", ())], position, position - 1)


def test_who_has_the_database_but_not_the_key_is_found(draft):
    """They can write everything anew but cannot sign it."""
    for changed, _ in rearranged(draft, "event"):
        changed.rehash()
        unsigned = changed.copy().rewrite_ledger(None)
        assert {"signature", "checkpoints"} <= verdict(unsigned.data()).keys()
        forged = changed.copy().rewrite_ledger(OTHER_KEY)
        assert {"signature", "checkpoints"} <= verdict(forged.signed(OTHER_KEY)).keys()
        assert "checkpoints" in verdict(forged.signed(KEY))


def kept(draft):
    """Checkpoints that somebody kept: of every entry."""
    return [Checkpoint(line["entry"][0], line["hash"], None, None, NOW) for line in draft.lines if "entry" in line]


def test_who_has_the_key_too_is_found_by_a_checkpoint_that_was_kept(draft):
    checkpoints = kept(draft)
    assert verdict(draft.data(), kept=checkpoints) == {}
    for changed, at in rearranged(draft, "event"):
        forged = changed.rehash().rewrite_ledger(KEY)
        found = verdict(forged.signed(), kept=checkpoints[-1:])
        assert names(found["checkpoints"], checkpoints[-1].position), at


def test_a_kept_checkpoint_outside_of_the_proof_is_not_passed_over(draft):
    assert "checkpoints" in verdict(draft.data(), kept=[Checkpoint(999, "0" * 64, None, None, NOW)])


def test_a_wrong_key_is_found(proof):
    found = verdict(proof, OTHER_PUBLIC)
    assert found.keys() == {"signature", "checkpoints"}
    assert all(PUBLIC in message for messages in found.values() for message in messages)


def test_a_signature_of_another_proof_is_found(draft):
    last = draft.lines[-1]
    for other in (sign({**last, "sha256": "0" * 64}, KEY), resigned(last, OTHER_KEY), {**last, "signature": None}):
        changed = draft.copy()
        changed.lines[-1] = other
        assert "signature" in verdict(changed.data()), other


@pytest.mark.parametrize("which", [0, 1])
def test_a_replaced_checkpoint_is_found(draft, which):
    at = draft.places("checkpoint")[which]
    document = draft.lines[at]["checkpoint"]
    entry = draft.lines[draft.places("entry")[3]]
    others = [
        resigned(document, OTHER_KEY),
        {**document, "key": None, "signature": None},
        {**document, "time": "2026-11-21T18:30:00.000000Z"},
        resigned(document, hash="0" * 64),
        resigned(document, position=document["position"] + 1),
        resigned(document, position=0),
        resigned(document, position=0, hash="0" * 64),
        resigned(document, position=entry["entry"][0], hash=entry["hash"]),
        draft.lines[draft.places("checkpoint")[1 - which]]["checkpoint"],
        {},
    ]
    for other in others:
        changed = draft.copy()
        changed.lines[at] = {"checkpoint": other}
        found = verdict(changed.signed())
        assert found.keys() <= {"ledger", "checkpoints"}, other
        assert found


def test_a_file_that_was_cut_or_goes_on_is_found(proof):
    lines = proof.splitlines(keepends=True)
    for number in range(len(lines)):
        assert "file" in verdict(b"".join(lines[:number]))
    for length in range(0, len(proof), 97):
        assert "file" in verdict(proof[:length])
    for more in (b"\n", b" ", lines[-1], b"{}\n"):
        assert "file" in verdict(proof + more)


def falsified(draft, kind, change):
    """The proof with the last event of a kind changed by somebody who has the key, and the event's number."""
    changed = draft.copy()
    event = [event for event in changed.events if event[5] == kind][-1]
    change(event)
    return changed.rehash().rewrite_ledger(KEY).signed(), event[1]


@pytest.mark.parametrize(
    ("kind", "name", "value", "checks"),
    [
        ("turn", "position", "4.4.4.4.4/4.4.4.4.4 0-0 s 5", {"rules", "record", "rulings"}),
        ("turn", "ply", 7, {"rulings"}),
        ("retraction", "position", "4.4.4.4.4/4.4.4.4.4 0-0 s 5", {"record"}),
        ("retraction", "move", "d", {"rulings"}),
        ("retraction", "ply", 1, {"record"}),
        ("dispute", "turn", 1, {"rulings"}),
        ("ruling", "dispute", 2, {"record", "rulings"}),
        ("ruling", "dispute", 11, {"rulings"}),
        ("ruling", "outcome", "reopened", {"rulings"}),
        ("ruling", "outcome", "retracted", {"rulings"}),
        ("created", "position", "5.3.4.4.4/4.4.4.4.4 0-0 s 0", {"rules", "record"}),
    ],
)
def test_what_cannot_be_is_found_even_if_everything_is_signed(draft, kind, name, value, checks):
    data, seq = falsified(draft, kind, lambda event: event[6].update({name: value}))
    report = check_proof(data, [PUBLIC])
    assert not {"file", "signature", "chain", "ledger", "checkpoints"} & {fault.check for fault in report.faults}
    assert {fault.check for fault in report.faults} & checks
    assert names([fault.message for fault in report.faults], seq), report.faults


def test_a_ruling_without_the_changes_that_it_orders_is_found(draft):
    event = next(event for event in draft.events if event[5] == "ruling" and event[6]["outcome"] == "stands")
    event[6]["outcome"] = "retracted"
    assert names(verdict(draft.rehash().rewrite_ledger(KEY).signed())["rulings"], event[1])


def test_another_record_is_found(draft):
    at = draft.places("record")[0]
    text = draft.lines[at]["record"]
    for other in ("", text + text, text.replace("Round", "Board"), text.replace("1/2-1/2", "1-0"), "nonsense"):
        changed = draft.copy()
        changed.lines[at] = {"record": other}
        report = check_proof(changed.signed(), [PUBLIC])
        assert {fault.check for fault in report.faults} == {"record"}, other


def test_a_proof_of_what_is_no_dispute_is_found(draft):
    for seq in (0, 1, 12, 999):
        draft.lines[0]["dispute"] = seq
        assert names(verdict(draft.signed())["rulings"], seq)


def test_another_game_is_found(draft):
    draft.lines[0]["game"] = OTHER_GAME
    found = verdict(draft.signed())
    assert {"chain", "ledger"} <= found.keys()


@settings(max_examples=300)
@given(st.data())
def test_any_damage_is_found(proof, data):
    at = data.draw(st.integers(0, len(proof) - 1))
    end = data.draw(st.integers(at, min(len(proof), at + 40)))
    other = data.draw(st.binary(max_size=40) | st.sampled_from([b"\n", b'"', b"null", b"0", b"\\u0041", b" ", b"e"]))
    damaged = proof[:at] + other + proof[end:]
    assert bool(verdict(damaged)) is (damaged != proof)


@settings(max_examples=100)
@given(st.data())
def test_events_of_any_content_are_checked_even_if_everything_is_signed(proof, data):
    """Nothing but a report comes of them. What the events say may even be possible."""
    json = st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8"), max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("aply", max_size=3), inner, max_size=3),
        max_leaves=5,
    )
    changed = Draft(proof)
    for _ in range(data.draw(st.integers(1, 3))):
        event = data.draw(st.sampled_from(changed.events))
        name = data.draw(st.sampled_from([*event[6], "about", "kind"]))
        if name == "kind":
            event[5] = data.draw(st.sampled_from([one[5] for one in changed.events]))
        else:
            event[6][name] = data.draw(json)
    report = check_proof(changed.rehash().rewrite_ledger(KEY).signed(), [PUBLIC])
    assert not {"file", "signature", "chain", "ledger", "checkpoints"} & {fault.check for fault in report.faults}


def line(event):
    return encoded({"event": event, "hash": "0" * 64})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\xff\xfe",
        b"[" * 1_000_000,
        b'{"a":' * 1_000_000,
        b"{}\n" * 100_000,
        b"\x00" * 1000,
        b"x" * ((1 << 24) + 1),
        b'{"inkeek":"proof"' + b" " * 10_000_000 + b"}\n",
        b"9" * 1_000_000 + b"\n",
    ],
    ids=range(10),
)
def test_other_files_are_no_proofs(data):
    assert verdict(data).keys() == {"file"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'"dispute":', b'"dispute":1,"dispute":'),
        (b'"dispute":11', b'"dispute":NaN'),
        (b'"dispute":11', b'"dispute":Infinity'),
        (b'"dispute":11', b'"dispute":11.0'),
        (b'"dispute":11', b'"dispute":1e1'),
        (b'"dispute":11', b'"dispute": 11'),
        (b'"dispute":11', b'"dispute":011'),
        (b'"dispute":11', b'"dispute":true'),
        (b'"dispute":11', b'"dispute":9007199254740993'),
        (b'"dispute":11', b'"dispute":' + b"9" * 5000),
        (b'"Nasieku"', b'"\\u004easieku"'),
        (b'"Nasieku"', b'"Nasieku\xff"'),
        (b'"Nasieku"', b'"\\ud800"'),
        (b'"Nasieku"', b'"\xed\xa0\x80"'),
        (b"\n", b"\r\n"),
        (b'{"inkeek"', b'\xef\xbb\xbf{"inkeek"'),
    ],
)
def test_lines_that_readers_could_read_in_two_ways_are_refused(proof, before, after):
    data = proof.replace(before, after, 1)
    assert data != proof
    assert verdict(data).keys() == {"file"}


def test_fractions_are_taken_in_the_data_of_events_alone(draft):
    numbers = [0.1, 3.98, 4.0, 0.00001, 1e-7, 1e16, 123456.789, -2.5]
    draft.events[-1][6]["counts"] = numbers
    changed = draft.copy().rehash().rewrite_ledger(KEY)
    data = changed.signed()
    assert verdict(data) == {}
    assert "chain" in verdict(data.replace(b"3.98", b"3.97"))
    draft.events[-1][2] = 1.5
    assert verdict(draft.signed()).keys() == {"file"}


def test_depth_is_bounded(draft):
    deep = "x"
    for _ in range(398):
        deep = [deep]
    draft.events[0][6]["more"] = deep[0][0][0]
    assert "file" not in verdict(draft.signed())
    draft.events[0][6]["more"] = deep
    assert verdict(draft.signed()).keys() == {"file"}


def test_numbers_that_would_take_long_do_not(draft):
    for at in draft.places("entry"):
        draft.lines[at]["entry"][3:5] = [1, 2**53]
    assert "ledger" in verdict(draft.signed())


def test_tags_and_comments_that_would_take_long_are_refused(draft):
    many = draft.copy()
    many.events[0][6]["tags"] = {f"A{number}": "x" for number in range(100_000)}
    assert names(verdict_of_record(many), 1)
    moving = draft.copy()
    at = moving.places("event")[-1]
    turn, back = (
        next(line for line in draft.lines if "event" in line and line["event"][5] == kind)
        for kind in ("turn", "retraction")
    )
    turn["event"][6]["turn"]["comments"] = ["x"] * 100
    moving.lines[at + 1 : at + 1] = [turn] * 3000 + [back] * 3000
    assert verdict_of_record(moving)


def verdict_of_record(draft):
    """What is wrong with the record of a draft in which everything is hashed and signed."""
    report = check_proof(draft.rehash().rewrite_ledger(KEY).signed(), [PUBLIC])
    assert {"rules", "rulings"}.isdisjoint(report.checked)
    return [fault.message for fault in report.faults if fault.check == "record"]
