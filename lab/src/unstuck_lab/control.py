"""The control plane: etcd, API server, controller manager and scheduler in a box.

Its network namespace contains the nodes' bridge, and routes between their Pods. The host reaches the API
server through a forwarder on its
own loopback (see controlplane/labinit).
"""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab import pki, shell
from unstuck_lab.box import Box
from unstuck_lab.build import Programs
from unstuck_lab.errors import LabError
from unstuck_lab.paths import API_PORT, CONTROL_ADDRESS, SERVICE_RANGE, Paths

BOX = "control"
ETCD = "http://127.0.0.1:2379"
PREFERRED_PORT = 16443


@dataclass(frozen=True)
class Daemon:
    """A long-lived program of a box. Identified by its arguments."""

    name: str
    argv: Sequence[str]
    network: bool = True

    def ensure(self, box: Box) -> bool:
        """Start the daemon unless it runs; return True if it was started."""
        if box.find(self.argv) is not None:
            return False
        box.spawn(self.argv, box.paths.locate_logs(box.name) / f"{self.name}.log", network=self.network)
        return True


def ensure(paths: Paths, programs: Programs) -> bool:
    """Bring up the missing parts of the control plane; return True if any was started.

    Returns before the API server is ready: see `Lab.wait_ready`.
    """
    pki.ensure(paths)
    box = Box(BOX, paths)
    started = False
    if not box.ready:
        _make_box(box, programs)
        started = True
    _write_kubeconfigs(paths)
    for daemon in list_daemons(paths, programs):
        try:
            started = daemon.ensure(box) or started
        except LabError:
            if daemon.network:
                raise
            _leave_port(paths)
            started = _make_forwarder(paths, programs).ensure(box)
    return started


def _leave_port(paths: Paths) -> None:
    """Give up a port taken by another lab in the meantime."""
    (paths.state / "port").unlink()
    _write_kubeconfigs(paths)


def _make_box(box: Box, programs: Programs) -> None:
    box.end()
    box.create(programs.labinit)
    lines = [
        "mount -t proc proc /proc",
        "hostname lab-control",
        "ip link set lo up",
        "ip link add br0 type bridge",
        f"ip address add {CONTROL_ADDRESS}/24 dev br0",
        "ip link set br0 up",
        "echo 1 > /proc/sys/net/ipv4/ip_forward",
        # The router shares the link with the nodes, so redirects are unnecessary.
        "echo 0 > /proc/sys/net/ipv4/conf/all/send_redirects",
        "echo 0 > /proc/sys/net/ipv4/conf/br0/send_redirects",
    ]
    box.check(["/bin/sh", "-ec", "\n".join(lines)])
    box.mark_ready()


def choose_host_port(paths: Paths) -> int:
    """Return the API server's port on the host's loopback: 16443, or any free port for a lab beside the usual
    one.
    """
    file = paths.state / "port"
    if file.exists():
        return int(file.read_text())
    for wanted in (PREFERRED_PORT, 0) if paths.usual else (0,):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", wanted))
            except OSError:
                continue
            port: int = probe.getsockname()[1]
            file.write_text(str(port))
            return port
    raise LabError("no free port on loopback", "API server")


def format_server_url(paths: Paths) -> str:
    """Return the URL of the API server for the host."""
    return f"https://127.0.0.1:{choose_host_port(paths)}"


def format_inner_url() -> str:
    """Return the URL of the API server for nodes and Pods."""
    return f"https://{CONTROL_ADDRESS}:{API_PORT}"


def _write_kubeconfigs(paths: Paths) -> None:
    outside, inside = format_server_url(paths), format_inner_url()
    for file, user, server in (
        (paths.kubeconfig, pki.ADMIN, outside),
        (paths.reader_kubeconfig, pki.READER, outside),
        (paths.locate_box(BOX) / "controller-manager.conf", pki.CONTROLLER_MANAGER, inside),
        (paths.locate_box(BOX) / "scheduler.conf", pki.SCHEDULER, inside),
    ):
        pki.write_private(file, pki.format_kubeconfig(paths, user, server))


def list_daemons(paths: Paths, programs: Programs) -> list[Daemon]:
    """List the programs of the control plane, in the order of their start."""
    box, keys = paths.locate_box(BOX), paths.pki
    return [
        Daemon(
            "etcd",
            [
                "/usr/bin/etcd",
                f"--data-dir={box}/etcd",
                "--unsafe-no-fsync",
                "--log-level=warn",
                f"--listen-client-urls={ETCD}",
                f"--advertise-client-urls={ETCD}",
                "--listen-peer-urls=http://127.0.0.1:2380",
            ],
        ),
        Daemon("kube-apiserver", _build_apiserver_command(paths, programs)),
        Daemon(
            "kube-controller-manager",
            [
                programs.locate("kube-controller-manager"),
                f"--kubeconfig={box}/controller-manager.conf",
                f"--service-account-private-key-file={keys}/sa.key",
                f"--root-ca-file={keys}/ca.crt",
                f"--cluster-signing-cert-file={keys}/ca.crt",
                f"--cluster-signing-key-file={keys}/ca.key",
                "--use-service-account-credentials=true",
                "--leader-elect=false",
                "--bind-address=127.0.0.1",
                "--v=2",
            ],
        ),
        Daemon(
            "kube-scheduler",
            [
                programs.locate("kube-scheduler"),
                f"--kubeconfig={box}/scheduler.conf",
                "--leader-elect=false",
                "--bind-address=127.0.0.1",
                "--v=2",
            ],
        ),
        _make_forwarder(paths, programs),
    ]


def _build_apiserver_command(paths: Paths, programs: Programs) -> list[str]:
    keys = paths.pki
    return [
        programs.locate("kube-apiserver"),
        f"--etcd-servers={ETCD}",
        "--bind-address=0.0.0.0",
        f"--secure-port={API_PORT}",
        f"--advertise-address={CONTROL_ADDRESS}",
        f"--tls-cert-file={keys}/apiserver.crt",
        f"--tls-private-key-file={keys}/apiserver.key",
        f"--client-ca-file={keys}/ca.crt",
        f"--token-auth-file={paths.tokens}",
        f"--service-account-key-file={keys}/sa.pub",
        f"--service-account-signing-key-file={keys}/sa.key",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        f"--service-cluster-ip-range={SERVICE_RANGE}",
        "--allow-privileged=true",
        f"--kubelet-client-certificate={keys}/kubelet-client.crt",
        f"--kubelet-client-key={keys}/kubelet-client.key",
        "--kubelet-preferred-address-types=InternalIP",
        f"--requestheader-client-ca-file={keys}/front-proxy-ca.crt",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={keys}/front-proxy-client.crt",
        f"--proxy-client-key-file={keys}/front-proxy-client.key",
        # No kube-proxy runs beside the API server: webhooks and APIServices are
        # reached at their endpoints instead of the Service's address.
        "--enable-aggregator-routing=true",
        "--v=2",
    ]


def _make_forwarder(paths: Paths, programs: Programs) -> Daemon:
    # /proc/1 is the box's own: the forwarder runs in its PID and mount namespace.
    outside, inside = f"127.0.0.1:{choose_host_port(paths)}", f"{CONTROL_ADDRESS}:{API_PORT}"
    return Daemon(
        "forward", [str(programs.labinit), "forward", outside, inside, "/proc/1/ns/net"], network=False
    )


def join_node(paths: Paths, name: str, node_pid: int, address: str, pods: str) -> None:
    """Create the link between a node's network namespace (`eth0` there) and the bridge."""
    enter = ["nsenter", "-t", str(Box(BOX, paths).pid), "-n", "ip"]
    shell.attempt([*enter, "link", "delete", name])
    shell.run([*enter, "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", str(node_pid)])
    shell.run([*enter, "link", "set", name, "master", "br0", "up"])
    shell.run([*enter, "route", "replace", pods, "via", address])


def locate_log(paths: Paths, daemon: str) -> Path:
    """Return the log of one of the control plane's programs."""
    return paths.locate_logs(BOX) / f"{daemon}.log"
