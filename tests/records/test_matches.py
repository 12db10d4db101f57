"""Matches: worked by hand, what is refused, and what holds whatever the scores."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from inkeek.records import NORTH, SOUTH, Game, Outcome, Position, Side, read_games, ruleset, ruleset_ids
from inkeek.records.matches import Match, MatchError, MatchOutcome, Played, Tally, played_of, read_match
from inkeek.records.notation.tags import MAX_GAMES, described, rules_of
from inkeek.records.position import CLOSED
from inkeek.records.rules.ruleset import load_ruleset, ruleset_of
from inkeek.records.setups import fill_from_right, row_of, seeds_of, setup_faults

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "matches"


def match(id: str, kind: str, *games: str, title: str = "", **options) -> Match:
    """A match after games written as ``s 30-18``: who began, and the score."""
    found = Match(ruleset(id, match=kind, **options), title)
    for game in games:
        found = found.add(played(game))
    return found


def played(game: str) -> Played:
    first, score = game.split()
    south, north = score.split("-")
    return Played(Side("sn".index(first)), Outcome.of("normal", (int(south), int(north))))


class TestGames:
    def test_it_has_no_game_after_its_end(self):
        found = match("oware", "games", "s 30-18", title="games 1")
        with pytest.raises(MatchError, match="game 2: the match ended with game 1"):
            found.add(played("n 30-18"))
        with pytest.raises(MatchError, match="the match is over after 1 games: there is no game 2"):
            found.next_game()

    def test_seeds_that_count_for_nobody_are_no_fault(self):
        assert match("anywoli", "games", "s 40-36").tally == Tally(1, 0, 0)

    def test_it_has_a_bound(self):
        game = Played(SOUTH, Outcome.of("normal", (30, 18)))
        rules = ruleset("oware", match="games", starter="winner")
        assert len(Match(rules, played=(game,) * MAX_GAMES).played) == MAX_GAMES
        with pytest.raises(MatchError, match="1001 games: a match has at most 1000"):
            Match(rules, played=(game,) * (MAX_GAMES + 1))

    def test_every_game_is_from_the_set_up_of_the_first(self):
        start = Position.parse("4.4.0.4.4/4.4.4.4.4 2-2 s 4")
        rules = ruleset("bof", match="games").starting_from(start)
        found = Match(rules).add(played("s 22-18"))
        assert found.next_game().start == start.replaced(to_move=NORTH)
        tags = found.next_tags()
        assert tags["Setup"] == "4.4.0.4.4/4.4.4.4.4 2-2 n 4"
        assert rules_of(tags).start() == found.next_game().start

    @pytest.mark.parametrize("id", ruleset_ids())
    def test_every_game_can_be_played_so(self, id):
        found = Match(ruleset(id, match="games"), "games 2")
        assert rules_of(found.next_tags()).options["match"] == "games"


class TestSurplus:
    def test_the_surplus_leaves_and_the_loser_fills_from_the_right(self):
        found = match("enkeshui", "surplus", "s 30-18", pits=8)
        assert (found.seeds, found.removed) == ((24, 18), 6)
        coming = found.next_game()
        assert str(coming.start) == "0.0.4.4.4.4.4.4/0.0.0.2.4.4.4.4 0-0 n 0"
        assert (coming.number, coming.first, coming.standard) == (2, NORTH, (True, False))

    def test_a_side_can_win_back_what_it_has_lost(self):
        found = match("enkeshui", "surplus", "s 30-18", "n 12-30", pits=8)
        assert (found.seeds, found.removed) == ((12, 24), 12)

    def test_when_nobody_has_24_nothing_leaves(self):
        found = match("enkeshui", "surplus", "s 30-18", "n 20-22", pits=8)
        assert (found.seeds, found.removed) == ((20, 22), 6)
        assert str(found.next_game().start) == "0.0.0.4.4.4.4.4/0.0.2.4.4.4.4.4 0-0 s 0"

    def test_after_a_draw_both_lay_the_standard_set_up(self):
        coming = match("enkeshui", "surplus", "s 24-24").next_game()
        assert coming.standard == (True, True)
        assert "Setup" not in match("enkeshui", "surplus", "s 24-24").next_tags()

    @pytest.mark.parametrize(("north", "lost"), [(4, False), (3, True), (0, True)])
    def test_who_cannot_fill_the_right_hand_pit_has_lost(self, north, lost):
        found = match("enkeshui", "surplus", f"s {48 - north}-{north}", pits=8)
        assert found.outcome == (MatchOutcome(SOUTH, "cannot-lay") if lost else None)

    def test_the_set_up_tells_how_many_that_are(self):
        assert match("enkeshui", "surplus", "s 45-3").outcome is None  # triples: three
        assert match("enkeshui", "surplus", "s 46-2").outcome == MatchOutcome(SOUTH, "cannot-lay")
        rows = "22.0.0.0.0.0.2.0/24.0.0.0.0.0.0.0"
        assert match("enkeshui", "surplus", "s 46-2", setup=rows).outcome == MatchOutcome(SOUTH, "cannot-lay")
        assert match("enkeshui", "surplus", "s 2-46", setup=rows).outcome is None

    def test_a_race_tells_who_begins_and_not_the_match(self):
        found = match("enkeshui", "surplus", "s 30-18", "s 24-18", pits=8, race="right-hand")
        assert found.next_game().first is None
        tags = found.next_tags()
        assert "First" not in tags
        raced = {**tags, "Race": "h H North", "RacePosition": "0.0.4.4.4.4.4.0/2.3.1.3.5.5.1.2 0-0 n 0"}
        assert rules_of(raced).start().to_move is NORTH


class TestRounds:
    def test_pits_that_cannot_be_filled_are_closed_and_open_again(self):
        found = match("bof", "rounds", "s 23-17", "n 27-13")
        assert str(found.next_game().start) == "4.4.4.4.4/x.x.4.4.4 7-1 s 0"
        found = found.add(played("s 18-22"))
        assert str(found.next_game().start) == "x.4.4.4.4/4.4.4.4.4 2-2 n 0"

    def test_players_say_which(self):
        found = match("bof", "rounds", "s 27-13")
        assert str(found.next_game("CA").start) == "4.4.4.4.4/x.4.x.4.4 7-1 n 0"
        assert found.next_tags("CA")["Setup"] == "4.4.4.4.4/x.4.x.4.4 7-1 n 0"

    @pytest.mark.parametrize(
        ("closed", "says"),
        [
            ("C", "closed pits 'C': North has 13 seeds and must close 2, not 1"),
            ("CABD", "closed pits 'CABD': North has 13 seeds and must close 2, not 4"),
            ("ABc", "closed pits 'ABc': South has 27 seeds and must close 0, not 1"),
            ("ABF", "there is no pit F to close"),
            ("AB?", "there is no pit \\? to close"),
        ],
    )
    def test_not_more_not_fewer_and_only_what_there_is(self, closed, says):
        with pytest.raises(MatchError, match=says):
            match("bof", "rounds", "s 27-13").next_game(closed)

    def test_only_the_leftmost_where_that_is_agreed(self):
        found = match("bof", "rounds", "s 27-13", closing="leftmost")
        assert found.next_game("BA").start == found.next_game().start
        with pytest.raises(MatchError, match="North closed A C: expected the leftmost pits with closing=leftmost"):
            found.next_game("AC")

    @pytest.mark.parametrize("row", ["4.4.4.x.x", "0.0.4.4.4", "x.x.x.4.8"])
    def test_a_set_up_with_the_right_seeds_may_still_be_wrong(self, row):
        found = match("bof", "rounds", "s 27-13")
        right = Position.parse("4.4.4.4.4/4.4.4.x.x 7-1 s 0")
        found.verify_start(right)
        wrong = Position.parse(f"4.4.4.4.4/{row} 7-1 s 0")
        if row == "4.4.4.x.x":
            found = match("bof", "rounds", "s 27-13", closing="leftmost")
        with pytest.raises(MatchError, match="game 2: the set-up is"):
            found.verify_start(wrong)

    def test_nowhere_else(self):
        with pytest.raises(MatchError, match="pits A cannot be closed with match=games"):
            match("bof", "games", "s 27-13").next_game("A")

    @pytest.mark.parametrize(("south", "lost"), [(4, False), (3, True)])
    def test_who_has_fewer_than_four_has_lost(self, south, lost):
        found = match("bof", "rounds", f"s {south}-{40 - south}")
        assert found.outcome == (MatchOutcome(NORTH, "cannot-lay") if lost else None)


@given(
    st.sampled_from([("games", "starter"), ("rounds", "round_starter")]),
    st.sampled_from(["alternate", "loser", "winner"]),
    st.none() | st.integers(1, 6),
    st.sampled_from("sn"),
    st.lists(st.sampled_from(["22-18", "18-22", "20-20"]), max_size=6),
)
def test_who_won_how_often_decides_a_match_and_who_won_last_begins_as_agreed(kinds, rule, agreed, begins, scores):
    """Against a plain count. A match without a number of games goes on, and so do rounds while both can lay a pit."""
    kind, name = kinds
    agreed = agreed if kind == "games" else None
    found = match("bof", kind, title="" if agreed is None else f"games {agreed}", **{name: rule})
    assert found.next_game().first is None
    for number, score in enumerate(scores[:agreed], 1):
        found = found.add(played(f"{begins} {score}"))
        past = scores[:number]
        south, north = past.count("22-18"), past.count("18-22")
        assert (found.tally, found.agreed) == (Tally(south, north, past.count("20-20")), agreed)
        if number == agreed:
            winner = None if south == north else SOUTH if south > north else NORTH
            assert found.outcome == MatchOutcome(winner, "games-played")
            return
        assert found.outcome is None
        winner = {"22-18": "s", "18-22": "n"}.get(score)
        other = {"s": "n", "n": "s"}
        begins = (
            other[begins] if rule == "alternate" or winner is None else winner if rule == "winner" else other[winner]
        )
        assert found.next_game().first is Side("sn".index(begins))


class TestWhoBegins:
    def test_another_is_refused(self):
        with pytest.raises(MatchError, match="game 2: South begins: expected North, with starter=alternate"):
            match("bof", "games", "s 30-10", "s 30-10")
        with pytest.raises(MatchError, match="game 2: North begins: expected South, with round_starter=winner"):
            match("bof", "rounds", "s 30-10", "n 30-10", round_starter="winner")


class TestRefused:
    def test_rules_of_no_match(self):
        with pytest.raises(MatchError, match="bof has match=none: expected match=games or match=rounds"):
            Match(ruleset("bof"))

    def test_a_title_of_another_kind(self):
        with pytest.raises(MatchError, match="Match is 'rounds', but the options say match=games"):
            match("bof", "games", title="rounds")
        assert match("bof", "games", title="Sunday evenings").next_tags()["Match"] == "Sunday evenings"

    @pytest.mark.parametrize(("id", "kind", "seeds"), [("enkeshui", "surplus", 48), ("bof", "rounds", 40)])
    def test_a_score_that_does_not_share_out_all_seeds(self, id, kind, seeds):
        with pytest.raises(MatchError, match=f"game 1: the score 20-10 does not share out the {seeds} seeds"):
            match(id, kind, "s 20-10")

    def test_seeds_that_have_left(self):
        with pytest.raises(MatchError, match="game 2: the score 20-28 does not share out the 42 seeds"):
            match("enkeshui", "surplus", "s 30-18", "n 20-28")

    def test_rules_that_do_not_start_from_the_standard_set_up(self):
        rules = ruleset("bof", match="rounds").starting_from(Position.parse("4.4.4.4.4/x.4.4.4.4 4-0 s 0"))
        with pytest.raises(MatchError, match="the first game of a match begins from the standard set-up"):
            Match(rules)


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[Match], str]:
    """A match for the surplus or in rounds, as it was after each of its games, with any scores; and pits to close."""
    rules = draw(
        st.sampled_from(
            [
                ruleset("enkeshui", match="surplus"),
                ruleset("enkeshui", match="surplus", pits=8),
                ruleset("enkeshui", match="surplus", setup="fours-left", starter="loser"),
                ruleset("enkeshui", match="surplus", setup="5.5.5.0.0.5.0.1.2.1/0.0.12.0.0.0.6.0.6.0"),
                ruleset("enkeshui-wikipedia", match="surplus"),
                ruleset("bof", match="rounds"),
                ruleset("bof", match="rounds", round_starter="winner", closing="leftmost"),
            ]
        )
    )
    found = [Match(rules)]
    while found[-1].outcome is None and len(found) < 8:
        last = found[-1]
        south = draw(st.integers(0, sum(last.seeds)))
        coming = last.next_game()
        first = coming.first if coming.first is not None else draw(st.sampled_from(Side))
        found.append(last.add(Played(first, Outcome.of("normal", (south, sum(last.seeds) - south)))))
    return found, draw(st.permutations("abcdeABCDE"))


@given(matches())
def test_a_match_goes_on_from_a_legal_set_up_with_all_its_seeds_or_is_over(drawn):
    found, order = drawn
    total = found[0].rules.seeds
    for now in found:
        assert sum(now.seeds) + now.removed == total
        if now.outcome is not None:
            assert now.seeds[now.outcome.winner] > now.seeds[now.outcome.winner.other]
            assert now.outcome.reason == "cannot-lay"
            assert now is found[-1]
            continue
        closed = ""
        if now.kind == "rounds" and now.rules.options["closing"] == "free":
            for side, own in ((SOUTH, "abcde"), (NORTH, "ABCDE")):
                closed += "".join([pit for pit in order if pit in own][: max(0, 5 - now.seeds[side] // 4)])
        coming = now.next_game(closed)
        rules = rules_of(now.next_tags(closed))  # which holds the set-up against the kind of match
        assert rules.start() == coming.start
        assert setup_faults(rules, coming.start, first_game=not now.played) == []
        assert rules.outcome(coming.start) is None
        for side in Side:
            assert seeds_of(coming.start, side) == now.seeds[side]
            row, standard = row_of(coming.start, side), row_of(now.rules.start(), side)
            if now.kind == "surplus":
                assert row == fill_from_right(standard, now.seeds[side])
                assert coming.start.stores == (0, 0)
            else:
                shut = sum(coming.start.marks[pit] == CLOSED for pit in coming.start.pits_of(side))
                assert shut == max(0, 5 - now.seeds[side] // 4)
                assert coming.start.stores[side] == now.seeds[side] - 4 * (5 - shut)
        now.verify_start(coming.start)


def records(name: str) -> list[Game]:
    return list(read_games(EXAMPLES / f"{name}.pmn"))


class TestReading:
    def test_a_match_for_the_surplus(self):
        found = read_match(records("surplus"))
        assert [game.outcome.score for game in found.played] == [(44, 4), (7, 21), (25, 3)]
        assert [game.first for game in found.played] == [SOUTH, NORTH, SOUTH]
        assert found.outcome == MatchOutcome(SOUTH, "cannot-lay")

    def test_rounds_that_go_on(self):
        found = read_match(records("rounds"))
        assert found.seeds == (4, 36)
        assert found.outcome is None
        assert found.next_tags() == {
            "Game": "bof",
            "Options": "match=rounds",
            "First": "North",
            "Setup": "x.x.x.x.4/4.4.4.4.4 0-16 n 0",
            "Match": "rounds",
            "MatchGame": "4",
        }

    def test_the_last_game_may_be_going_on(self):
        begun = [*records("rounds"), Game(tags=read_match(records("rounds")).next_tags())]
        found = read_match(begun)
        assert found.begun
        assert len(found.played) == 3
        with pytest.raises(MatchError, match="game 4 has no result: only the last record of a match may have none"):
            read_match([*begun, begun[-1]])

    @pytest.mark.parametrize("name", ["surplus", "rounds"])
    @pytest.mark.parametrize(
        ("number", "tags", "says"),
        [
            (2, {"MatchGame": "3"}, "game 2: MatchGame is 3"),
            (3, {"South": "East bench"}, "game 3: South is 'East bench', but in game 1 'West bench'"),
            (1, {"Result": "0-0"}, "game 1: line .*: Result is '0-0'"),
            (2, {"Score": "1-1"}, "game 2: line .*: Score is 1-1"),
        ],
    )
    def test_records_that_do_not_follow(self, name, number, tags, says):
        games = records(name)
        games[number - 1] = games[number - 1].with_tags(**tags)
        with pytest.raises(MatchError, match=says):
            read_match(games)

    def test_a_game_of_other_rules(self):
        games = records("rounds")
        games[1] = games[1].with_tags(Options="match=rounds repetition=5")
        with pytest.raises(MatchError, match="game 2: repetition is 5, but in game 1 3"):
            read_match(games)
        with pytest.raises(MatchError, match="game 3: game is enkeshui, but in game 1 bof"):
            read_match([*records("rounds")[:2], *records("surplus")])
        table = {"id": "my:tiny", "name": "Tiny", "sources": ["none"], "pits": 3, "last": [{}]}
        tables = (described(ruleset_of({**table, "each": each})) for each in (1, 2))
        won, other = ({**tags, "Options": "match=games", "Match": "games 2"} for tags in tables)
        games = [Game(tags={**won, "Result": "1-0", "Termination": "forfeit"}), Game(tags={**other, "First": "North"})]
        with pytest.raises(MatchError, match=r"game 2: rules is [0-9a-f]{12}, but in game 1 "):
            read_match(games)

    def test_another_number_of_games(self):
        games = [Game(tags={"Game": "bof", "Match": f"games {number}"}) for number in (3, 4)]
        first = Game(tags={**games[0].tags, "Result": "1-0", "Termination": "forfeit"})
        second = Game(tags={**games[1].tags, "First": "North"})
        with pytest.raises(MatchError, match="game 2: Match is 'games 4', but in game 1 'games 3'"):
            read_match([first, second])

    def test_a_set_up_that_does_not_follow(self):
        games = records("rounds")
        with pytest.raises(MatchError, match=r"game 2: the set-up is x.x.x.4.4/.*South has 7 seeds and North 33"):
            read_match([games[0], games[2].with_tags(MatchGame="2")])
        with pytest.raises(MatchError, match=r"game 1: the set-up is x.x.x.x.4/4.*South has 20 seeds and North 20"):
            read_match([_without(games[1], "MatchGame")])

    def test_a_starter_that_does_not_follow(self):
        games = records("rounds")
        tags = {**games[1].tags, "First": "South", "Setup": "x.x.x.x.4/4.4.4.4.4 3-13 s 0", "Result": "1-0"}
        second = Game(tags={**tags, "Termination": "forfeit", "Score": "7-33"})
        with pytest.raises(MatchError, match="game 2: South begins: expected North, with round_starter=alternate"):
            read_match([games[0], second])

    def test_players_choose_which_pits_close(self):
        games = records("rounds")
        tags = {**read_match(games[:1]).next_tags("abcd"), "Setup": "x.4.x.x.x/4.4.4.4.4 3-13 n 0"}
        assert read_match([games[0], Game(tags=tags)]).begun

    def test_a_game_after_the_end(self):
        games = records("surplus")
        with pytest.raises(MatchError, match="the match is over after 3 games: there is no game 4"):
            read_match([*games, Game(tags={**games[0].tags, "Result": "*", "MatchGame": "4"})])

    def test_more_than_there_can_be(self):
        won = {"Result": "1-0", "Termination": "forfeit"}
        game = Game(tags={"Game": "bof", "Match": "games", "Options": "starter=winner", **won})
        assert len(read_match([game] * MAX_GAMES).played) == MAX_GAMES
        with pytest.raises(MatchError, match="more than 1000 games"):
            read_match([game] * (MAX_GAMES + 1))

    def test_none(self):
        with pytest.raises(MatchError, match="from its first game on"):
            read_match([])
        with pytest.raises(MatchError, match="has match=none"):
            read_match([Game(tags={"Game": "bof"})])

    def test_a_race_is_before_the_set_up_is_measured(self):
        tags = {"Game": "enkeshui", "Options": "pits=8 race=right-hand", "Match": "games 3"}
        race = {"Race": "h H North", "RacePosition": "1.0.5.5.6.5.0.1/0.2.6.5.5.5.1.1 0-0 n 0"}
        ended = {"Result": "0-1", "Termination": "resignation"}
        found = read_match([Game(tags={**tags, **race, **ended}), Game(tags={**tags, **race})])
        assert found.begun
        assert found.played[0].first is NORTH
        assert str(found.rules.start()) == "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 s 0"


def _without(game: Game, name: str) -> Game:
    return Game(tags={tag: value for tag, value in game.tags.items() if tag != name}, plies=game.plies)


class TestGamesThatPlayersEnded:
    def played_of(self, ending: str) -> Played:
        text = f'[Game "enkeshui"]\n[Match "surplus"]\n[Options "pits=8"]\n{ending}\n\n1. cx16 Ax6 *\n'
        (game,) = read_games(io.StringIO(text.replace("*", ending.split('"')[1])))
        return played_of(game)

    def test_the_score_shares_out_the_seeds(self):
        found = self.played_of('[Result "1-0"]\n[Termination "agreement"]\n[Score "30-18"]')
        assert found.outcome == Outcome("agreement", SOUTH, (30, 18))

    def test_without_one_seeds_and_marks_in_ordinary_pits_goes_to_the_owner_of_the_row(self):
        found = self.played_of('[Result "0-1"]\n[Termination "resignation"]')
        assert found.outcome == Outcome("resignation", NORTH, (31, 17))
        after = Match(ruleset("enkeshui", pits=8, match="surplus")).add(found)
        assert after.tally == Tally(0, 1, 0)
        assert (after.seeds, after.removed) == ((24, 17), 7)

    def test_a_score_that_does_not(self):
        found = self.played_of('[Result "1/2-1/2"]\n[Termination "agreement"]\n[Score "16-6"]')
        with pytest.raises(MatchError, match="the score 16-6 does not share out the 48 seeds"):
            Match(ruleset("enkeshui", pits=8, match="surplus")).add(found)

    def test_one_without_a_result(self):
        with pytest.raises(MatchError, match="the record has no result: the game goes on"):
            self.played_of('[Result "*"]')


def test_a_kind_of_match_is_an_option_of_every_game():
    assert all("match" in {option.name for option in load_ruleset(id).options} for id in ruleset_ids())
