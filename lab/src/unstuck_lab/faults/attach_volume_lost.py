"""The storage no longer knows a volume that a Pod needs: the disk behind its PersistentVolume was deleted."""

from unstuck_lab.faults import _attach

FAULT = _attach.make_refusal_fault(
    "attach-volume-lost",
    "a Pod's volume is not attached: the storage has no such volume any more",
    pod="lost-its-disk",
    told="attach-lost",
    says="NotFound",
    accepts="volume.backend-lost",
)
