"""kube-scheduler, as a leader that exits or is suspended, or as a second one beside it. No fault by
itself.
"""

import json
import signal
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from unstuck_lab import build, control, pki, shell
from unstuck_lab.box import Box
from unstuck_lab.cluster import Lab
from unstuck_lab.faults import _steps

NAME = "kube-scheduler"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/{NAME}"
# The lab's own instance does not elect a leader; if a flag is repeated, the last one counts.
ELECTS = ["--leader-elect=true"]
SECOND = "second-scheduler"


def signal_leader(lab: Lab, what: signal.Signals) -> None:
    """Run kube-scheduler with leader election, as in most clusters, and send it this signal: SIGKILL ends it,
    SIGSTOP suspends it.
    """
    box, argv = Box(control.BOX, lab.paths), _find_command(lab)
    _end(box, argv)
    if box.find([*argv, *ELECTS]) is None:
        box.spawn([*argv, *ELECTS], control.locate_log(lab.paths, NAME))
    lab.wait(lambda: _read_renewal(lab), 60, f"a leader of {NAME}")
    process = box.find([*argv, *ELECTS])
    if process is not None:
        process.signal(what)


def make_silence_check(ns: str, pod: str) -> Callable[[Lab], str | None]:
    """Return a check that the Lease was not renewed for a minute, and the Pod has no condition."""

    def observe(lab: Lab) -> str | None:
        found, renewed = lab.get_pod(ns, pod), _read_renewal(lab)
        if found is None or renewed is None or found["status"].get("conditions"):
            return None
        age = (datetime.now(UTC) - renewed).total_seconds()
        return f"its lease was renewed {age:.0f} s ago, and the Pod has no condition" if age > 60 else None

    return observe


def restore(lab: Lab) -> None:
    """Restart the lab's own instance, unchanged."""
    box, argv = Box(control.BOX, lab.paths), _find_command(lab)
    _end(box, [*argv, *ELECTS])
    _steps.delete(lab, LEASE)
    control.ensure(lab.paths, build.locate_programs(lab.paths))


def start_second(lab: Lab) -> None:
    """Start a second kube-scheduler with a single profile of another name."""
    box, argv = Box(control.BOX, lab.paths), _build_second_command(lab)
    settings = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(lab.paths.locate_box(control.BOX) / "scheduler.conf")},
        "leaderElection": {"leaderElect": False},
        "profiles": [{"schedulerName": SECOND}],
    }
    pki.write_private(lab.paths.locate_box(control.BOX) / "second.conf", json.dumps(settings))
    if box.find(argv) is None:
        box.spawn(argv, control.locate_log(lab.paths, SECOND))


def end_second(lab: Lab) -> None:
    """End the second kube-scheduler."""
    _end(Box(control.BOX, lab.paths), _build_second_command(lab))


def _read_renewal(lab: Lab) -> datetime | None:
    found = lab.get(LEASE)
    at = found["spec"].get("renewTime") if found else None
    return datetime.fromisoformat(at) if at else None


def _find_command(lab: Lab) -> list[str]:
    programs = control.list_daemons(lab.paths, build.locate_programs(lab.paths))
    return list(next(daemon.argv for daemon in programs if daemon.name == NAME))


def _build_second_command(lab: Lab) -> list[str]:
    return [
        _find_command(lab)[0],
        f"--config={lab.paths.locate_box(control.BOX) / 'second.conf'}",
        "--secure-port=0",
    ]


def _end(box: Box, argv: Sequence[str]) -> None:
    process = box.find(argv)
    if process is not None:
        # Only SIGKILL ends a suspended process.
        process.signal(signal.SIGKILL)
        shell.wait_for(lambda: not process.alive, 10, f"end of {argv[0]}")
