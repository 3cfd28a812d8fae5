"""The storage does not know the volume any more that a Pod needs: somebody deleted the disk behind its PersistentVolume."""

from unstuck_lab.faults import _attach

FAULT = _attach.refused(
    "attach-volume-lost",
    "a Pod's volume is not attached: the storage has no such volume any more",
    pod="lost-its-disk",
    told="attach-lost",
    says="NotFound",
    accepts="volume.backend-lost",
)
