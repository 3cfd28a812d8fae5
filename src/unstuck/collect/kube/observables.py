"""Declares every fact that the API server can answer: its reader, and the rights that a user needs for it.

`collector.py` finds readers in it, `rights.py` derives RBAC rules from it. Readers and rights are named here
and neither imported nor computed: most questions need few readers and no rights. See docs/why/observables.md.
"""

from __future__ import annotations

from unstuck.facts.aspects import (
    admission,
    cluster,
    grants,
    limits,
    objects,
    pod,
    protection,
    pulls,
    references,
    reported,
    services,
    settings,
    storage,
    tls,
)
from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.counterparts import Counterparts
from unstuck.facts.aspects.crds import Conversion
from unstuck.facts.aspects.deciders import Deciders
from unstuck.facts.aspects.disruption import DisruptionBudget, Evictions
from unstuck.facts.aspects.driver_sets import DriverSets
from unstuck.facts.aspects.due import Due
from unstuck.facts.aspects.helm import HelmRevisions
from unstuck.facts.aspects.history import History
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.aspects.policies import Policies
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.aspects.signing import NodeRequests, SigningRequest
from unstuck.facts.aspects.stored import LastWrite, Unreadable
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record


@record()
class ApiObservable(Record):
    """One fact from the API server. None: not declared yet; until then nothing is granted for it.

    reader: a function of a module of `questions`, as `limits.limit_ranges`. It takes the Session and the Want
    and returns facts, or a `Refused` with the reason why there are none. rights: the rights needed beside
    `get` on the subject itself, each a verb and its resource: kinds of Kubernetes, `*` for all kinds but
    Secrets and Events, or RESOURCE.GROUP for other types. () if any user may read it, or nothing more is
    read.
    """

    fact: type[Fact]
    reader: str
    rights: tuple[str, ...] | None = None


# Facts from the object itself need one GET.
_ITSELF = "objects.object_facts"
_POD = ("get Pod",)
_BEHIND = ("get Service", "list EndpointSlice")
_WORKLOADS = "Deployment StatefulSet DaemonSet"
_RIGHTS = "ClusterRole ClusterRoleBinding RoleBinding Pod"

API_OBSERVABLES: tuple[ApiObservable, ...] = (
    # Any object.
    ApiObservable(
        objects.Presence,
        _ITSELF,
        # The objects that a Pod refers to, and the objects that refer to a Pod.
        (
            "get ConfigMap Secret PersistentVolumeClaim Node StorageClass ServiceAccount PriorityClass",
            "list ConfigMap PersistentVolumeClaim",
            # The objects that a claim for devices names.
            "get deviceclasses.resource.k8s.io",
        ),
    ),
    ApiObservable(objects.Deletion, _ITSELF, ()),
    ApiObservable(objects.Finalizers, _ITSELF, ()),
    ApiObservable(objects.Touches, _ITSELF, ()),
    ApiObservable(objects.Owners, _ITSELF, ()),
    # Of a Namespace, too: its labels hold the Pod Security level that it enforces.
    ApiObservable(objects.Labels, _ITSELF, ("get Namespace",)),
    ApiObservable(objects.Conditions, _ITSELF, ()),
    ApiObservable(objects.Phase, _ITSELF, ()),
    ApiObservable(reported.Reported, _ITSELF, ()),
    ApiObservable(reported.Switches, _ITSELF, ()),
    ApiObservable(reported.Remarks, _ITSELF, ()),
    ApiObservable(Due, _ITSELF, ()),
    # The installer adds the rights for types of CustomResourceDefinitions.
    ApiObservable(
        reported.TypeStatus,
        "written.type_status",
        (f"list {_WORKLOADS} Lease {_RIGHTS}", f"get {_WORKLOADS} ConfigMap"),
    ),
    # The installer adds the rights for types of CustomResourceDefinitions.
    ApiObservable(
        reported.ControllerLines,
        "owner_logs.controller_lines",
        (f"list {_WORKLOADS} Lease {_RIGHTS}", f"get {_WORKLOADS} ConfigMap pods/log"),
    ),
    # The installer adds the rights for types of CustomResourceDefinitions.
    ApiObservable(
        ClassWork,
        "classes.find_class_work",
        (
            f"list {_WORKLOADS} Lease Ingress Service Node PersistentVolumeClaim CertificateSigningRequest",
            f"get {_WORKLOADS} IngressClass StorageClass",
        ),
    ),
    ApiObservable(
        references.References,
        _ITSELF,
        # Rights for types that others refer to. For types of CustomResourceDefinitions the installer adds
        # them.
        (
            (
                "get Service Secret ConfigMap ServiceAccount Node PersistentVolumeClaim APIService Role "
                "ClusterRole RuntimeClass IngressClass"
            ),
            f"get {_WORKLOADS} ReplicaSet",
            "get prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
            (
                "get volumeattributesclasses.storage.k8s.io "
                "validatingadmissionpolicies.admissionregistration.k8s.io "
                "mutatingadmissionpolicies.admissionregistration.k8s.io"
            ),
        ),
    ),
    # The installer adds the rights for types of CustomResourceDefinitions.
    ApiObservable(references.Makers, "makers.makers", ()),
    # The installer adds the rights for types of CustomResourceDefinitions.
    ApiObservable(Deciders, "deciders.list_deciders", ("list HorizontalPodAutoscaler CronJob StatefulSet",)),
    ApiObservable(references.Owned, "owned.list_owned", ("list Deployment StatefulSet DaemonSet Job Pod",)),
    ApiObservable(references.ServedVersions, "near_miss.list_served_versions", ()),
    ApiObservable(references.Sections, _ITSELF, ()),
    # The installer adds the rights for types of CustomResourceDefinitions; of other kinds one object is asked
    # for.
    ApiObservable(
        references.Namesakes,
        "near_miss.find_namesakes",
        (
            "get Role ClusterRole",
            "list IngressClass RuntimeClass PriorityClass",
            "list volumeattributesclasses.storage.k8s.io",
        ),
    ),
    # The installer adds the rights for types of CustomResourceDefinitions.
    ApiObservable(references.Selectors, "selectors.list_selectors", ("get Namespace",)),
    ApiObservable(
        references.Selects,
        "selected.list_selected",
        ("list Pod Node Namespace Service Deployment StatefulSet DaemonSet",),
    ),
    # The installer adds the rights for types of CustomResourceDefinitions. Without the right to list Secrets
    # nothing is known of those that a ClusterIssuer names.
    ApiObservable(
        Counterparts,
        "counterparts.list_counterparts",
        (
            "list Pod Service Ingress NetworkPolicy EndpointSlice RoleBinding Namespace Node ConfigMap "
            "ServiceAccount",
            f"list PriorityClass CSIDriver CSINode PersistentVolume {_WORKLOADS} Lease",
            "list validatingadmissionpolicybindings.admissionregistration.k8s.io",
            "list mutatingadmissionpolicybindings.admissionregistration.k8s.io",
            f"get Service Secret PersistentVolumeClaim PersistentVolume {_WORKLOADS} ReplicaSet Namespace",
            "get Role ClusterRole",
            "get validatingadmissionpolicies.admissionregistration.k8s.io",
            "get mutatingadmissionpolicies.admissionregistration.k8s.io",
            # As subjects: `subject_rights` has only the kinds of a fixed version.
            "get validatingadmissionpolicybindings.admissionregistration.k8s.io",
            "get mutatingadmissionpolicybindings.admissionregistration.k8s.io",
        ),
    ),
    ApiObservable(objects.Keys, _ITSELF, ("get ConfigMap Secret",)),
    ApiObservable(objects.Events, "objects.event_facts", ("list Event",)),
    ApiObservable(
        objects.Names,
        "lists.name_facts",
        ("list ConfigMap StorageClass ServiceAccount PriorityClass Service ResourceQuota IngressClass",),
    ),
    ApiObservable(
        objects.Below,
        "below.list_below",
        (f"list Pod ReplicaSet Job PersistentVolumeClaim Ingress {_WORKLOADS}",),
    ),
    ApiObservable(Unreadable, _ITSELF, ()),
    ApiObservable(LastWrite, "writes.last_write", ("list Lease",)),
    # Pods.
    ApiObservable(pod.Placement, _ITSELF, _POD),
    ApiObservable(pod.Containers, _ITSELF, _POD),
    ApiObservable(pod.ContainerStatuses, _ITSELF, _POD),
    ApiObservable(pod.Needs, _ITSELF, _POD),
    ApiObservable(pod.Volumes, _ITSELF, _POD),
    ApiObservable(pod.Demands, _ITSELF, _POD),
    ApiObservable(settings.PodSettings, _ITSELF, _POD),
    ApiObservable(settings.AccountToken, _ITSELF, ("get ServiceAccount",)),
    ApiObservable(pod.Life, _ITSELF, _POD),
    ApiObservable(pod.LastLines, "logs.last_lines", ("get pods/log",)),
    ApiObservable(pod.TroubleLines, "logs.trouble_lines", ("get Pod", "get pods/log")),
    ApiObservable(cluster.Unschedulable, _ITSELF, _POD),
    # The scheduler's inputs. Storage, devices and Namespaces only if a waiting Pod depends on them.
    ApiObservable(
        PlacingInputs,
        "placing.placing",
        (
            (
                "list Node Pod Namespace PersistentVolumeClaim PersistentVolume StorageClass CSINode "
                "CSIDriver VolumeAttachment"
            ),
            "list csistoragecapacities.storage.k8s.io",
            (
                "list resourceclaims.resource.k8s.io deviceclasses.resource.k8s.io "
                "resourceslices.resource.k8s.io"
            ),
        ),
    ),
    ApiObservable(SchedulerWork, "schedulers.work", ("list Pod",)),
    ApiObservable(Evictions, "evictions.evictions", ("list Pod PodDisruptionBudget",)),
    # Images.
    ApiObservable(pulls.PullServers, _ITSELF, ("get Secret",)),
    ApiObservable(pulls.PullLinks, _ITSELF, ("get ServiceAccount",)),
    ApiObservable(grants.Bindings, "grants.read_bindings", ("list RoleBinding ClusterRoleBinding",)),
    ApiObservable(grants.Rules, _ITSELF, ("get Role ClusterRole",)),
    ApiObservable(tls.ServingCertificate, _ITSELF, ("get Secret",)),
    # Without the right to list Secrets only those are known that the Pod or its ServiceAccount names.
    ApiObservable(pulls.PullSecrets, "pulls.pull_secrets", ()),
    ApiObservable(pulls.NodeImages, "pulls.node_images", ("get Node",)),
    # No cluster reports it.
    ApiObservable(pulls.Tags, "pulls.tags", ()),
    # Without the right to list Secrets nothing is known of them.
    ApiObservable(HelmRevisions, "helm.list_revisions", ()),
    # Workloads, and their limits.
    ApiObservable(cluster.Workload, _ITSELF, (f"get {_WORKLOADS} ReplicaSet Job CronJob",)),
    ApiObservable(
        History,
        "history.history",
        (
            "get ReplicaSet Deployment StatefulSet DaemonSet Job",
            "list ReplicaSet ControllerRevision Pod Node",
        ),
    ),
    ApiObservable(protection.Uncounted, _ITSELF, ("get Job",)),
    ApiObservable(limits.Quota, _ITSELF, ("get ResourceQuota",)),
    ApiObservable(limits.Limits, "limits.limit_ranges", ("list LimitRange",)),
    # Nodes.
    ApiObservable(cluster.NodeShape, _ITSELF, ("get Node",)),
    ApiObservable(cluster.NodeInfo, _ITSELF, ("get Node",)),
    ApiObservable(cluster.NodeNames, "lists.node_names", ("list Node",)),
    ApiObservable(cluster.Lease, "objects.lease_facts", ("get Lease",)),
    ApiObservable(SigningRequest, _ITSELF, ("get CertificateSigningRequest",)),
    ApiObservable(NodeRequests, "signing.node_requests", ("list CertificateSigningRequest",)),
    # Storage.
    ApiObservable(cluster.Claim, _ITSELF, ("get PersistentVolumeClaim",)),
    ApiObservable(cluster.StorageClass, _ITSELF, ("get StorageClass",)),
    ApiObservable(storage.CsiSource, _ITSELF, ("get PersistentVolume",)),
    ApiObservable(storage.Reserved, _ITSELF, ("get PersistentVolume",)),
    ApiObservable(
        storage.ClaimOffers, "offers.list_offers", ("get PersistentVolumeClaim", "list PersistentVolume")
    ),
    ApiObservable(storage.Attachment, _ITSELF, ("get VolumeAttachment",)),
    ApiObservable(storage.Attachments, "attachments.attachments", ("list VolumeAttachment",)),
    ApiObservable(storage.CsiDrivers, "objects.csi_drivers", ("get CSINode",)),
    ApiObservable(DriverSets, "driver_sets.list_driver_sets", ("list DaemonSet",)),
    ApiObservable(Policies, "policies.list_policies", ("list NetworkPolicy",)),
    # Services.
    ApiObservable(services.ServiceSpec, _ITSELF, ("get Service",)),
    ApiObservable(services.ServicesAt, "services.list_services_at", ("list Service",)),
    ApiObservable(services.AddressHolders, "address_holders.list_holders", ("list Node Pod",)),
    ApiObservable(services.ServicePods, "services.service_pods", ("get Service", "list Pod")),
    ApiObservable(services.ServicesBeside, "services.list_services_beside", ("list Service",)),
    ApiObservable(
        services.ServiceWorkloads, "services.workloads", ("get Service", "list Deployment StatefulSet")
    ),
    ApiObservable(services.Unserving, "services.list_unserving", ("list Service Pod",)),
    ApiObservable(cluster.Backends, "objects.backend_facts", _BEHIND),
    # Deletion. The rights for types of CustomResourceDefinitions are added by their installer.
    ApiObservable(cluster.Terminating, "lists.list_terminating", ("list Namespace",)),
    ApiObservable(cluster.Contents, "namespace.contents", ("list *",)),
    ApiObservable(protection.Dependents, "protection.dependents", ("list *",)),
    ApiObservable(
        protection.Users,
        "protection.users",
        (
            *(
                "list Pod",
                "get PersistentVolume",
                "get servicecidrs.networking.k8s.io",
                "get resourceclaims.resource.k8s.io",
            ),
            "list servicecidrs.networking.k8s.io ipaddresses.networking.k8s.io",
        ),
    ),
    # Tried only on request, with the user's own right to write.
    ApiObservable(protection.Removal, "removal.removal", ()),
    ApiObservable(
        cluster.FinalizerOwner,
        "finalizers.finalizer_owners",
        (f"list {_WORKLOADS} Lease", f"get {_WORKLOADS} ConfigMap"),
    ),
    ApiObservable(
        Refusals, "refusals.owners_refused", (f"list {_WORKLOADS} Lease Pod", f"get {_WORKLOADS} pods/log")
    ),
    # The server itself. The first two any authenticated user may read (system:discovery,
    # system:public-info-viewer).
    ApiObservable(objects.Server, "lists.server", ()),
    ApiObservable(cluster.Discovery, "lists.discovery", ()),
    ApiObservable(cluster.ApiService, _ITSELF, ("get APIService",)),
    ApiObservable(cluster.ApiServices, "lists.api_services", ("list APIService", *_BEHIND)),
    ApiObservable(Conversion, _ITSELF, ("get CustomResourceDefinition",)),
    ApiObservable(
        admission.Webhooks,
        "admission.webhooks",
        ("list ValidatingWebhookConfiguration MutatingWebhookConfiguration", *_BEHIND),
    ),
    ApiObservable(
        admission.AdmissionPolicies,
        "admission.policies",
        (
            "list validatingadmissionpolicies.admissionregistration.k8s.io",
            "list validatingadmissionpolicybindings.admissionregistration.k8s.io",
        ),
    ),
    ApiObservable(DisruptionBudget, _ITSELF, ()),
)
