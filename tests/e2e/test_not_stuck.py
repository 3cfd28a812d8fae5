"""Apparent obstacles to a Pod's deletion that are none with a kubelet since 1.22 and containerd.

Each is applied to a running Pod, which is then deleted. docs/why/not-stuck.md lists them, with those not
reproducible here.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from unstuck_lab import Lab
    from unstuck_lab.node import Node

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")
NS, FILL, GONE = "e2e-not-stuck", "/run/unstuck-fill", 90.0
HOLDER = ["/bin/sleep", "864021"]


@dataclass
class Done:
    """The actions to undo: a group to thaw, processes to end."""

    groups: list[Path] = field(default_factory=list)
    pids: list[int] = field(default_factory=list)


def freeze_container(node: Node, pod: dict[str, Any], done: Done) -> None:
    """Freeze the container's own cgroup, not the Pod's: runc thaws processes that it kills."""
    from unstuck_lab import shell
    from unstuck_lab.faults import _cgroups

    group = _cgroups.find_pod_group(node, pod["metadata"]["uid"])
    assert group is not None
    group /= pod["status"]["containerStatuses"][0]["containerID"].partition("://")[2]
    _cgroups.set_state(group, "FROZEN")
    done.groups.append(group)
    shell.wait_for(lambda: (group / "freezer.state").read_text().strip() == "FROZEN", 10, f"{group} frozen")


def kill_shim(_: Node, pod: dict[str, Any], __: Done) -> None:
    """Kill the shim: containerd cleans up after it."""
    from unstuck_lab.faults import _signals

    shim = _signals.find_shim(pod["metadata"]["uid"])
    assert shim is not None
    os.kill(shim, signal.SIGKILL)


def remove_network_namespace(node: Node, pod: dict[str, Any], _: Done) -> None:
    """Remove the file of the sandbox's network namespace: a DEL without it succeeds."""
    inode = Path(f"/proc/{pause_process(pod)}/ns/net").readlink().name.strip("net:[]")
    script = (
        f'for f in /run/netns/*; do [ "$(stat -Lc %i "$f")" = {inode} ] && umount "$f" && rm "$f" && echo '
        '"$f"; done'
    )
    assert node.run(["sh", "-c", script]).stdout.strip(), "no file of its network namespace was found"


def hold_in_a_foreign_namespace(node: Node, pod: dict[str, Any], done: Done) -> None:
    """Hold a copy of every mount in a separate namespace: since 3.18 the kernel allows removing a mount point
    elsewhere.
    """
    pid = node.spawn(["unshare", "--mount", "--propagation", "private", *HOLDER], log="not-stuck")
    done.pids.append(pid)
    assert objects.locate_volume_dir(pod, "d") in Path(f"/proc/{pid}/mountinfo").read_text()


def fill_the_runtimes_state(node: Node, _: dict[str, Any], __: Done) -> None:
    """Fill /run, the state directory of containerd and runc, completely. Creating Pods would fail."""
    used = node.check(["df", "-k", "--output=used", "/run"]).split()[-1]
    node.check(["mount", "-o", f"remount,size={used}k", "/run"])
    node.run(["sh", "-c", f"head -c 64M /dev/zero > {FILL}"])
    assert node.check(["df", "-k", "--output=avail", "/run"]).split()[-1] == "0"


RECIPES: dict[str, Callable[[Node, dict[str, Any], Done], None]] = {
    "container-frozen": freeze_container,
    "shim-killed": kill_shim,
    "network-namespace-removed": remove_network_namespace,
    "held-in-a-foreign-namespace": hold_in_a_foreign_namespace,
    # The last one, and on a separate node: earlier recipes need room there.
    "runtime-state-full": fill_the_runtimes_state,
}


def pause_process(pod: dict[str, Any]) -> int:
    """Return the host pid of the first process of the Pod's sandbox."""
    uid = pod["metadata"]["uid"]
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if uid in (entry / "cgroup").read_text() and (entry / "comm").read_text().strip() == "pause":
                return int(entry.name)
    raise AssertionError(f"no sandbox of {uid}")


@pytest.fixture(scope="module")
def deleted(lab: Lab) -> Iterator[None]:
    """Apply every recipe to its Pod, and delete every Pod."""
    if lab.existing:
        pytest.skip("needs a node that can be entered")
    done, (first, last) = Done(), (lab.nodes[0], lab.nodes[-1])
    where = {name: last if name == "runtime-state-full" else first for name in RECIPES}
    volume = {"volumes": [{"name": "d", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}]}
    mounts = {"volumeMounts": [{"name": "d", "mountPath": "/d"}]}
    try:
        lab.apply(
            objects.make_namespace(NS),
            *(
                objects.make_pod(NS, name, container=mounts, nodeName=where[name].name, **volume)
                for name in RECIPES
            ),
        )
        for name, recipe in RECIPES.items():
            recipe(where[name], steps.wait_running(lab, NS, name), done)
        for name in RECIPES:
            steps.delete_pod(lab, NS, name, grace=1)
        yield
    finally:
        last.run(["sh", "-c", f"rm -f {FILL}; mount -o remount,size=50% /run"])
        for group in done.groups:
            with suppress(OSError):
                (group / "freezer.state").write_text("THAWED")
        for pid in done.pids:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        steps.remove_namespace(lab, NS)


@pytest.mark.parametrize("name", RECIPES)
def test_the_pod_goes_all_the_same(lab: Lab, deleted: None, name: str) -> None:
    lab.wait(lambda: lab.get_pod(NS, name) is None, GONE, f"end of pod {NS}/{name}")
