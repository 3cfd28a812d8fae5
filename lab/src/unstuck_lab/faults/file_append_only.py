"""A file in an emptyDir may only be appended to: like an immutable one it cannot be removed, and the Pod stays."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _immutable, _kit

NS, NAME = "f-file-append-only", "ed-append"


def apply(lab: Lab) -> None:
    _immutable.make(lab, NS, NAME, "a")
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _immutable.refused(lab, NS, NAME)


def heal(lab: Lab) -> None:
    _immutable.undo(lab, NS, NAME)


FAULT = Fault(
    name="file-append-only",
    summary="a Pod stays because a file in its emptyDir is append-only",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("file.immutable",),
    consequences=(),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
