"""The kernel's errors as Go and libc print them, with the path that the failing system call names beside them.

The same errno has at least three causes each: a cause decides by operation and path, never by the errno alone.
Source: golang.org/src/syscall zerrors_linux, glibc strerror; `net` and `context` for the waiters' time-outs.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

# A path up to the colon before the error; the call's name and a trailing quote are optional.
_PATH = (
    r"(?:\b(?:unlinkat|unlink|remove|rmdir|rename|mkdirat|mkdir|openat|open|l?stat|fstat|chdir|readlink|statfs|chown|lchown|chmod|write|read|umount|unmount|mount|unshare|fork/exec|exec):? "
    r"[\"']?(?P<path>/[^\s:\"']{1,4096})[\"']?:? ?:? )?"
)
_ANY = Seen("Go and libc", "all")

_WORDS: tuple[tuple[ErrorWord, str], ...] = (
    ("EPERM", "operation not permitted"),
    ("EBUSY", "device or resource busy"),
    ("EBUSY", "target is busy"),
    # Of devicemapper (docker), and of umount(8) up to util-linux 2.26.
    ("EBUSY", "device is busy"),
    ("ENOTEMPTY", "directory not empty"),
    ("EROFS", "read-only file system"),
    ("ENOENT", "no such file or directory"),
    ("EACCES", "permission denied"),
    ("ENOSPC", "no space left on device"),
    ("ENOTDIR", "not a directory"),
    ("EIO", "input/output error"),
    ("ENOMEM", "cannot allocate memory"),
    ("EINVAL", "invalid argument"),
    ("ESTALE", "stale (?:nfs )?file handle"),
    ("ENOTCONN", "transport endpoint is not connected"),
    ("EEXIST", "file exists"),
    ("EMFILE", "too many open files"),
    ("EDQUOT", "disk quota exceeded"),
    ("EPIPE", "broken pipe"),
)


def _make_examples(name: str, text: str) -> tuple[Example, ...]:
    text = text.replace("(?:nfs )?", "")
    head = 'UnmountVolume.TearDown failed for volume "d" : '
    return (
        Example(f"{head}unlinkat /mnt/x: {text}", f"volume-tear-down {name} path=/mnt/x volume=d"),
        Example(f"{head}{text}", f"volume-tear-down {name} volume=d"),
    )


CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    *(
        Error(words(_PATH + text), name, (text.split(" (?")[0],), (_ANY,), _make_examples(name, text))
        for name, text in _WORDS
    ),
    Error(
        words(r"context deadline exceeded|code = DeadlineExceeded(?! desc)"),
        "deadline-exceeded",
        ("deadline",),
        (Seen("Go context, gRPC", "all"),),
        (
            Example(
                'failed to "KillContainer" for "c" with KillContainerError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded"',
                "container-stop deadline-exceeded container=c",
            ),
            Example(
                'error killing pod: failed to "KillContainer" for "task" with KillContainerError: '
                '"rpc error: code = Unknown desc = operation timeout: context deadline exceeded"',
                "container-stop deadline-exceeded container=task",
            ),
        ),
        Rank.WAITER,
    ),
    Error(
        words(
            r"timed out waiting for the condition|timeout expired waiting for|operation timeout|operation timed out"
        ),
        "timeout",
        ("timed out", "timeout"),
        (Seen("k8s.io/apimachinery wait", "all", "pkg/util/wait/error.go"),),
        (
            Example(
                "Unable to attach or mount volumes: unmounted volumes=[cfg], unattached volumes=[cfg]: timed out waiting for the condition",
                "volume-set-up timeout volume=cfg",
            ),
            Example(
                'timeout expired waiting for volumes to attach or mount for pod "f"/"p". list of unmounted volumes=[cfg]. list of unattached volumes=[cfg]',
                "volume-set-up timeout volume=cfg",
            ),
        ),
        Rank.WAITER,
    ),
)
