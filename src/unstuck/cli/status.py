"""The exit status of an answer, as the contract has it."""

from __future__ import annotations

from unstuck.diagnosis.answer import Answer

FINE, KNOWN, OPEN, NOT_ASKED = 0, 1, 2, 3


def status_of(report: Answer) -> int:
    """Return 0 fine, progressing or held; 1 something is stuck and a cause is known; 2 stuck or unknown, and none is. 1 outranks 2.

    Of a scan that could not list Pods at all, nothing is known to be fine.
    """
    bad = [d for d in report.diagnoses if d.state.name in ("stuck", "unknown")]
    if not bad:
        return OPEN if any(r.about.kind == "PodList" for r in report.not_seen) else FINE
    return KNOWN if any(d.causes for d in bad) else OPEN
