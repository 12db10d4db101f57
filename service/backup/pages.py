"""The page ``/backup``: a backup to download, one each hour in a folder, and how to restore one."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from inkeek.service.http.access import allows, needs
from inkeek.service.http.api.responses import while_allowed
from inkeek.service.http.context import current_caller, current_sender, current_services
from inkeek.service.http.language import ago_text, gettext
from inkeek.service.http.rooms import RoomPages
from inkeek.service.http.services import Services
from inkeek.service.http.web.base import render_page, see_other
from inkeek.service.http.web.forms import merged, shows_refusals
from inkeek.service.maintenance.backups import KEPT, Backups
from inkeek.service.processes.places import Places
from inkeek.service.storage.clock import utc_now

CHUNK = 1 << 16  # bytes
pages = RoomPages()
COPIES = 1  # that are downloaded at once
SQLITE = "application/vnd.sqlite3"


def link() -> str:
    """The link to the page, for those who may see it."""
    if not allows(current_caller().scopes, "admin"):
        return ""
    return Markup('<a href="{}">{}</a>').format(url_for("web.backup"), gettext("Backup"))


def _copies(services: Services) -> Places:
    return Places("Backups", COPIES)


def _backups() -> Backups:
    services = current_services()
    return Backups(services.store, services.settings.backup_folder)


def _page(refusal: str = "") -> Response:
    backups = _backups()
    if not backups.are_possible:
        return render_page("backup/backup.html", database=None)
    folder, history = backups.folder(), backups.history()
    return render_page(
        "backup/backup.html",
        database=current_services().store.file,
        folder=folder,
        is_missing=folder is not None and not folder.is_dir(),
        is_set=backups.is_set,
        places=backups.places(),
        history=history,
        last=history.made[-1] if history.made else None,
        kept=KEPT,
        ago_text=ago_text,
        refusal=refusal,
    )


@pages.get("/backup")
@needs("admin")
def backup() -> ResponseReturnValue:
    """Backups: the last one, where they are made, how to restore one."""
    return _page()


@pages.post("/backup")
@needs("admin")
@shows_refusals(_page)
def choose_backup_folder() -> ResponseReturnValue:
    """Choose the folder or stick that gets a backup each hour."""
    backups, form = _backups(), request.form
    now = str(backups.folder() or "")
    backups.choose(merged(form["folder"], form.get("was.folder", now), now))
    return see_other("web.backup")


@pages.post("/backup/download")
@needs("admin")
def download_backup() -> ResponseReturnValue:
    """Download a backup as the database is now."""
    with ExitStack() as stack:
        stack.enter_context(current_services().once(_copies).taken(current_sender()))
        copy = stack.enter_context(_backups().temporary())
        file = stack.enter_context(copy.open("rb"))
        # Of unknown length: else the web server would read all of it before it sends.
        response = Response(while_allowed(iter(partial(file.read, CHUNK), b"")), content_type=SQLITE)
        response.call_on_close(stack.pop_all().close)
    name = f"inkeek-{utc_now().astimezone():%Y%m%d-%H%M%S}.sqlite3"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "no-store"
    return response
