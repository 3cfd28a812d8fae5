"""Locks a process that looks at a node: from then on it can read and do nothing else, even if it is taken
over.

A seccomp filter with an allow list; everything else fails with EPERM, above all: opening for writing, making,
removing or changing files, signals, programs, sockets, tracing, other processes' memory, mounts and
namespaces. It is inherited and cannot be removed. Needs libseccomp through `seccomp` (Debian's
python3-seccomp) or `pyseccomp` (PyPI); see docs/why/agent-lock.md. Sources: seccomp(2), seccomp_rule_add(3),
clone(2), syslog(2).
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

_READING = (
    "read readv pread64 preadv preadv2 lseek _llseek close close_range dup dup2 dup3 fadvise64 "
    "stat stat64 lstat lstat64 fstat fstat64 fstatat64 newfstatat statx statfs statfs64 fstatfs fstatfs64 "
    "access faccessat faccessat2 readlink readlinkat getdents getdents64 getcwd chdir fchdir"
)
_ANSWERING = (
    "write writev pipe pipe2 poll ppoll select _newselect pselect6 epoll_create1 epoll_ctl epoll_wait "
    "epoll_pwait memfd_create"
)
# Reading the clock's state; setting it is not possible without CAP_SYS_TIME, which the agent never has.
_CLOCK = "adjtimex clock_adjtime"
_RUNNING = (
    "brk mmap mmap2 munmap mprotect mremap madvise futex set_robust_list set_tid_address rseq membarrier "
    "sched_yield sched_getaffinity rt_sigaction rt_sigprocmask rt_sigreturn sigreturn rt_sigpending "
    "sigaltstack restart_syscall arch_prctl getcpu fork vfork wait4 waitid exit exit_group nanosleep "
    "clock_nanosleep clock_gettime clock_getres gettimeofday time getrandom getpid getppid gettid getpgrp "
    "getpgid getsid getuid geteuid getgid getegid getresuid getresgid getgroups uname sysinfo getrlimit "
    "ugetrlimit getrusage times"
)
# O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_TMPFILE
_WRITING = 0x3 | 0x40 | 0x200 | 0x400 | 0x400000
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_NAMESPACES = 0x7E020000
_WORD = 0xFFFFFFFF
# Where Debian's python3-seccomp is, which `python -S` does not look at.
_DEBIAN = "/usr/lib/python3/dist-packages"
# Calls that change a node or another process, or get around a filter; for collectors that must also run
# programs and ask sockets.
_CHANGING = (
    "creat mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat mknod "
    "mknodat truncate truncate64 chmod fchmod fchmodat fchmodat2 chown chown32 fchown fchown32 lchown "
    "lchown32 fchownat utime utimes utimensat futimesat setxattr lsetxattr fsetxattr setxattrat removexattr "
    "lremovexattr fremovexattr removexattrat fallocate swapon swapoff quotactl acct mount umount umount2 "
    "move_mount fsopen fsconfig fsmount fspick open_tree mount_setattr pivot_root chroot setns unshare "
    "ptrace process_vm_readv process_vm_writev process_madvise init_module finit_module delete_module "
    "kexec_load kexec_file_load reboot sethostname setdomainname settimeofday clock_settime bpf "
    "perf_event_open keyctl add_key request_key openat2 open_by_handle_at io_uring_setup userfaultfd"
)
_O_CREAT, _O_TRUNC, _O_APPEND = 0x40, 0x200, 0x400
_SET_FLAGS = (0x40086602, 0x40046602)
# call: (argument, mask, values): allowed when the argument, masked, is one of the values.
_PARTLY: Mapping[str, tuple[int, int, tuple[int, ...]]] = {
    "open": (1, _WRITING, (0,)),
    "openat": (2, _WRITING, (0,)),
    "clone": (1 if os.uname().machine == "s390x" else 0, _NAMESPACES, (0,)),
    # FS_IOC_GETFLAGS of both sizes, TCGETS, FIOCLEX, FIONCLEX, FIONBIO
    "ioctl": (1, _WORD, (0x80086601, 0x80046601, 0x5401, 0x5451, 0x5450, 0x5421)),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
    "fcntl": (1, _WORD, (0, 1, 2, 3, 4, 1030)),
    "fcntl64": (1, _WORD, (0, 1, 2, 3, 4, 1030)),
    # PR_SET_PDEATHSIG, PR_SET_NAME, PR_GET_NAME, PR_SET_NO_NEW_PRIVS
    "prctl": (0, _WORD, (1, 15, 16, 38)),
    # SYSLOG_ACTION_READ_ALL, SYSLOG_ACTION_SIZE_BUFFER: not the actions that clear it or turn the console off
    "syslog": (0, _WORD, (3, 10)),
    # Reading one's own limits
    "prlimit64": (2, (1 << 64) - 1, (0,)),
}


class NotLockedError(RuntimeError):
    """The process could not be locked; the message says why, in words for a person."""


def lock(also: Sequence[str] = ()) -> None:
    """Lock this process and all that it will fork, which may lock itself further. Raises NotLockedError;
    nothing is locked then.

    also: further calls to allow, beyond reading.
    """
    seccomp = load_library()
    try:
        rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
        # glibc falls back to clone, whose flags can be seen, only on ENOSYS.
        with suppress(OSError, ValueError, RuntimeError):
            rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
        for call, conditions in _list_allowed_rules(seccomp, also):
            # A call that a machine does not have need not be allowed.
            with suppress(OSError, ValueError, RuntimeError):
                rules.add_rule(seccomp.ALLOW, call, *conditions)
        rules.load()
    except (OSError, ValueError, RuntimeError) as e:
        raise NotLockedError(f"the kernel took no seccomp filter: {e}") from e


def keep_from_changing() -> None:
    """Keep this process, and all that it starts, from changing files, mounts and other processes; sockets and
    programs remain.

    Weaker than `lock`: a deny list, for a look on the node itself, which may ask daemons and run journalctl.
    Raises NotLockedError; nothing is forbidden then.
    """
    seccomp = load_library()
    forbidden = seccomp.ERRNO(errno.EPERM)
    try:
        rules = seccomp.SyscallFilter(seccomp.ALLOW)
        for call, conditions in _list_forbidden_rules(seccomp):
            with suppress(OSError, ValueError, RuntimeError):
                rules.add_rule(forbidden, call, *conditions)
        rules.load()
    except (OSError, ValueError, RuntimeError) as e:
        raise NotLockedError(f"the kernel took no seccomp filter: {e}") from e


def _list_forbidden_rules(seccomp: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for call in _CHANGING.split():
        yield call, ()
    for call, argument in (("open", 1), ("openat", 2)):
        for flag in (_O_CREAT, _O_TRUNC, _O_APPEND):
            yield call, (seccomp.Arg(argument, seccomp.MASKED_EQ, flag, flag),)
    for value in _SET_FLAGS:
        yield "ioctl", (seccomp.Arg(1, seccomp.MASKED_EQ, _WORD, value),)


def _list_allowed_rules(seccomp: Any, also: Sequence[str]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for call in (*f"{_READING} {_ANSWERING} {_CLOCK} {_RUNNING}".split(), *also):
        yield call, ()
    for call, (argument, mask, values) in _PARTLY.items():
        for value in values:
            yield call, (seccomp.Arg(argument, seccomp.MASKED_EQ, mask, value),)


def load_library() -> Any:
    """Return the library, loaded. Raises NotLockedError if there is none."""
    reasons = []
    # At the end, so that nothing there can come before anything else.
    sys.path.append(_DEBIAN)
    try:
        for name in ("seccomp", "pyseccomp"):
            try:
                return import_module(name)
            except (ImportError, OSError, RuntimeError) as e:
                reasons.append(str(e))
    finally:
        sys.path.remove(_DEBIAN)
    raise NotLockedError("no library for seccomp: " + "; ".join(reasons))
