"""A line of the kubelet's log, as it writes one."""

from __future__ import annotations

from datetime import datetime


def make_unlink_failure(uid: str, at: datetime) -> str:
    """An emptyDir of this Pod could not be emptied. at: on the node's clock and in its zone."""
    path = f"/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~empty-dir/d"
    words = (
        'UnmountVolume.TearDown failed for volume \\"d\\" (UniqueName: '
        f'\\"kubernetes.io/empty-dir/{uid}-d\\") pod \\"{uid}\\"'
        f' (UID: \\"{uid}\\") : unlinkat {path}/x: operation not permitted'
    )
    return (
        f'E{at:%m%d %H:%M:%S}.000000       1 nestedpendingoperations.go:348] "Operation failed" '
        f'err="{words}"\n'
    )
