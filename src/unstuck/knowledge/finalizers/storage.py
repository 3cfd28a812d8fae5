"""Finalizers of storage: CSI sidecars, Ceph, local volumes, backups."""

from __future__ import annotations

from unstuck.knowledge.finalizers.row import KnownFinalizer

ROWS: tuple[KnownFinalizer, ...] = (
    KnownFinalizer(
        "external-attacher/*",
        "csi-attacher",
        ("a volume that is attached to a Node", "仍挂接在节点上的卷"),
        (
            "the volume stays attached, and another Node cannot take it",
            "卷会一直挂接在原节点，其他节点无法使用",
        ),
        "kubernetes-csi/external-attacher pkg/controller",
    ),
    KnownFinalizer(
        "external-provisioner.volume.kubernetes.io/finalizer",
        "csi-provisioner",
        ("the storage behind a CSI volume", "CSI 卷背后的存储"),
        ("the storage stays, unmanaged", "底层存储会遗留，无人管理"),
        "KEP-2644, kubernetes-csi/external-provisioner",
    ),
    KnownFinalizer(
        "snapshot.storage.kubernetes.io/*",
        "snapshot-controller",
        ("a snapshot or claim that is in use as a source", "正作为来源使用的快照或 PVC"),
        (
            "the snapshot in the storage stays, or a restore under way fails",
            "存储中的快照会遗留，或正在进行的恢复失败",
        ),
        "kubernetes-csi/external-snapshotter pkg/utils",
    ),
    KnownFinalizer(
        "longhorn.io",
        "longhorn-manager",
        ("a volume's replicas on the Nodes", "卷在各节点上的副本"),
        ("replicas and their data stay on the Nodes' disks", "副本及其数据会留在节点磁盘上"),
        "longhorn/longhorn-manager",
    ),
    KnownFinalizer(
        "restores.velero.io/external-resources-finalizer",
        "velero",
        ("a restore's files in the backup storage", "备份存储中该恢复的文件"),
        ("those files stay behind", "这些文件会遗留"),
        "vmware-tanzu/velero pkg/controller/restore_controller.go",
    ),
    KnownFinalizer(
        "ceph.rook.io/disaster-protection",
        "rook-ceph-operator",
        ("the monitors' keys and addresses of a Ceph cluster", "Ceph 集群 mon 的密钥与地址"),
        ("the cluster's data cannot be reached without them", "没有它们就无法访问集群中的数据"),
        "rook/rook pkg/operator/k8sutil, Documentation/Storage-Configuration/ceph-teardown.md",
    ),
    KnownFinalizer(
        "cephcluster.ceph.rook.io",
        "rook-ceph-operator",
        (
            "a Ceph cluster while pools, file systems or claims depend on it",
            "仍被存储池、文件系统或 PVC 依赖的 Ceph 集群",
        ),
        ("daemons and data stay on the Nodes' disks", "守护进程与数据会留在节点磁盘上"),
        "rook/rook pkg/operator/ceph/cluster",
    ),
    KnownFinalizer(
        "cephblockpool.ceph.rook.io",
        "rook-ceph-operator",
        ("a pool of block volumes in Ceph", "Ceph 中的块存储池"),
        ("the pool stays in Ceph, unmanaged", "存储池会留在 Ceph 中，无人管理"),
        "rook/rook pkg/operator/ceph/pool",
    ),
    KnownFinalizer(
        "cephfilesystem.ceph.rook.io",
        "rook-ceph-operator",
        ("a file system in Ceph and its metadata servers", "Ceph 中的文件系统及其元数据服务器"),
        ("the file system stays in Ceph, unmanaged", "文件系统会留在 Ceph 中，无人管理"),
        "rook/rook pkg/operator/ceph/file",
    ),
    KnownFinalizer(
        "cephobjectstore.ceph.rook.io",
        "rook-ceph-operator",
        ("an object store in Ceph, its users and buckets", "Ceph 中的对象存储及其用户和桶"),
        ("its pools and gateways stay, unmanaged", "其存储池与网关会遗留，无人管理"),
        "rook/rook pkg/operator/ceph/object",
    ),
    KnownFinalizer(
        "objectbucket.io/finalizer",
        "object bucket provisioner",
        (
            "a bucket, and the ConfigMap and Secret that tell how to reach it",
            "一个桶，以及说明如何访问它的 ConfigMap 和 Secret",
        ),
        ("the bucket stays in the object store, unmanaged", "桶会留在对象存储中，无人管理"),
        "kube-object-storage/lib-bucket-provisioner",
    ),
    KnownFinalizer(
        "topolvm.io/logicalvolume",
        "topolvm-node",
        ("a logical volume on a Node's disk", "节点磁盘上的逻辑卷"),
        ("the logical volume stays and takes the Node's space", "逻辑卷会遗留并占用节点空间"),
        "topolvm/topolvm constants.go",
    ),
    KnownFinalizer(
        "topolvm.io/node",
        "topolvm-controller",
        ("the volumes of a Node that is going", "将被移除的节点上的卷"),
        ("claims stay bound to volumes on a Node that is gone", "PVC 会绑定在已不存在的节点的卷上"),
        "topolvm/topolvm constants.go",
    ),
    KnownFinalizer(
        "topolvm.cybozu.com/*",
        "topolvm",
        ("a logical volume on a Node's disk", "节点磁盘上的逻辑卷"),
        ("the logical volume stays and takes the Node's space", "逻辑卷会遗留并占用节点空间"),
        "topolvm/topolvm docs, renaming of the group",
    ),
    KnownFinalizer(
        "lvm.openebs.io/finalizer",
        "openebs-lvm-node",
        ("a logical volume on a Node's disk", "节点磁盘上的逻辑卷"),
        ("the logical volume stays and takes the Node's space", "逻辑卷会遗留并占用节点空间"),
        "openebs/lvm-localpv pkg/lvm",
    ),
    KnownFinalizer(
        "zfs.openebs.io/finalizer",
        "openebs-zfs-node",
        ("a ZFS dataset on a Node", "节点上的 ZFS 数据集"),
        ("the dataset stays on the Node and takes its space", "数据集会留在节点上并占用空间"),
        "openebs/zfs-localpv pkg/zfs",
    ),
    KnownFinalizer(
        "juicefs.com/finalizer",
        "juicefs-csi-node",
        ("the JuiceFS mount of a Node, which its mount Pod serves", "由挂载 Pod 提供服务的节点 JuiceFS 挂载"),
        ("Pods that still use the mount hang or get errors", "仍在使用该挂载的 Pod 会卡住或报错"),
        "juicedata/juicefs-csi-driver pkg/config",
    ),
    KnownFinalizer(
        "velero.io/pod-volume-finalizer",
        "velero node-agent",
        ("a copy of a Pod's volume that is under way", "正在进行的 Pod 卷数据复制"),
        ("the copy is not cancelled, and its helper Pods stay", "复制不会被取消，其辅助 Pod 会遗留"),
        "vmware-tanzu/velero pkg/controller/pod_volume_backup_controller.go",
    ),
    KnownFinalizer(
        "velero.io/data-upload-download-finalizer",
        "velero node-agent",
        ("a data upload or download that is under way", "正在进行的数据上传或下载"),
        (
            "the transfer is not cancelled, and its helper Pods and snapshots stay",
            "传输不会被取消，其辅助 Pod 与快照会遗留",
        ),
        "vmware-tanzu/velero pkg/controller/data_upload_controller.go",
    ),
)
