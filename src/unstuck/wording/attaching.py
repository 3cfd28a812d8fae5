"""Attaching volumes to Nodes and detaching them, in the words of the controller, of the external attacher and of clouds.

Source: pkg/controller/volume/attachdetach, pkg/volume/csi/csi_attacher.go, pkg/volume/util/operationexecutor (1.34); clouds' error codes.
"""

from __future__ import annotations

from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_EXECUTOR = "pkg/volume/util/operationexecutor/operation_generator.go"
_VOLUME = r"(?: for volume \"(?P<volume>[^\"]{1,1024})\")?"

CALLS: tuple[Call, ...] = (
    Call(
        words(r"(?:AttachVolume\.\w+ failed|Multi-Attach error)" + _VOLUME),
        "volume-attach",
        ("attachvolume.", "multi-attach"),
        (Seen("attachdetach-controller, kubelet", "1.6–1.34", _EXECUTOR),),
        (
            Example(
                'AttachVolume.Attach failed for volume "pvc-1" : no such zone',
                "volume-attach other volume=pvc-1",
            ),
            Example(
                'Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can\'t be attached to another',
                "volume-attach multi-attach volume=pvc-1",
            ),
        ),
    ),
    Call(
        words(r"DetachVolume\.\w+ failed" + _VOLUME),
        "volume-detach",
        ("detachvolume.",),
        (Seen("attachdetach-controller", "1.6–1.34", _EXECUTOR),),
        (
            Example(
                'DetachVolume.Detach failed for volume "pvc-1" on node "n1" : context deadline exceeded',
                "volume-detach deadline-exceeded volume=pvc-1",
            ),
            Example(
                'DetachVolume.Detach failed for volume "pvc-2" on node "n1" : gone',
                "volume-detach other volume=pvc-2",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"timed out waiting for external-attacher of (?P<name>[^\s\"]{1,253}) CSI driver to attach volume|"
            r"\b(?:attach|attachment|attachdetachment) timeout for volume"
        ),
        "attacher-silent",
        ("external-attacher of", "timeout for volume"),
        (
            Seen(
                "kubelet, attachdetach-controller",
                "1.10–1.34",
                "pkg/volume/csi/csi_attacher.go (waitForVolumeAttachmentWithLister)",
            ),
        ),
        (
            Example(
                'AttachVolume.Attach failed for volume "pvc-1" : timed out waiting for external-attacher of csi.example.com CSI driver to attach volume vol-1',
                "volume-attach attacher-silent object=CSIDriver/csi.example.com volume=pvc-1",
            ),
            Example(
                'AttachVolume.Attach failed for volume "pvc-1" : Attach timeout for volume vol-1',
                "volume-attach attacher-silent volume=pvc-1",
            ),
            Example(
                'AttachVolume.Attach failed for volume "pvc-1" : attachdetachment timeout for volume vol-1',
                "volume-attach attacher-silent volume=pvc-1",
            ),
        ),
        Rank.NAMED,
        "volume-attach",
        within=("volume-attach",),
        kind="CSIDriver",
    ),
    Error(
        words(r"Multi-Attach error"),
        "multi-attach",
        ("multi-attach",),
        (
            Seen(
                "attachdetach-controller",
                "1.6–1.34",
                "pkg/controller/volume/attachdetach/reconciler/reconciler.go",
            ),
        ),
        (
            Example(
                'Multi-Attach error for volume "a" Volume is already used by pod(s) p',
                "volume-attach multi-attach volume=a",
            ),
            Example(
                'Multi-Attach error for volume "b" Volume is already exclusively attached',
                "volume-attach multi-attach volume=b",
            ),
        ),
        Rank.NAMED,
        "volume-attach",
    ),
    Error(
        words(
            r"VolumeInUse|RESOURCE_IN_USE_BY_ANOTHER_RESOURCE|rpc error: code = FailedPrecondition desc = "
            r"|already (?:attached|published) to |attached to (?:another|a different) (?:node|instance|server|vm)|is already being used by '|Failed to lock the file"
        ),
        "still-attached",
        (
            "volumeinuse",
            "resource_in_use",
            "failedprecondition",
            "already attached",
            "already published",
            "attached to a",
            "already being used by '",
            "failed to lock the file",
        ),
        (
            Seen(
                "CSI drivers",
                "1.0–1.9",
                "container-storage-interface spec.md, ControllerPublishVolume Errors",
            ),
            Seen(
                "EC2, Compute Engine, vSphere",
                "all",
                "the error codes of AttachVolume and attachDisk; a VMDK's lock",
            ),
        ),
        (
            Example(
                "AttachVolume.Attach failed for volume \"pvc-1\" : Cannot open the disk '/vmfs/volumes/d.vmdk'. Failed to lock the file",
                "volume-attach still-attached volume=pvc-1",
            ),
            Example(
                "AttachVolume.Attach failed for volume \"pvc-1\" : googleapi: Error 400: The disk resource 'projects/p/disks/d' is already being used by "
                "'projects/p/instances/n-1'",
                "volume-attach still-attached volume=pvc-1",
            ),
            Example(
                'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = FailedPrecondition desc = volume is attached to node n-1',
                "volume-attach still-attached volume=pvc-1",
            ),
        ),
        Rank.ERRNO,
        within=("volume-attach",),
    ),
    Error(
        words(r"volume attachment is being deleted"),
        "attachment-deleting",
        ("attachment is being deleted",),
        (
            Seen(
                "attachdetach-controller",
                "1.17–1.34",
                "pkg/volume/csi/csi_attacher.go (verifyAttachmentStatus)",
            ),
        ),
        (
            Example(
                'AttachVolume.Attach failed for volume "pvc-1" : volume attachment is being deleted',
                "volume-attach attachment-deleting volume=pvc-1",
            ),
            Example(
                'AttachVolume.Attach failed for volume "pvc-2" : watch error: volume attachment is being deleted',
                "volume-attach attachment-deleting volume=pvc-2",
            ),
            Example("volume attachment is being deleted", "volume-attach attachment-deleting"),
        ),
        Rank.NAMED,
        within=("volume-attach",),
        operation="volume-attach",
    ),
    Error(
        words(r"AttachDiskWhileBeingDetached"),
        "detach-unfinished",
        ("attachdiskwhilebeingdetached",),
        (Seen("Azure Compute", "all", "the error codes of VirtualMachines CreateOrUpdate"),),
        (
            Example(
                'AttachVolume.Attach failed for volume "pvc-1" : StatusCode=409 -- Original Error: Code="AttachDiskWhileBeingDetached" '
                "Message=\"Cannot attach data disk 'd' to VM 'n-1' because the disk is currently being detached\"",
                "volume-attach detach-unfinished volume=pvc-1",
            ),
            Example(
                'AttachVolume.Attach failed for volume "pvc-2" : rpc error: code = Internal desc = Code="AttachDiskWhileBeingDetached" Message="wait"',
                "volume-attach detach-unfinished volume=pvc-2",
            ),
        ),
        Rank.NAMED,
        within=("volume-attach",),
        operation="volume-attach",
    ),
)
