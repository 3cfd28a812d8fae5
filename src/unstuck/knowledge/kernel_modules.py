"""Modules of Linux that components, network plugins and storage drivers need, with option and device.

Sources: Kconfig and the `MODULE_ALIAS` lines of Linux 6.12; the documentation of each project on the kernel
that it needs (Cilium "System Requirements", Calico, WireGuard, Longhorn, Ceph CSI, KubeVirt, moby
contrib/check-config.sh).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.facts.record import Record, record


@record()
class KernelModule(Record):
    """name: as modprobe takes it. option: what builds it. devices: the files in /dev that exist once it is
    loaded. types: file systems, and kinds of interfaces as `ip link add … type` takes them, that need it.
    """

    name: str
    option: str = ""
    devices: tuple[str, ...] = ()
    types: tuple[str, ...] = ()


KERNEL_MODULES: tuple[KernelModule, ...] = (
    KernelModule("overlay", "CONFIG_OVERLAY_FS", types=("overlay", "overlayfs", "overlay2")),
    KernelModule("fuse", "CONFIG_FUSE_FS", ("/dev/fuse",), ("fuse", "fuseblk")),
    KernelModule("tun", "CONFIG_TUN", ("/dev/net/tun",), ("tun", "tap", "tuntap")),
    KernelModule("kvm", "CONFIG_KVM", ("/dev/kvm",)),
    KernelModule("vhost_net", "CONFIG_VHOST_NET", ("/dev/vhost-net",)),
    KernelModule("vhost_vsock", "CONFIG_VHOST_VSOCK", ("/dev/vhost-vsock",)),
    KernelModule("loop", "CONFIG_BLK_DEV_LOOP", ("/dev/loop-control", "/dev/loop0")),
    KernelModule("nbd", "CONFIG_BLK_DEV_NBD", ("/dev/nbd0",)),
    KernelModule("rbd", "CONFIG_BLK_DEV_RBD"),
    KernelModule("ceph", "CONFIG_CEPH_FS", types=("ceph",)),
    KernelModule("nfs", "CONFIG_NFS_FS", types=("nfs",)),
    KernelModule("nfsv4", "CONFIG_NFS_V4", types=("nfs4",)),
    KernelModule("nfsd", "CONFIG_NFSD", types=("nfsd",)),
    KernelModule("cifs", "CONFIG_CIFS", types=("cifs", "smb3")),
    KernelModule("xfs", "CONFIG_XFS_FS", types=("xfs",)),
    KernelModule("ext4", "CONFIG_EXT4_FS", types=("ext4",)),
    KernelModule("btrfs", "CONFIG_BTRFS_FS", ("/dev/btrfs-control",), ("btrfs",)),
    KernelModule("squashfs", "CONFIG_SQUASHFS", types=("squashfs",)),
    KernelModule("erofs", "CONFIG_EROFS_FS", types=("erofs",)),
    KernelModule("9p", "CONFIG_9P_FS", types=("9p",)),
    KernelModule("virtiofs", "CONFIG_VIRTIO_FS", types=("virtiofs",)),
    KernelModule("lustre", types=("lustre",)),
    KernelModule("iscsi_tcp", "CONFIG_ISCSI_TCP"),
    KernelModule("nvme_tcp", "CONFIG_NVME_TCP", ("/dev/nvme-fabrics",)),
    KernelModule("nvme_fabrics", "CONFIG_NVME_FABRICS"),
    KernelModule("dm_mod", "CONFIG_BLK_DEV_DM", ("/dev/mapper/control",)),
    KernelModule("dm_crypt", "CONFIG_DM_CRYPT"),
    KernelModule("dm_thin_pool", "CONFIG_DM_THIN_PROVISIONING"),
    KernelModule("dm_multipath", "CONFIG_DM_MULTIPATH"),
    KernelModule("drbd", "CONFIG_BLK_DEV_DRBD"),
    KernelModule("zfs", devices=("/dev/zfs",), types=("zfs",)),
    KernelModule("vxlan", "CONFIG_VXLAN", types=("vxlan",)),
    KernelModule("geneve", "CONFIG_GENEVE", types=("geneve",)),
    KernelModule("ipip", "CONFIG_NET_IPIP", types=("ipip",)),
    KernelModule("ip6_tunnel", "CONFIG_IPV6_TUNNEL", types=("ip6tnl",)),
    KernelModule("sit", "CONFIG_IPV6_SIT", types=("sit",)),
    KernelModule("ip_gre", "CONFIG_NET_IPGRE", types=("gre", "gretap")),
    KernelModule("wireguard", "CONFIG_WIREGUARD", types=("wireguard",)),
    KernelModule("dummy", "CONFIG_DUMMY", types=("dummy",)),
    KernelModule("bridge", "CONFIG_BRIDGE", types=("bridge",)),
    KernelModule("br_netfilter", "CONFIG_BRIDGE_NETFILTER"),
    KernelModule("veth", "CONFIG_VETH", types=("veth",)),
    KernelModule("macvlan", "CONFIG_MACVLAN", types=("macvlan",)),
    KernelModule("ipvlan", "CONFIG_IPVLAN", types=("ipvlan",)),
    KernelModule("8021q", "CONFIG_VLAN_8021Q", types=("vlan",)),
    KernelModule("bonding", "CONFIG_BONDING", types=("bond",)),
    KernelModule("ifb", "CONFIG_IFB", types=("ifb",)),
    KernelModule("openvswitch", "CONFIG_OPENVSWITCH"),
    KernelModule("sctp", "CONFIG_IP_SCTP"),
    KernelModule("ip_vs", "CONFIG_IP_VS"),
    KernelModule("ip_set", "CONFIG_IP_SET"),
    KernelModule("nf_conntrack", "CONFIG_NF_CONNTRACK"),
    KernelModule("nf_tables", "CONFIG_NF_TABLES"),
    KernelModule("uio", "CONFIG_UIO", ("/dev/uio0",)),
    KernelModule("vfio_pci", "CONFIG_VFIO_PCI", ("/dev/vfio/vfio",)),
    KernelModule("nvidia", devices=("/dev/nvidiactl", "/dev/nvidia0")),
    KernelModule("amdgpu", "CONFIG_DRM_AMDGPU", ("/dev/kfd",)),
    KernelModule("fscache", "CONFIG_FSCACHE"),
)
_BY_DEVICE: Mapping[str, KernelModule] = MappingProxyType(
    {device: one for one in KERNEL_MODULES for device in one.devices}
)
_BY_TYPE: Mapping[str, KernelModule] = MappingProxyType(
    {kind: one for one in KERNEL_MODULES for kind in one.types}
)
_BY_NAME: Mapping[str, KernelModule] = MappingProxyType({one.name: one for one in KERNEL_MODULES})


def find_kernel_module(named: str) -> KernelModule | None:
    """Return the module of this name, device, file system or kind of interface; None if it is not known."""
    plain = named.removesuffix(".ko").replace("-", "_")
    return _BY_NAME.get(plain) or _BY_DEVICE.get(named) or _BY_TYPE.get(named)
