"""An immutable file in an emptyDir: the kubelet cannot empty the volume, says so in
its own log only, and the Pod stays.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _immutable, _kit

NS, NAME = "f-file-immutable", "ed-immut"


def apply(lab: Lab) -> None:
    _immutable.make(lab, NS, NAME)
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    return _immutable.refused(lab, NS, NAME)


def heal(lab: Lab) -> None:
    _immutable.undo(lab, NS, NAME)


FAULT = Fault(
    name="file-immutable",
    summary="a Pod stays because a file in its emptyDir is immutable",
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
