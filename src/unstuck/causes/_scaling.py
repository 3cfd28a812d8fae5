"""Scaling a workload by hand that was scaled to 0."""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.core import Ref


def scale_up(workload: Ref, count: int, says: Text, verify: Text) -> Step:
    """Return the step that scales a workload up from 0 to this number, and back."""
    return Step(
        says,
        command=command(
            "kubectl scale {workload} {space} --replicas={count}",
            workload=given.of(workload),
            space=given.space(workload),
            count=given.number(count),
        ),
        risk="reversible",
        undo=command(
            "kubectl scale {workload} {space} --replicas=0",
            workload=given.of(workload),
            space=given.space(workload),
        ),
        verify=verify,
    )
