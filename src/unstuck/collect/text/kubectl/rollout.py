"""The output of `kubectl rollout status`: how far a rollout has got, or that it missed its deadline.

Source: staging/src/k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go, 1.5–1.34.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Condition, Conditions, Presence
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_NAME = r"\"(?P<name>[a-z0-9][a-z0-9.-]{0,252})\""
_WAITS = regex(
    rf"^\s*Waiting for (?P<kind>deployment|daemon set) {_NAME} rollout to finish: "
    r"(?P<n>\d{1,6}) (?P<how>of|out of) (?P<of>\d{1,6}) (?P<what>updated|new) (?:replicas|pods) "
    r"(?:are available|have been updated)\.{3}\s*$"
)
_OLD = regex(
    r"^\s*Waiting for deployment \"[a-z0-9][a-z0-9.-]{0,252}\" rollout to finish: \d{1,6} old replicas are "
    r"pending termination\.{3}\s*$"
)
_MISSED = regex(
    r"^\s*error: deployment \"(?P<name>[a-z0-9][a-z0-9.-]{0,252})\" exceeded its progress deadline\s*$"
)
_DONE = regex(r"^\s*(?:deployment|daemon set|statefulset) .{1,260} successfully rolled out")
_KINDS = {"deployment": "Deployment", "daemon set": "DaemonSet"}


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the run of such lines."""
    del command
    end = i
    while end < len(lines) and any(form.match(lines[end]) for form in (_WAITS, _OLD, _MISSED, _DONE)):
        end += 1
    return end if end > i else None


def read(piece: Piece) -> Reading:
    """Return the counts of the last line that has any, and the condition of a missed deadline; nothing of
    a rollout that ended well.
    """
    out = Reading(understood=True)
    if _DONE.match(piece.lines[-1]):
        return out
    waits = [(n, found) for n, line in enumerate(piece.lines) if (found := _WAITS.match(line))]
    for n, found in waits[-1:]:
        ref = Ref(_KINDS[found["kind"]], piece.namespace, found["name"])
        count, wanted, available = int(found["n"]), int(found["of"]), found["what"] == "updated"
        src = piece.src(n)
        out.facts.append(Presence(about=ref, src=src, exists=True, whole=False))
        # It does not say whether the Pods of older templates are ready.
        ready = count if available else wanted
        updated = wanted if available else count
        counts = Workload(
            about=ref,
            src=src,
            wanted=wanted,
            ready=ready,
            created=wanted,
            updated=updated,
            unavailable=wanted - ready,
            whole=False,
        )
        out.facts.append(counts)
    for n, line in enumerate(piece.lines):
        if found := _MISSED.match(line):
            ref = Ref("Deployment", piece.namespace, found["name"])
            missed = Condition("Progressing", "False", "ProgressDeadlineExceeded")
            out.facts.append(Presence(about=ref, src=piece.src(n), exists=True, whole=False))
            out.facts.append(Conditions(about=ref, src=piece.src(n), items=(missed,), whole=False))
    return out
