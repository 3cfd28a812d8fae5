"""CSI drivers on nodes, the volumes attached there, and the mounts below a Pod's directory."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import MountEntry, NodeFact
from unstuck.facts.aspects.placing import ClaimInput, VolumeInput
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record(kw_only=True)
class CsiDrivers(Fact):
    """The CSI drivers that the Node's kubelet has registered, by its CSINode. about: the Node.

    The kubelet takes a driver off the list when its registration socket goes
    (pkg/volume/csi/nodeinfomanager).
    """

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get csinode/{name} -o jsonpath='{.spec.drivers[*].name}'"


@record(kw_only=True)
class CsiSource(Fact):
    """The driver that serves a PersistentVolume and how it knows the volume (`spec.csi`). driver: "" for
    one that is no CSI volume. local, host: the directory of a node that a volume of this kind is.
    """

    driver: str
    handle: str = ""
    local: str = ""
    host: str = ""


@record(kw_only=True)
class Reserved(Fact):
    """The claim that a PersistentVolume is for: (namespace, name, uid) of `spec.claimRef`, None if it is
    free.

    Not a Ref: a claim of the same name with another uid is another claim, and the volume's is mostly gone.
    policy: the fate of the volume once its claim is deleted. size, modes, block: its offer, as `Claim` has
    it; None and none if unknown. Source: core/v1 PersistentVolumeSpec, pv_controller.go (syncVolume).
    """

    claim: tuple[str, str, str] | None
    policy: str = ""
    storage_class: str = ""
    size: int | None = None
    modes: tuple[str, ...] = ()
    block: bool = False
    ask: ClassVar[str] = "kubectl get pv/{name} -o yaml"


@record(kw_only=True)
class PluginSockets(NodeFact):
    """Sockets below the kubelet's root. about: the Node.

    registered: file names in `plugins_registry`, by which plugins register; for CSI drivers `NAME-reg.sock`
    by convention. drivers: directories below `plugins` that hold a socket. A socket may outlive its process.
    Source: pkg/kubelet/pluginmanager, kubernetes-csi/node-driver-registrar.
    """

    registered: tuple[str, ...]
    drivers: tuple[str, ...] = ()
    ask: ClassVar[str] = "ls /var/lib/kubelet/plugins_registry /var/lib/kubelet/plugins/*"


@record()
class Attached(Record):
    """One VolumeAttachment. volume: the PersistentVolume's name. error, since: `status.detachError`, of
    the last try.
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
    """The mounts that hold the Pod's volume directories, and whether each can be written to. about: the Pod.

    A volume that is a mount of its own is not included, only the mount that holds its directory. read_only:
    its flags or the file system's own say `ro`.
    """

    mounts: tuple[MountEntry, ...]
    read_only: tuple[MountEntry, ...] = ()
    ask: ClassVar[str] = "findmnt -T /var/lib/kubelet/pods/{uid}/volumes -o TARGET,SOURCE,FSTYPE,OPTIONS"


@record(kw_only=True)
class ClaimOffers(Fact):
    """A PersistentVolumeClaim as written, and the existing PersistentVolumes that it could bind to. about:
    the claim.

    Whole if every volume of the cluster is among them.
    """

    claim: ClaimInput
    volumes: tuple[VolumeInput, ...]
    ask: ClassVar[str] = "kubectl get pv --show-labels"
