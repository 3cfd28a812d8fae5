"""An exhausted quota of a file system: more space on it does not help."""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_place import NodePlace
from unstuck.causes.program._plain import mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# EDQUOT: errno(3), quota(5).
_QUOTA = regex(r"(?i)quota exceeded|\bEDQUOT\b")


def is_quota(one: ProgramMessage) -> bool:
    """Tell whether the message is about a quota."""
    return _QUOTA.search(one.complaint.line) is not None


def make_quota_finding(
    pod: Ref, one: ProgramMessage, place: NodePlace | None, do_not: tuple[DoNot, ...], snap: Facts
) -> Finding:
    """Return the finding of a quota that is used up: the file system itself need not be full."""
    path = one.complaint.path
    spec = find_container_spec(pod, one.run.name or None, snap)
    means = say("a quota is exhausted where it writes")
    if path:
        means = say("a quota is exhausted where it writes {path}", path=path)
    user = spec.user if spec else None
    if user is not None:
        means += say(", which may be that of its uid {user}, of a group or of the directory", user=user)
    node = place.path.within if place else None
    at = place.path.name if place else ""
    see = Step(
        say("find out which quota it is, and what it counts: a user, a group, or a project (a directory)"),
        where=place_on_node(node) if node else "cluster",
        command=command("repquota -aup; df -h {path}", path=given.path(at)) if at else NO_COMMAND,
    )
    step = mend(
        say(
            "delete files that the program can recreate, or have that quota raised where the file system is "
            "administered: a larger file system changes nothing"
        )
    )
    return make_finding(pod, one, means, (see, step), do_not=do_not)
