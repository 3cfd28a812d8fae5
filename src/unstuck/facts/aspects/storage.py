"""CSI drivers on nodes, the volumes attached there, and the mounts below a Pod's directory."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import MountEntry, NodeFact
from unstuck.facts.aspects.placing import ClaimInput, VolumeInput
from unstuck.facts.aspects.placing_terms import NodeTerm
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record(kw_only=True)
class CsiDrivers(Fact):
    """The CSI drivers registered by the Node's kubelet, from its CSINode. about: the Node.

    The kubelet removes a driver from the list when its registration socket disappears
    (pkg/volume/csi/nodeinfomanager).
    """

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get csinode/{name} -o jsonpath='{.spec.drivers[*].name}'"


@record(kw_only=True)
class CsiSource(Fact):
    """The driver of a PersistentVolume and its handle for the volume (`spec.csi`). driver: "" for other than
    CSI volumes. local, host: the node's directory of a local or host path volume.
    """

    driver: str
    handle: str = ""
    local: str = ""
    host: str = ""


@record(kw_only=True)
class Reserved(Fact):
    """The claim reserved for a PersistentVolume: (namespace, name, uid) of `spec.claimRef`, None if it is
    free.

    It is not a Ref: a claim of the same name with another uid is a different claim, and the volume's own is
    usually gone. policy: the fate of the volume once its claim is deleted. size, modes, block: its offer, as
    in `Claim`; None and () if unknown. places: the ORed terms of its node affinity,
    () without one. Source: core/v1 PersistentVolumeSpec, pv_controller.go (syncVolume).
    """

    claim: tuple[str, str, str] | None
    policy: str = ""
    storage_class: str = ""
    size: int | None = None
    modes: tuple[str, ...] = ()
    block: bool = False
    places: tuple[NodeTerm, ...] = ()
    ask: ClassVar[str] = "kubectl get pv/{name} -o yaml"


@record(kw_only=True)
class PluginSockets(NodeFact):
    """Sockets below the kubelet's root. about: the Node.

    registered: file names in `plugins_registry`, by which plugins register; for CSI drivers `NAME-reg.sock`
    by convention. drivers: directories below `plugins` with a socket. A socket may outlive its process.
    Source: pkg/kubelet/pluginmanager, kubernetes-csi/node-driver-registrar.
    """

    registered: tuple[str, ...]
    drivers: tuple[str, ...] = ()
    ask: ClassVar[str] = "ls /var/lib/kubelet/plugins_registry /var/lib/kubelet/plugins/*"


@record()
class Attached(Record):
    """One VolumeAttachment. volume: the PersistentVolume's name. error, since: `status.detachError`, of the
    last attempt.
    """

    ref: Ref
    driver: str
    node: str
    volume: str = ""
    attached: bool = False
    error: str = ""
    since: datetime | None = None


@record(kw_only=True)
class Attachment(Fact):
    """A VolumeAttachment's own status. Source: storage.k8s.io/v1, kubernetes-csi/external-attacher."""

    item: Attached
    ask: ClassVar[str] = "kubectl get volumeattachment/{name} -o yaml"


@record(kw_only=True)
class Attachments(Fact):
    """The VolumeAttachments that name a PersistentVolume. about: the PersistentVolume."""

    items: tuple[Attached, ...]
    ask: ClassVar[str] = "kubectl get volumeattachments -o yaml"


@record(kw_only=True)
class PodRoom(NodeFact):
    """The mounts of the Pod's volume directories, and whether each is writable. about: the Pod.

    A volume's own mount is not included, only the mount of its directory. read_only: whether its flags or the
    file system's own contain `ro`.
    """

    mounts: tuple[MountEntry, ...]
    read_only: tuple[MountEntry, ...] = ()
    ask: ClassVar[str] = "findmnt -T /var/lib/kubelet/pods/{uid}/volumes -o TARGET,SOURCE,FSTYPE,OPTIONS"


@record(kw_only=True)
class ClaimOffers(Fact):
    """A PersistentVolumeClaim as written, and its candidate PersistentVolumes. about: the claim.

    Whole if every volume of the cluster was examined.
    """

    claim: ClaimInput
    volumes: tuple[VolumeInput, ...]
    ask: ClassVar[str] = "kubectl get pv --show-labels"
