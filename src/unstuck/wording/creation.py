"""The API server's refusals of Pods that a controller would create (`FailedCreate`, and the condition ReplicaFailure of its workload).

Admission answers `pods "NAME" is forbidden: WHY`. Webhooks and policies refuse every write in the same words: see `kubelet`.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_CREATE: tuple[Operation, ...] = ("pod-create",)
_QUOTA = Seen(
    "kube-apiserver",
    "1.5–1.34",
    "staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go",
)
_RANGER = Seen("kube-apiserver", "1.5–1.34", "plugin/pkg/admission/limitranger/admission.go")
_ACCOUNT = Seen("kube-apiserver", "1.5–1.34", "plugin/pkg/admission/serviceaccount/admission.go")

CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"Error creating: |create (?:Pod|Claim) \S{1,253} in StatefulSet \S{1,253} failed error: |Error creating job: "
        ),
        "pod-create",
        ("error creating", "in statefulset"),
        (
            Seen(
                "kube-controller-manager",
                "1.5–1.34",
                "pkg/controller/controller_utils.go, pkg/controller/statefulset/stateful_pod_control.go",
            ),
        ),
        (
            Example(
                'Error creating: pods "web-" is forbidden: no PriorityClass with name urgent was found',
                "pod-create not-found object=PriorityClass/urgent",
            ),
            Example(
                'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: no PriorityClass with name top was found',
                "pod-create not-found object=PriorityClass/top",
            ),
            Example(
                'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: SecurityContext.FSGroup is forbidden',
                "pod-create other",
            ),
        ),
    ),
    # The server's answer as passed on by kubectl, Helm and other clients. The same words stand for a missing right: alone they mean nothing here.
    Call(
        words(r"\bpods \"[a-z0-9][a-z0-9.-]{0,252}\" is forbidden: "),
        "pod-create",
        ("is forbidden: ",),
        (
            Seen(
                "kube-apiserver",
                "1.5–1.34",
                "staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go (NewForbidden)",
            ),
        ),
        (
            Example(
                'Error from server (Forbidden): error when creating "pod.yaml": pods "web" is forbidden: no PriorityClass with name top was found',
                "pod-create not-found object=PriorityClass/top",
            ),
            Example(
                'pods "web" is forbidden: User "ci" cannot get resource "pods" in API group "" in the namespace "shop"',
                "",
            ),
        ),
        bare=None,
        weak=True,
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"[Ee]xceeded (?P<kind>quota): (?P<name>[^\s,]{1,253}), (?P<key>requested: [^\n]{1,2000})"),
        "quota-exceeded",
        ("xceeded quota",),
        (_QUOTA,),
        (
            Example(
                'Error creating: pods "web-67bff9b789-sv48f" is forbidden: exceeded quota: cpu, requested: requests.cpu=80m, used: '
                "requests.cpu=80m, limited: requests.cpu=100m",
                "pod-create quota-exceeded key=requested: requests.cpu=80m, used: requests.cpu=80m, limited: requests.cpu=100m "
                "object=ResourceQuota/cpu",
            ),
            Example(
                'create Pod db-2 in StatefulSet db failed error: pods "db-2" is forbidden: exceeded quota: count, requested: pods=1, '
                "used: pods=2, limited: pods=2",
                "pod-create quota-exceeded key=requested: pods=1, used: pods=2, limited: pods=2 object=ResourceQuota/count",
            ),
        ),
        Rank.NAMED,
        within=_CREATE,
    ),
    Error(
        words(r"failed (?P<kind>quota): (?P<name>[^\s:]{1,253}): must specify (?P<key>[^\n]{1,2000})"),
        "quota-needs-requests",
        ("failed quota",),
        (_QUOTA,),
        (
            Example(
                'Error creating: pods "web-whh4z" is forbidden: failed quota: cpu: must specify limits.memory for: c; requests.cpu for: c',
                "pod-create quota-needs-requests key=limits.memory for: c; requests.cpu for: c object=ResourceQuota/cpu",
            ),
            Example(
                'Error creating: pods "web-1" is forbidden: failed quota: compute: must specify limits.cpu,requests.memory',
                "pod-create quota-needs-requests key=limits.cpu,requests.memory object=ResourceQuota/compute",
            ),
        ),
        Rank.NAMED,
        within=_CREATE,
    ),
    Error(
        words(
            r"is forbidden: \[?(?P<key>(?:m(?:in|ax)imum [\w./-]{1,253} usage per \w{1,30} is |[\w./-]{1,253} max limit to request ratio per)"
            r"[^\n]{1,2000})"
        ),
        "limit-range",
        ("usage per ", "max limit to request ratio"),
        (_RANGER,),
        (
            Example(
                'Error creating: pods "web-vj7bb" is forbidden: maximum memory usage per Container is 64Mi, but limit is 256Mi',
                "pod-create limit-range key=maximum memory usage per Container is 64Mi, but limit is 256Mi",
            ),
            Example(
                'Error creating: pods "web-1" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, '
                "cpu max limit to request ratio per Container is 2, but provided ratio is 10.000000]",
                "pod-create limit-range key=minimum cpu usage per Container is 50m, but request is 10m, "
                "cpu max limit to request ratio per Container is 2, but provided ratio is 10.000000]",
            ),
        ),
        Rank.NAMED,
        within=_CREATE,
    ),
    Error(
        words(r"violates PodSecurity (?P<key>\"[\w:.-]{1,60}\": [^\n]{1,4000})"),
        "pod-security",
        ("violates podsecurity",),
        (
            Seen(
                "kube-apiserver",
                "1.23–1.34",
                "staging/src/k8s.io/pod-security-admission/admission/admission.go",
            ),
        ),
        (
            Example(
                'Error creating: pods "web-1" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
                'pod-create pod-security key="baseline:latest": host namespaces (hostNetwork=true)',
            ),
            Example(
                'Error creating: pods "web-1" is forbidden: violates PodSecurity "restricted:v1.30": runAsNonRoot != true (pod or container '
                '"c" must set securityContext.runAsNonRoot=true)',
                'pod-create pod-security key="restricted:v1.30": runAsNonRoot != true (pod or container "c" must set '
                "securityContext.runAsNonRoot=true)",
            ),
        ),
        Rank.NAMED,
        within=_CREATE,
    ),
    # OpenShift's and Kubernetes' older check: the key begins with the policy's kind, each policy's objection to the Pod follows.
    Error(
        words(
            r"unable to validate against any (?P<key>(?:security context constraint|pod security policy): [^\n]{1,6000})|"
            r"is forbidden: (?:PodSecurityPolicy: )?(?P<key_2>(?:unable to admit pod: |no providers available to validate pod request)[^\n]{0,6000})"
        ),
        "security-policy",
        ("unable to validate against any", "unable to admit pod", "no providers available"),
        (
            Seen(
                "OpenShift kube-apiserver",
                "3.x–4.x",
                "openshift/apiserver-library-go pkg/securitycontextconstraints/sccadmission/admission.go",
            ),
            Seen(
                "kube-apiserver", "1.3–1.24", "plugin/pkg/admission/security/podsecuritypolicy/admission.go"
            ),
        ),
        (
            Example(
                'Error creating: pods "web-1" is forbidden: unable to validate against any security context constraint: []',
                "pod-create security-policy key=security context constraint: []",
            ),
            Example(
                'Error creating: pods "web-" is forbidden: PodSecurityPolicy: unable to admit pod: [spec.volumes[0]: Invalid value: "hostPath": hostPath '
                "volumes are not allowed to be used]",
                'pod-create security-policy key=unable to admit pod: [spec.volumes[0]: Invalid value: "hostPath": hostPath volumes are not allowed to be used]',
            ),
            Example(
                'Error creating: pods "kube-proxy-" is forbidden: no providers available to validate pod request',
                "pod-create security-policy key=no providers available to validate pod request",
            ),
        ),
        Rank.NAMED,
        within=_CREATE,
    ),
    Error(
        words(
            r"looking up service account (?P<ns>[^/\s]{1,63})/(?P<name>[^\s:]{1,253}): (?P<kind>serviceaccount) |"
            r"(?P<kind_2>service account) (?P<ns_2>[^/\s]{1,63})/(?P<name_2>[^\s:]{1,253}) was not found"
        ),
        "not-found",
        ("service account",),
        (_ACCOUNT,),
        (
            Example(
                'Error creating: pods "web-" is forbidden: error looking up service account shop/builder: serviceaccount "builder" not found',
                "pod-create not-found object=ServiceAccount/shop/builder",
            ),
            Example(
                'Error creating: pods "web-" is forbidden: service account shop/ci was not found, retry after the service account is created',
                "pod-create not-found object=ServiceAccount/shop/ci",
            ),
        ),
        Rank.NAMED,
        within=_CREATE,
    ),
    Error(
        words(r"no PriorityClass with name (?P<name>\S{1,253}) was found"),
        "not-found",
        ("no priorityclass with name",),
        (Seen("kube-apiserver", "1.8–1.34", "plugin/pkg/admission/priority/admission.go"),),
        (
            Example(
                'Error creating: pods "web-" is forbidden: no PriorityClass with name urgent was found',
                "pod-create not-found object=PriorityClass/urgent",
            ),
            Example(
                'create Pod db-0 in StatefulSet db failed error: pods "db-0" is forbidden: no PriorityClass with name top was found',
                "pod-create not-found object=PriorityClass/top",
            ),
        ),
        Rank.NAMED,
        within=_CREATE,
        kind="PriorityClass",
    ),
)
