"""Claims and their classes, in the words of the PersistentVolume controller and of external provisioners.

Source: pkg/controller/volume/persistentvolume/pv_controller.go (1.6–1.34), apimachinery api/errors.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"error processing (?P<kind>PVC) \"?(?P<ns>[a-z0-9-]{1,63})\"?/\"?(?P<name>[a-z0-9][a-z0-9.-]{0,252}?)\"?: "
            r"PVC (?:is not bound|\S{1,320} has non-bound phase \(\"Pending\"\))"
        ),
        "claim-unbound",
        ("error processing pvc",),
        (
            Seen(
                "kubelet",
                "1.7–1.34",
                "pkg/kubelet/volumemanager/populator/desired_state_of_world_populator.go (getPVCExtractPV)",
            ),
        ),
        (
            Example(
                "Unable to attach or mount volumes: unmounted volumes=[v], unattached volumes=[], failed to process volumes=[v]: error processing PVC "
                "f/data: PVC is not bound",
                "volume-set-up claim-unbound object=PersistentVolumeClaim/f/data volume=v",
            ),
            Example(
                'Error processing volume "data" for pod "p_f(u)": error processing PVC "f"/"data-p": PVC f/data-p has non-bound phase ("Pending") or '
                'empty pvc.Spec.VolumeName ("")',
                "volume-set-up claim-unbound object=PersistentVolumeClaim/f/data-p",
            ),
        ),
        Rank.NAMED,
        "volume-set-up",
        within=("volume-set-up",),
    ),
    Error(
        words(r"storageclass(?:es)?(?:\.storage\.k8s\.io)? \"(?P<name>[^\s\"/]{1,253})\" not found"),
        "not-found",
        ("storageclass",),
        (
            Seen(
                "kube-controller-manager",
                "1.6–1.34",
                "pkg/controller/volume/persistentvolume/pv_controller.go",
            ),
        ),
        (
            Example(
                'storageclass.storage.k8s.io "fast" not found',
                "volume-provision not-found object=StorageClass/fast",
            ),
            Example(
                'storageclasses.storage.k8s.io "fast" not found',
                "volume-provision not-found object=StorageClass/fast",
            ),
        ),
        Rank.NAMED,
        "volume-provision",
        within=("volume-provision",),
        kind="StorageClass",
    ),
)
