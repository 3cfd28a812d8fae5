"""Claims and their classes, in the words of the PersistentVolume controller and of external provisioners.

Source: pkg/controller/volume/persistentvolume/pv_controller.go (1.6–1.34), apimachinery api/errors.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"storageclass(?:es)?(?:\.storage\.k8s\.io)? \"(?P<name>[^\s\"/]{1,253})\" not found"),
        "not-found",
        ("storageclass",),
        (Seen("kube-controller-manager", "1.6–1.34", "pkg/controller/volume/persistentvolume/pv_controller.go"),),
        (
            Example('storageclass.storage.k8s.io "fast" not found', "volume-provision not-found object=StorageClass/fast"),
            Example('storageclasses.storage.k8s.io "fast" not found', "volume-provision not-found object=StorageClass/fast"),
        ),
        Rank.NAMED,
        "volume-provision",
        within=("volume-provision",),
        kind="StorageClass",
    ),
)
