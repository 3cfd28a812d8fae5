"""Removing a stopped container, its root filesystem and its snapshots.

Source: docker daemon/delete.go and layer/layer_store.go (1.11–28), containerd snapshots/overlay and gc (1.2–2.1), kubelet remote_runtime.go.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Seen, words

_ID = "dab6f0bf6927"

CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"driver \"?(?P<key>[^\"\s]{1,40})\"? failed to remove root filesystem|failed to remove root filesystem|Error removing mounted layer|unable to remove filesystem"
        ),
        "rootfs-remove",
        ("root filesystem", "mounted layer", "remove filesystem"),
        (Seen("dockerd", "1.11–28", "daemon/delete.go"),),
        (
            Example(
                f'RemoveContainer "{_ID}" from runtime service failed: rpc error: code = Unknown desc = failed to remove container "{_ID}": Error response from daemon: '
                f'container {_ID}: driver "overlay2" failed to remove root filesystem: remove /data/docker/overlay2/b1ae/diff/usr/bin/bash: operation not permitted',
                "rootfs-remove EPERM key=overlay2 path=/data/docker/overlay2/b1ae/diff/usr/bin/bash",
            ),
            Example(
                f"Error removing mounted layer {_ID}: remove /var/lib/docker/overlay/98a5/merged: device or resource busy",
                "rootfs-remove EBUSY path=/var/lib/docker/overlay/98a5/merged",
            ),
            Example(
                f'Error response from daemon: driver "devicemapper" failed to remove root filesystem for {_ID}: remove /var/lib/docker/devicemapper/mnt/e533: device or resource busy',
                "rootfs-remove EBUSY key=devicemapper path=/var/lib/docker/devicemapper/mnt/e533",
            ),
            Example(
                f"Error response from daemon: Driver devicemapper failed to remove root filesystem {_ID}: Device is Busy",
                "rootfs-remove EBUSY key=devicemapper",
            ),
        ),
    ),
    Call(
        words(
            r"failed to remove (?:directory|snapshot)|snapshot garbage collection failed|failed to clean ?up snapshot|Cleanup failed for snapshot"
        ),
        "snapshot-remove",
        ("snapshot", "remove directory"),
        (Seen("containerd", "1.2–2.1", "plugins/snapshots/overlay/overlay.go"),),
        (
            Example(
                'time="2026-11-20T23:55:32Z" level=warning msg="failed to remove directory" error="unlinkat /var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/12/fs/x: '
                'operation not permitted" path=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/12',
                "snapshot-remove EPERM path=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/12/fs/x",
            ),
            Example(
                'level=warning msg="failed to remove directory" error="unlinkat /c/snapshots/7/fs: device or resource busy" path=/c/snapshots/7',
                "snapshot-remove EBUSY path=/c/snapshots/7/fs",
            ),
        ),
    ),
    Call(
        words(
            r"RemoveContainer (?:\"[^\"]{1,253}\" )?from runtime service failed|Failed to remove container \"[^\"]{1,253}\"|failed to remove container(?= )|Handler for DELETE /v[\d.]{1,8}/containers/\S{1,100} returned error"
        ),
        "container-remove",
        ("removecontainer", "failed to remove container", "handler for delete"),
        (
            Seen("kubelet", "1.5–1.34", "staging/src/k8s.io/cri-client/pkg/remote_runtime.go"),
            Seen("dockerd", "1.9–28"),
        ),
        (
            Example(
                '"RemoveContainer from runtime service failed" err="rpc error: code = Unknown desc = unlinkat /run/x: device or resource busy" containerID="0a1b"',
                "container-remove EBUSY path=/run/x",
            ),
            Example(
                'RemoveContainer "0a1b" from runtime service failed: rpc error: code = DeadlineExceeded desc = context deadline exceeded',
                "container-remove deadline-exceeded",
            ),
        ),
    ),
    Call(
        words(r"remove netns: |failed to remove network namespace"),
        "netns-remove",
        ("netns", "network namespace"),
        (Seen("containerd", "1.2–2.1", "pkg/netns/netns_linux.go"),),
        (
            Example(
                'failed to stop sandbox: failed to remove network namespace for sandbox "0a": failed to remove netns: unlinkat /var/run/netns/cni-1: device or resource busy',
                "netns-remove EBUSY path=/var/run/netns/cni-1",
            ),
            Example(
                "remove netns: unlinkat /var/run/netns/cni-2: device or resource busy",
                "netns-remove EBUSY path=/var/run/netns/cni-2",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = ()
