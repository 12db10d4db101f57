"""What the room of disputes brings."""

from inkeek.service.errors import gettext_later as later
from inkeek.service.room import OWN, Entry, Room

ROOM = Room(
    "disputes",
    "claims, evidence, proposals, rulings, appeals",
    operations=(".api:blueprint", ".steps:evidence_blueprint"),
    pages=(".pages",),
    package=__package__,
    entries=(Entry("web.list_disputes", later("Disputes"), OWN),),
    optional=False,
)
