"""Lines of the kubelet's log, in its own form."""

from __future__ import annotations

from datetime import datetime


def make_unlink_failure(uid: str, at: datetime) -> str:
    """Return the line about an emptyDir of this Pod that could not be emptied. at: by the node's clock and
    time zone.
    """
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
