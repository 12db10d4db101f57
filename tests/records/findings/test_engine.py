from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from inkeek.records import Move, Position, Rules, ruleset
from inkeek.records.findings import KINDS, Account, Evidence, Finding, Reading, Seen, find
from inkeek.records.findings.account_steps import emptied_pits
from inkeek.records.findings.candidates import CandidateSearch
from inkeek.records.findings.evidence import order_log, read_board
from inkeek.records.language import language_ids
from inkeek.records.notation.tags import parse_options

from .slipped_turns import GAMES, SlippedTurn, counts_of, findings, slipped_turn

ENKESHUI = GAMES[-1]
START = ENKESHUI.start()
SLIPS_FILE = Path(__file__).parents[2] / "data" / "slips.tsv"
SLIPS = list(csv.DictReader(SLIPS_FILE.read_text("utf-8").splitlines(), delimiter="\t"))


def is_true(account: Account, turn: SlippedTurn) -> bool:
    return account.kinds == turn.kinds and account.move is not None and account.move.pit == turn.turn.move.pit


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_every_slip_is_among_the_accounts(rules: Rules) -> None:
    ranks = []
    for turn, found in findings(rules):
        assert any(is_true(account, turn) for account in found.accounts), (turn, found.accounts[:3])
        ranks.append(any(is_true(account, turn) for account in (*found.best, *found.accounts[:3])))
    assert len(ranks) >= 15
    assert sum(ranks) >= 0.9 * len(ranks)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_legal_turn_is_found(rules: Rules) -> None:
    for turn in rules.turns(rules.start()):
        found = find(rules, Evidence(before=rules.start(), counts=counts_of(turn.position)))
        assert found.accounts[0].legal
        assert found.legal
        account = next(account for account in found.accounts if account.legal and account.move == turn.move)
        assert account.rule in rules.info.rules.values()
        explained = rules.explain(rules.start(), turn.move)
        assert list(account.sentences[1:]) == explained[-len(account.sentences) + 1 :]


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_accounts_leave_the_board_and_mending_leads_to_the_turn_that_was_meant(rules: Rules) -> None:
    for turn, found in findings(rules):
        for account in found.accounts:
            assert account.kind == "unknown" or account.board == turn.board
            if account.mend and account.target is not None:
                mended = [count + account.mend.get(place, 0) for place, count in enumerate(account.board)]
                assert tuple(mended) == counts_of(account.target)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_probabilities_are_shares_of_one(rules: Rules) -> None:
    for _, found in findings(rules):
        shares = [account.probability for account in found.accounts]
        assert sum(shares) <= 1 + 1e-9
        assert shares == sorted(shares, reverse=True)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_the_steps_follow_the_turn_up_to_the_first_wrong_one(rules: Rules) -> None:
    for turn, found in findings(rules):
        account = next((account for account in found.accounts if is_true(account, turn)), None)
        if account is None or account.first_wrong_step is None:
            continue
        at, legal = account.first_wrong_step, rules.trace(turn.turn.before, turn.turn.move).events
        assert account.steps[:at] == legal[:at], turn
        assert account.steps[at : at + 1] != legal[at : at + 1], turn


def test_a_skipped_pit_is_told_with_the_rule_and_its_source() -> None:
    # c goes to d, e, f and A by the rules. Here e got no seed, so that the last one fell in B.
    rules = ruleset("oware")
    found = find(rules, Evidence(before=rules.start(), counts=(4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0)))
    account = found.accounts[0]
    assert (account.kinds, str(account.move), account.legal, found.legal) == (("skipped",), "c", False, False)
    assert [step.pit for step in account.steps if step.kind == "drop"] == [3, 5, 6, 7]
    assert account.first_wrong_step == 2
    assert account.mend == {4: 1, 7: -1}
    assert account.rule == rules.info.rules["sowing"]
    assert account.rule.source in rules.info.sources
    layli = ruleset("layli-goobalay").info.rules["special-made"]
    assert "3 balls" in layli.quote


def test_a_skipped_store_is_told_as_the_store() -> None:
    # c of Kalah goes to d, e, f and South's store. Here the store got no seed, so that the last one fell in A.
    rules = ruleset("kalah")
    counts = (4, 4, 0, 5, 5, 5, 5, 4, 4, 4, 4, 4, 0, 0)
    account = find(rules, Evidence(before=rules.start(), counts=counts, claimed=Move.parse("c"))).accounts[0]
    assert account.kinds == ("skipped",)
    assert "South's store" in account.sentences[1]


def test_the_store_that_got_a_capture_wrongly_is_named() -> None:
    # North captures the last seed in C rightly. The seven seeds of d went to South.
    rules = ruleset("kalah")
    turn = rules.play(Position.parse("3.1.0.7.6.0/0.1.0.1.4.2 10-13 n 23"), Move.parse("B"))
    south, north = turn.position.stores
    evidence = Evidence(before=turn.before, counts=(*turn.position.pits, south + 7, north - 7), claimed=Move.parse("B"))
    account = find(rules, evidence).accounts[0]
    assert account.kinds == ("wrong-store",)
    assert ("South" in account.sentences[1], "North" in account.sentences[1]) == (True, False)
    assert account.first_wrong_step is not None
    step = account.steps[account.first_wrong_step]
    assert (step.kind, step.pit, step.other) == ("take", 3, 0)


def test_what_is_unknown_is_left_open() -> None:
    turn = ENKESHUI.play(START, Move.parse("c"))
    counts = [None if place % 3 == 0 else count for place, count in enumerate(counts_of(turn.position))]
    found = find(ENKESHUI, Evidence(before=START, counts=tuple(counts)))
    assert found.accounts[0].move == turn.move
    assert all(known in (None, count) for known, count in zip(counts, found.accounts[0].board, strict=True))


def test_noisy_counts_are_weighed() -> None:
    turn = ENKESHUI.play(START, Move.parse("c"))
    noise = Random(3)
    counts = tuple(Reading(count + noise.gauss(0, 0.15), 0.2) for count in counts_of(turn.position))
    found = find(ENKESHUI, Evidence(before=START, counts=counts))
    assert found.accounts[0].move == turn.move
    assert found.legal
    table = tuple({count - 1: -9.0, count: 0.0, count + 1: -9.0} for count in counts_of(turn.position))
    assert find(ENKESHUI, Evidence(before=START, counts=table)).accounts[0].move == turn.move


def test_an_account_with_two_slips_is_found() -> None:
    # c skips f in its first lap, and a seed is lost from the store of the side that captures.
    rng, found = Random(4), 0
    for _ in range(6):
        turn = slipped_turn(rng, ENKESHUI, "skip")
        assert turn is not None
        board = list(turn.board)
        place = max(range(16), key=board.__getitem__)
        board[place] -= 1
        finding = find(ENKESHUI, Evidence(before=turn.turn.before, counts=tuple(board)))
        if finding.searched == 2:
            found += any(set(account.kinds) == {"skipped", "seed-lost"} for account in finding.accounts[:5])
        else:
            found += 1
    assert found >= 5


def test_a_board_that_nothing_explains_is_unknown() -> None:
    counts = (9, 0, 9, 0, 9, 0, 9, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2)
    found = find(ENKESHUI, Evidence(before=START, counts=counts), 1)
    assert (found.accounts[0].kind, found.legal) == ("unknown", False)
    assert found.unknown > 0.99


def test_the_order_of_lifts_tells_accounts_apart_that_leave_one_board() -> None:
    named = 0
    for turn, _ in findings(ENKESHUI):
        lifts = tuple(Seen("lift", event.pit) for event in turn.events if event.kind == "lift")
        evidence = Evidence(before=turn.turn.before, counts=turn.board, seen=lifts, seen_all=True)
        found = find(ENKESHUI, evidence, 1)
        named += any(is_true(account, turn) for account in found.best)
        for account in found.best:
            if account.probability > 0.5 and account.steps:
                lifted = [step.pit for step in account.steps if step.kind == "lift"]
                assert lifted == [seen.pit for seen in lifts]
    assert named >= 15


def test_the_claim_decides_between_equal_boards() -> None:
    counts = counts_of(START)
    lost = list(counts)
    lost[2] = 0
    plain = find(ENKESHUI, Evidence(before=START, counts=tuple(lost), hand=4), 1)
    claimed = find(ENKESHUI, Evidence(before=START, counts=tuple(lost), hand=4, claimed=Move.parse("c")), 1)
    assert claimed.accounts[0].probability >= plain.accounts[0].probability


def test_seeds_in_the_hand_count() -> None:
    # c was lifted, one seed dropped, three are in the hand.
    counts = list(counts_of(START))
    counts[2], counts[3] = 0, 5
    found = find(ENKESHUI, Evidence(before=START, counts=tuple(counts), hand=3))
    assert (found.accounts[0].kind, str(found.accounts[0].move)) == ("unfinished", "c")


def test_turns_of_the_wrong_side_and_two_turns_are_found() -> None:
    turned = START.replaced(to_move=START.to_move.other)
    wrong = ENKESHUI.turns(turned)[1]
    found = find(ENKESHUI, Evidence(before=START, counts=counts_of(wrong.position)))
    assert any(account.kind == "wrong-side" for account in found.accounts[:2])
    first = ENKESHUI.play(START, Move.parse("c"))
    second = ENKESHUI.turns(first.position)[0]
    found = find(ENKESHUI, Evidence(before=START, counts=counts_of(second.position)))
    assert any(account.kind == "two-turns" and account.move == first.move for account in found.accounts[:2])
    again = ENKESHUI.turns(first.position.replaced(to_move=START.to_move))[0]
    found = find(ENKESHUI, Evidence(before=START, counts=counts_of(again.position)))
    assert any(account.kind == "moved-twice" for account in found.accounts[:3])


def test_a_rule_of_the_first_turn_does_not_bind_the_other_side() -> None:
    rules = ruleset("layli-goobalay")  # the first turn begins at the right end
    before = rules.start()
    turned = before.replaced(to_move=before.to_move.other, ply=1)
    wrong = rules.play(turned, Move.parse("L"))
    found = find(rules, Evidence(before=before, counts=counts_of(wrong.position)))
    assert found.accounts[0].kind == "wrong-side"


def test_a_seed_that_came_in_changes_the_rest_of_a_turn_with_another_slip() -> None:
    rules = ruleset("layli-goobalay", pits=6)
    before = Position.parse("0.0.0.7n.1.0/0.0.13n.0.0.0 4-23 s 20")
    counts = (1, 1, 0, 7, 0, 0, 0, 0, 13, 0, 0, 0, 4, 23)
    found = find(rules, Evidence(before=before, counts=counts, claimed=Move.parse("e")))
    assert {"seed-added", "skipped"} in [set(account.kinds) for account in found.accounts]
    for account in found.accounts:
        assert account.kind == "unknown" or account.board == counts


def test_a_turn_before_that_was_not_completed_is_found() -> None:
    previous = next(turn for turn in ENKESHUI.turns(START) if turn.laps > 3)
    events = ENKESHUI.trace(START, previous.move).events
    third = [at for at, event in enumerate(events) if event.kind == "lift"][2]
    pits = [*START.pits]
    for event in events[:third]:
        if event.kind in ("lift", "drop"):
            pits[event.pit] = event.count if event.kind == "drop" else 0
    evidence = Evidence(before=previous.position, counts=(*pits, 0, 0), previous=previous)
    assert find(ENKESHUI, evidence).accounts[0].kind == "previous-unfinished"


def test_a_capture_that_the_turn_before_left_is_found_after_the_next_turn() -> None:
    rules = ruleset("oware")
    before = Position.parse("4.4.4.4.4.1/1.4.4.4.4.10 0-0 s 0")
    previous = rules.play(before, Move.parse("f"))
    assert previous.position.pits[6] == 0
    left = previous.position.replaced(pits=(4, 4, 4, 4, 4, 0, 2, 4, 4, 4, 4, 10), stores=(0, 0))
    counts = counts_of(rules.play(left, Move.parse("A")).position)
    found = find(rules, Evidence(before=previous.position, counts=counts, previous=previous))
    account = found.accounts[0]
    assert (account.kinds, account.first_wrong_step) == (("previous-unfinished",), None)


@pytest.mark.parametrize("slip", SLIPS, ids=lambda one: f"{one['game']}-{one['slip']}".replace(" ", "-"))
def test_slips_that_hands_made_are_found(slip: dict[str, str]) -> None:
    """Boards that hands played which slip: one slip is the first account, two are among the first three."""
    rules = ruleset(slip["game"], **parse_options(slip["options"]))
    counts = tuple(int(count) for count in slip["board"].split())
    claimed = Move.parse(slip["claimed"]) if slip["claimed"] else None
    found = find(rules, Evidence(before=Position.parse(slip["position"]), counts=counts, claimed=claimed))
    kinds = set(slip["kinds"].split())
    assert kinds in [set(account.kinds) for account in found.accounts[: 2 * len(kinds) - 1]]


def test_nothing_played_and_turns_taken_back_are_found() -> None:
    found = find(ENKESHUI, Evidence(before=START, counts=counts_of(START)))
    assert (found.accounts[0].kind, found.accounts[0].legal, found.legal) == ("unplayed", None, False)
    after = ENKESHUI.play(START, Move.parse("c")).position
    found = find(ENKESHUI, Evidence(before=after, counts=counts_of(START), earlier=(START,)))
    assert found.accounts[0].kind == "taken-back"


def test_a_rearrangement_is_legal_where_the_rules_allow_it() -> None:
    rules = ruleset("enkeshui-wikipedia", pits=8, setup="fours-right")
    move = Move.parse("ch@a3c1e4")
    after = rules.play(rules.start(), move).position
    found = find(rules, Evidence(before=rules.start(), counts=counts_of(after), claimed=move))
    assert found.accounts[0].legal
    assert found.accounts[0].move == move


def test_a_pass_is_legal() -> None:
    rules = ruleset("anywoli")
    rng = Random(2)
    position = Position.parse("0.0.0.0.0.0.0.0.0.0.0.0/1.1.0.0.0.0.0.0.0.0.0.0 46-48 s 90")
    assert rng is not None
    found = find(rules, Evidence(before=position, counts=counts_of(position)))
    assert (found.accounts[0].kind, found.legal) == ("legal", True)


@pytest.mark.parametrize("language", language_ids())
def test_accounts_are_told_in_every_language(language: str) -> None:
    for turn, _ in findings(ENKESHUI):
        evidence = Evidence(before=turn.turn.before, counts=turn.board)
        for account in find(ENKESHUI, evidence, 1, language).accounts:
            assert all(account.sentences)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_every_kind_that_a_game_can_have_breaks_a_rule_that_its_file_tells(rules: Rules) -> None:
    for turn, _ in findings(rules):
        assert KINDS[turn.kinds[0]].rule in {*rules.info.rules, "relay"}
    assert {"turn", "sowing", "end", "capture"} <= set(rules.info.rules)


def test_a_limit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["inkeek.records.findings.candidates"]
    monkeypatch.setattr(module, "ONE_SLIP_WORK", 10)
    monkeypatch.setattr(module, "MIN_WORK", 10)
    counts = (9, 0, 9, 0, 9, 0, 9, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2)
    assert not find(ENKESHUI, Evidence(before=START, counts=counts), slips=1).complete


def test_no_lap_ends_in_a_store_where_none_is_sown() -> None:
    """Beside the pit at the end of a row lies a store: a seed that falls there ends the lap in no pit."""
    search = CandidateSearch(ENKESHUI, Evidence(before=START, counts=(None,) * 18))
    places = {slip.place for draft in search.one_slip() for slip in draft.slips if slip.code == "astray"}
    assert places
    assert max(places) < 16


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_legal_turn_on_a_sensor_board_is_sure_though_a_hand_touched_a_pit(rules: Rules) -> None:
    noise = Random(8)
    turn = findings(rules)[-1][0].turn
    spread = [0.3 + 0.04 * count for count in turn.position.pits]
    counts = tuple(
        Reading(count + noise.gauss(0, 0.05), by) for count, by in zip(turn.position.pits, spread, strict=True)
    )
    lifts = [Seen("lift", pit) for pit in emptied_pits(rules.trace(turn.before, turn.move).events)]
    for seen in (lifts, [*lifts, Seen("lift", lifts[0].pit)], lifts[1:]):
        evidence = Evidence(
            before=turn.before,
            counts=(*counts, None, None),
            claimed=turn.move.choice,
            seen=tuple(seen),
            seen_by_board=True,
        )
        found = find(rules, evidence)
        assert found.accounts[0].board == counts_of(turn.position)
        assert sum(account.probability for account in found.accounts if account.legal) > 0.95
        assert found.unknown < 0.02
        assert found.complete


def test_sensors_report_a_capture_like_a_lift_and_people_do_not() -> None:
    rules, before = ruleset("oware"), Position.parse("4.4.4.4.4.1/1.4.4.4.4.10 0-0 s 0")
    turn = rules.play(before, Move.parse("f"))
    assert turn.captured == (2, 0)
    events = rules.trace(before, turn.move).events
    known = Evidence(before=before, counts=counts_of(turn.position), seen=(Seen("lift", 5), Seen("lift", 6)))
    assert order_log(replace(known, seen_by_board=True), events) == 0
    assert order_log(known, events) < order_log(replace(known, seen=known.seen[:1]), events) == 0


def test_lifts_that_people_saw_weigh_more_than_those_of_a_board() -> None:
    turn = ENKESHUI.play(START, Move.parse("e"))
    seen = (Seen("lift", 7),)
    said = find(ENKESHUI, Evidence(before=START, counts=counts_of(turn.position), seen=seen), 1)
    read = find(ENKESHUI, Evidence(before=START, counts=counts_of(turn.position), seen=seen, seen_by_board=True), 1)
    assert said.accounts[0].probability < read.accounts[0].probability


MARKED = Position.parse("1.4n.3.0.0.4.1.4s.3.0.0.4/0.5s.3.0.3.3.0.3.3.0.0.4 0-0 s 4")


def found_on(board: str, claimed: str = "") -> Finding:
    counts, marks = read_board(board, MARKED)
    rules = ruleset("enkeshui-wikipedia", race="none")
    claim = Move(claimed) if claimed else None
    return find(rules, Evidence(before=MARKED, counts=counts, marks=marks, claimed=claim))


@pytest.mark.parametrize("uncounted", ["?", "?s"])
def test_a_special_pit_that_nobody_counted_leaves_a_legal_turn_legal(uncounted: str) -> None:
    found = found_on(f"1.4n.0.1.1.0.2.{uncounted}.4.1.1.4/0.5s.3.0.3.3.0.3.3.0.0.4 0-0", "c")
    assert found.legal


@pytest.mark.parametrize("mark", ["", "n"])
def test_a_special_pit_that_lost_its_mark_leaves_a_legal_turn_legal(mark: str) -> None:
    found = found_on(f"1.4n.0.1.1.0.2.5s.4.1.1.4/0.5{mark}.3.0.3.3.0.3.3.0.0.4 0-0", "c")
    assert found.legal
    assert found.unknown < 0.01


def test_a_first_turn_in_a_wrong_pit_breaks_the_rule_of_the_first_turn() -> None:
    rules = ruleset("layli-goobalay")
    free = ruleset("layli-goobalay", first_move="free")
    wrong = free.play(free.start(), Move("d")).position
    found = find(rules, Evidence(before=rules.start(), counts=counts_of(wrong), claimed=Move("d")))
    assert found.accounts[0].kinds == ("wrong-start",)
    assert found.accounts[0].rule == rules.info.rules["first-turn"]


@pytest.mark.parametrize(
    ("game", "position", "pit"),
    [
        ("oware", "0.0.12.4.4.4/4.4.4.4.4.4 0-0 s 6", "c"),
        ("bof", "0.0.12.4.4/4.4.4.4.4 0-0 s 6", "c"),
        ("kalah", "0.0.13.4.4.4/4.4.4.4.4.3 0-0 s 6", "c"),
    ],
)
def test_a_legal_turn_all_the_way_round_says_whether_its_pit_is_skipped(game: str, position: str, pit: str) -> None:
    texts = set()
    for skips in (False, True):
        rules, before = ruleset(game, skip_origin=skips), Position.parse(position)
        turn = rules.play(before, Move(pit))
        found = find(rules, Evidence(before=before, counts=counts_of(turn.position)))
        account = next(account for account in found.accounts if account.legal and account.move == turn.move)
        texts.add(account.sentences[1])
        assert "skip_origin" in account.sentences[1]
    assert len(texts) == 2


def test_a_legal_turn_short_of_its_own_pit_says_nothing_of_it() -> None:
    rules, before = ruleset("oware"), Position.parse("0.0.11.5.4.4/4.4.4.4.4.4 0-0 s 6")
    turn = rules.play(before, Move("c"))
    found = find(rules, Evidence(before=before, counts=counts_of(turn.position)))
    assert not any("skip_origin" in sentence for sentence in found.accounts[0].sentences)
