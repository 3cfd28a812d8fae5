"""Exit statuses of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unstuck.diagnosis.answer import Answer, Diagnosis

FINE, KNOWN, OPEN, NOT_ASKED, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 70, 130
FailOn = Literal["stuck", "proven", "never"]


def status_of(report: Answer) -> int:
    """Return 0 if nothing is broken; 1 for a problem with a known cause; 2 for stuck or unknown without a
    known cause. 1 outranks 2.
    """
    return _status([d for d in report.diagnoses if d.broken])


def status_of_scan(report: Answer) -> int:
    """Return the exit status of a scan, by its urgent objects; objects still within their expected time do
    not count.

    If it could not list any Pods, nothing is known to be fine.
    """
    status = _status([d for d in report.diagnoses if d.urgent])
    return OPEN if status == FINE and any(r.about.kind == "PodList" for r in report.not_seen) else status


def _status(bad: Sequence[Diagnosis]) -> int:
    """Return the status of actual or possible faults."""
    if not bad:
        return FINE
    return KNOWN if any(d.causes for d in bad) else OPEN


def status_for(report: Answer, fail_on: FailOn) -> int:
    """Return 1 if a pipeline should fail, else 0."""
    stuck = [d for d in report.diagnoses if d.state.name == "stuck"]
    if fail_on == "proven":
        stuck = [d for d in stuck if any(cause.confidence == "proven" for cause in d.causes)]
    return KNOWN if stuck and fail_on != "never" else FINE
