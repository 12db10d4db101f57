"""``/players/…``: how a person is written and shown, which names are theirs, and who changed that."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema

from inkeek.records.notation.tags import MAX_VALUE
from inkeek.service.games.events.standings import load_player
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write
from inkeek.service.http.access import allows
from inkeek.service.http.answers.names import PersonChangeJson, PersonChangesJson, PlayerJson, RemovalJson
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import JsonBoolean, describe
from inkeek.service.http.api.text_fields import MAX_NAME_ID, NAME_ID, by_field, said_field, text_field
from inkeek.service.http.context import current_caller, current_services, current_write
from inkeek.service.http.names import key_of_id

from .names import player_json

blueprint = ApiBlueprint("persons", "Who a player is: the spelling, other names, initials.")


class NewNameSchema(Schema):
    name = said_field("how the person is written; another name leads to the old one's games", MAX_VALUE)
    by = by_field()


class JoinSchema(Schema):
    into = text_field(NAME_ID, 1, MAX_NAME_ID, "id of the player whose name counts", required=True)
    by = by_field()


class InitialsSchema(Schema):
    initials = JsonBoolean(required=True, metadata=describe("whether the person is shown by initials"))
    by = by_field()


class BySchema(Schema):
    by = by_field()


def _write(body: dict[str, Any]) -> Write:
    return current_write(body["by"])


@blueprint.operation(
    "PATCH",
    "/players/<player_id>",
    scope="arbiter",
    body=NewNameSchema,
    example={"name": "Lemayian", "by": "Nasieku"},
    problems=(409,),
)
def rename_player(body: dict[str, Any], player_id: str) -> PlayerJson:
    """Write a player in another way. The tags of games that have begun keep what was written."""
    services, write = current_services(), _write(body)
    key = key_of_id(player_id, "player")
    return player_json(persons.rename(services.events, services.store, key, body["name"], write))


@blueprint.operation(
    "POST",
    "/players/<player_id>/join",
    scope="arbiter",
    body=JoinSchema,
    example={"into": "bmFzaWVrdQ", "by": "Nasieku"},
    status=200,
    problems=(409,),
)
def join_player(body: dict[str, Any], player_id: str) -> PlayerJson:
    """Have two names be one player, who is called `into`. Lists, standings and searches count them as one."""
    services, write, into = current_services(), _write(body), key_of_id(body["into"], "player")
    key = key_of_id(player_id, "player")
    return player_json(persons.join(services.events, services.store, key, into, write))


@blueprint.operation("GET", "/players/<player_id>/changes", scope="arbiter")
def list_player_changes(player_id: str) -> PersonChangesJson:
    """List who changed how a player is written or shown, the newest first."""
    store, key = current_services().store, key_of_id(player_id, "player")
    load_player(store, key)  # raises where there is none
    found = persons.load_person(store, key).changes
    return PersonChangesJson(items=[PersonChangeJson.of(change, by=change.actor) for change in found])


@blueprint.operation(
    "POST",
    "/players/<player_id>/changes/<int:number>/undo",
    scope="arbiter",
    body=BySchema,
    example={"by": "Nasieku"},
    status=200,
    problems=(409,),
)
def undo_player_change(body: dict[str, Any], player_id: str, number: int) -> PlayerJson:
    """Take back a change of a player, also in events, unless a later one builds on it. Initials are for admins."""
    services, is_admin = current_services(), allows(current_caller().scopes, "admin")
    key, write = key_of_id(player_id, "player"), _write(body)
    return player_json(persons.undo(services.events, services.store, key, number, write, is_admin=is_admin))


@blueprint.operation(
    "PUT",
    "/players/<player_id>/initials",
    scope="admin",
    body=InitialsSchema,
    example={"initials": True, "by": "Nasieku"},
)
def set_player_initials(body: dict[str, Any], player_id: str) -> PlayerJson:
    """Have a player be shown by initials in lists, standings and pages. Records keep the name."""
    store = current_services().store
    return player_json(persons.set_initials(store, key_of_id(player_id, "player"), body["initials"], _write(body)))


@blueprint.operation(
    "POST",
    "/players/<player_id>/removal",
    scope="admin",
    body=BySchema,
    example={"by": "Nasieku"},
    status=200,
)
def remove_player(body: dict[str, Any], player_id: str) -> RemovalJson:
    """Replace a player's name by a stand-in in the tags of their games. Older events and signed proofs keep it."""
    services = current_services()
    key, write = key_of_id(player_id, "player"), _write(body)
    return RemovalJson.of(persons.take_out(services.games, services.events, services.store, key, write))
