"""Finalizers of programs that deploy into clusters: Rancher, Argo, Flux, Tekton, Karmada."""

from __future__ import annotations

from unstuck.knowledge.finalizers.row import KnownFinalizer

ROWS: tuple[KnownFinalizer, ...] = (
    KnownFinalizer(
        "controller.cattle.io/*",
        "Rancher",
        ("what Rancher manages for this object", "Rancher 为该对象管理的内容"),
        ("role bindings and records that Rancher made stay behind", "Rancher 创建的角色绑定与记录会遗留"),
        "rancher/rancher pkg/controllers; field notes",
        elsewhere=True,
    ),
    KnownFinalizer(
        "wrangler.cattle.io/*",
        "Rancher",
        (
            "what a controller of Rancher, Fleet or K3s made for this object",
            "Rancher、Fleet 或 K3s 控制器为该对象创建的内容",
        ),
        ("what it made stays behind", "其创建的内容会遗留"),
        "rancher/wrangler pkg/generic",
        elsewhere=True,
    ),
    KnownFinalizer(
        "resources-finalizer.argocd.argoproj.io*",
        "argocd-application-controller",
        ("the resources of an Application, which go with it", "随 Application 一起删除的资源"),
        (
            "the Application's resources stay in the cluster, unmanaged",
            "该 Application 的资源会留在集群中，无人管理",
        ),
        "argoproj/argo-cd docs, App Deletion",
        elsewhere=True,
    ),
    KnownFinalizer(
        "finalizers.fluxcd.io",
        "Flux",
        ("what a Kustomization or HelmRelease applied", "Kustomization 或 HelmRelease 部署的内容"),
        ("what it applied stays in the cluster, unmanaged", "已部署的内容会留在集群中，无人管理"),
        "fluxcd/pkg apis/meta",
    ),
    KnownFinalizer(
        "post-delete-finalizer.argocd.argoproj.io*",
        "argocd-application-controller",
        ("the hooks that run after an Application is deleted", "Application 删除后要执行的钩子"),
        ("those hooks do not run", "这些钩子不会执行"),
        "argoproj/argo-cd pkg/apis/application/v1alpha1",
        elsewhere=True,
    ),
    KnownFinalizer(
        "pre-delete-finalizer.argocd.argoproj.io*",
        "argocd-application-controller",
        ("the hooks that run before an Application is deleted", "Application 删除前要执行的钩子"),
        ("those hooks do not run", "这些钩子不会执行"),
        "argoproj/argo-cd pkg/apis/application/v1alpha1",
        elsewhere=True,
    ),
    KnownFinalizer(
        "workflows.argoproj.io/artifact-gc",
        "workflow-controller",
        ("a Workflow's artifacts in the object store", "Workflow 在对象存储中的产物"),
        ("the artifacts stay in the object store", "产物会留在对象存储中"),
        "argoproj/argo-workflows workflow/artifacts/common",
    ),
    KnownFinalizer(
        "chains.tekton.dev*",
        "tekton-chains-controller",
        ("the signature of a run that is not signed yet", "尚未签名的运行记录的签名"),
        ("the run goes without a signature or provenance", "该运行记录将没有签名与来源证明"),
        "tektoncd/chains",
    ),
    KnownFinalizer(
        "karmada.io/cluster-controller",
        "karmada-controller-manager",
        ("what was placed on a member cluster", "分发到成员集群的内容"),
        ("what was placed there stays, unmanaged", "分发的内容会留在成员集群，无人管理"),
        "karmada-io/karmada pkg/util/constants.go",
        elsewhere=True,
    ),
    KnownFinalizer(
        "karmada.io/execution-controller",
        "karmada-controller-manager",
        ("a resource on a member cluster", "成员集群上的资源"),
        ("the resource stays there, unmanaged", "该资源会留在成员集群，无人管理"),
        "karmada-io/karmada pkg/util/constants.go",
        elsewhere=True,
    ),
    KnownFinalizer(
        "cluster.open-cluster-management.io/api-resource-cleanup",
        "open-cluster-management registration",
        (
            "the roles and Namespace that the hub made for a cluster",
            "中心集群为被管集群创建的角色与 Namespace",
        ),
        ("they stay on the hub", "它们会留在中心集群"),
        "open-cluster-management-io/ocm pkg/registration",
        elsewhere=True,
    ),
    KnownFinalizer(
        "distribution.kubesphere.io/finalizer",
        "KubeSphere",
        ("what KubeSphere placed on member clusters", "KubeSphere 分发到成员集群的内容"),
        ("what it placed stays there, unmanaged", "分发的内容会留在成员集群，无人管理"),
        "kubesphere/kubesphere",
        elsewhere=True,
    ),
)
