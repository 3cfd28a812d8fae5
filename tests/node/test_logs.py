"""Logs: only lines about a Pod, folded, with line numbers, for logs of any length."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.tree import CONTAINER, OTHER, SANDBOX, UID, V2, Tree
from unstuck.collect.node import NodeCollector, logs
from unstuck.collect.node.root import Root
from unstuck.facts.aspects import host
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact, Ref, Want

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
CLOCK = logs.LogClock(NOW, UTC)
VOLUME = "/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~empty-dir/d"
POD = Ref("Pod", "shop", "web-7c64f997dc-qzsbx", UID)

pytestmark = pytest.mark.usefixtures("read_here")


def stamp(minute: int, second: int = 0, level: str = "E") -> str:
    return f"{level}1121 03:{minute:02}:{second:02}.500000      73"


def unlink_failed(minute: int, uid: str = UID) -> str:
    """Return the line of a kubelet 1.34."""
    volume = VOLUME.format(uid=uid)
    return (
        f'{stamp(minute)} nestedpendingoperations.go:348] Operation for "{{volumeName:kubernetes.io/empty-dir/{uid}-d podName:{uid} nodeName:}}" failed. '
        f"No retries permitted until 2026-11-21 03:{minute + 2:02}:00.4 +0000 UTC m=+{minute}.36 (durationBeforeRetry 2m2s). "
        f'Error: UnmountVolume.TearDown failed for volume "d" (UniqueName: "kubernetes.io/empty-dir/{uid}-d") pod "{uid}" (UID: "{uid}") : '
        f"unlinkat {volume}/x: operation not permitted\n"
    )


def busy(minute: int) -> str:
    volume = VOLUME.format(uid=UID)
    return (
        f'{stamp(minute)} nestedpendingoperations.go:348] Operation for "{{podName:{UID}}}" failed. Error: UnmountVolume.TearDown failed for volume "d" '
        f'(UniqueName: "d") pod "{UID}" (UID: "{UID}") : unmount failed: exit status 32\n'
        f"Unmounting arguments: {volume}\nOutput: umount: {volume}: target is busy.\n\n"
    )


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.node(V2)
    return made


def failures(tree: Tree, pod: Ref = POD) -> list[Failure]:
    facts: list[Fact] = NodeCollector(tree.root, now=lambda: NOW, deadline=20).collect(
        [Want(host.PodDirectory, pod)]
    )
    return [f for f in facts if isinstance(f, Failure)]


def test_repetitions_are_one_failure_with_count_first_and_last_time(tree: Tree) -> None:
    noise = f'{stamp(1, level="I")} kubelet.go:2537] "SyncLoop DELETE" source="api"\n'
    tree.write(
        "/var/log/kubelet.log",
        noise + unlink_failed(2) + noise + unlink_failed(4) + unlink_failed(6) + unlink_failed(8, OTHER),
    )
    (found,) = failures(tree)
    assert (found.operation, found.error, found.path) == (
        "volume-tear-down",
        "EPERM",
        VOLUME.format(uid=UID) + "/x",
    )
    assert (found.count, found.first, found.src.at) == (
        3,
        datetime(2026, 11, 21, 3, 2, 0, 500000, UTC),
        datetime(2026, 11, 21, 3, 6, 0, 500000, UTC),
    )
    assert found.src.where == "node-1 /var/log/kubelet.log:5" and "operation not permitted" in found.src.quote
    assert found.reporter == "kubelet" and not found.whole and found.about == POD


def test_the_line_without_a_header_belongs_to_the_entry_above_it(tree: Tree) -> None:
    tree.write(
        "/var/log/kubelet.log",
        f'{stamp(1, level="I")} a.go:1] "x"\n' + busy(2) + f'{stamp(3, level="I")} a.go:1] "y"\n',
    )
    (found,) = failures(tree)
    assert (found.operation, found.error, found.path, found.src.where) == (
        "volume-tear-down",
        "EBUSY",
        VOLUME.format(uid=UID),
        "node-1 /var/log/kubelet.log:2",
    )


def test_lines_of_other_pods_are_not_this_pods(tree: Tree) -> None:
    digest = "8d" * 32
    lines = [
        # The same image, an earlier Pod of the same name, another Pod's container: none of them is this Pod.
        f'{stamp(1, level="I")} event.go:1] "Pulled" pod="shop/web-7c64f997dc-qzsbx" podUID="{UID}" image="r@sha256:{digest}"\n',
        f'{stamp(1)} pod_workers.go:1] "Error syncing pod, skipping" err="failed to \\"StartContainer\\": exec: \\"no\\": executable file not found in $PATH" '
        f'image="r@sha256:{digest}" pod="shop/other" podUID="{OTHER}"\n',
        f'{stamp(2)} pod_workers.go:1] "Error syncing pod, skipping" err="unlinkat /a: operation not permitted" pod="shop/web-7c64f997dc-qzsbx" podUID="{OTHER}"\n',
        unlink_failed(3, OTHER),
    ]
    tree.write("/var/log/kubelet.log", "".join(lines))
    assert failures(tree) == []


def test_a_piece_of_a_log_that_the_kubelet_repeats_is_nobodys(tree: Tree) -> None:
    # A kubelet 1.34 after a request for its log over its own API, with a client that went away.
    piece = f'ration not permitted\\nE1121 02:01:20.1 88 a.go:1] \\"Error syncing pod\\" err=\\"unlinkat /a: operation not permitted\\" podUID=\\"{UID}\\"'
    head = f'{stamp(3, level="I")} httplog.go:134] "HTTP" verb="GET" URI="/logs/kubelet.log" resp=500 addedInfo=<\n'
    tree.write(
        "/var/log/kubelet.log",
        f'{head}\tlogging error output: "{piece}"\n >\n\tlogging error output: "{piece}"\n'
        + unlink_failed(4),
    )
    (found,) = failures(tree)
    assert (found.path, found.count, found.src.where) == (
        VOLUME.format(uid=UID) + "/x",
        1,
        "node-1 /var/log/kubelet.log:5",
    )


def test_a_container_that_is_gone_is_followed_into_the_runtimes_log(tree: Tree) -> None:
    gone = "ab" * 32
    kubelet = f'{stamp(1, level="I")} kuberuntime_container.go:1] "Killing container" pod="shop/web-7c64f997dc-qzsbx" podUID="{UID}" containerID="containerd://{gone}"\n'
    kubelet += f'{stamp(3)} log.go:32] "StopContainer from runtime service failed" err="rpc error: code = DeadlineExceeded desc = context deadline exceeded" containerID="{gone}"\n'
    tree.write("/var/log/kubelet.log", kubelet)
    runtime = f'time="2026-11-21T03:03:01.123456789Z" level=error msg="StopContainer for \\"{gone}\\" failed" error="failed to kill container \\"{gone}\\": context deadline exceeded"\n'
    runtime += f'time="2026-11-21T03:03:02Z" level=error msg="StopContainer for \\"{"cd" * 32}\\" failed" error="failed to kill container: context deadline exceeded"\n'
    tree.write("/var/log/containerd.log", runtime)
    found = failures(tree)
    assert {(f.reporter, f.operation, f.error) for f in found} == {
        ("kubelet", "container-stop", "deadline-exceeded"),
        ("containerd", "container-stop", "deadline-exceeded"),
    }
    assert {f.src.where for f in found} == {
        "node-1 /var/log/kubelet.log:2",
        "node-1 /var/log/containerd.log:1",
    }
    assert CONTAINER not in runtime and SANDBOX not in runtime


def test_the_nodes_own_failures_are_those_that_name_no_pod(tree: Tree) -> None:
    snapshot = "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/124"
    runtime = f'time="2026-11-21T03:03:01Z" level=warning msg="failed to remove directory" error="unlinkat {snapshot}/fs/x: operation not permitted" path={snapshot}\n'
    tree.write("/var/log/containerd.log", runtime)
    tree.write(
        "/var/log/kubelet.log",
        f'{stamp(2)} a.go:1] "no" err="write /k/pods/{UID}/volumes/v/x: no space left on device" pod="shop/web" podUID="{UID}"\n',
    )
    found = [
        f
        for f in NodeCollector(tree.root, now=lambda: NOW, deadline=20).survey(None)
        if isinstance(f, Failure)
    ]
    assert [(f.about, f.operation, f.error, f.path) for f in found] == [
        (Ref("Node", None, "node-1"), "snapshot-remove", "EPERM", f"{snapshot}/fs/x")
    ]


def test_what_was_read_is_told_with_its_span_and_verbosity(tree: Tree) -> None:
    tree.write(
        "/var/log/kubelet.log",
        unlink_failed(2)
        + f'{stamp(9, level="I")} a.go:1] "Pod termination stopped all running containers"\n',
    )
    (seen,) = (
        f
        for f in NodeCollector(tree.root, now=lambda: NOW).collect(
            [Want(host.LogSeen, Ref("Node", None, "node-1"))]
        )
        if isinstance(f, host.LogSeen)
    )
    assert (seen.component, seen.path, seen.verbosity) == ("kubelet", "/var/log/kubelet.log", 4)
    assert (seen.since, seen.until) == (
        datetime(2026, 11, 21, 3, 2, 0, 500000, UTC),
        datetime(2026, 11, 21, 3, 9, 0, 500000, UTC),
    )


@pytest.mark.parametrize("runs", [False, True])
def test_the_last_words_of_a_kubelet_are_told_where_it_does_not_run(tree: Tree, runs: bool) -> None:
    if not runs:
        shutil.rmtree(tree.root / "proc/700")
    words = '"command failed" err="failed to run Kubelet: running with swap on is not supported, please disable swap"'
    tree.write("/var/log/kubelet.log", f"{stamp(2)} run.go:72] {words}\n{stamp(2)} run.go:72] {words}\n")
    found = NodeCollector(tree.root, now=lambda: NOW, deadline=20).collect([Want(host.LogSeen, Ref("Node"))])
    assert [(f.operation, f.error, f.count) for f in found if isinstance(f, Failure)] == (
        [] if runs else [("kubelet-start", "swap-on", 2)]
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            f'{stamp(2)} run.go:72] "command failed" err="failed to set feature gates from initial flags-based config: '
            'unrecognized feature gate: DynamicKubeletConfig"\n',
            [("option-unknown", "DynamicKubeletConfig", "unrecognized feature gate: DynamicKubeletConfig")],
        ),
        (
            f"{stamp(2, level='F')} server.go:203] unable to do what nobody has heard of\n"
            "Nov 21 03:02:01 node-1 systemd[1]: kubelet.service: Main process exited, code=exited, status=255/EXCEPTION\n",
            [("other", None, "unable to do what nobody has heard of")],
        ),
        (
            f'{stamp(2, level="I")} server.go:1] "Starting"\npanic: runtime error: index out of range\n\ngoroutine 1 [running]:\n',
            [("other", None, "panic: runtime error: index out of range")],
        ),
        (f'{stamp(2)} kubelet.go:1] "Failed to do something" err="and went on"\n', []),
        (
            f'{stamp(2)} run.go:72] "command failed" err="of a start before"\n'
            + "".join(f'{stamp(3, level="I")} a.go:{n}] "SyncLoop ADD"\n' for n in range(1, 20)),
            [],
        ),
    ],
)
def test_a_kubelet_that_ends_in_unknown_words_is_quoted(
    tree: Tree, said: str, told: list[tuple[str, str | None, str]]
) -> None:
    shutil.rmtree(tree.root / "proc/700")
    tree.write("/var/log/kubelet.log", said)
    found = NodeCollector(tree.root, now=lambda: NOW, deadline=20).collect([Want(host.LogSeen, Ref("Node"))])
    assert [
        (f.error, f.key, f.message)
        for f in found
        if isinstance(f, Failure) and f.operation == "kubelet-start"
    ] == told


def test_of_a_runtime_that_does_not_run_only_the_end_of_its_log_is_its_last_words(tree: Tree) -> None:
    shutil.rmtree(tree.root / "proc/600")
    ended = "containerd: failed to load TOML: /etc/containerd/config.toml: (12, 3): unexpected token table key cannot contain ']'\n"
    later = "".join(f'time="2026-11-21T03:03:0{i}Z" level=info msg="serving"\n' for i in range(6))
    for said, told in ((later + ended, [("runtime-start", "config-unparsable")]), (ended + later, [])):
        tree.write("/var/log/containerd.log", said)
        found = NodeCollector(tree.root, now=lambda: NOW, deadline=20).collect(
            [Want(host.LogSeen, Ref("Node"))]
        )
        assert [(f.operation, f.error) for f in found if isinstance(f, Failure)] == told


def test_only_the_last_hour_of_a_long_log_is_read_and_its_lines_keep_their_numbers(tmp_path: Path) -> None:
    filler = "x" * 200
    with (tmp_path / "kubelet.log").open("w") as log:
        for i in range(40_000):
            at = datetime(2026, 11, 20, 20, 0, tzinfo=UTC) + timedelta(seconds=i * 0.64)
            log.write(f"I{at:%m%d %H:%M:%S.%f}      73 a.go:1] {i + 1} {filler}\n")
        log.write(unlink_failed(8))
    tail = logs.read_tail(Root(str(tmp_path)), "/kubelet.log", "kubelet", logs.windows(NOW), CLOCK)
    assert tail is not None
    (piece,) = tail.pieces
    assert piece.first_line is not None and len(piece.data) < 3 << 20
    assert piece.data.split(b"] ", 1)[1].startswith(str(piece.first_line).encode())
    (entry,) = logs.find_entries(tail, [UID.encode()], NOW)
    assert entry.line == 40_001
    first, last = logs.span(tail, NOW)
    assert first is not None and first < NOW - logs.SPAN and last is not None and last.minute == 8


def test_the_kubelets_own_output_file_is_preferred(tree: Tree) -> None:
    tree.write("/var/log/kubelet-old.log", unlink_failed(2))
    tree.write("/data/logs/node.out", unlink_failed(4))
    tree.link("/proc/700/fd/2", "/data/logs/node.out")
    assert [f.src.where for f in failures(tree)] == ["node-1 /data/logs/node.out:1"]


@given(
    st.binary(max_size=2000),
    st.lists(
        st.sampled_from([UID.encode(), b"\n", b"E1121 03:02:40.5 1 a.go:1] ", b"failed: ", b"\xff"]),
        max_size=30,
    ),
)
def test_no_log_ends_in_an_error(data: bytes, parts: list[bytes]) -> None:
    text = data + b"".join(parts)
    log = logs.Log("kubelet", (logs.LogPiece("/x", text, 1),))
    entries = logs.find_entries(log, [UID.encode()], NOW)
    logs.fold_failures(entries, log, about=POD, node="n")
    logs.span(log, NOW)
    assert sum(UID in e.record.message for e in entries) <= text.count(UID.encode())
