"""Comments, NAGs and variations that are added to a game, changed and removed after the fact.

They never change how the game was played: a command that says so (`KEPT_COMMANDS`) stays as it is, and whoever expects
a certain ply may still play it. What is stored can be written into a record and read again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from inkeek.records import IllegalMove, Ply, Variation
from inkeek.records.analysis.annotation import GameAnnotation, has_value, start_comment, turn_notes
from inkeek.records.json_codec import JsonError, from_json, to_json
from inkeek.records.notation.commands import BoardEvent, By, Command, commands_in
from inkeek.records.notation.movetext import MAX_PLIES
from inkeek.records.notation.splitter import MAX_RECORD
from inkeek.records.record import MAX_NAG, MAX_NESTING, count_plies
from inkeek.records.structs import convert
from inkeek.service.errors import Conflict, Forbidden, Illegal, Invalid, NotFound
from inkeek.service.storage import GameEvent, GameRow
from inkeek.service.storage.integrity.chain import canonical_json

from .event_data import AnnotationsData
from .plies import COMMENT, KINDS, NAG, VARIATION, Annotation, NotedPly, format_annotation_id
from .record_check import EVENT_COMMANDS, check_record
from .repository import Games
from .state import GameState, game_state
from .validation import check_current, check_no_new_error, check_remark, check_write
from .write import Write

MAX_CHANGES = 5000  # in one request
ATTEMPTS = 3  # to store changes of a game that changes meanwhile
# The reader takes twice as much. So a game that goes on can still be read.
MAX_VARIATION_PLIES = MAX_PLIES // 2  # in all variations of a game
MAX_SIZE = MAX_RECORD // 2  # bytes of the record as JSON
KEPT_COMMANDS: tuple[type[Command], ...] = (*EVENT_COMMANDS, By, BoardEvent)
HOLDERS = ("api", "page", "import")  # channels of sources that name the holder of a key


@dataclass(frozen=True, slots=True)
class Edit:
    """A wanted change. It adds an annotation at `ply`, or changes the one with that `id`, or removes it (`kind` None).

    `seq` is the event that changed the annotation last, as the writer knows it; None means: not checked. `where` is its
    place in the request, for errors.
    """

    where: str
    kind: str | None = None
    value: Any = None
    ply: int = 0
    id: str | None = None
    seq: int | None = None


def annotate(
    games: Games, game_id: str, edits: Sequence[Edit], write: Write, *, is_arbiter: bool
) -> tuple[GameRow, list[Annotation]]:
    """Make all changes in one transaction, or none. Returns the game and the annotations that were added or changed.

    An annotation is changed or removed by its author, the holder of a key of the same name, or by an arbiter.

    :raises Invalid: an annotation that cannot stand there, or too many. :raises Illegal: an illegal move in a
        variation.
    :raises RecordsError: a value that is no variation. :raises Forbidden: another author's annotation.
    :raises NotFound: no such annotation. :raises Conflict: it was changed since event `Edit.seq`.
    """
    if not edits:
        raise Invalid("0 changes of annotations: expected 1 to %(max_changes)s", max_changes=MAX_CHANGES)
    checked = check_edits(edits)
    return write_annotations(games, game_id, lambda state: checked, write, is_arbiter=is_arbiter)


def check_edits(edits: Sequence[Edit]) -> list[Edit]:
    """The changes with their values as they are stored, as far as the game does not matter.

    :raises Invalid: too many, or one that cannot stand in a record. :raises RecordsError: a value that is no variation.
    """
    if len(edits) > MAX_CHANGES:
        raise Invalid(
            "%(edits)s changes of annotations: expected at most %(max_changes)s",
            edits=len(edits),
            max_changes=MAX_CHANGES,
        )
    return [_checked(edit) for edit in edits]


def write_annotations(
    games: Games,
    game_id: str,
    edits_for: Callable[[GameState], Sequence[Edit]],
    write: Write,
    *,
    is_arbiter: bool,
    from_analysis: bool = False,
) -> tuple[GameRow, list[Annotation]]:
    """Make the changes that `edits_for` the state of the game returns, as `annotate` does. They have passed
    `check_edits`. `from_analysis`: an analysis wrote them.

    The whole record is checked, which can take half a second. So it is checked before the game is locked, and again
    only if the game changes meanwhile.
    """
    write = check_write(write)
    prepare = partial(_prepare, write, games.max_events, is_arbiter=is_arbiter, from_analysis=from_analysis)
    for attempt in range(ATTEMPTS):
        snapshot = games.load(game_id)
        check_current(snapshot.row, write.expected_seq)
        change = prepare(snapshot.row, snapshot.state, edits_for(snapshot.state))
        with games.edit(game_id, write) as game:
            if game.row.hash != snapshot.row.hash:
                if attempt + 1 < ATTEMPTS:
                    continue
                state = game.state()
                change = prepare(game.row, state, edits_for(state))
            if change.data is not None:
                game.append(change.data)
            row = game.row
        break
    annotations = {annotation.id: annotation for annotation in games.load(game_id).state.annotations}
    return row, [annotations[annotation_id] for annotation_id in change.edited if annotation_id in annotations]


@dataclass(frozen=True, slots=True)
class _Change:
    """What is stored in the event, None if nothing changes, and the ids of the annotations that were edited."""

    data: AnnotationsData | None
    edited: tuple[str, ...]


def _prepare(
    write: Write,
    max_events: int,
    row: GameRow,
    state: GameState,
    edits: Sequence[Edit],
    *,
    is_arbiter: bool,
    from_analysis: bool,
) -> _Change:
    changes, edited = _changes(row, write, state, edits, is_arbiter=is_arbiter)
    if not changes:
        return _Change(None, tuple(edited))
    if row.seq >= max_events // 2:  # the others are kept for turns
        raise Invalid(
            "the game has %(seq)s events: annotations are stored up to %(most)s", seq=row.seq, most=max_events // 2
        )
    data = {"changes": changes, **({"analysis": True} if from_analysis else {})}
    seq = row.seq + 1
    draft = GameEvent(row.id, seq, row.updated, write.actor, write.source, "annotations", data, row.hash, "")
    changed = game_state([*state.events, draft])
    _check_record(state, changed, edited, grows=any(edit.kind is not None for edit in edits))
    _write_canonically(changes, changed, seq)
    return _Change(convert(draft.data, AnnotationsData), tuple(edited))


def _checked(edit: Edit) -> Edit:
    """The change with its value in the form that is stored, as far as the game does not matter."""
    place = f"{edit.where}.{edit.kind}"
    value = edit.value
    if edit.kind == NAG:
        if type(value) is not int or not 0 <= value <= MAX_NAG:
            raise Invalid(
                "%(field)s is %(value).80r: expected 0 to %(max_nag)s", field=place, value=value, max_nag=MAX_NAG
            )
    elif edit.kind == COMMENT:
        value = _comment(place, value)
        if not value:
            raise Invalid("%(field)s is empty: expected words. To remove a comment, name it in `remove`", field=place)
    elif edit.kind == VARIATION:
        value = _variation(place, value)
    elif edit.kind is not None or edit.id is None:
        raise Invalid(
            "%(field)s: expected one of %(nag)s, %(comment)s, %(variation)s",
            field=edit.where,
            nag=NAG,
            comment=COMMENT,
            variation=VARIATION,
        )
    return Edit(edit.where, edit.kind, value, edit.ply, edit.id, edit.seq)


def _comment(place: str, text: str) -> str:
    line = " ".join(text.split())
    check_remark(place, line)
    return line


def _variation(place: str, value: Any) -> Any:
    """A variation as it is stored, its comments as the notation has them.

    :raises RecordsError: it is none. :raises Invalid: a comment that cannot stand in a record.
    """
    try:
        variation = from_json(value, Variation)
    except JsonError as error:
        raise JsonError(f"{place}.{error.path}".rstrip("."), error.reason) from error
    return to_json(_clean(place, variation, 0))


def _clean(place: str, line: Variation, depth: int) -> Variation:
    if depth >= MAX_NESTING:
        raise Invalid(
            "%(field)s: variations are nested more than %(max_nesting)s deep", field=place, max_nesting=MAX_NESTING
        )
    plies = []
    for number, ply in enumerate(line.plies):
        at = f"{place}.plies[{number}]"
        inner = tuple(_clean(f"{at}.variations[{i}]", one, depth + 1) for i, one in enumerate(ply.variations))
        plies.append(Ply(ply.move, ply.nags, _clean_comments(at, ply.comments), inner))
    return Variation(tuple(plies), _clean_comments(place, line.comments))


def _clean_comments(place: str, comments: Sequence[str]) -> tuple[str, ...]:
    clean = (_comment(f"{place}.comments[{number}]", text) for number, text in enumerate(comments))
    return tuple(text for text in clean if text)


def _changes(
    row: GameRow, write: Write, state: GameState, edits: Sequence[Edit], *, is_arbiter: bool
) -> tuple[list[dict[str, Any]], dict[str, Edit]]:
    """The changes for the event, and the edits by the annotation that they add, change or leave as it is."""
    standing = {annotation.id: annotation for annotation in state.annotations}
    changes: list[dict[str, Any]] = []
    edited: dict[str, Edit] = {}
    for edit in edits:
        if edit.id is None:
            _check_ply(edit, row)
            _check_commands(edit, "")
            turn = state.plies[edit.ply].event.seq
            changes.append({"add": edit.kind, "ply": edit.ply, "turn": turn, "value": edit.value})
            edited[format_annotation_id((row.seq + 1, len(changes)))] = edit
            continue
        annotation = standing.get(edit.id)
        if annotation is None:
            raise NotFound(
                "%(where)s: game %(id)s has no annotation %(annotation)r. It may have been removed, or its "
                "turn may have been taken back",
                where=edit.where,
                id=row.id,
                annotation=edit.id[:40],
            )
        if edit.id in edited:
            raise Invalid("%(field)s: annotation %(id)s is in the request twice", field=edit.where, id=edit.id)
        edited[edit.id] = edit
        _check_change(edit, annotation, row, write, is_arbiter=is_arbiter)
        if edit.kind is None:
            changes.append({"remove": edit.id, "ply": annotation.ply})
        elif edit.value != annotation.value:
            changes.append({"change": edit.id, "ply": annotation.ply, "value": edit.value})
    return changes, edited


def _check_ply(edit: Edit, row: GameRow) -> None:
    if not 0 <= edit.ply <= row.ply:
        raise Invalid(
            "%(where)s.ply is %(ply)s: game %(id)s has the turns 1 to %(last)s",
            field=f"{edit.where}.ply",
            where=edit.where,
            ply=edit.ply,
            id=row.id,
            last=row.ply,
            current=row,
        )
    if edit.ply == 0 and edit.kind != COMMENT:
        raise Invalid(
            "%(where)s.ply is 0: only comments stand before the first turn", field=f"{edit.where}.ply", where=edit.where
        )


def _check_change(edit: Edit, annotation: Annotation, row: GameRow, write: Write, *, is_arbiter: bool) -> None:
    holder = holder_of(write.source)
    if not is_arbiter and (holder is None or holder != holder_of(annotation.source)):
        raise Forbidden(
            "%(where)s: annotation %(id)s came from %(source)r. Its author may change or remove it, or an arbiter.",
            where=edit.where,
            id=annotation.id,
            source=annotation.source,
        )
    if edit.seq is not None and edit.seq != annotation.seq:
        message = f"{edit.where}.seq is {edit.seq}, but event {annotation.seq} changed annotation {annotation.id}"
        raise Conflict(message, current=row)
    if edit.kind not in (None, annotation.kind):
        raise Invalid(
            "%(field)s: annotation %(id)s is a %(kind)s, not a %(other)s",
            field=edit.where,
            id=annotation.id,
            kind=annotation.kind,
            other=edit.kind,
        )
    _check_commands(edit, annotation.value if annotation.kind == COMMENT else "")


def _check_commands(edit: Edit, before: str) -> None:
    """Check that a comment still says the same about how the turn was played."""
    kept, now = _kept_commands(before), _kept_commands(edit.value if edit.kind == COMMENT else "")
    if kept != now:
        command = next(command for command in (*now, *kept) if now.count(command) != kept.count(command))
        raise Invalid(
            "%(field)s: %(command)s says how the game was played. An annotation cannot add, change or remove it",
            field=edit.where,
            command=command,
        )


def _kept_commands(text: str) -> list[str]:
    return sorted(map(str, commands_in([text], *KEPT_COMMANDS)))


def holder_of(source: str) -> str | None:
    """The name of the key that an event came with; None if it came with none."""
    channel, _, rest = source.partition(":")
    return rest.rpartition(":")[0] or None if channel in HOLDERS else None


def _check_record(before: GameState, state: GameState, edited: dict[str, Edit], *, grows: bool) -> None:
    """Check the whole record as a reader would, with the same budget, and its limits if it `grows`."""
    record = state.record
    for wrong in record.replay().wrong_plies:
        where = _place(wrong.path, state.plies, edited)
        if where and isinstance(wrong.error, IllegalMove):
            raise Illegal(wrong.error, record.rules(), where)
        if where:
            raise Invalid("%(field)s: %(error)s", field=where, error=wrong.error)
    if record.errors:
        check_no_new_error(before.record, record)
    if not grows:
        return
    check_record(record)
    plies = count_plies(record.plies) - len(record.plies)
    if plies > MAX_VARIATION_PLIES:
        raise Invalid(
            "the variations have %(plies)s turns in all: at most %(max_variation_plies)s are stored",
            plies=plies,
            max_variation_plies=MAX_VARIATION_PLIES,
        )
    size = len(canonical_json(state.record_json))  # at least the characters in the notation, and found sooner
    if size > MAX_SIZE:
        raise Invalid(
            "the record has %(size)s bytes as JSON: annotations may bring it to %(max_size)s",
            size=size,
            max_size=MAX_SIZE,
        )


def _place(path: Sequence[int], plies: Sequence[NotedPly], edited: dict[str, Edit]) -> str:
    """The place in the request of a ply within a variation (see `WrongPly`); empty if it does not come from there."""
    if len(path) < 3:
        return ""
    ply, which, *rest = path
    notes = plies[ply + 1].notes
    keys = [key for key, note in notes.items() if note.kind == VARIATION]
    edit = edited.get(format_annotation_id(keys[which]))
    if edit is None:
        return ""
    names = [name for _ in rest for name in ("plies", "variations")]
    return "".join(
        [f"{edit.where}.{VARIATION}", *(f".{name}[{index}]" for name, index in zip(names, rest, strict=False)), ".move"]
    )


def _write_canonically(changes: list[dict[str, Any]], state: GameState, seq: int) -> None:
    """Write the variations of the changes with all that their moves do, as the notation has them."""
    variations = [(number, change) for number, change in enumerate(changes, 1) if isinstance(change.get("value"), dict)]
    plies = state.record.replay().plies if variations else ()
    for number, change in variations:
        annotation_id = change.get("change") or format_annotation_id((seq, number))
        notes = state.plies[change["ply"]].notes
        keys = [format_annotation_id(key) for key, note in notes.items() if note.kind == VARIATION]
        change["value"] = to_json(plies[change["ply"] - 1].variations[keys.index(annotation_id)])


def write_analysis(
    games: Games, game_id: str, find: Callable[[GameState], GameAnnotation | None], write: Write, *, is_arbiter: bool
) -> tuple[GameRow, list[Annotation]]:
    """Write the analysis of a game's turns, which `find` returns for its state, into the game; None removes what one
    wrote.

    Returns the game and the annotations that were added or changed.
    :raises Forbidden: another author's analysis stands there. :raises Invalid: the game has no room for it.
    """

    def edits_for(state: GameState) -> list[Edit]:
        return check_edits(_edits_for(state, find(state)))

    return write_annotations(games, game_id, edits_for, write, is_arbiter=is_arbiter, from_analysis=True)


def is_written(state: GameState, found: GameAnnotation) -> bool:
    """Whether the annotations of a game are those that this analysis of its turns would write."""
    return not _edits_for(state, found)


def _edits_for(state: GameState, found: GameAnnotation | None) -> list[Edit]:
    """The changes that make the annotations of a game those of an analysis of its turns; None removes them all.

    Only what an analysis wrote is changed or removed. A turn keeps the value, the glyph or the line that somebody else
    gave it, and gets no second one. What stays the same is left alone.
    """
    standing: list[list[Annotation]] = [[] for _ in state.plies]
    for annotation in state.annotations:
        standing[annotation.ply].append(annotation)
    edits: list[Edit] = []
    for ply, there in enumerate(standing):
        others = [one for one in there if not one.from_analysis]
        wanted = {} if found is None else dict(_wanted_notes(ply, found, others))
        for kind in KINDS:
            old = [one for one in there if one.from_analysis and one.kind == kind]
            edits += _edits(ply, kind, wanted.get(kind), old)
    return edits


def _wanted_notes(ply: int, found: GameAnnotation, others: Sequence[Annotation]) -> Iterator[tuple[str, Any]]:
    """What the analysis says of a ply beside what `others` wrote, by kind."""
    has_eval = any(has_value(one.value) for one in others if one.kind == COMMENT)
    if ply == 0:
        if not has_eval:
            yield COMMENT, start_comment(found)
        return
    if ply > len(found.turns):
        return
    nags = [one.value for one in others if one.kind == NAG]
    variations = [from_json(one.value, Variation) for one in others if one.kind == VARIATION]
    notes = turn_notes(found.turns[ply - 1], nags, variations)
    if not has_eval:
        yield COMMENT, notes.comment
    if notes.nag is not None:
        yield NAG, notes.nag
    if notes.variation is not None:
        yield VARIATION, to_json(notes.variation)


def _edits(ply: int, kind: str, wanted: Any, old: Sequence[Annotation]) -> Iterator[Edit]:
    """The changes of one kind at a ply: what is there becomes what is wanted, or is removed."""
    where = f"turn {ply}"
    for number, annotation in enumerate(old):
        if number or wanted is None:
            yield Edit(where, id=annotation.id, seq=annotation.seq)
        elif annotation.value != wanted:
            yield Edit(where, kind, wanted, id=annotation.id, seq=annotation.seq)
    if wanted is not None and not old:
        yield Edit(where, kind, wanted, ply=ply)
