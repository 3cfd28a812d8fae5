"""Programs and daemons of a machine that components, storage drivers and clients run, and their packages.

Sources: the file lists of Debian 12 (packages.debian.org) and Fedora 41 (packages.fedoraproject.org). What is
run: kubeadm cmd/kubeadm/app/preflight/checks.go, k8s.io/mount-utils, kube-proxy pkg/proxy and
pkg/util/{ipset,iptables}, the drivers of iSCSI, NFS, SMB, Ceph and Longhorn, the documentation of each
cloud's credential plugin.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex


@record()
class HostTool(Record):
    """name: of the program. debian, redhat: the package that contains it there; "" if it is in none.

    unit: the systemd unit that must run, too; "" for a program that is only called. client: a caller of the
    cluster (`kubectl`, `helm`, a pipeline) runs it, not a node.
    """

    name: str
    debian: str = ""
    redhat: str = ""
    unit: str = ""
    client: bool = False


def _of(debian: str, redhat: str, *names: str) -> tuple[HostTool, ...]:
    """Return the programs that are in the same package."""
    return tuple(HostTool(name, debian, redhat) for name in names)


_NODES: tuple[HostTool, ...] = (
    *_of("conntrack", "conntrack-tools", "conntrack"),
    *_of("socat", "socat", "socat"),
    *_of("ethtool", "ethtool", "ethtool"),
    *_of("ebtables", "iptables-nft", "ebtables"),
    *_of("ipset", "ipset", "ipset"),
    *_of("ipvsadm", "ipvsadm", "ipvsadm"),
    *_of("iptables", "iptables-nft", "iptables", "ip6tables", "iptables-save", "iptables-restore"),
    *_of("iptables", "iptables-nft", "ip6tables-save", "ip6tables-restore"),
    *_of("nftables", "nftables", "nft"),
    *_of("iproute2", "iproute", "ip", "ss", "bridge"),
    *_of("iproute2", "iproute-tc", "tc"),
    *_of("bridge-utils", "bridge-utils", "brctl"),
    *_of("kmod", "kmod", "modprobe", "lsmod", "modinfo"),
    *_of("util-linux", "util-linux", "nsenter", "unshare", "blkid", "findmnt", "fstrim"),
    *_of("util-linux", "util-linux-core", "lsblk", "losetup"),
    *_of("mount", "util-linux-core", "mount", "umount"),
    *_of("open-iscsi", "iscsi-initiator-utils", "iscsiadm", "iscsistart"),
    HostTool("iscsid", "open-iscsi", "iscsi-initiator-utils", "iscsid"),
    *_of("nfs-common", "nfs-utils", "mount.nfs", "mount.nfs4", "showmount", "umount.nfs"),
    HostTool("rpc.statd", "nfs-common", "nfs-utils", "rpc-statd"),
    HostTool("rpcbind", "rpcbind", "rpcbind", "rpcbind"),
    *_of("cifs-utils", "cifs-utils", "mount.cifs"),
    *_of("ceph-common", "ceph-common", "rbd", "mount.ceph", "ceph", "rados", "mount.rbd"),
    *_of("ceph-fuse", "ceph-fuse", "ceph-fuse"),
    *_of("rbd-nbd", "rbd-nbd", "rbd-nbd"),
    *_of("nbd-client", "nbd", "nbd-client"),
    *_of("glusterfs-client", "glusterfs-fuse", "mount.glusterfs", "glusterfs"),
    *_of("fuse3", "fuse3", "fusermount3", "mount.fuse3"),
    *_of("fuse", "fuse", "fusermount", "mount.fuse"),
    *_of("s3fs", "s3fs-fuse", "s3fs"),
    *_of("sshfs", "fuse-sshfs", "sshfs"),
    *_of("e2fsprogs", "e2fsprogs", "mkfs.ext4", "mkfs.ext3", "resize2fs", "e2fsck", "tune2fs", "fsck.ext4"),
    *_of("e2fsprogs", "e2fsprogs", "chattr", "lsattr", "dumpe2fs"),
    *_of("xfsprogs", "xfsprogs", "mkfs.xfs", "xfs_growfs", "xfs_repair", "xfs_io", "xfs_quota", "xfs_info"),
    *_of("btrfs-progs", "btrfs-progs", "mkfs.btrfs", "btrfs"),
    *_of("dosfstools", "dosfstools", "mkfs.vfat", "fsck.vfat"),
    *_of("ntfs-3g", "ntfs-3g", "mount.ntfs-3g", "mkfs.ntfs"),
    *_of("parted", "parted", "parted", "partprobe"),
    *_of("gdisk", "gdisk", "sgdisk"),
    *_of("cryptsetup-bin", "cryptsetup", "cryptsetup"),
    *_of("dmsetup", "device-mapper", "dmsetup"),
    *_of("lvm2", "lvm2", "lvm", "lvs", "vgs", "pvs", "lvcreate", "vgcreate", "pvcreate", "lvextend"),
    *_of("thin-provisioning-tools", "device-mapper-persistent-data", "thin_check"),
    HostTool("multipath", "multipath-tools", "device-mapper-multipath"),
    HostTool("multipathd", "multipath-tools", "device-mapper-multipath", "multipathd"),
    *_of("nvme-cli", "nvme-cli", "nvme"),
    *_of("sg3-utils", "sg3_utils", "sg_inq", "rescan-scsi-bus.sh"),
    *_of("udev", "systemd-udev", "udevadm"),
    *_of("zfsutils-linux", "zfs", "zfs", "zpool"),
    *_of("drbd-utils", "drbd-utils", "drbdadm", "drbdsetup"),
    *_of("apparmor", "", "apparmor_parser"),
    *_of("uidmap", "shadow-utils", "newuidmap", "newgidmap"),
    *_of("fuse-overlayfs", "fuse-overlayfs", "fuse-overlayfs"),
    *_of("slirp4netns", "slirp4netns", "slirp4netns"),
    *_of("passt", "passt", "pasta"),
    *_of("wireguard-tools", "wireguard-tools", "wg"),
    *_of("strongswan-starter", "strongswan", "ipsec"),
    *_of("openvswitch-switch", "openvswitch", "ovs-vsctl", "ovs-ofctl", "ovs-appctl"),
    *_of("ovn-common", "ovn", "ovn-nbctl", "ovn-sbctl"),
    *_of("procps", "procps-ng", "sysctl", "ps", "pgrep"),
    *_of("rsync", "rsync", "rsync"),
    *_of("tar", "tar", "tar"),
    *_of("git", "git", "git"),
    *_of("gnupg", "gnupg2", "gpg"),
    *_of("openssh-client", "openssh-clients", "ssh"),
    *_of("crun", "crun", "crun"),
    *_of("", "cri-tools", "crictl"),
    *_of("nvidia-container-toolkit", "nvidia-container-toolkit", "nvidia-ctk", "nvidia-container-cli"),
)
_CLIENTS: tuple[HostTool, ...] = (
    HostTool(
        "gke-gcloud-auth-plugin",
        "google-cloud-cli-gke-gcloud-auth-plugin",
        "google-cloud-cli-gke-gcloud-auth-plugin",
        client=True,
    ),
    HostTool("gcloud", "google-cloud-cli", "google-cloud-cli", client=True),
    HostTool("aws", "awscli", "awscli", client=True),
    HostTool("az", "azure-cli", "azure-cli", client=True),
    *(
        HostTool(name, client=True)
        for name in (
            *(
                "aws-iam-authenticator",
                "kubelogin",
                "kubectl-oidc_login",
                "kubectl-oidc-login",
                "doctl",
                "oci",
            ),
            *("ibmcloud", "tsh", "vault", "rancher", "okta", "pinniped", "int128-kubelogin", "tkn", "argocd"),
            *("linode-cli", "hcloud", "scw", "yc", "openstack", "client-keystone-auth", "kubectl", "helm"),
            *(
                "kustomize",
                "terraform",
                "tofu",
                "helmfile",
                "sops",
                "age",
                "ksops",
                "cosign",
                "krew",
                "jsonnet",
            ),
        )
    ),
)
# Docker's helpers for the credentials of a registry: docker/cli cli/config/credentials.
_CREDENTIAL_HELPER = regex(r"^docker-credential-[a-z0-9-]{1,40}$")
HOST_TOOLS: Mapping[str, HostTool] = MappingProxyType({tool.name: tool for tool in (*_NODES, *_CLIENTS)})


def find_host_tool(name: str) -> HostTool | None:
    """Return the program of a machine with this name or path; None for a name that may be any program's."""
    last = name.rpartition("/")[2]
    if _CREDENTIAL_HELPER.match(last):
        return HostTool(last, client=True)
    return HOST_TOOLS.get(last)
