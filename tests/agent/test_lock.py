"""A locked process reads and does nothing else: every other call is really tried, in a real child."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="seccomp is Linux'"),
]

_CHILD = r"""
import ctypes, errno, fcntl, json, mmap, os, signal, socket, subprocess, sys
from unstuck.collect.node.seccomp import lock

top, victim = sys.argv[1], int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)
have = top + "/have"
fd = os.open(have, os.O_RDONLY)


def call(name, *arguments):
    def run():
        if getattr(libc, name)(*arguments) < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
    return run


B = have.encode()
TRIES = {
    "open to write": lambda: open(have, "w"),
    "open to append": lambda: open(have, "a"),
    "open to read and write": lambda: open(have, "r+"),
    "create": lambda: os.open(top + "/new", os.O_CREAT | os.O_RDONLY),
    "truncate at open": lambda: os.open(have, os.O_TRUNC | os.O_RDONLY),
    "file without a name": lambda: os.open(top, os.O_TMPFILE | os.O_RDWR),
    "creat": call("creat", B, 0o600),
    "openat2": call("syscall", 437, -100, B, ctypes.create_string_buffer(24), 24),
    "truncate": lambda: os.truncate(have, 0),
    "ftruncate": lambda: os.ftruncate(fd, 0),
    "mkdir": lambda: os.mkdir(top + "/dir"),
    "rmdir": lambda: os.rmdir(top + "/empty"),
    "unlink": lambda: os.unlink(have),
    "unlinkat": lambda: os.unlink("have", dir_fd=os.open(top, os.O_RDONLY)),
    "rename": lambda: os.rename(have, top + "/other"),
    "link": lambda: os.link(have, top + "/other"),
    "symlink": lambda: os.symlink(have, top + "/other"),
    "mknod": lambda: os.mkfifo(top + "/fifo"),
    "chmod": lambda: os.chmod(have, 0o777),
    "fchmod": lambda: os.fchmod(fd, 0o777),
    "chown": lambda: os.chown(have, 1, 1),
    "fchown": lambda: os.fchown(fd, 1, 1),
    "lchown": lambda: os.lchown(have, 1, 1),
    "utime": lambda: os.utime(have, (0, 0)),
    "setxattr": lambda: os.setxattr(have, "user.a", b"b"),
    "removexattr": lambda: os.removexattr(have, "user.a"),
    "set flags": lambda: fcntl.ioctl(fd, 0x40086602, b"\0" * 8),
    "mmap of a device's ioctl": lambda: fcntl.ioctl(fd, 0x1234, b"\0" * 8),
    "lock a file": lambda: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB),
    "lease": lambda: fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_RDLCK),
    "kill another": lambda: os.kill(victim, signal.SIGKILL),
    "signal 0 to another": lambda: os.kill(victim, 0),
    "pidfd": lambda: os.pidfd_open(victim),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "run a program": lambda: subprocess.run(["/bin/true"]),
    "socket": lambda: socket.socket(),
    "UNIX socket": lambda: socket.socket(socket.AF_UNIX),
    "netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "socketpair": lambda: socket.socketpair(),
    "ptrace": call("ptrace", 0x4206, victim, 0, 0),
    "process_vm_readv": call("process_vm_readv", victim, None, 0, None, 0, 0),
    "process_vm_writev": call("process_vm_writev", victim, None, 0, None, 0, 0),
    "mount": call("mount", b"none", top.encode(), b"tmpfs", 0, None),
    "umount": call("umount2", top.encode(), 2),
    "setns": call("setns", fd, 0),
    "unshare": call("unshare", 0x00020000),
    "a child in new namespaces": call("syscall", 56, 1 << 28 | 17, 0, 0, 0, 0) if os.uname().machine == "x86_64" else call("unshare", 0),
    "chroot": lambda: os.chroot(top),
    "bpf": call("syscall", 321, 0, 0, 0) if os.uname().machine == "x86_64" else call("unshare", 0),
    "perf_event_open": call("syscall", 298, None, 0, 0, 0, 0) if os.uname().machine == "x86_64" else call("unshare", 0),
    "keyctl": call("syscall", 250, 0, 0, 0) if os.uname().machine == "x86_64" else call("unshare", 0),
    "init_module": call("init_module", None, 0, b"") if hasattr(libc, "init_module") else call("unshare", 0),
    "clear the kernel's log": call("klogctl", 5, None, 0),
    "set the clock": call("clock_settime", 1, ctypes.create_string_buffer(16)),
    "set user": lambda: os.setuid(0),
    "set priority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 5),
    "no dumps": call("prctl", 4, 0, 0, 0, 0),
    "set a limit": call("prlimit", 0, 7, ctypes.create_string_buffer(16), None),
    "host name": lambda: socket.sethostname("x"),
    "reboot": call("reboot", 0),
}
lock()
said = {}
for name, attempt in TRIES.items():
    try:
        attempt()
        said[name] = "allowed"
    except OSError as e:
        said[name] = errno.errorcode.get(e.errno, str(e.errno))
pid = os.fork()
if pid == 0:
    try:
        open(have, "w")
        os._exit(1)
    except OSError as e:
        os._exit(0 if e.errno == errno.EPERM else 2)
reads = {
    "text": open(have).read(),
    "names": os.listdir(top),
    "link": os.readlink("/proc/self/exe") != "",
    "stat": os.lstat(have).st_size,
    "space": os.statvfs(top).f_blocks > 0,
    "processes": str(os.getpid()) in os.listdir("/proc"),
    "child": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]),
}
print(json.dumps([said, reads]))
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "have").write_text("content")
    (tmp_path / "empty").mkdir()
    return tmp_path


def _before(place: Path) -> list[tuple[str, int, bytes]]:
    return sorted(
        (p.name, p.lstat().st_mode, p.read_bytes() if p.is_file() else b"") for p in place.iterdir()
    )


def test_a_locked_process_reads_and_does_nothing_else(place: Path) -> None:
    before = _before(place)
    with subprocess.Popen(["sleep", "60"]) as victim:
        try:
            done = subprocess.run(
                [sys.executable, "-c", _CHILD, str(place), str(victim.pid)],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert victim.poll() is None
        finally:
            victim.kill()
    assert done.returncode == 0, done.stderr
    said, reads = json.loads(done.stdout)
    assert {name: word for name, word in said.items() if word != "EPERM"} == {}
    assert reads == {
        "text": "content",
        "names": reads["names"],
        "link": True,
        "stat": 7,
        "space": True,
        "processes": True,
        "child": 0,
    }
    assert _before(place) == before


def test_a_look_under_the_lock_finds_the_same(place: Path) -> None:
    """The children that walk directories are forks then; they tell what they tell as programs."""
    script = (
        "import sys, json\nfrom unstuck.collect.node.seccomp import lock\nfrom "
        "unstuck.collect.node.look_starter import run_look\n"
        "if sys.argv[2] == 'locked': lock()\n"
        "for a in (['flags', '2', '100', sys.argv[1]], ['space', '2', sys.argv[1]]):\n"
        "    print([sorted(json.loads(line)) for line in run_look(a, b'[]', seconds=5)])\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", script, str(place), how],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
        for how in ("free", "locked")
    ]
    assert told[0] == told[1] != ""


def test_a_look_on_the_node_itself_may_ask_but_not_change(place: Path) -> None:
    script = (
        "import os, socket, subprocess, sys\nfrom unstuck.collect.node.seccomp import "
        "keep_from_changing\nkeep_from_changing()\n"
        "have = sys.argv[1] + '/have'\n"
        "tries = [lambda: open(have, 'w'), lambda: open(have, 'a'), lambda: open(have + '2', 'x'), lambda: "
        "os.unlink(have),\n"
        "  lambda: os.mkdir(have + 'd'), lambda: os.chmod(have, 0), lambda: os.rename(have, have + '2'), "
        "lambda: os.utime(have),\n"
        "  lambda: os.truncate(have, 0), lambda: os.symlink(have, have + '3'), lambda: os.setxattr(have, "
        "'user.a', b'')]\n"
        "for one in tries:\n"
        "    try:\n        one()\n        print('allowed')\n"
        "    except PermissionError as e:\n        assert e.errno == 1, e\n"
        "socket.socket(socket.AF_UNIX)\n"
        "print(subprocess.run(['cat', have], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, "
        "check=True).stdout.decode())\n"
        "print(subprocess.run(['rm', '-f', have], stderr=subprocess.DEVNULL).returncode)\n"
    )
    before = _before(place)
    done = subprocess.run(
        [sys.executable, "-c", script, str(place)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.split() == ["content", "1"]
    assert _before(place) == before


def test_where_no_library_is_there_is_no_lock_and_it_says_so() -> None:
    script = (
        "import sys\nsys.modules['seccomp'] = sys.modules['pyseccomp'] = None\nfrom unstuck.collect.node "
        "import seccomp\n"
        "try:\n    seccomp.lock()\nexcept seccomp.NotLockedError as e:\n    print(e)\n"
    )
    env = {**os.environ}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True, env=env
    )
    assert "no library for seccomp" in done.stdout
