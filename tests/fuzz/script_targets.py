"""Targets for the shell collector's stream: its lines, and the node read from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime

from unstuck.collect.node.answers import survey
from unstuck.collect.node.view import NodeView
from unstuck.collect.script import NoStreamError, parse
from unstuck.collect.script.recorded import RecordedRoot, limit_to_seen
from unstuck.facts.codec import to_json

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
UID = "1a2f2fd6-e4a7-4733-a9b2-c2b8175011d7"
_STREAM = f"""\
#unstuck 1
f /proc/sys/kernel/hostname
 node-1
/proc/1/stat:1 (systemd) S 0 1 1 0 -1 4194560 1 0 0 0 3 2 0 0 20 0 1 0 15 2629632 198 18446744073709551615 1 1 0
/proc/7/stat:7 (kubelet) S 1 7 7 0 -1 4194560 1 0 0 0 3 2 0 0 20 0 1 0 15 2629632 198 18446744073709551615 1 1 0
/proc/9/stat:9 (web) D 1 9 9 0 -1 4194560 1 0 0 0 3 2 0 0 20 0 1 0 15 2629632 198 18446744073709551615 1 1 0
/proc/9/cgroup:0::/kubepods.slice/kubepods-pod{UID.replace("-", "_")}.slice/cri-containerd-{"5" * 64}.scope
/proc/9/wchan:request_wait_answer
z /proc/7/cmdline
 /usr/bin/kubelet
 --root-dir=/var/lib/kubelet
l /proc/1/ns/mnt mnt:[4026531840]
/proc/1/mountinfo:27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
/proc/1/mountinfo:70 27 0:76 / /var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~nfs/n rw - nfs4 10.0.0.1:/x rw
d /var/lib/kubelet/pods
d /var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~nfs/n
f /.unstuck/lsattr
 walked /var/lib/kubelet/pods/{UID}
 ----i---------e------- /var/lib/kubelet/pods/{UID}/x
f /.unstuck/statfs
 4096 1 1 1 1 /
f /.unstuck/log/kubelet
 /var/log/kubelet.log
 E1121 03:04:00.000000 7 nestedpendingoperations.go:348] "unlinkat /var/lib/kubelet/pods/{UID}/x: operation not permitted"
d /proc/9/fd
b /proc/9/fd/3 /var/lib/kubelet/pods/{UID}/volumes/a\\ b
#done holds
#again
/proc/9/stat:9 (web) D 1 9 9 0 -1 4194560 1 0 0 0 3 2 0 0 20 0 1 0 15 2629632 198 18446744073709551615 1 1 0
#done again
#end
""".encode()
CORPUS = [_STREAM]


def _survey(data: bytes) -> None:
    root = RecordedRoot("fuzz", parse(data))
    for fact in limit_to_seen(root, survey(NodeView(root, NOW), UID)):
        to_json(fact)


def _script(data: bytes) -> None:
    """Read the bytes as a stream, and somewhere in a good stream."""
    with suppress(NoStreamError):
        _survey(data)
    at = len(_STREAM) * len(data) // (len(data) + 997)
    _survey(_STREAM[: max(at, len(b"#unstuck 1\n"))] + data + _STREAM[at:])


TARGETS: Mapping[str, Callable[[bytes], None]] = {"script": _script}
