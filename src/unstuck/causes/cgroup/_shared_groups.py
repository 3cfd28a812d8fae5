"""Control groups above the Pods, which many Pods share: kubepods, and below it the classes of service."""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.cgroup_limits import CgroupLimit
from unstuck.facts.core import Ref

say = Messages(__name__)

TOP = "/kubepods"
# Five seconds of processor time: below that the share is meaningless.
_FEW_PERIODS = 50


def name_group(path: str) -> str:
    """Return the group's path from kubepods on, without the hierarchy's mount point; any other path as it
    is.
    """
    return path[max(path.find(TOP), 0) :]


def is_starved_above(group: CgroupLimit) -> bool:
    """Tell whether a group above the Pods has a quota of processor time, and mostly waits for it."""
    periods, waited = group.periods or 0, group.throttled or 0
    above = group.pod is None and group.container is None and TOP in group.path
    return above and bool(group.quota) and periods >= _FEW_PERIODS and waited * 2 >= periods


def remove_limit(node: Ref, verify: Text) -> Step:
    """Return the step that removes a limit of such a group, and what sets it."""
    return Step(
        say(
            "the kubelet itself sets no limit there: find the script, the agent or the systemd unit that "
            "does, and remove the limit there and in the group"
        ),
        where=place_on_node(node.name),
        verify=verify,
    )
