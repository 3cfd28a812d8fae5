"""A dockerd on a node, not used by the kubelet, with its own containers."""

from unstuck_lab.cluster import Lab
from unstuck_lab.docker import locate_programs
from unstuck_lab.node import Node

SOCKET = "/run/docker.sock"
_DATA, _ROOTFS = "/var/lib/containerd/unstuck-lab-docker", "/run/unstuck-lab-docker-rootfs"
IMAGE = "unstuck-lab-docker:1"


def build_command(lab: Lab) -> list[str]:
    """Return the daemon's command line: without a network of its own, on the node's containerd."""
    return [
        str(locate_programs(lab.paths) / "sbin/dockerd"),
        "--iptables=false",
        "--bridge=none",
        "--storage-driver=vfs",
        "--exec-opt=native.cgroupdriver=cgroupfs",
        "--containerd=/run/containerd/containerd.sock",
        f"--data-root={_DATA}",
        "--exec-root=/run/unstuck-lab-docker",
        "--pidfile=/run/unstuck-lab-docker.pid",
        f"--host=unix://{SOCKET}",
    ]


def run_docker(lab: Lab, node: Node, *args: str) -> str:
    """Run the client and return its output. Raises `CommandFailedError`."""
    return node.check(
        [str(locate_programs(lab.paths) / "bin/docker"), "-H", f"unix://{SOCKET}", *args], timeout=60
    )


def _is_answering(lab: Lab, node: Node) -> bool:
    return (
        node.run(
            [str(locate_programs(lab.paths) / "bin/docker"), "-H", f"unix://{SOCKET}", "version"], timeout=20
        ).returncode
        == 0
    )


def start(lab: Lab, node: Node) -> int:
    """Start dockerd unless it runs, wait until it answers, load an image, and return its host pid."""
    pid = node.find(build_command(lab)) or node.spawn(build_command(lab), log="dockerd")
    lab.wait(lambda: _is_answering(lab, node), 60, "answer of dockerd")
    if IMAGE not in run_docker(lab, node, "images", "--format", "{{.Repository}}:{{.Tag}}"):
        client = locate_programs(lab.paths) / "bin/docker"
        build = (
            f"mkdir -p {_ROOTFS}/bin && cp /bin/busybox {_ROOTFS}/bin/ && ln -sf busybox {_ROOTFS}/bin/sleep"
        )
        node.check(
            ["sh", "-ec", f"{build}; tar -C {_ROOTFS} -c . | {client} -H unix://{SOCKET} import - {IMAGE}"],
            timeout=60,
        )
    return pid


def remove(lab: Lab, node: Node) -> None:
    """End the daemon and its containers, and remove its data."""
    if node.find(build_command(lab)) is not None:
        names = node.run(
            [str(locate_programs(lab.paths) / "bin/docker"), "-H", f"unix://{SOCKET}", "ps", "-aq"],
            timeout=30,
        ).stdout.split()
        if names:
            node.run(
                [
                    str(locate_programs(lab.paths) / "bin/docker"),
                    "-H",
                    f"unix://{SOCKET}",
                    "rm",
                    "-f",
                    *names,
                ],
                timeout=60,
            )
        node.kill(build_command(lab))
    node.run(["rm", "-rf", _DATA, _ROOTFS, SOCKET, "/run/unstuck-lab-docker.pid"], timeout=60)
