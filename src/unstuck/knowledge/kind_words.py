"""The names of kinds in sentences of components, programs and people, and the meaning of a host name in a
cluster.

Sources: the API reference of 1.34 and `kubectl api-resources` (plurals and short names); documentation "DNS
for Services and Pods".
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Kind → its plural and short names; the kind itself, in lower case, is a word too.
_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Pod": ("pods", "po"),
        "Job": ("jobs",),
        "CronJob": ("cronjobs", "cj"),
        "Deployment": ("deployments", "deploy"),
        "ReplicaSet": ("replicasets", "rs"),
        "StatefulSet": ("statefulsets", "sts"),
        "DaemonSet": ("daemonsets", "ds"),
        "Service": ("services", "svc"),
        "ConfigMap": ("configmaps", "cm"),
        "Secret": ("secrets",),
        "ServiceAccount": ("serviceaccounts", "sa"),
        "PersistentVolumeClaim": ("persistentvolumeclaims", "pvc"),
        "PersistentVolume": ("persistentvolumes", "pv"),
        "StorageClass": ("storageclasses", "sc"),
        "Lease": ("leases",),
        "Ingress": ("ingresses", "ing"),
        "ResourceQuota": ("resourcequotas", "quota"),
        "HorizontalPodAutoscaler": ("horizontalpodautoscalers", "hpa"),
        "PodDisruptionBudget": ("poddisruptionbudgets", "pdb"),
        "APIService": ("apiservices",),
        "CustomResourceDefinition": ("customresourcedefinitions", "crd"),
        "CertificateSigningRequest": ("certificatesigningrequests", "csr"),
    }
)
KIND_WORDS: Mapping[str, str] = MappingProxyType(
    {word: kind for kind, more in _WORDS.items() for word in (kind.lower(), *more)}
)
# Cluster-scoped kinds.
CLUSTER_SCOPED = frozenset(
    {
        *(
            "Node",
            "Namespace",
            "PersistentVolume",
            "StorageClass",
            "VolumeAttachment",
            "CSIDriver",
            "CSINode",
        ),
        *(
            "APIService",
            "CustomResourceDefinition",
            "CertificateSigningRequest",
            "ClusterRole",
            "ClusterRoleBinding",
        ),
        *("IngressClass", "PriorityClass", "RuntimeClass"),
    }
)
# Words before a number that are no host names.
NO_HOSTS = frozenset(
    {
        "localhost",
        "port",
        "line",
        "column",
        "code",
        "status",
        "exit",
        "error",
        "errno",
        "at",
        "pid",
        "uid",
        "gid",
        "level",
    }
)
