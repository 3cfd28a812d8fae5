"""Turns a box into a node: directories, mounts, network, daemons."""

import signal
from pathlib import Path

from unstuck_lab import cgroups, control, handlers, images, nodeconf, pki, shell
from unstuck_lab.box import Box, has_running_box
from unstuck_lab.build import Programs
from unstuck_lab.control import Daemon
from unstuck_lab.errors import LabError
from unstuck_lab.paths import CONTROL_ADDRESS, Paths, format_node_address, format_pod_range
from unstuck_lab.proc import HostProcess

# The node's own directories, by their name in its box. They must exist on the host as mount points; missing
# ones are created and recorded, and `down` removes them.
OWN = {
    "kubelet": "/var/lib/kubelet",
    "containerd": "/var/lib/containerd",
    "cni": "/var/lib/cni",
    "log": "/var/log",
}
KUBELET_LOG = "kubelet.log"
CONTAINERD_LOG = "containerd.log"


def make(box: Box, programs: Programs) -> None:
    """Create the namespaces, mounts and link of a node, after ending its leftovers."""
    box.end()
    cgroups.remove(box.group)
    _make_mount_points(box.paths)
    directory = box.paths.locate_box(box.name)
    for own in OWN:
        (directory / own).mkdir(parents=True, exist_ok=True)
    for path, text in nodeconf.list_etc_files(box.paths, box.name).items():
        pki.write_private(directory / "etc" / path, text)
    for readable in ("hostname", "hosts", "resolv.conf", "machine-id"):
        (directory / "etc" / readable).chmod(0o644)
    for handler in handlers.PROGRAMS:
        (directory / "etc" / handlers.locate_program(handler)).chmod(0o755)
    (directory / "etc-work").mkdir(exist_ok=True)
    box.create(programs.labinit)
    box.check(["/bin/sh", "-ec", format_mounts(box)])
    box.mark_ready()


def format_mounts(box: Box) -> str:
    """Return the shell script that turns the box's view of the host into a node's view."""
    directory = box.paths.locate_box(box.name)
    # The host's /proc and /sys (with the host's groups below) are unmounted, not covered, so that
    # /proc/self/mountinfo lists one of each.
    lines = [f"hostname {box.name}", "umount -l /sys", "umount -l /proc", "mount -t proc proc /proc"]
    lines += [f"mount --bind {directory}/{own} {target}" for own, target in OWN.items()]
    lines += [
        (
            "mount -t overlay overlay -o "
            f"lowerdir=/etc,upperdir={directory}/etc,workdir={directory}/etc-work /etc"
        ),
        "mount -t tmpfs -o mode=755 tmpfs /run",
        "mkdir -p /run/lock /run/netns",
        "mount -t sysfs sysfs /sys",
        *_format_cgroup_mounts(),
        # As systemd does at boot: Pods with mount propagation must see the kubelet's mounts.
        "mount --make-rshared /",
    ]
    return "\n".join(lines)


def _format_cgroup_mounts() -> list[str]:
    """Return the lines for mounting the hierarchies inside the cgroup namespace, rooted at the node."""
    lines = []
    found = cgroups.list_hierarchies()
    if found[0].mountpoint != Path("/sys/fs/cgroup"):
        lines.append("mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup")
    for hierarchy in found:
        options = f"-o {hierarchy.options}" if hierarchy.options else ""
        lines.append(f"mkdir -p {hierarchy.mountpoint}")
        lines.append(f"mount -t {hierarchy.fstype} {options} {hierarchy.fstype} {hierarchy.mountpoint}")
    # Such as `cpu`, for `cpu,cpuacct`.
    links = [link for link in Path("/sys/fs/cgroup").iterdir() if link.is_symlink()]
    return [*lines, *(f"ln -s {link.readlink()} {link}" for link in links)]


def _locate_record(paths: Paths) -> Path:
    return paths.state / "made-directories"


def _make_mount_points(paths: Paths) -> None:
    for target in OWN.values():
        if not Path(target).is_dir():
            with _locate_record(paths).open("a") as record:  # before it is made
                record.write(target + "\n")
            Path(target).mkdir(parents=True)


def remove_mount_points(paths: Paths) -> None:
    """Remove the host directories made as mount points, when nothing is in them."""
    # The directories stay while another lab runs: removing a directory removes its mounts in every mount
    # namespace (Linux 3.18 and later).
    if not _locate_record(paths).exists() or has_running_box():
        return
    for target in _locate_record(paths).read_text().split():
        try:
            Path(target).rmdir()
        except OSError:
            continue  # gone, or in use by the host


def connect(box: Box) -> None:
    """Join the node to the bridge unless it is joined. Needed after either end was recreated."""
    name, address = box.name, format_node_address(box.name)
    if box.run(["ip", "link", "show", "eth0"]).returncode == 0:
        return
    control.join_node(box.paths, name, box.pid, address, format_pod_range(name))
    box.check(
        [
            "/bin/sh",
            "-ec",
            "\n".join(
                [
                    "ip link set lo up",
                    f"ip address add {address}/24 dev eth0",
                    "ip link set eth0 up",
                    f"ip route add default via {CONTROL_ADDRESS}",
                    "echo 1 > /proc/sys/net/ipv4/ip_forward",
                ]
            ),
        ]
    )


def make_containerd() -> Daemon:
    """Return the daemon containerd, with the standard configuration file and socket."""
    return Daemon("containerd", ["/usr/bin/containerd"])


def make_kubelet(name: str, programs: Programs) -> Daemon:
    """Return the daemon kubelet, with verbosity 3 to log the volumes of a deleted Pod."""
    return Daemon(
        "kubelet",
        [
            programs.locate("kubelet"),
            "--config=/etc/kubernetes/kubelet.yaml",
            "--kubeconfig=/etc/kubernetes/kubelet.conf",
            f"--hostname-override={name}",
            f"--node-ip={format_node_address(name)}",
            "--v=3",
        ],
    )


def make_kube_proxy(programs: Programs) -> Daemon:
    """Return the daemon kube-proxy, which makes Services reachable from Pods."""
    return Daemon(
        "kube-proxy",
        [
            programs.locate("kube-proxy"),
            "--config=/etc/kubernetes/kube-proxy.yaml",
            "--v=2",
        ],
    )


def start_runtime(box: Box, archives: list[Path]) -> bool:
    """Start containerd unless it runs and serves the CRI, wait for it, and load the images."""
    daemon = make_containerd()
    started = daemon.ensure(box)
    _wait_for_containerd(box)
    # A plugin that failed to load when containerd started stays unloaded: the daemon answers, but the kubelet
    # finds no runtime.
    if not _is_serving_cri(box):
        running = box.find(daemon.argv)
        if running is not None:
            end(running)
        started = daemon.ensure(box)
        _wait_for_containerd(box)
        if not _is_serving_cri(box):
            raise LabError(
                "does not load its CRI plugin",
                f"containerd on {box.name}",
                f"see {box.paths.locate_logs(box.name) / CONTAINERD_LOG}",
            )
    load_images(box, archives)
    return started


def _wait_for_containerd(box: Box) -> None:
    shell.wait_for(
        lambda: box.run(["ctr", "version"], timeout=5).returncode == 0, 30, f"containerd on {box.name}"
    )


def _is_serving_cri(box: Box) -> bool:
    """Tell from containerd's own list of plugins: type, id, platforms and status."""
    rows = (line.split() for line in box.check(["ctr", "plugins", "list"]).splitlines())
    return any(row[:2] == ["io.containerd.grpc.v1", "cri"] and row[-1] == "ok" for row in rows)


def end(process: HostProcess) -> None:
    """End a daemon like `systemctl stop`, suspended or not; a daemon that does not exit is killed."""
    process.signal(signal.SIGCONT)
    process.signal(signal.SIGTERM)
    try:
        shell.wait_for(lambda: process.gone, 10, f"end of process {process.pid}")
    except LabError:
        process.signal(signal.SIGKILL)
        shell.wait_for(lambda: process.gone, 5, f"end of process {process.pid}")


def load_images(box: Box, archives: list[Path]) -> None:
    """Load the images missing from containerd."""
    present = box.check(["ctr", "-n", "k8s.io", "images", "list", "-q"]).split()
    for archive in archives:
        if images.derive_name(archive) not in present:
            box.check(["ctr", "-n", "k8s.io", "images", "import", str(archive)], timeout=120)
