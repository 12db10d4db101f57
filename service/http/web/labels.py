"""The short words and signs of the pages, and the commands of comments as sentences. `records` explains turns."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import groupby

from inkeek.records import NORTH, SOUTH, Position, Side, Turn
from inkeek.records.language import Language, load_language
from inkeek.records.moves import Kind
from inkeek.records.notation import commands
from inkeek.records.notation.commands import SIDES_REASONS, Command, RawCommand, split_comment
from inkeek.records.notation.tags import SHOWN_TAGS, described, parse_match
from inkeek.records.position import CLOSED, ORDINARY, SOUTHS
from inkeek.records.rules.ruleset import RuleSet
from inkeek.service.errors import gettext_later as later
from inkeek.service.games.snapshot import was_played_before
from inkeek.service.http.access.caller import person_name
from inkeek.service.http.context import find_ruleset
from inkeek.service.http.language import gettext, local_time, ngettext, shown_language, side_names
from inkeek.service.http.names import shown_tags
from inkeek.service.storage import GameRow
from inkeek.service.storage.search import game_key

NAGS = {  # numeric annotation glyphs with a sign (PGN standard, section 10)
    1: ("!", later("good move")),
    2: ("?", later("mistake")),
    3: ("!!", later("brilliant move")),
    4: ("??", later("blunder")),
    5: ("!?", later("interesting move")),
    6: ("?!", later("dubious move")),
}
_PERIOD = re.compile(r"(?:([0-9]{1,6})/)?([0-9]{1,6})(?:\+([0-9]{1,6}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Glyph:
    sign: str
    words: str


@dataclass(frozen=True, slots=True)
class CommentView:
    """A comment: its plain text, and what its ``[%…]`` commands say."""

    text: str
    commands: tuple[str, ...]


def glyph(nag: int) -> Glyph:
    if nag in NAGS:
        sign, words = NAGS[nag]
        return Glyph(sign, gettext(words))
    return Glyph(f"${nag}", gettext("annotation %(number)s", number=nag))


def comment_view(comment: str) -> CommentView:
    parts = split_comment(comment)
    return CommentView(parts.text, tuple(map(command_words, parts.commands)))


def special_word(terms: Mapping[str, str], language: Language) -> str:
    """What the language calls the special pits of a game with these words."""
    word = terms.get("special")
    return gettext("special pit") if word is None else language.terms.get(word, word)


def mark_words(mark: int, terms: Mapping[str, str], language: Language) -> str:
    """What a pit is, unless it is an ordinary one."""
    if mark == ORDINARY:
        return ""
    if mark == CLOSED:
        return gettext("closed")
    return gettext("%(special)s of %(side)s", special=special_word(terms, language), side=language.sides[mark - SOUTHS])


def mark_words_json(terms: Mapping[str, str], language: Language) -> str:
    """The words for the marks of a pit, for the script that animates the board."""
    return json.dumps([mark_words(mark, terms, language) for mark in range(4)], ensure_ascii=False)


def mark_or_none_words(mark: int, terms: Mapping[str, str], language: Language) -> str:
    """What a pit is marked as, also if it is an ordinary one."""
    return mark_words(mark, terms, language) or gettext("no mark")


def cleared_words(title: str) -> str:
    """The title of a board whose pits were cleared at the end of the game."""
    return gettext("%(title)s, the pits cleared into the stores", title=title)


def game_name(game: str) -> str:
    """The name of a game, whose id may have a key of rules (`search.game_key`): that is shown where the service knows
    other rules of that id."""
    ruleset_id, _, carried = game.partition("#")
    info = find_ruleset(ruleset_id)
    return rules_name(info) + (f" #{carried}" if carried and game != game_key(info.id, described(info)) else "")


def rules_name(info: RuleSet) -> str:
    """The name of a game; it says so if its rules are not known."""
    return info.name if info.is_known else gettext("%(game)s (rules not known)", game=info.name)


def player_names(tags: Mapping[str, str], sides: tuple[str, str] | None = None) -> tuple[str, str]:
    """The names of South and North as they are shown; the `sides`, by default as the language of the page calls them,
    where the record does not name the player."""
    tags, sides = shown_tags(tags), sides or side_names()

    def name(side: Side) -> str:
        value = tags.get(str(side), "").strip()
        return isolate(value) if value not in ("", "?") else sides[side]

    return name(SOUTH), name(NORTH)


def isolate(name: str) -> str:
    """A name that does not turn the text around it: with Unicode's isolates if it is written from right to left."""
    return f"\u2068{name}\u2069" if any(unicodedata.bidirectional(one) in ("R", "AL") for one in name) else name


def tag_value(tags: Mapping[str, str], name: str) -> str:
    """A tag's value; empty if the record marks it as unknown."""
    value = tags.get(name, "")
    return "" if value in ("?", "-") or value.startswith("????") else value


def time_limit(text: str) -> str:
    """The tag `TimeControl` in words; empty without one. What is no such form stays as it is written."""
    if text in ("", "?"):
        return ""
    if text == "-":
        return gettext("without a clock")
    periods = [_PERIOD.fullmatch(period) for period in text.split(":")]
    return text if None in periods else gettext(", then ").join(_period_words(*one.groups()) for one in periods if one)


def _period_words(turns: str | None, seconds: str, added: str | None) -> str:
    time, number = _duration(int(seconds)), int(turns or 0)
    words = gettext("%(time)s a side", time=time)
    if turns:
        words = ngettext("%(time)s a side for %(num)d turn", "%(time)s a side for %(num)d turns", number, time=time)
    if added:
        more = _duration(int(added))
        words = gettext("%(limit)s, and %(time)s more after each turn", limit=words, time=more)
    return words


def _duration(seconds: int) -> str:
    if seconds % 60 or not seconds:
        return ngettext("%(num)d second", "%(num)d seconds", seconds)
    return ngettext("%(num)d minute", "%(num)d minutes", seconds // 60)


def table_name(tags: Mapping[str, str]) -> str:
    """The table that a game is played at; empty if its tags name none."""
    table = tag_value(tags, "Board").strip()
    return gettext("Table %(table)s", table=table) if table else ""


def turn_summary(turn: Turn, terms: Mapping[str, str]) -> str:
    """A turn's effect in a line."""
    if turn.move.kind is Kind.GAP:
        unseen = turn.move.unseen
        if unseen is None:
            return gettext("turns that nobody saw")
        return ngettext("%(num)d turn that nobody saw", "%(num)d turns that nobody saw", unseen)
    if turn.laps == 0:
        if not turn.before.is_known and turn.move.kind is not Kind.IRREGULAR:
            return gettext("unchecked: the position is not known")
        words = {Kind.PASS: gettext("passes"), Kind.IRREGULAR: gettext("irregular turn")}
        return words.get(turn.move.kind, gettext("rearranges"))
    parts = [ngettext("%(num)d lap", "%(num)d laps", turn.laps)]
    for side in (turn.before.to_move, turn.before.to_move.other):
        if turn.captured[side]:
            parts.append(gettext("%(side)s captures %(count)s", side=side_names()[side], count=turn.captured[side]))
    if turn.special:
        word = _specials(terms, len(turn.special))
        pits = load_language(shown_language()).listed(list(turn.special))
        parts.append(gettext("new %(special)s: %(pits)s", special=word, pits=pits))
    return ", ".join(parts)


def spoken_turn(turn: Turn, names: tuple[str, str], result: str) -> str:
    """A turn as a screen reader says it, then who is to move, or how the game ended."""
    mover, parts = turn.before.to_move, [str(turn.move.choice)]
    if turn.laps:
        parts.append(ngettext("%(num)d lap", "%(num)d laps", turn.laps))
    if taken := turn.captured[mover]:
        parts.append(ngettext("%(num)d seed", "%(num)d seeds", taken))
    after = result or gettext("%(side)s to move", side=names[turn.position.to_move])
    return f"{names[mover]}: {', '.join(parts)}. {after}."


def turn_preview(turn: Turn, terms: Mapping[str, str]) -> str:
    """What a turn would do, in a few words for a label at its pit."""
    before, after = turn.before, turn.position
    mover, parts = before.to_move, []
    if turn.captured[mover]:
        parts.append(gettext("takes %(count)s", count=turn.captured[mover]))
    if turn.captured[mover.other]:
        parts.append(gettext("gives %(count)s", count=turn.captured[mover.other]))
    if turn.special:
        parts.append(f"{_specials(terms, 1)} {' '.join(turn.special)}")
    if turn.last_pit >= 0:
        parts.append(gettext("ends at %(pit)s", pit=before.letter(turn.last_pit)))
    if turn.laps > 1:
        parts.append(ngettext("%(num)d lap", "%(num)d laps", turn.laps))
    if turn.laps and after.to_move is mover:
        parts.append(gettext("plays again"))
    return " · ".join(parts) or (gettext("passes") if turn.move.kind is Kind.PASS else gettext("not known"))


def _specials(terms: Mapping[str, str], count: int) -> str:
    word = terms.get("special")
    if word is None:
        return ngettext("special pit", "special pits", count)
    language = load_language(shown_language())
    if word in language.terms:
        return language.terms[word]  # the same for many
    return word if count == 1 else terms.get("specials", f"{word}s")


def retraction_reasons() -> list[tuple[str, str]]:
    """Why a turn is taken back: the word of the notation, and what it means in the language of the page."""
    words = {
        "trial": gettext("It was only tried"),
        "team": gettext("The team changed its mind"),
        "objection": gettext("The opponents objected"),
        "illegal": gettext("It was not legal"),
        "standing": gettext("Its player has not the rank to move"),
        "agreement": gettext("Both sides agree"),
        "entry": gettext("It was played otherwise, and entered wrong"),
    }
    return [(reason, words[reason]) for reason in SIDES_REASONS]


def match_kind(kind: str) -> str:
    """A kind of match in words."""
    words = {
        "games": gettext("Games from the standard set-up; the wins are counted"),
        "surplus": gettext("For the surplus: what the winner has beyond half of the seeds leaves the match"),
        "rounds": gettext("Rounds: each side fills its pits with the seeds that it won, and closes the others"),
    }
    return words[kind]


def match_length(tags: Mapping[str, str]) -> str:
    """How many games a match has, in words; its name if the tag has one instead; empty if neither is said."""
    text = tags.get("Match", "")
    kind, number = parse_match(text)
    if number:
        return ngettext("%(num)d game agreed", "%(num)d games agreed", number)
    return "" if kind else text


def result_words(names: tuple[str, str], row: GameRow) -> str:
    """Who won and how, in a line; the winner's score first."""
    if row.termination == "bye":
        return gettext("no opponent: one point") if row.result == "1-0" else gettext("no opponent: half a point")
    if row.result in ("1-0", "0-1"):
        words = gettext("%(name)s wins", name=names[SOUTH if row.result == "1-0" else NORTH])
    else:
        words = gettext("Draw") if row.result == "1/2-1/2" else gettext("No result")
    if row.score is not None:
        first, second = reversed(row.score) if row.result == "0-1" else row.score
        words += f" {first}–{second}"
    return ", ".join(filter(None, (words, _how_ended(row), _left_words(row))))


def _how_ended(row: GameRow) -> str:
    """How a game ended; a result without turns was tapped, or taken from paper."""
    if row.ply == 0 and row.result != "*" and row.termination in (None, "normal", "adjudication", "agreement"):
        return gettext("without a record")
    return termination_words(row.termination or "normal")


def _left_words(row: GameRow) -> str:
    """The seeds that no store has, because the game was ended by hand."""
    if row.result == "*" or row.ply == 0 or row.termination in (None, "normal", "repetition"):
        return ""
    position = Position.parse(row.position)
    left = sum(position.pits) if position.is_known else 0
    return ngettext("with %(num)d seed left in the pits", "with %(num)d seeds left in the pits", left) if left else ""


def rest_words(row: GameRow) -> str:
    """Where the seeds of a score are, the winner's first, if some were left on the board; else empty."""
    position = Position.parse(row.position)
    if row.score is None or not row.ply or row.score == position.stores or sum(row.score) != position.seeds:
        return ""
    order = reversed(Side) if row.result == "0-1" else Side
    pairs = [(position.stores[side], row.score[side] - position.stores[side]) for side in order]
    stores, rest = ("–".join(map(str, seeds)) for seeds in zip(*pairs, strict=True))
    return gettext("%(stores)s in the stores and %(rest)s still on the board.", stores=stores, rest=rest)


def is_live(row: GameRow) -> bool:
    """Whether a game is played now: it has not ended, and is no record of a day before it was entered."""
    return row.state == "live" and not was_played_before(row, f"{local_time(row.created):%Y-%m-%d}")


def goes_on_words(row: GameRow) -> str:
    """Whether a game goes on: it has ended; is played now; or is a record of which the rest is missing, or something
    before that too."""
    if row.state == "ended":
        return gettext("ended")
    if is_live(row):
        return gettext("live")
    return gettext("not complete") if "?" in row.position else gettext("not finished")


def provenance(tags: Mapping[str, str]) -> list[tuple[str, str]]:
    """Where the record of a game is from, and what may be done with it: names of facts in the language of the page, and
    values."""
    shown = shown_tags(tags)
    facts = ((gettext(tag.label), tag_value(shown, tag.name)) for tag in SHOWN_TAGS if tag.provenance)
    return [(label, value) for label, value in facts if value]


def points_words(names: Sequence[str], points: Sequence[float]) -> str:
    """What a table came to, with the winner, whose points come first."""
    words = " – ".join("½" if one == 0.5 else f"{one:g}" for one in sorted(points, reverse=True))
    return f"{names[points.index(max(points))]} {words}" if len(set(points)) > 1 else words


def board_title(position: Position, turn: str, *, ended: bool) -> str:
    """The title of a drawn board; `turn` is the last one with its number, empty before the first."""
    place = gettext("After %(turn)s", turn=turn) if turn else gettext("Start position")
    if ended:
        return place
    return gettext("%(place)s, %(side)s to move", place=place, side=side_names()[position.to_move])


PENALTIES = {
    "warning": later("a warning"),
    "time": later("time"),
    "seeds": later("seeds"),
    "turn": later("a lost turn"),
    "game": later("the game"),
    "expulsion": later("expulsion"),
}
OUTCOMES = {  # of rulings, in words of the laws
    "stands": later("play on"),
    "retracted": later("restore the position"),
    "corrected": later("replay or correct"),
    "ended": later("award or end the game"),
    "reopened": later("play on, the end does not count"),
}
TERMINATIONS = {
    "normal": "",
    "repetition": later("by repetition"),
    "agreement": later("by agreement"),
    "resignation": later("by resignation"),
    "forfeit": later("by forfeit"),
    "time": later("on time"),
    "abandoned": later("abandoned"),
    "bye": later("no opponent"),
    "unplayed": later("nobody gets a point"),
    "unrecorded": later("how it ended: not recorded"),
    "adjudication": later("by adjudication"),
}


def penalty_word(kind: str) -> str:
    """A kind of penalty in the language of the page."""
    return gettext(PENALTIES[kind]) if kind in PENALTIES else kind


def join_ruled_back(comments: Sequence[str]) -> Iterator[str]:
    """The comments; those of turns that one ruling took back as one comment."""
    for ruled_back, group in groupby(comments, _is_ruled_back):
        texts = list(group)
        yield from [" ".join(texts)] if ruled_back else texts


def _is_ruled_back(comment: str) -> bool:
    found = next(commands.commands_in([comment], commands.Retraction), None)
    return isinstance(found, commands.Retraction) and found.side is None and str(found) == comment


def all_command_words(found: Sequence[RawCommand]) -> tuple[str, ...]:
    """What the commands of a comment say, a sentence each; turns that a ruling took back have one for all."""
    texts = list(map(str, found))
    if len(texts) > 1 and all(map(_is_ruled_back, texts)):
        moves = [str(one.move) for one in commands.commands_in(reversed(texts)) if isinstance(one, commands.Retraction)]
        return (gettext("taken back by a ruling: %(moves)s", moves=" ".join(moves)),)
    return tuple(map(command_words, found))


def command_words(raw: RawCommand) -> str:
    """What a command says, in the language of the page. One that is not known, or wrong, stays as it is written."""
    try:
        command = commands.parse_command(raw)
    except commands.CommandError:
        command = raw
    if isinstance(command, RawCommand):
        return f"{raw.name} {raw.arguments}".strip()
    return _sentence(command)


def _sentence(command: Command) -> str:
    match command:
        case commands.Clock(seconds):
            return gettext("clock %(time)s", time=_time(seconds))
        case commands.Elapsed(seconds):
            return gettext("took %(time)s", time=_time(seconds))
        case commands.Moment(at):
            return gettext("played %(moment)s", moment=f"{at:%Y-%m-%d %H:%M:%S %z}")
        case commands.Entering(at, by):
            return _with_person(gettext("entered %(moment)s", moment=f"{at:%Y-%m-%d %H:%M:%S %z}"), by)
        case commands.Evaluation(seeds, result, depth):
            return _evaluation(seeds, result, depth)
        case commands.By(name):
            return gettext("played by %(name)s", name=name)
        case commands.Join(side, name):
            return gettext("%(name)s joined %(side)s", name=name, side=_side(side))
        case commands.Leave(side, name):
            return gettext("%(name)s left %(side)s", name=name, side=_side(side))
        case commands.Trial(move, by):
            who = person_name(by) or gettext("somebody")
            return gettext("%(name)s tried %(move)s, which was not played", name=who, move=move)
        case commands.Retraction(move, None):
            return gettext("taken back by a ruling: %(moves)s", moves=move)
        case commands.Retraction(move, _, commands.ENTRY, note):
            return gettext("%(move)s had been entered, which was not played", move=move) + _after(note)
        case commands.Retraction(move, side, reason, note):
            words = gettext("%(side)s took back %(move)s (%(reason)s)", side=_side(side), move=move, reason=reason)
            return words + _after(note)
        case commands.End(result, termination, score, by):
            return _with_person(gettext("the game had ended"), by) + _after(_end(result, termination, score))
        case commands.Correction(result, termination, score, by, reason):
            words = _with_person(gettext("the end was corrected"), by) + _after(_end(result, termination, score))
            return words + _after(reason)
        case commands.Reopening(by, reason):
            return _with_person(gettext("the game was reopened"), by) + _after(reason)
        case commands.BoardEvent(serial, seq):
            return gettext("from board %(serial)s, event %(number)s", serial=serial, number=seq)
        case commands.After(position):
            return gettext("the board after it: %(position)s", position=position)
    return _dispute_sentence(command)


def _dispute_sentence(command: Command) -> str:
    match command:
        case commands.Dispute(side, claim, about, ply, seen):
            if about:
                words = gettext("%(side)s disputes how the game ended", side=_side(side))
            elif ply is None:
                words = gettext("%(side)s disputes the turn", side=_side(side))
            else:
                words = gettext("%(side)s disputes turn %(ply)s", side=_side(side), ply=ply)
            return words + _after(claim) + _counted(seen)
        case commands.ChangedClaim(claim, by, seen):
            return _with_person(gettext("the claim now"), by) + _after(claim) + _counted(seen)
        case commands.Proposal(side, outcome, move, position, after, result, termination, by, note):
            parts = [
                _with_person(gettext("%(side)s proposes", side=_side(side)), by) + _after(gettext(OUTCOMES[outcome]))
            ]
            parts += [gettext("to turn %(ply)s", ply=after)] if after is not None else []
            parts += [gettext("%(move)s instead", move=move)] if move else []
            parts += [gettext("the board %(position)s", position=position)] if position else []
            parts += [_end(result, termination, "")] if result else []
            return ", ".join(parts) + _after(note)
        case commands.Response(side, answer, by):
            answers = {
                "accepted": gettext("%(side)s accepts the proposal", side=_side(side)),
                "refused": gettext("%(side)s refuses the proposal", side=_side(side)),
            }
            return _with_person(answers.get(str(answer), f"{_side(side)}: {answer}"), by)
        case commands.Ruling(_, by, note, "yes"):
            return _with_person(gettext("the dispute is withdrawn"), by) + _after(note)
        case commands.Ruling(outcome, by, note):
            return _with_person(gettext("ruling"), by) + _after(gettext(OUTCOMES[outcome])) + _after(note)
        case commands.Penalty(side, kind, seeds, note):
            words = gettext("penalty for %(side)s: %(kind)s", side=_side(side), kind=gettext(PENALTIES[kind]))
            return words + (f" {seeds}" if seeds is not None else "") + _after(note)
        case commands.ClockChange(side, to, add):
            if add is not None:
                return gettext("the clock of %(side)s gets %(time)s more", side=_side(side), time=_time(add))
            return gettext("the clock of %(side)s is set to %(time)s", side=_side(side), time=_time(to or 0))
        case commands.Appeal(reason, _, by, "yes"):
            return _with_person(gettext("the arbiter corrects their own ruling"), by) + _after(reason)
        case commands.Appeal(reason, side, by):
            return _with_person(gettext("appeal"), by or (_side(side) if side else "")) + _after(reason)
    return str(command)


def _evaluation(seeds: int | Decimal | None, result: str | None, depth: int | None) -> str:
    value = seeds or 0
    if result:
        words = gettext("value: %(value)s", value=_result(result))
    else:
        side = side_names()[SOUTH if value >= 0 else NORTH]
        words = gettext("value: %(seeds)s for %(side)s", seeds=abs(value), side=side)
    return words + ", " + gettext("%(depth)s turns deep", depth=depth) if depth else words


def _side(side: object) -> str:
    return side_names()[SOUTH if str(side) == str(SOUTH) else NORTH]


def _with_person(text: str, name: str) -> str:
    who = person_name(name)
    return f"{text} ({who})" if who else text


def _after(text: str) -> str:
    return f": {text}" if text else ""


def _counted(position: str) -> str:
    return "; " + gettext("the board %(position)s", position=position) if position else ""


def _result(result: str) -> str:
    if result in ("1-0", "0-1"):
        return gettext("%(side)s wins", side=side_names()[SOUTH if result == "1-0" else NORTH])
    words = {"1/2-1/2": gettext("draw"), "*": gettext("no result")}
    return words.get(result, result)


def _end(result: str, termination: str, score: str) -> str:
    scored = " ".join(filter(None, (_result(result), score.replace("-", "–"))))
    return ", ".join(filter(None, (scored, termination_words(termination))))


def termination_words(termination: str) -> str:
    """How a game ended, in the language of the page."""
    words = TERMINATIONS.get(termination, termination)
    return gettext(words) if words else ""


def _time(seconds: int | Decimal) -> str:
    whole = int(seconds)
    fraction = str(Decimal(seconds) - whole)[1:] if seconds != whole else ""
    return f"{timedelta(seconds=whole)}{fraction}"


CERTAIN = 0.99  # probability from which "over 99 %" is said


def probability_words(probability: float) -> str:
    """A probability that is never said to be certain."""
    if probability >= CERTAIN:
        return gettext("over %(percent)s %%", percent=math.floor(100 * CERTAIN))
    return gettext("under %(percent)s %%", percent=1) if probability < 0.01 else f"{round(100 * probability)} %"
