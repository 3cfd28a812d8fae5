"""Well-known finalizers: who clears them, what they protect, and what is lost where one is taken off by hand.

One row a finalizer; every row names where its meaning can be looked up. Only what a row says is told: a finalizer that is not
here is simply not known.
"""

from __future__ import annotations

from dataclasses import dataclass

KUBERNETES = "kube-controller-manager"


@dataclass(frozen=True, slots=True)
class Known:
    """pattern: the name, or its beginning followed by `*`. owner: the program that clears it.

    protects, loses: what it is for, and what removing it by hand leaves behind, in English and Chinese.
    built_in: Kubernetes' own controllers clear it, so that it waits for a condition and never for a program to be installed.
    elsewhere: its owner may run outside this cluster, where nothing in the cluster shows whether it is alive.
    """

    pattern: str
    owner: str
    protects: tuple[str, str]
    loses: tuple[str, str]
    source: str
    built_in: bool = False
    elsewhere: bool = False

    def fits(self, name: str) -> bool:
        """Whether this row is about that finalizer."""
        return name.startswith(self.pattern[:-1]) if self.pattern.endswith("*") else name == self.pattern


_CLOUD = ("resources in the cloud", "云上资源")
_CLOUD_LOST = ("they stay, unmanaged and paid for", "这些资源会遗留在云上，无人管理且继续计费")

KNOWN: tuple[Known, ...] = (
    Known(
        "kubernetes.io/pvc-protection",
        KUBERNETES,
        ("a claim that a Pod still uses", "仍被 Pod 使用的 PVC"),
        (
            "the claim goes under a running Pod, and with reclaim policy Delete its data",
            "PVC 会在 Pod 运行时消失；回收策略为 Delete 时数据也随之丢失",
        ),
        "pkg/controller/volume/pvcprotection",
        built_in=True,
    ),
    Known(
        "kubernetes.io/pv-protection",
        KUBERNETES,
        ("a volume that is bound to a claim", "仍与 PVC 绑定的卷"),
        ("the claim stays bound to a volume that no longer exists", "PVC 会绑定在已不存在的卷上"),
        "pkg/controller/volume/pvprotection",
        built_in=True,
    ),
    Known(
        "kubernetes.io/pv-controller",
        KUBERNETES,
        ("the storage behind a dynamically provisioned volume", "动态供应的卷背后的存储"),
        ("the storage stays, unmanaged", "底层存储会遗留，无人管理"),
        "KEP-2644",
        built_in=True,
    ),
    Known(
        "foregroundDeletion",
        KUBERNETES,
        ("dependents that are to go first", "应先删除的从属对象"),
        ("the dependents are deleted later, in the background", "从属对象会改为在后台稍后删除"),
        "pkg/controller/garbagecollector",
        built_in=True,
    ),
    Known(
        "orphan",
        KUBERNETES,
        ("dependents that are to stay", "应保留的从属对象"),
        ("the garbage collector deletes the dependents", "垃圾回收器会删除这些从属对象"),
        "pkg/controller/garbagecollector",
        built_in=True,
    ),
    Known(
        "batch.kubernetes.io/job-tracking",
        KUBERNETES,
        ("the count of a Job's finished Pods", "Job 已完成 Pod 的计数"),
        ("the Job may run the Pod's work again", "Job 可能会重新执行该 Pod 的工作"),
        "KEP-2307, pkg/controller/job",
        built_in=True,
    ),
    Known(
        "customresourcecleanup.apiextensions.k8s.io",
        "kube-apiserver",
        ("the custom resources of a definition, which go first", "该 CRD 的自定义资源，需先删除"),
        ("its resources stay in etcd and come back with the definition", "其资源会留在 etcd 中，重新创建 CRD 时再次出现"),
        "staging/src/k8s.io/apiextensions-apiserver/pkg/controller/finalizer",
        built_in=True,
    ),
    Known(
        "resource.kubernetes.io/delete-protection",
        KUBERNETES,
        ("devices that are still allocated", "仍被占用的设备"),
        ("the devices may be given away twice", "同一设备可能被重复分配"),
        "pkg/controller/resourceclaim",
        built_in=True,
    ),
    Known(
        "service.kubernetes.io/load-balancer-cleanup",
        "cloud-controller-manager",
        ("the Service's load balancer in the cloud", "该 Service 在云上的负载均衡器"),
        _CLOUD_LOST,
        "KEP-980, staging/src/k8s.io/cloud-provider/controllers/service",
        elsewhere=True,
    ),
    Known(
        "external-attacher/*",
        "csi-attacher",
        ("a volume that is attached to a Node", "仍挂接在节点上的卷"),
        ("the volume stays attached, and another Node cannot take it", "卷会一直挂接在原节点，其他节点无法使用"),
        "kubernetes-csi/external-attacher pkg/controller",
    ),
    Known(
        "external-provisioner.volume.kubernetes.io/finalizer",
        "csi-provisioner",
        ("the storage behind a CSI volume", "CSI 卷背后的存储"),
        ("the storage stays, unmanaged", "底层存储会遗留，无人管理"),
        "KEP-2644, kubernetes-csi/external-provisioner",
    ),
    Known(
        "snapshot.storage.kubernetes.io/*",
        "snapshot-controller",
        ("a snapshot or claim that is in use as a source", "正作为来源使用的快照或 PVC"),
        ("the snapshot in the storage stays, or a restore under way fails", "存储中的快照会遗留，或正在进行的恢复失败"),
        "kubernetes-csi/external-snapshotter pkg/utils",
    ),
    Known(
        "controller.cattle.io/*",
        "Rancher",
        ("what Rancher manages for this object", "Rancher 为该对象管理的内容"),
        ("role bindings and records that Rancher made stay behind", "Rancher 创建的角色绑定与记录会遗留"),
        "rancher/rancher pkg/controllers; field notes",
        elsewhere=True,
    ),
    Known(
        "wrangler.cattle.io/*",
        "Rancher",
        ("what a controller of Rancher, Fleet or K3s made for this object", "Rancher、Fleet 或 K3s 控制器为该对象创建的内容"),
        ("what it made stays behind", "其创建的内容会遗留"),
        "rancher/wrangler pkg/generic",
        elsewhere=True,
    ),
    Known(
        "resources-finalizer.argocd.argoproj.io*",
        "argocd-application-controller",
        ("the resources of an Application, which go with it", "随 Application 一起删除的资源"),
        ("the Application's resources stay in the cluster, unmanaged", "该 Application 的资源会留在集群中，无人管理"),
        "argoproj/argo-cd docs, App Deletion",
        elsewhere=True,
    ),
    Known(
        "finalizers.fluxcd.io",
        "Flux",
        ("what a Kustomization or HelmRelease applied", "Kustomization 或 HelmRelease 部署的内容"),
        ("what it applied stays in the cluster, unmanaged", "已部署的内容会留在集群中，无人管理"),
        "fluxcd/pkg apis/meta",
    ),
    Known(
        "karpenter.sh/termination",
        "karpenter",
        ("the machine behind a Node, which is drained first", "节点背后的机器，需先排空"),
        _CLOUD_LOST,
        "kubernetes-sigs/karpenter pkg/controllers/node/termination",
    ),
    Known("elbv2.k8s.aws/resources", "aws-load-balancer-controller", _CLOUD, _CLOUD_LOST, "kubernetes-sigs/aws-load-balancer-controller"),
    Known("ingress.k8s.aws/resources", "aws-load-balancer-controller", _CLOUD, _CLOUD_LOST, "kubernetes-sigs/aws-load-balancer-controller"),
    Known("service.k8s.aws/resources", "aws-load-balancer-controller", _CLOUD, _CLOUD_LOST, "kubernetes-sigs/aws-load-balancer-controller"),
    Known("networking.gke.io/*", "ingress-gce", _CLOUD, _CLOUD_LOST, "kubernetes/ingress-gce pkg/utils/common", elsewhere=True),
    Known(
        "machine.cluster.x-k8s.io",
        "capi-controller-manager",
        ("the machine that this object stands for", "该对象所代表的机器"),
        ("the machine runs on, unmanaged and paid for", "机器会继续运行，无人管理且继续计费"),
        "kubernetes-sigs/cluster-api api",
        elsewhere=True,
    ),
    Known(
        "cluster.cluster.x-k8s.io",
        "capi-controller-manager",
        ("the machines and networks of a cluster", "一个集群的机器与网络"),
        ("they run on, unmanaged and paid for", "它们会继续运行，无人管理且继续计费"),
        "kubernetes-sigs/cluster-api api",
        elsewhere=True,
    ),
    Known(
        "finalizer.managedresource.crossplane.io",
        "Crossplane provider",
        _CLOUD,
        _CLOUD_LOST,
        "crossplane/crossplane-runtime pkg/reconciler/managed",
    ),
    Known(
        "finalizer.acme.cert-manager.io",
        "cert-manager",
        ("the DNS record or route of a challenge", "证书质询用的 DNS 记录或路由"),
        ("that record or route stays behind", "该记录或路由会遗留"),
        "cert-manager/cert-manager pkg/acme",
    ),
    Known(
        "longhorn.io",
        "longhorn-manager",
        ("a volume's replicas on the Nodes", "卷在各节点上的副本"),
        ("replicas and their data stay on the Nodes' disks", "副本及其数据会留在节点磁盘上"),
        "longhorn/longhorn-manager",
    ),
    Known(
        "restores.velero.io/external-resources-finalizer",
        "velero",
        ("a restore's files in the backup storage", "备份存储中该恢复的文件"),
        ("those files stay behind", "这些文件会遗留"),
        "vmware-tanzu/velero pkg/controller/restore_controller.go",
    ),
)


def known(name: str) -> Known | None:
    """The row about this finalizer, None where nobody wrote one."""
    return next((k for k in KNOWN if k.fits(name)), None)
