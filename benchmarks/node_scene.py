"""Makes a node at its worst, or a healthy one, inside separate namespaces, which disappear with their first
process.

It is only run by `node.py`, in its own mount, PID and network namespaces, with /run, /var/lib and /var/log in
memory.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

HANGFS = Path(__file__).parents[1] / "tests" / "node" / "hangfs.py"
KUBELET = Path("/var/lib/kubelet")
LOG = Path("/var/log/kubelet.log")
FULL = Path("/var/lib/containerd")
BAD_POD = "0badf00d-0000-4000-8000-000000000000"
HUNG = KUBELET / "pods" / BAD_POD / "volumes/kubernetes.io~nfs/hung"
_BIND, _NEWNS = 4096, 0x00020000
_LIBC = ctypes.CDLL(None, use_errno=True)
# A process with a given name; with a socket it listens there and never accepts.
_DAEMON = """
import ctypes, http.server, signal, socket, sys
name, path = sys.argv[1:3]
ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)
if path:
    s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen(64)
print("ready", file=sys.stderr, flush=True)
if name == "kubelet":
    class Healthz(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200); self.end_headers(); self.wfile.write(b"ok")
        def log_message(self, *_): pass
    http.server.HTTPServer(("127.0.0.1", 10248), Healthz).serve_forever()
while True: signal.pause()
"""


def mount(source: str, target: Path, fstype: str, options: str = "", flags: int = 0) -> None:
    """Mount a file system. Raises OSError."""
    if _LIBC.mount(source.encode(), os.fsencode(target), fstype.encode(), flags, options.encode()) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(target))


def mount_base(log_mb: int, log_inodes: int) -> None:
    """Mount memory at a node's data directories."""
    for path, options in (
        ("/run", "size=256m"),
        ("/var/lib", "size=512m"),
        ("/var/log", f"size={log_mb + 16}m,nr_inodes={log_inodes}"),
    ):
        mount("bench", Path(path), "tmpfs", options)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=False, capture_output=True)
    (KUBELET / "pods").mkdir(parents=True)
    FULL.mkdir(parents=True)
    LOG.touch()
    # As on every booted Linux; elsewhere it already exists.
    with suppress(OSError):
        mount("fusectl", Path("/sys/fs/fuse/connections"), "fusectl")


def start_daemon(name: str, socket: str = "", log: Path | None = None) -> int:
    """Start a process with this name; return its pid once it is ready."""
    if socket:
        Path(socket).parent.mkdir(parents=True, exist_ok=True)
    argv = [name, "-c", _DAEMON, name, socket, f"--root-dir={KUBELET}"]
    with (log or Path("/dev/null")).open("a") as out:
        child = subprocess.Popen(
            argv, executable=sys.executable, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE
        )
    if child.stderr is not None:
        child.stderr.readline()
    return child.pid


def start_containerd() -> int:
    """Start the real containerd if installed, else a listening stand-in."""
    path = shutil.which("containerd")
    socket = Path("/run/containerd/containerd.sock")
    if path is None:
        return start_daemon("containerd", str(socket))
    config = Path("/run/containerd.toml")
    config.write_text('version = 2\nroot = "/run/containerd-root"\nstate = "/run/containerd"\n')
    child = subprocess.Popen(
        [path, "--config", str(config)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(socket.exists, "containerd's socket")
    return child.pid


def wait_until(true: Callable[[], object], what: str, seconds: float = 20) -> None:
    """Wait until a condition holds. Raises TimeoutError."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


def start_pods(count: int) -> None:
    """Start Pods with a token, a configuration and a memory volume each, and two containers with separate
    roots and mounts.
    """
    for i in range(count):
        uid = f"{i:08x}-0000-4000-8000-000000000000"
        volumes = KUBELET / "pods" / uid / "volumes"
        for plugin, name in (
            ("projected", "kube-api-access"),
            ("configmap", "config"),
            ("empty-dir", "scratch"),
        ):
            at = volumes / f"kubernetes.io~{plugin}" / name
            at.mkdir(parents=True)
            mount("tmpfs", at, "tmpfs", "size=64k,nr_inodes=20")
            (at / "data").write_text("x")
        for _ in range(2):
            start_container(volumes / "kubernetes.io~empty-dir" / "scratch")


def start_container(volume: Path) -> None:
    """Start a process with its own mount namespace and root, in which a volume is mounted."""
    if os.fork() == 0:
        _LIBC.unshare(_NEWNS)
        root = Path("/run/root")
        root.mkdir(exist_ok=True)
        mount("tmpfs", root, "tmpfs", "size=64k,nr_inodes=20")
        (root / "data").mkdir()
        mount(str(volume), root / "data", "", flags=_BIND)
        os.chroot(root)
        os.chdir("/")
        _LIBC.prctl(15, b"app", 0, 0, 0)
        while True:
            signal.pause()


def make_many_mounts(count: int) -> None:
    """Make leaked bind mounts."""
    source = Path("/run/leaked")
    source.mkdir()
    for i in range(count):
        at = Path(f"/var/lib/leaked/{i // 500}/{i}")
        at.mkdir(parents=True)
        mount(str(source), at, "", flags=_BIND)


def start_many_processes(count: int) -> None:
    """Start sleeping processes."""
    for _ in range(count):
        os.posix_spawn("/bin/sleep", ["sleep", "3600"], {})


def write_long_log(megabytes: int) -> None:
    """Write a kubelet's log of the last two hours, one line in a thousand about the bad Pod."""
    now, line = (
        time.time(),
        'I1121 00:00:00.000000    1 kubelet.go:2231] "SyncLoop (PLEG): event for pod" pod="shop/web-%d"\n',
    )
    bad = (
        f'E1121 00:00:00.000000    1 nestedpendingoperations.go:348] Operation for "{BAD_POD}" failed: '
        "device or resource busy\n"
    )
    plain = "".join(line % (i % 97) for i in range(1000))
    block = ((plain + bad) * (1 + (1 << 20) // len(plain)))[: 1 << 20]
    block = block[: block.rindex("\n") + 1]
    with LOG.open("a") as out:
        for i in range(megabytes):
            stamp = time.strftime(
                "%m%d %H:%M:%S.000000", time.gmtime(now - 7200 * (megabytes - i) / megabytes)
            )
            out.write(block.replace("1121 00:00:00.000000", stamp))


def fill_disks() -> None:
    """Make a full file system for the runtime's data, and one without free inodes for the logs."""
    mount("bench", FULL, "tmpfs", "size=4m")
    (FULL / "images").mkdir()
    with suppress(OSError):
        (FULL / "images" / "layer").write_bytes(b"x" * (8 << 20))
    for i in range(10_000):
        try:
            Path(f"/var/log/{i}.log").touch()
        except OSError:
            return


def hang_mount() -> int:
    """Mount a file system with a silent server, and return the pid of a process in D on it."""
    HUNG.mkdir(parents=True)
    server = subprocess.Popen([sys.executable, str(HANGFS), str(HUNG)], stdout=subprocess.PIPE)
    if server.stdout is None or server.stdout.readline() != b"ready\n":
        raise OSError("the file system that is to hang could not be mounted")
    victim = subprocess.Popen(["ls", str(HUNG / "x")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # A request not yet read by its server is withdrawn when its caller is killed: nothing would hang.
    if server.stdout.readline() != b"asked\n":
        raise OSError("the file system that is to hang was not asked")
    wchan = Path(f"/proc/{victim.pid}/wchan")
    wait_until(lambda: "request_wait" in wchan.read_text(), "a process that waits for the hung mount")
    victim.kill()
    return victim.pid


def make_healthy(pod_count: int) -> None:
    """Make a healthy node."""
    mount_base(64, 1000)
    start_daemon("kubelet", log=LOG)
    start_daemon("containerd")
    start_pods(pod_count)
    write_long_log(48)


def make_worst(mounts: int, processes: int, log_mb: int) -> None:
    """Make a node with all of these faults at once."""
    mount_base(log_mb, 64)
    start_daemon("kubelet", log=LOG)
    stopped = [start_containerd(), start_daemon("dockerd", "/run/docker.sock")]
    write_long_log(log_mb)
    make_many_mounts(mounts)
    start_many_processes(processes)
    fill_disks()
    hang_mount()
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
