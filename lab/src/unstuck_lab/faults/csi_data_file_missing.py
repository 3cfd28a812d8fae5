"""The `vol_data.json` of a CSI volume is removed: the kubelet no longer knows which driver unmounts it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _csi, _plugin, _steps

NS, NAME = "f-csi-data-file-missing", "csi-forgot"
# A copy in the node's own tmpfs: healing restores the original content.
KEPT = "/run/unstuck-lab-vol-data"


def apply(lab: Lab) -> None:
    pod = _csi.make(lab, NS, NAME)
    lab.get_node(_plugin.NODE).check(["mv", f"{_csi.locate_volume_dir(pod)}/vol_data.json", KEPT])
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _checks.find_deletion_line(lab, NS, NAME, "failed to open volume data file")


def heal(lab: Lab) -> None:
    found = lab.get_pod(NS, NAME)
    if found:
        path = f"{_csi.locate_volume_dir(found)}/vol_data.json"
        lab.get_node(_plugin.NODE).run(["sh", "-c", f"test -e {KEPT} && cp {KEPT} {path}"])
    _csi.heal(lab, NS)
    lab.get_node(_plugin.NODE).run(["rm", "-f", KEPT])


FAULT = Fault(
    name="csi-data-file-missing",
    summary="a Pod stays because the file needed to unmount its CSI volume is gone",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.data-file-missing",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
