"""What the room of the library brings, and those that stand elsewhere in the API's document."""

from inkeek.service.room import Room

EXPORT = Room("export", "files of many games", operations=(f"{__package__}.api:export_blueprint",), optional=False)
ROOM = Room(
    "library",
    "names, the search, the manual",
    operations=(".api:names_blueprint",),
    pages=(".pages", ".manual"),
    package=__package__,
    optional=False,
)
PERSONS = Room("persons", "who a player is", operations=(f"{__package__}.api:persons_blueprint",), optional=False)
