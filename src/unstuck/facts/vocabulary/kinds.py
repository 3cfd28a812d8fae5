"""Groups of kinds."""

from __future__ import annotations

# Kinds that create Pods: if Pods are not admitted, the fault is reported about their creator.
CREATORS = ("Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob")
# Webhooks by their own names: of admission, and of a CustomResourceDefinition's conversion. No API object has
# such a kind.
WEBHOOKS = ("Webhook", "ConversionWebhook")
# Cluster-scoped objects that others choose by name.
CLASSES = ("Namespace", "IngressClass", "RuntimeClass", "PriorityClass", "VolumeAttributesClass")
# Objects without a status of their own that a Pod's spec names, in its Namespace.
NAMED_BY_PODS = ("ConfigMap", "Secret", "ServiceAccount")
# Objects that apply to others, which wait for what they say.
APPLIED_TO_OTHERS = (
    *("StorageClass", "IngressClass", "PriorityClass", "RuntimeClass"),
    *("ResourceQuota", "LimitRange"),
)
# The objects that have admission webhooks.
WEBHOOK_CONFIGURATIONS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
# Routes of the Gateway API.
ROUTES = tuple(
    f"{kind}.gateway.networking.k8s.io"
    for kind in ("HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute")
)
# Kinds that get a condition from kube-controller-manager at its first look (pkg/controller/podautoscaler,
# disruption).
WRITTEN_BY_THE_MANAGER = ("HorizontalPodAutoscaler", "PodDisruptionBudget")
# Kinds with an empty status until the controller's first look (pkg/controller/deployment, job).
EMPTY_AT_FIRST = ("Deployment", "Job")
# The value of a Job's `spec.managedBy` for Kubernetes' own controller (batch/v1, JobControllerName).
JOB_CONTROLLER = "kubernetes.io/job-controller"
# Objects that have an effect only through others: those that take them, and those that they select or name.
EFFECTS = (
    *("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "ResourceQuota"),
    *(f"{kind}.metallb.io" for kind in ("IPAddressPool", "L2Advertisement", "BGPAdvertisement", "BGPPeer")),
    *(
        f"{kind}.cilium.io"
        for kind in (
            "CiliumLoadBalancerIPPool",
            "CiliumL2AnnouncementPolicy",
            "CiliumBGPClusterConfig",
            "CiliumBGPPeerConfig",
        )
    ),
    *(f"{kind}.kueue.x-k8s.io" for kind in ("ClusterQueue", "LocalQueue")),
    *(
        f"{kind}.security.istio.io"
        for kind in ("PeerAuthentication", "AuthorizationPolicy", "RequestAuthentication")
    ),
    *(
        "Sidecar.networking.istio.io",
        "EnvoyFilter.networking.istio.io",
        "MachineHealthCheck.cluster.x-k8s.io",
    ),
)
# What binds a policy of the API server.
POLICY_BINDINGS = ("ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicyBinding")
# The names of Kubernetes' own signers of CertificateSigningRequests begin so (certificates/v1).
OWN_SIGNERS = "kubernetes.io/"
