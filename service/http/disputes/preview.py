"""What a ruling would change, with what follows from it in the match and the event."""

from __future__ import annotations

from inkeek.service.games.disputes import rulings
from inkeek.service.games.disputes.courses import Course
from inkeek.service.games.disputes.ruling_consequences import Consequences, consequences_of
from inkeek.service.games.disputes.ruling_effects import Effects
from inkeek.service.games.disputes.ruling_terms import Terms
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.context import current_limit, current_services


def preview_ruling(snapshot: GameSnapshot, course: Course, terms: Terms) -> tuple[Effects, Consequences]:
    """What a ruling with these terms would change, as far as the current request may see it.

    :raises Conflict, Invalid, Illegal, RecordsError: as `rulings.rule`.
    """
    effects, limit, services = (
        rulings.preview(snapshot.state, course.row.seq, terms),
        current_limit(),
        current_services(),
    )
    sees_event = limit is None or limit.kind == "event"
    most = services.settings.max_event_games
    return effects, consequences_of(services.store, snapshot.state, course, effects, most, sees_event=sees_event)
