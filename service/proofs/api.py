"""``/games/{id}/proof``: everything about a game or a dispute, signed, for anybody to check; the links to it."""

from __future__ import annotations

import logging
from socket import gethostname

from flask import Response
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from inkeek.service.errors import Invalid, NoKey
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.context import current_services
from inkeek.service.http.language import gettext
from inkeek.service.maintenance.signatures import read_key
from inkeek.service.storage import dispute_id
from inkeek.service.storage.clock import stamp, utc_now

from .making import make_proof

PROOF = "application/x-inkeek-proof"

log = logging.getLogger(__name__)
blueprint = ApiBlueprint("proofs", "Signed proofs of games and disputes.")


@blueprint.operation(
    "GET",
    "/games/<game_id>/proof",
    scope="read",
    sends={PROOF: ()},
    headers=("Content-Disposition",),
    problems=(409, 422),
)
def get_proof(game_id: str) -> ResponseReturnValue:
    """Get the signed proof of a game, which `inkeek verify` checks."""
    return _respond(game_id, None)


@blueprint.operation(
    "GET",
    "/games/<game_id>/disputes/<int:seq>/proof",
    scope="read",
    sends={PROOF: ()},
    headers=("Content-Disposition",),
    problems=(409, 422),
)
def get_dispute_proof(game_id: str, seq: int) -> ResponseReturnValue:
    """Get the signed proof of a dispute: that of its game, which names the event that opened the dispute."""
    return _respond(game_id, seq)


def _respond(game_id: str, dispute: int | None) -> Response:
    services = current_services()
    services.games.row(game_id)
    path = services.settings.key_file
    if not path.exists():
        raise NoKey(
            "The service signs nothing on %(machine)s: its data folder has no key.pem. Copy that file from the machine "
            "that signs. If none does, run `inkeek key new` on one.",
            machine=gethostname(),
        )
    try:
        key = read_key(path)
    except Invalid as error:
        log.warning("no proof can be signed: %s", error.message)
        raise NoKey(
            "The service cannot read its key.pem on %(machine)s. Run `inkeek key show` there.", machine=gethostname()
        ) from error
    body = make_proof(services.store, game_id, key, stamp(utc_now()), dispute)
    name = game_id if dispute is None else dispute_id(game_id, dispute)
    response = Response(body, content_type=PROOF)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.proof"'
    return response


def game_link(game_id: str) -> str:
    """The link to the proof of a game, for its review; none without a key."""
    return _link(f"/api/v1/games/{game_id}/proof", Markup(" download"))


def dispute_link(game_id: str, seq: int) -> str:
    """The same of a dispute, for its page."""
    return _link(f"/api/v1/games/{game_id}/disputes/{seq}/proof")


def _link(url: str, more: str = "") -> str:
    if not current_services().settings.key_file.exists():
        return ""
    return Markup('<a href="{}" data-proof{}>{}</a>').format(url, more, gettext("Signed proof"))
