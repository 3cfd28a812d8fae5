"""`unstuck why` from outside: the agent proves facts visible only on the node; without it ssh and a one-shot
Pod do, or the answer explains their failure.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.command import UNSTUCK, Terminal, make_environment, read_diagnosis, run_unstuck
from tests.e2e.staying import immutable_and_busy

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.node import Node

pytestmark = pytest.mark.e2e
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS, STRICT = "e2e-ways", "e2e-ways-strict"
SLEEP = "864029"
MOUNT, FLAG = "/run/unstuck-ways-fuse", "/run/unstuck-ways-fuse.hang"
IMAGE = "lab.local/unstuck-agent:1"
REPORTERS = (
    "for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline 2>/dev/null | grep -q 'unstuck[.]agent reporter' "
    "&& echo ${p#/proc/}; done; true"
)
ONE_SHOT = "unstuck.dev/one-shot=true"


@pytest.fixture(scope="module")
def node(lab: Lab) -> Node:
    if lab.existing:
        pytest.skip("an existing cluster's nodes cannot be entered")
    return lab.nodes[min(1, len(lab.nodes) - 1)]


@pytest.fixture(scope="module")
def agent(lab: Lab, node: Node, release: bool) -> None:
    """Provide the chart's release, with its agents on every node."""
    from unstuck_lab import agent

    lab.wait(lambda: agent.is_ready(lab), 120, "agents Ready")


@pytest.fixture(scope="module")
def pods(lab: Lab, node: Node) -> Iterator[dict[str, Any]]:
    """Create two undeletable Pods, by an immutable file and by a process in a volume, and a Namespace that
    forbids privileged Pods.
    """
    strict = objects.make_namespace(STRICT)
    strict["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "restricted"}
    lab.apply(strict)
    try:
        with immutable_and_busy(lab, node, NS, SLEEP) as running:
            yield running
    finally:
        steps.remove_namespace(lab, STRICT)


def ask(
    lab: Lab, name: str, *options: str, output: str = "json", path: str | None = None
) -> subprocess.CompletedProcess[str]:
    env = {"PATH": path} if path else None
    return run_unstuck(
        "why",
        f"pod/{name}",
        "-n",
        NS,
        "--after",
        "1s",
        "-o",
        output,
        *options,
        kubeconfig=lab.kubeconfig,
        env=env,
    )


def causes(done: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    return [(c["id"], c["confidence"]) for c in read_diagnosis(done)["causes"]]


def sources(done: subprocess.CompletedProcess[str]) -> list[str]:
    found: list[str] = json.loads(done.stdout)["sources"]
    return found


def one_shots(lab: Lab) -> list[str]:
    """Return the existing one-shot Pods of all Namespaces."""
    return lab.run_kubectl("get", "pods", "-A", "-l", ONE_SHOT, "-o", "name").split()


def probes(lab: Lab) -> list[str]:
    """Return the existing NodeProbes of the command."""
    return [
        p
        for p in lab.run_kubectl("get", "nodeprobes", "-n", "unstuck-system", "-o", "name").split()
        if "/cli-" in p
    ]


def took(what: str, began: float) -> float:
    """Print the seconds since `began`, visible with -s."""
    seconds = time.monotonic() - began
    sys.stdout.write(f"\n{what}: {seconds:.2f} s\n")
    return seconds


@contextmanager
def deaf(node: Node) -> Iterator[None]:
    """Silence the node's agent: its reporter is stopped."""
    pids = node.check(["sh", "-c", REPORTERS]).split()
    assert pids
    node.check(["kill", "-STOP", *pids])
    try:
        yield
    finally:
        node.run(["kill", "-CONT", *pids])


@contextmanager
def hung(lab: Lab, node: Node) -> Iterator[str]:
    """Create a Pod on a silent mount, delete it with a process in D, and yield its name."""
    from unstuck_lab.faults import _hung, process_in_d

    server, name = [*process_in_d.SERVER[:2], MOUNT, FLAG], "looks-up"
    try:
        _hung.mount_connections(node)
        node.check(["rm", "-f", FLAG])
        node.spawn(server, log="fuse")
        lab.wait(
            lambda: node.run(["mountpoint", "-q", MOUNT], timeout=5).returncode == 0, 10, f"mount {MOUNT}"
        )
        lab.apply(_hung.make_pod(NS, name, node, MOUNT))
        steps.wait_running(lab, NS, name)
        node.check(["touch", FLAG])
        steps.delete_pod(lab, NS, name, grace=1)
        lab.wait(lambda: _hung.find_blocked_process(lab, NS, name, node), 60, "a process in D")
        # Within its expected time, a deletion counts as healthy.
        time.sleep(31)
        yield name
    finally:
        node.run(["rm", "-f", FLAG])
        with suppress(Exception):
            lab.wait(lambda: lab.get_pod(NS, name) is None or None, 60, "the Pod is gone")
        _hung.unmount(node, MOUNT)
        node.kill(server)


# --- the agent ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "cause"), [("immutable", "file.immutable"), ("busy", "mount.busy")])
def test_the_agent_proves_it_from_outside(
    lab: Lab, node: Node, agent: None, pods: Any, name: str, cause: str
) -> None:
    began = time.monotonic()
    done = ask(lab, name)
    took(f"{name} by the agent", began)
    assert causes(done)[0] == (cause, "proven") and f"node:{node.name}" in sources(done)
    if name == "busy":
        assert "sleep" in done.stdout, "the holder's command"
    assert not probes(lab)


def test_beside_a_mount_that_hangs_it_is_named_and_nothing_stays(
    lab: Lab, node: Node, agent: None, pods: Any
) -> None:
    """By the agent, and by a one-shot Pod that is gone again in time: neither touches what hangs."""
    with hung(lab, node) as name:
        began = time.monotonic()
        done = ask(lab, name)
        took("process in D by the agent", began)
        with deaf(node):
            began = time.monotonic()
            by_pod = ask(lab, name, "--probe")
            seconds = took("beside a hung mount: agent deaf, one-shot Pod made, read and gone", began)
            left = one_shots(lab)
    assert causes(done)[0] == causes(by_pod)[0] == ("volume.network-filesystem-hung", "proven")
    assert MOUNT in done.stdout and MOUNT in by_pod.stdout and not left
    assert seconds < 36, "6 s for the agent, 30 s for the Pod"


def test_what_was_saved_gives_the_same_answer_again(lab: Lab, agent: None, pods: Any, tmp_path: Path) -> None:
    saved = str(tmp_path / "saved.json.gz")
    first = ask(lab, "immutable", "--save", saved)
    again = run_unstuck("replay", saved, "-o", "json", kubeconfig=None)
    assert first.stdout == again.stdout and causes(again)[0] == ("file.immutable", "proven")


def test_no_node_asks_no_node(lab: Lab, agent: None, pods: Any) -> None:
    done = ask(lab, "immutable", "--no-node")
    assert not causes(done) and sources(done) == ["live:lab"]


# --- without it ---------------------------------------------------------------------------------------------


def test_an_agent_that_says_nothing_is_named_and_its_probe_taken_back(
    lab: Lab, node: Node, agent: None, pods: Any, tmp_path: Path
) -> None:
    saved = str(tmp_path / "saved.json.gz")
    with deaf(node):
        en = ask(lab, "immutable", "--save", saved, output="text")
    zh = run_unstuck("replay", saved, "--lang", "zh", kubeconfig=None)
    assert f"Node {node.name} — the agent did not answer in 6 s, though its Pod unstuck-agent-" in " ".join(
        en.stdout.split()
    )
    assert "秒内没有应答" in zh.stdout and f"--ssh={node.name}" in en.stdout
    assert not probes(lab)


def test_ssh_answers_where_the_agent_does_not(lab: Lab, node: Node, agent: None, pods: Any) -> None:
    with node.serve_ssh() as door, deaf(node):
        began = time.monotonic()
        done = ask(lab, "immutable", "--ssh", "{node}", path=door.path)
        took("agent deaf, then ssh", began)
    assert causes(done)[0] == ("file.immutable", "proven") and f"node:{node.name}" in sources(done)


def test_a_one_shot_pod_answers_where_nothing_else_does(lab: Lab, node: Node, agent: None, pods: Any) -> None:
    with deaf(node):
        began = time.monotonic()
        done = ask(lab, "immutable", "--ssh", "nobody.invalid", "--probe")
        took("agent deaf, no ssh, then a one-shot Pod", began)
    assert causes(done)[0] == ("file.immutable", "proven")
    for word in (
        node.name,
        "unstuck-system",
        IMAGE,
        "SYS_PTRACE, DAC_READ_SEARCH, SYSLOG",
        "not privileged",
        "/proc",
    ):
        assert word in done.stderr
    assert "Whoever may run commands" not in done.stderr, "the chart's policy is in force"
    assert not one_shots(lab)


def test_an_interrupted_one_shot_pod_leaves_nothing(lab: Lab, node: Node, agent: None, pods: Any) -> None:
    """By Ctrl-C and by SIGTERM, beside each other: each has its Pod in a Namespace of its own."""
    numbers = {"unstuck-system": signal.SIGINT, NS: signal.SIGTERM}
    argv, env = (
        [UNSTUCK, "why", "pod/immutable", "-n", NS, "--probe", "--probe-namespace"],
        make_environment(lab.kubeconfig),
    )
    with deaf(node), ExitStack() as stack:
        children = {
            place: stack.enter_context(
                subprocess.Popen([*argv, place], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
            )
            for place in numbers
        }
        left = set(numbers)

        def interrupted() -> bool | None:
            for place in [
                p
                for p in left
                if lab.run_kubectl("get", "pods", "-n", p, "-l", ONE_SHOT, "-o", "name").strip()
            ]:
                children[place].send_signal(numbers[place])
                left.remove(place)
            return not left or None

        lab.wait(interrupted, 40, "a one-shot Pod in each Namespace")
        began = time.monotonic()
        for place, child in children.items():
            child.communicate(timeout=30)
            assert child.returncode in (130, -numbers[place])
        took("interrupted: left", began)
        lab.wait(lambda: not one_shots(lab) or None, 10, "the one-shot Pods are gone")
    assert not probes(lab)


def test_no_pod_is_put_on_a_node_whose_runtime_does_not_answer(
    lab: Lab, node: Node, agent: None, pods: Any
) -> None:
    with deaf(node):
        node.stop_containerd()
        try:
            done = ask(lab, "immutable", "--probe", output="text")
        finally:
            node.start_containerd()
    said = " ".join(done.stdout.split())
    assert "no Pod was made to look" in said and not done.stderr and not one_shots(lab)


def test_a_namespace_that_allows_no_such_pod_is_named(lab: Lab, node: Node, agent: None, pods: Any) -> None:
    with deaf(node):
        done = ask(lab, "immutable", "--probe", "--probe-namespace", STRICT, output="text")
    assert f"Namespace {STRICT} does not allow a Pod that can look at a node" in " ".join(done.stdout.split())


def test_on_a_terminal_a_yes_is_wanted(lab: Lab, node: Node, agent: None, pods: Any) -> None:
    """Three terminals beside each other; nothing and a no are both a no."""
    with deaf(node), ExitStack() as stack:
        ask = [
            stack.enter_context(Terminal("why", "pod/immutable", "-n", NS, kubeconfig=lab.kubeconfig))
            for _ in range(3)
        ]
        for terminal in ask:
            terminal.read_until(b"[y/N]")
        for terminal, answer in zip(ask[:2], (b"n\n", b"\n"), strict=True):
            terminal.type(answer)
            terminal.finish()
        assert not one_shots(lab)
        ask[2].type(b"y\n")
        ask[2].finish()
    assert [b"chattr -i" in terminal.out for terminal in ask] == [False, False, True] and not one_shots(lab)


def test_who_may_not_ask_is_told_so(lab: Lab, agent: None, pods: Any) -> None:
    rbac = "rbac.authorization.k8s.io"
    meta = {"name": "get-pods", "namespace": NS}
    role = {
        "apiVersion": f"{rbac}/v1",
        "kind": "Role",
        "metadata": meta,
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    }
    binding = {
        "apiVersion": f"{rbac}/v1",
        "kind": "RoleBinding",
        "metadata": meta,
        "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "get-pods"},
        "subjects": [{"kind": "User", "name": "reader", "apiGroup": rbac}],
    }
    lab.apply(role, binding)
    done = run_unstuck("why", "pod/immutable", "-n", NS, "--after", "1s", kubeconfig=lab.reader_kubeconfig)
    assert "you may not ask the agent: nodeprobes.unstuck.dev is forbidden" in " ".join(done.stdout.split())
