"""Answers from elsewhere to a board's question which turn was played: one of the turns that it offers is recorded."""

from __future__ import annotations

from dataclasses import replace

from records import Move, MoveSyntaxError, Turn
from records.errors import message_of
from service.errors import Conflict, Invalid
from service.games.repository import Games
from service.games.write import Write
from service.storage import BoardRow

from .bindings import Boards
from .status import BoardStatus, read_status


def answer_question(
    boards: Boards, games: Games, board_id: str, question: str, ply: int, text: str, write: Write
) -> Turn | None:
    """Record the move `text` as turn `ply`, which the board's `question` offers; return the turn.

    None: this turn was recorded before. It is recorded as what the caller says, not as what the board reads.

    :raises NotFound: no such board. :raises Invalid: the move is none of those offered.
    :raises Conflict: the question is no longer open, or the seeds have been moved since.
    """
    board = boards.get(board_id)
    status = read_status(board.status)
    try:
        move = Move.parse(text)
    except MoveSyntaxError as error:
        raise Invalid("move: %(error)s", error=message_of(error)) from error
    snapshot = games.load(board.game)
    if snapshot.row.ply >= ply > 0 and snapshot.turn(ply).move == move:
        return None
    _check(board, status, question, ply, move)
    comment = f"answer to board {board.serial}, event {question}"
    return games.play(board.game, move, replace(write, expected_ply=ply), comments=[comment]).turn


def _check(board: BoardRow, status: BoardStatus, question: str, ply: int, move: Move) -> None:
    refusal = status.refusal
    if board.wanted != "open" or refusal is None or (refusal.question, refusal.ply) != (question, ply):
        raise Conflict(
            "question %(question)r about turn %(ply)s is not open any more: look at the board again",
            question=question[:40],
            ply=ply,
        )
    offered = [choice.move for choice in refusal.candidates]
    if move not in map(Move.parse, offered):
        raise Invalid(
            "move is %(move)r. The board offers %(offered)s. Play another move as a turn.",
            move=str(move),
            offered=", ".join(offered) or "–",
        )
    if not status.is_as_seen(status.counts):
        raise Conflict(
            "seeds were moved on the board since it asked: press the button again, or play the move as a turn"
        )
