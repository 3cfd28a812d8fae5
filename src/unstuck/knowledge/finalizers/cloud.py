"""Finalizers for machines, load balancers and other resources outside the cluster."""

from __future__ import annotations

from unstuck.knowledge.finalizers.row import KnownFinalizer

_CLOUD = ("resources in the cloud", "云上资源")
_CLOUD_LOST = ("they stay, unmanaged and paid for", "这些资源会遗留在云上，无人管理且继续计费")
_MACHINE = ("the machine that this object stands for", "该对象所代表的机器")
_MACHINE_LOST = ("it runs on, unmanaged and paid for", "机器会继续运行，无人管理且继续计费")

ROWS: tuple[KnownFinalizer, ...] = (
    KnownFinalizer(
        "service.kubernetes.io/load-balancer-cleanup",
        "cloud-controller-manager",
        ("the Service's load balancer in the cloud", "该 Service 在云上的负载均衡器"),
        _CLOUD_LOST,
        "KEP-980, staging/src/k8s.io/cloud-provider/controllers/service",
        elsewhere=True,
    ),
    KnownFinalizer(
        "karpenter.sh/termination",
        "karpenter",
        ("the machine behind a Node, which is drained first", "节点背后的机器，需先排空"),
        _CLOUD_LOST,
        "kubernetes-sigs/karpenter pkg/controllers/node/termination",
    ),
    KnownFinalizer(
        "elbv2.k8s.aws/resources",
        "aws-load-balancer-controller",
        _CLOUD,
        _CLOUD_LOST,
        "kubernetes-sigs/aws-load-balancer-controller",
    ),
    KnownFinalizer(
        "ingress.k8s.aws/resources",
        "aws-load-balancer-controller",
        _CLOUD,
        _CLOUD_LOST,
        "kubernetes-sigs/aws-load-balancer-controller",
    ),
    KnownFinalizer(
        "service.k8s.aws/resources",
        "aws-load-balancer-controller",
        _CLOUD,
        _CLOUD_LOST,
        "kubernetes-sigs/aws-load-balancer-controller",
    ),
    KnownFinalizer(
        "networking.gke.io/*",
        "ingress-gce",
        _CLOUD,
        _CLOUD_LOST,
        "kubernetes/ingress-gce pkg/utils/common",
        elsewhere=True,
    ),
    KnownFinalizer(
        "machine.cluster.x-k8s.io",
        "capi-controller-manager",
        _MACHINE,
        ("the machine runs on, unmanaged and paid for", "机器会继续运行，无人管理且继续计费"),
        "kubernetes-sigs/cluster-api api",
        elsewhere=True,
    ),
    KnownFinalizer(
        "cluster.cluster.x-k8s.io",
        "capi-controller-manager",
        ("the machines and networks of a cluster", "一个集群的机器与网络"),
        ("they run on, unmanaged and paid for", "它们会继续运行，无人管理且继续计费"),
        "kubernetes-sigs/cluster-api api",
        elsewhere=True,
    ),
    KnownFinalizer(
        "finalizer.managedresource.crossplane.io",
        "Crossplane provider",
        _CLOUD,
        _CLOUD_LOST,
        "crossplane/crossplane-runtime pkg/reconciler/managed",
    ),
    KnownFinalizer(
        "gateway.k8s.aws/resources",
        "aws-gateway-controller",
        _CLOUD,
        _CLOUD_LOST,
        "aws/aws-application-networking-k8s controllers",
    ),
    KnownFinalizer(
        "networking.k8s.aws/resources",
        "amazon-network-policy-controller",
        ("the rules that a NetworkPolicy became on the Nodes", "NetworkPolicy 在各节点上生成的规则"),
        (
            "the PolicyEndpoints stay, and their rules may stay in force",
            "PolicyEndpoint 会遗留，其规则可能继续生效",
        ),
        "aws/amazon-network-policy-controller-k8s",
        elsewhere=True,
    ),
    KnownFinalizer(
        "awsmachine.infrastructure.cluster.x-k8s.io",
        "capa-controller-manager",
        _MACHINE,
        _MACHINE_LOST,
        "kubernetes-sigs/cluster-api-provider-aws api",
        elsewhere=True,
    ),
    KnownFinalizer(
        "machine.machine.openshift.io",
        "machine-api-controllers",
        _MACHINE,
        _MACHINE_LOST,
        "openshift/machine-api-operator",
    ),
    KnownFinalizer(
        "kubeadm.controlplane.cluster.x-k8s.io",
        "capi-kubeadm-control-plane-controller-manager",
        ("the machines of a control plane", "控制平面的机器"),
        _MACHINE_LOST,
        "kubernetes-sigs/cluster-api controlplane/kubeadm/api",
        elsewhere=True,
    ),
    KnownFinalizer(
        "baremetalhost.metal3.io",
        "baremetal-operator",
        ("a machine's registration and its deprovisioning", "物理机的注册信息与回收流程"),
        (
            "the machine runs on with its image, and its registration stays",
            "物理机会继续运行，其在 Ironic 中的注册信息会遗留",
        ),
        "metal3-io/baremetal-operator apis",
        elsewhere=True,
    ),
    KnownFinalizer(
        "hive.openshift.io/deprovision",
        "hive",
        ("a cluster's machines, disks and networks in the cloud", "一个集群在云上的机器、磁盘与网络"),
        _CLOUD_LOST,
        "openshift/hive apis/hive/v1",
        elsewhere=True,
    ),
    KnownFinalizer(
        "ingresscontroller.operator.openshift.io/finalizer-ingresscontroller",
        "ingress-operator",
        ("a router's load balancer and DNS records", "路由器的负载均衡器与 DNS 记录"),
        ("they stay behind", "它们会遗留"),
        "openshift/cluster-ingress-operator pkg/manifests",
    ),
    KnownFinalizer(
        "cnrm.cloud.google.com/finalizer",
        "Config Connector",
        _CLOUD,
        _CLOUD_LOST,
        "GoogleCloudPlatform/k8s-config-connector pkg/k8s",
        elsewhere=True,
    ),
    KnownFinalizer(
        "cnrm.cloud.google.com/deletion-defender",
        "Config Connector",
        ("a resource whose definition is being uninstalled", "其 CRD 正被卸载的资源"),
        ("the resource in the cloud may be deleted with the definition", "云上资源可能随 CRD 一起被删除"),
        "GoogleCloudPlatform/k8s-config-connector pkg/k8s",
        elsewhere=True,
    ),
    KnownFinalizer(
        "serviceoperator.azure.com/finalizer",
        "Azure Service Operator",
        _CLOUD,
        _CLOUD_LOST,
        "Azure/azure-service-operator v2/internal/reconcilers",
        elsewhere=True,
    ),
    KnownFinalizer(
        "composite.apiextensions.crossplane.io",
        "crossplane",
        ("the resources that a composite resource is made of", "组成复合资源的各个资源"),
        ("they stay, unmanaged and perhaps paid for", "它们会遗留，无人管理且可能继续计费"),
        "crossplane/crossplane internal/controller/apiextensions/composite",
    ),
    KnownFinalizer(
        "finalizer.apiextensions.crossplane.io",
        "crossplane",
        ("the composite resource behind a claim", "Claim 背后的复合资源"),
        ("the composite resource and what it made stay", "复合资源及其创建的内容会遗留"),
        "crossplane/crossplane internal/controller/apiextensions/claim",
    ),
    KnownFinalizer(
        "in-use.crossplane.io",
        "Crossplane provider",
        ("a provider configuration that resources still use", "仍被资源使用的 provider 配置"),
        (
            "resources that use it can no longer be changed or deleted in the cloud",
            "使用它的资源将无法再在云上变更或删除",
        ),
        "crossplane/crossplane-runtime pkg/reconciler/providerconfig",
    ),
)
