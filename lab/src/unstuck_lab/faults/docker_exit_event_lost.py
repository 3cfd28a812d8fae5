"""containerd was down while a docker container exited, for longer than its shim keeps reporting (about 40 s):
docker reports Up from then on, and containerd's task is STOPPED. See docker/for-linux issue 779.
"""

import contextlib
import time

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import CommandFailedError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _docker, _signals

NAME = "unstuck-lab-lost"
# The shim makes five attempts, with up to 5 s and a growing pause each (containerd
# runtime/v2/shim/publisher.go).
_SHIM_GIVES_UP = 60


def apply(lab: Lab) -> None:
    node = lab.get_node(_signals.NAME)
    _docker.start(lab, node)
    with contextlib.suppress(CommandFailedError):
        _docker.run_docker(lab, node, "rm", "-f", NAME)
    _docker.run_docker(
        lab, node, "run", "-d", "--network=none", "--name", NAME, _docker.IMAGE, "/bin/sleep", "99999"
    )
    pid = _docker.run_docker(lab, node, "inspect", "-f", "{{.State.Pid}}", NAME).strip()
    node.stop_containerd()
    try:
        node.check(["kill", "-9", pid])
        time.sleep(_SHIM_GIVES_UP)
    finally:
        node.start_containerd()


def observe(lab: Lab) -> str | None:
    node = lab.get_node(_signals.NAME)
    up = _docker.run_docker(
        lab, node, "ps", "--no-trunc", "--filter", f"name={NAME}", "--format", "{{.ID}} {{.Status}}"
    ).strip()
    tasks = node.check(["ctr", "-n", "moby", "tasks", "ls"], timeout=20)
    line = next((t for t in tasks.splitlines() if up and t.startswith(up.split()[0])), "")
    return (
        f"docker ps: {up.partition(' ')[2]}; ctr tasks ls: STOPPED"
        if " Up" in f" {up}" and "STOPPED" in line
        else None
    )


def heal(lab: Lab) -> None:
    node = lab.get_node(_signals.NAME)
    if node.running:
        node.start_containerd()
        _docker.remove(lab, node)


FAULT = Fault(
    name="docker-exit-event-lost",
    summary="docker reports a container as Up although its task has ended: the exit event was lost",
    scope="node",
    node=_signals.NAME,
    subject=f"node/{_signals.NAME}",
    namespace=None,
    accepts=("runtime.state-mismatch", "runtime.exit-event-lost"),
    with_node="proven",
    # The Node is Ready: its kubelet does not use docker.
    without_node="fine",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
    settle=30,
)
