"""Kubernetes' own finalizers."""

from __future__ import annotations

from unstuck.knowledge.finalizers.row import KUBERNETES, KnownFinalizer

ROWS: tuple[KnownFinalizer, ...] = (
    KnownFinalizer(
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
    KnownFinalizer(
        "kubernetes.io/pv-protection",
        KUBERNETES,
        ("a volume that is bound to a claim", "仍与 PVC 绑定的卷"),
        ("the claim stays bound to a volume that no longer exists", "PVC 会绑定在已不存在的卷上"),
        "pkg/controller/volume/pvprotection",
        built_in=True,
    ),
    KnownFinalizer(
        "kubernetes.io/pv-controller",
        KUBERNETES,
        ("the storage behind a dynamically provisioned volume", "动态供应的卷背后的存储"),
        ("the storage stays, unmanaged", "底层存储会遗留，无人管理"),
        "KEP-2644",
        built_in=True,
    ),
    KnownFinalizer(
        "foregroundDeletion",
        KUBERNETES,
        ("dependents that are to go first", "应先删除的从属对象"),
        ("the dependents are deleted later, in the background", "从属对象会改为在后台稍后删除"),
        "pkg/controller/garbagecollector",
        built_in=True,
    ),
    KnownFinalizer(
        "orphan",
        KUBERNETES,
        ("dependents that are to stay", "应保留的从属对象"),
        ("the garbage collector deletes the dependents", "垃圾回收器会删除这些从属对象"),
        "pkg/controller/garbagecollector",
        built_in=True,
    ),
    KnownFinalizer(
        "batch.kubernetes.io/job-tracking",
        KUBERNETES,
        ("the count of a Job's finished Pods", "Job 已完成 Pod 的计数"),
        ("the Job may run the Pod's work again", "Job 可能会重新执行该 Pod 的工作"),
        "KEP-2307, pkg/controller/job",
        built_in=True,
    ),
    KnownFinalizer(
        "customresourcecleanup.apiextensions.k8s.io",
        "kube-apiserver",
        ("the custom resources of a definition, which go first", "该 CRD 的自定义资源，需先删除"),
        (
            "its resources stay in etcd and come back with the definition",
            "其资源会留在 etcd 中，重新创建 CRD 时再次出现",
        ),
        "staging/src/k8s.io/apiextensions-apiserver/pkg/controller/finalizer",
        built_in=True,
    ),
    KnownFinalizer(
        "resource.kubernetes.io/delete-protection",
        KUBERNETES,
        ("devices that are still allocated", "仍被占用的设备"),
        ("the devices may be given away twice", "同一设备可能被重复分配"),
        "pkg/controller/resourceclaim",
        built_in=True,
    ),
)
