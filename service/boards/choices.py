"""Answers from elsewhere to a board's question which turn was played: one of the turns that it offers is recorded."""

from __future__ import annotations

from dataclasses import replace

from inkeek.records import Move, MoveSyntaxError, Turn
from inkeek.records.errors import message_of
from inkeek.service.errors import Conflict, Invalid
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.storage import BoardRow

from .bindings import Boards
from .status import BoardStatus, Refusal, read_status


def answer_question(
    boards: Boards, games: Games, board_id: str, question: str, ply: int, text: str, write: Write
) -> tuple[Turn, ...]:
    """Record the moves `text`, from turn `ply` on, which the board's `question` offers; return the turns.

    None are returned if they were recorded before. What the caller says is recorded, not what the board reads.

    :raises NotFound: no such board. :raises Invalid: the moves are none of those offered.
    :raises Conflict: the question is no longer open, or the seeds have been moved since.
    """
    board = boards.get(board_id)
    status = read_status(board.status)
    try:
        moves = [Move.parse(move) for move in text.split()]
    except MoveSyntaxError as error:
        raise Invalid("move: %(error)s", field="move", error=message_of(error)) from error
    snapshot = games.load(board.game)
    recorded = [ply.move for ply in snapshot.state.record.plies[max(ply - 1, 0) :]]
    if ply > 0 and moves and recorded[: len(moves)] == moves:
        return ()
    refusal = _check(board, status, question, ply, moves)
    comment = f"answer to board {board.serial}, event {question}"
    turns: list[Turn] = []
    with boards.transaction():
        for move in moves:
            first = replace(write, expected_seq=refusal.at, expected_ply=ply, ignores_annotations=True)
            following = replace(write, expected_ply=ply + len(turns))
            turns.append(games.play(board.game, move, following if turns else first, comments=[comment]).turn)
    return tuple(turns)


def _check(board: BoardRow, status: BoardStatus, question: str, ply: int, moves: list[Move]) -> Refusal:
    refusal = status.refusal
    if board.wanted != "open" or refusal is None or (refusal.question, refusal.ply) != (question, ply):
        raise Conflict(
            "question %(question)r about turn %(ply)s is not open any more: look at the board again",
            question=question[:40],
            ply=ply,
        )
    offered = [choice.course or choice.move for choice in refusal.candidates]
    answers = [choice.moves for choice in refusal.candidates] + [[choice.move] for choice in refusal.candidates]
    if moves not in [list(map(Move.parse, answer)) for answer in answers]:
        raise Invalid(
            "move is %(move)r. The board offers %(offered)s. Play another move as a turn.",
            field="move",
            move=" ".join(map(str, moves)),
            offered=", ".join(offered) or "–",
        )
    if not status.is_as_seen(status.counts):
        raise Conflict(
            "seeds were moved on the board since it asked: press the button again, or play the move as a turn"
        )
    return refusal
