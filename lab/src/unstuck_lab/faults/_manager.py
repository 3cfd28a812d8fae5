"""kube-controller-manager, stopped and started again. No fault by itself."""

import signal
from collections.abc import Sequence

from unstuck_lab import build, control, shell
from unstuck_lab.box import Box
from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _steps

NAME = "kube-controller-manager"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{NAME}"
# The lab's own instance does not elect a leader; if a flag is repeated, the last one counts.
ELECTS = ["--leader-elect=true"]


def _find_command(lab: Lab) -> list[str]:
    programs = control.list_daemons(lab.paths, build.locate_programs(lab.paths))
    return list(next(daemon.argv for daemon in programs if daemon.name == NAME))


def _end(box: Box, argv: Sequence[str]) -> None:
    process = box.find(argv)
    if process is not None:
        process.signal(signal.SIGKILL)
        shell.wait_for(lambda: not process.alive, 10, f"end of {NAME}")


def end(lab: Lab) -> None:
    """Kill it as in a cluster with leader election: its Lease remains and is no longer renewed."""
    box, argv = Box(control.BOX, lab.paths), _find_command(lab)
    _end(box, argv)
    if box.find([*argv, *ELECTS]) is None:
        box.spawn([*argv, *ELECTS], control.locate_log(lab.paths, NAME))
    lab.wait(lambda: read_holder(lab), 60, f"a leader of {NAME}")
    _end(box, [*argv, *ELECTS])


def read_holder(lab: Lab) -> str:
    """Return the holder of its Lease, present or past; "" if there is none."""
    found = lab.get(LEASE)
    return str(found["spec"].get("holderIdentity", "")) if found else ""


def restore(lab: Lab) -> None:
    """Restart the lab's own instance, unchanged."""
    box, argv = Box(control.BOX, lab.paths), _find_command(lab)
    _end(box, [*argv, *ELECTS])
    _steps.delete(lab, LEASE)
    control.ensure(lab.paths, build.locate_programs(lab.paths))
