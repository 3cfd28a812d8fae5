"""A command run inside the container from outside is not reaped: the container's first process cannot end."""

from pathlib import Path

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.node import Node

NS, NAME = "f-zombie", "unreaped"
SECONDS = "864003"  # no other process sleeps for this long, so the command line identifies it
SCRIPT = str(Path(__file__).with_name("_unreaping.py"))


def list_processes(node: Node, uid: str) -> list[tuple[str, str, str]]:
    """Return (pid, name, wchan) of the Pod's processes, except the sandbox's, from the node's table."""
    script = f"""
for p in /proc/[0-9]*; do
  grep -q '{uid}' "$p/cgroup" 2>/dev/null || continue
  read -r name < "$p/comm" || continue
  [ "$name" = pause ] || echo "${{p#/proc/}} $name $(cat "$p/wchan")"
done"""
    lines = node.run(["bash", "-c", script]).stdout.splitlines()
    return [(w[0], w[1], w[2] if len(w) > 2 else "") for w in map(str.split, lines) if len(w) > 1]


def apply(lab: Lab) -> None:
    uid = _steps.run(lab, _objects.make_pod(NS, NAME))["metadata"]["uid"]
    node = lab.find_pod_node(NS, NAME)
    first = min((int(pid) for pid, _, _ in list_processes(node, uid)))
    node.spawn(["/usr/bin/python3", SCRIPT, str(first), SECONDS], log="unreaping")
    lab.wait(
        lambda: node.run(["pgrep", "-fx", f"sleep {SECONDS}"]).returncode == 0,
        10,
        "a process inside that is another's child",
    )
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    pod = _checks.find_deleting_pod(lab, NS, NAME)
    if not pod:
        return None
    found = list_processes(lab.find_pod_node(NS, NAME), pod["metadata"]["uid"])
    return next(
        (f"{pid} {name} in {wchan}" for pid, name, wchan in found if wchan == "zap_pid_ns_processes"), None
    )


def heal(lab: Lab) -> None:
    for node in lab.nodes:
        if node.running:
            # The node's PID 1 adopts its children, and reaps them.
            node.run(["pkill", "-f", f"{SCRIPT} [0-9]+ {SECONDS}"])
    # The runtime checks the container again once the kubelet's call has timed out.
    _steps.remove_namespace(lab, NS, timeout=180)


FAULT = Fault(
    name="zombie",
    summary=(
        "a Pod stays because a process in its PID namespace has ended and its parent outside does not reap it"
    ),
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("process.zombies",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
