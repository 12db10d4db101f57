"""Jobs as requests start and cancel them, from the API and from the pages: within the caller's limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inkeek.service.errors import Forbidden, InvalidFields
from inkeek.service.http.access import allows
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.storage import JobRow

DEFAULT_NODES = 100_000  # for each position, if no limit is given
LIMITS = ("seconds", "depth", "nodes")


def start_analysis(game_ids: Sequence[str], given: Mapping[str, Any]) -> JobRow:
    """Start to analyze games for the caller. `given` has the limits of the search of each position, by `LIMITS`.

    :raises NotFound: there is no such game within the limit of their key.
    :raises InvalidFields: the limits of the search are too high.
    """
    services = current_services()
    limits = {name: given[name] for name in LIMITS}
    if limits["seconds"] is None and limits["nodes"] is None:
        limits["nodes"] = DEFAULT_NODES  # also with a depth: some positions have more turns than others
    most = services.settings.analysis_time
    if limits["seconds"] is not None and limits["seconds"] > most:
        raise InvalidFields(
            f"seconds is {limits['seconds']:g}. Expected at most {most:g}, the setting `analysis_time`."
        )
    if limits["seconds"] is None:
        limits["seconds"] = most
    return services.jobs.start(current_caller().id, game_ids, limits, current_limit())


def may_cancel(job: JobRow) -> bool:
    """Whether the caller may cancel a job: they started it, or they are an administrator."""
    caller = current_caller()
    return bool(caller.id) and (job.owner == caller.id or allows(caller.scopes, "admin"))


def cancel_analysis(job_id: str) -> JobRow:
    """Cancel a job for the caller. Games that it has analyzed stay so.

    :raises NotFound: there is no such job within the limit of their key.
    :raises Forbidden: the job was started with another key.
    """
    jobs = current_services().jobs
    if not may_cancel(jobs.get(job_id, current_limit())):
        raise Forbidden(f"Job {job_id} was started with another key. Only that one, or an admin's, can cancel it.")
    return jobs.cancel(job_id)
