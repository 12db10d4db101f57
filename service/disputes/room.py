"""What the room of disputes brings."""

from __future__ import annotations

from inkeek.service.errors import gettext_later as later
from inkeek.service.room import OWN, Entry, Room

ROOM = Room(
    "disputes",
    "claims, evidence, proposals, rulings, appeals",
    operations=("inkeek.service.disputes.api:blueprint", "inkeek.service.disputes.steps:evidence_blueprint"),
    pages=("inkeek.service.disputes.pages",),
    package="inkeek.service.disputes",
    entries=(Entry("web.list_disputes", later("Disputes"), OWN),),
    optional=False,
)
