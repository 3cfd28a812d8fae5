"""A Pod's containers from recorded trees with real contents: the view of each source, and their
disagreements.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import CONTAINER, SANDBOX, UID, V1, V2, Tree
from unstuck.collect.node.answers import answer
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.collect.runtime import stores
from unstuck.facts.aspects.runtime import ContainerSeen, RuntimeAnswer, RuntimeContainers
from unstuck.facts.codec import to_json
from unstuck.facts.core import Fact, Ref, Refused, Want
from unstuck.facts.derive.runtime import find_disagreement

NOW = datetime(2026, 11, 21, 6, 10, tzinfo=UTC)
# When the trees' processes started: their btime plus 156020 ticks.
STARTED = 1795226400 + 1560
WHEN = datetime.fromtimestamp(STARTED, UTC).isoformat().replace("+00:00", ".5Z")
TASKS = "/run/containerd/io.containerd.runtime.v2.task/k8s.io"
STATUS = "/var/lib/containerd/io.containerd.grpc.v1.cri/containers"
POD = Ref("Pod", uid=UID)


def note(kind: str) -> dict[str, object]:
    return {
        "process": {"env": ["PASSWORD=hunter2"], "args": ["java", "-Dsecret=hunter2"]},
        "annotations": {
            "io.kubernetes.cri.container-type": kind,
            "io.kubernetes.cri.container-name": "web" if kind == "container" else "",
            "io.kubernetes.cri.sandbox-id": SANDBOX,
            "io.kubernetes.cri.sandbox-uid": UID,
        },
    }


@pytest.fixture(params=[V1, V2], ids=["v1", "v2"])
def tree(tmp_path: Path, request: pytest.FixtureRequest) -> Tree:
    """Build a tree of containerd with one Pod: both tasks, one shim, the container's state on disk."""
    tree = Tree(tmp_path)
    tree.node(request.param)
    tree.process(
        890, "containerd-shim", argv=f"/usr/bin/containerd-shim-runc-v2 -namespace k8s.io -id {SANDBOX}"
    )
    for container, pid, kind in ((SANDBOX, 900, "sandbox"), (CONTAINER, 910, "container")):
        tree.write(f"{TASKS}/{container}/init.pid", str(pid))
        tree.write(f"{TASKS}/{container}/config.json", json.dumps(note(kind)))
        tree.write(f"{TASKS}/{container}/shim-binary-path", "/usr/bin/containerd-shim-runc-v2")
    status(tree, Pid=910, CreatedAt=STARTED * 10**9, StartedAt=STARTED * 10**9, FinishedAt=0)
    return tree


def status(tree: Tree, **values: object) -> None:
    tree.write(f"{STATUS}/{CONTAINER}/status", json.dumps({"Version": "v1", **values}))


def told(tree: Tree, about: Ref = POD) -> list[Fact]:
    view = NodeView(Root(str(tree.root)), NOW)
    return list(answer(view, [Want(RuntimeContainers, about)]))


def of_pod(tree: Tree) -> RuntimeContainers:
    return next(f for f in told(tree) if isinstance(f, RuntimeContainers))


def web(tree: Tree) -> ContainerSeen:
    return next(c for c in of_pod(tree).items if c.id == CONTAINER)


def drop(tree: Tree, pid: int) -> None:
    for file in (tree.root / "proc" / str(pid)).glob("stat"):
        file.unlink()


def anew(tree: Tree, pid: int, comm: str, **how: str | int) -> None:
    """Replace a process by its current state."""
    shutil.rmtree(tree.root / "proc" / str(pid))
    tree.process(pid, comm, **how)


def test_a_time_that_no_clock_shows_is_no_time(tree: Tree) -> None:
    status(tree, CreatedAt=1, StartedAt=10**40)
    word = web(tree).word
    assert word is not None
    assert (word.state, word.started) == ("running", None)


def test_all_sources_tell_of_each_container(tree: Tree) -> None:
    fact = of_pod(tree)
    assert (fact.whole, fact.steady) == (True, 0.0)
    assert [(c.id, c.sandbox) for c in fact.items] == [(CONTAINER, False), (SANDBOX, True)]
    seen = web(tree)
    assert seen.word is not None
    assert (seen.name, seen.word.state, seen.word.pid, seen.task, seen.task_pid) == (
        "web",
        "running",
        910,
        True,
        910,
    )
    assert seen.shim is not None
    assert (seen.shim.pid, seen.shims_seen) == (890, True)
    assert [p.pid for p in seen.processes or ()] == [910]
    assert find_disagreement(seen) is None


def test_no_environment_and_no_argument_is_kept(tree: Tree) -> None:
    assert "hunter2" not in json.dumps([to_json(f) for f in told(tree)])


def test_running_and_no_process(tree: Tree) -> None:
    drop(tree, 910)
    assert find_disagreement(web(tree)) == "process-gone"
    on_node = next(f for f in told(tree, Ref("Node", None, "node-1")) if isinstance(f, RuntimeContainers))
    assert [c.id for c in on_node.items] == [CONTAINER]


def test_a_zombie_below_its_shim_does_not_live(tree: Tree) -> None:
    anew(tree, 910, "web", state="Z", parent=890)
    seen = web(tree)
    assert [p.state for p in seen.processes or ()] == ["Z"]
    assert find_disagreement(seen) == "process-gone"


def test_exited_and_the_process_lives(tree: Tree) -> None:
    status(
        tree,
        Pid=0,
        CreatedAt=STARTED * 10**9,
        StartedAt=STARTED * 10**9,
        FinishedAt=(STARTED + 5) * 10**9,
        ExitCode=137,
    )
    seen = web(tree)
    assert seen.word is not None
    assert (seen.word.state, seen.word.exit_code) == ("exited", 137)
    assert find_disagreement(seen) == "process-left"


def test_exited_and_another_process_was_put_there_later(tree: Tree) -> None:
    early = (STARTED - 3600) * 10**9
    status(tree, Pid=0, CreatedAt=early, StartedAt=early, FinishedAt=early + 10**9)
    assert find_disagreement(web(tree)) is None


def test_running_without_task_and_shim(tree: Tree) -> None:
    for file in (tree.root / TASKS.lstrip("/") / CONTAINER).iterdir():
        file.unlink()
    (tree.root / TASKS.lstrip("/") / CONTAINER).rmdir()
    drop(tree, 890)
    seen = web(tree)
    assert (seen.task, seen.shim) == (False, None)
    assert find_disagreement(seen) == "task-gone"


def test_containers_in_a_machine_of_their_own_have_no_processes_here(tree: Tree) -> None:
    anew(
        tree, 890, "containerd-shim", argv=f"/usr/bin/containerd-shim-kata-v2 -namespace k8s.io -id {SANDBOX}"
    )
    drop(tree, 910)
    seen = web(tree)
    assert seen.processes is None
    assert find_disagreement(seen) is None
    assert of_pod(tree).whole is False


def test_so_have_those_that_runcs_shim_runs_with_another_program(tree: Tree) -> None:
    tree.write(f"{TASKS}/{CONTAINER}/options.json", b'{"binary_name":"/usr/local/bin/runsc"}')
    drop(tree, 910)
    assert web(tree).processes is None


def test_a_shim_whose_arguments_cannot_be_read_is_known_as_the_parent(tree: Tree) -> None:
    anew(tree, 890, "containerd-shim", state="D", wchan="io_schedule", argv="x")
    seen = web(tree)
    assert seen.shim is not None
    assert (seen.shim.pid, seen.shim.state, seen.shims_seen) == (890, "D", False)


def test_containerd_keeps_things_where_its_configuration_says(tree: Tree) -> None:
    anew(tree, 600, "containerd", argv="/usr/bin/containerd --config /etc/c.toml")
    tree.write("/etc/c.toml", 'version = 2\nroot = "/data/containerd"\nstate = "/run/elsewhere"\n')
    tree.write(
        f"/data/containerd/io.containerd.grpc.v1.cri/containers/{CONTAINER}/status",
        '{"CreatedAt": 1, "StartedAt": 0}',
    )
    tree.write(
        f"/run/elsewhere/io.containerd.runtime.v2.task/k8s.io/{'1b' * 32}/config.json",
        json.dumps(note("container")),
    )
    assert web(tree).word == stores.parse_cri_status(
        {"CreatedAt": 1}, f"/data/containerd/{stores._CRI_STATUS}/{CONTAINER}/status"
    )
    assert "1b" * 32 in [c.id for c in of_pod(tree).items]


def test_docker_says_up_and_nothing_lives(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.node(V1)
    labels = {
        "io.kubernetes.pod.uid": UID,
        "io.kubernetes.container.name": "web",
        "io.kubernetes.docker.type": "container",
    }
    state = {
        "Running": True,
        "Pid": 911,
        "StartedAt": "2026-11-21T06:00:01.123456789Z",
        "FinishedAt": "0001-01-01T00:00:00Z",
    }
    doc = {
        "ID": CONTAINER,
        "Name": "/k8s_web",
        "State": state,
        "Config": {"Env": ["PASSWORD=hunter2"], "Labels": labels},
    }
    tree.write(f"/var/lib/docker/containers/{CONTAINER}/config.v2.json", json.dumps(doc))
    drop(tree, 910)
    seen = web(tree)
    assert seen.word is not None
    assert (seen.word.daemon, seen.word.state, seen.word.pid, seen.name) == ("dockerd", "running", 911, "web")
    assert seen.word.started == datetime(2026, 11, 21, 6, 0, 1, tzinfo=UTC)
    assert (seen.task, find_disagreement(seen)) == (None, "process-gone")
    assert "hunter2" not in json.dumps([to_json(f) for f in told(tree)])


@pytest.mark.parametrize(
    ("state", "word"),
    [
        ({"Running": True}, "running"),
        ({"Running": True, "Paused": True}, "paused"),
        ({"Running": True, "Restarting": True}, "restarting"),
        ({"RemovalInProgress": True, "Dead": True}, "removing"),
        ({"Dead": True}, "dead"),
        ({"StartedAt": "2026-11-21T06:00:01Z"}, "exited"),
        ({"StartedAt": "0001-01-01T00:00:00Z"}, "created"),
        ({"Running": "yes", "StartedAt": 7}, "created"),
    ],
)
def test_dockers_flags_read_as_docker_says_them(state: dict[str, object], word: str) -> None:
    assert stores.parse_docker_state(state) == word


def test_cri_o_keeps_its_states_in_its_storage(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.node(V2)
    tree.process(890, "conmon", argv=f"/usr/bin/conmon -b /x -c {CONTAINER} -n k8s_web")
    base = f"/var/lib/containers/storage/overlay-containers/{CONTAINER}/userdata"
    tree.write(
        f"{base}/state.json", json.dumps({"status": "stopped", "pid": 910, "started": WHEN, "exitCode": 1})
    )
    notes = {
        "io.kubernetes.pod.uid": UID,
        "io.kubernetes.container.name": "web",
        "io.kubernetes.cri-o.ContainerType": "container",
    }
    tree.write(f"{base}/config.json", json.dumps({"annotations": notes}))
    seen = web(tree)
    assert seen.word is not None
    assert (seen.word.daemon, seen.word.state, seen.word.exit_code, seen.task) == ("crio", "exited", 1, None)
    assert seen.shim is not None
    assert find_disagreement(seen) == "process-left"


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", '{"StartedAt": "x", "Pid": -4}', '{"StartedAt": 1e300}', "[" * 9000]
)
def test_a_damaged_state_is_no_state_and_no_error(tree: Tree, text: str) -> None:
    tree.write(f"{STATUS}/{CONTAINER}/status", text)
    tree.write(f"{TASKS}/{CONTAINER}/config.json", text)
    tree.write(f"{TASKS}/{CONTAINER}/init.pid", text)
    word = web(tree).word
    assert word is None or word.state == "unknown"


def test_a_link_out_of_the_tree_is_not_followed(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "status"
    outside.write_text('{"StartedAt": 1, "FinishedAt": 2, "CreatedAt": 1}')
    (tree.root / STATUS.lstrip("/") / CONTAINER / "status").unlink()
    tree.link(f"{STATUS}/{CONTAINER}/status", str(outside))
    assert web(tree).word is None


def test_a_recorded_tree_never_asks_a_socket(tree: Tree) -> None:
    path = tree.root / "run/containerd/containerd.sock"
    with socket.socket(socket.AF_UNIX) as server:
        # A socket's path has at most 107 bytes, so it is bound from its own directory.
        server.bind(
            str(path) if len(str(path)) < 100 else f"/proc/self/fd/{_directory(path.parent)}/containerd.sock"
        )
        server.listen(1)
        server.setblocking(False)
        view = NodeView(Root(str(tree.root)), NOW)
        facts = list(answer(view, [Want(RuntimeAnswer, view.ref), Want(RuntimeContainers, POD)]))
        with pytest.raises(BlockingIOError):
            server.accept()
    assert [(f.want, f.why) for f in facts if isinstance(f, Refused)] == [("RuntimeAnswer", "not-offered")]


def _directory(path: Path) -> int:
    return os.open(path, os.O_PATH | os.O_DIRECTORY)


def test_nothing_of_any_runtime_is_no_answer(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.node(V2)
    for pid in (900, 910):
        drop(tree, pid)
    assert [type(f).__name__ for f in told(tree)] == ["Refused"]
