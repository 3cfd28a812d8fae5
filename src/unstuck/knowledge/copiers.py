"""Programs that copy Secrets and ConfigMaps into other Namespaces, by the annotations and labels that they
read, each row with its source.
"""

from __future__ import annotations

from unstuck.facts.record import Record, record


@record()
class Copier(Record):
    """One such program. name: as its project writes it. domain: before the slash of its keys.

    spaces: keys of the original that list Namespaces, as regular expressions separated by commas. selectors:
    keys of the original whose value selects Namespaces by their labels. origins: keys of a copy that name the
    original, `NAMESPACE/NAME` or a Namespace.
    """

    name: str
    domain: str
    source: str
    spaces: tuple[str, ...] = ()
    selectors: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()


COPIERS: tuple[Copier, ...] = (
    Copier(
        "External Secrets Operator",
        "external-secrets.io",
        "external-secrets apis/externalsecrets/v1 (ClusterExternalSecretSpec)",
        selectors=("namespaceSelector",),
    ),
    Copier(
        "trust-manager",
        "trust.cert-manager.io",
        "trust-manager pkg/apis/trust/v1alpha1",
        selectors=("namespaceSelector",),
    ),
    Copier(
        "Reflector",
        "reflector.v1.k8s.emberstack.com",
        "emberstack/kubernetes-reflector README.md",
        spaces=("reflection-allowed-namespaces", "reflection-auto-namespaces"),
        origins=("reflects",),
    ),
    Copier(
        "kubernetes-replicator",
        "replicator.v1.mittwald.de",
        "mittwald/kubernetes-replicator README.md",
        spaces=("replicate-to", "replication-allowed-namespaces"),
        selectors=("replicate-to-matching",),
        origins=("replicate-from",),
    ),
    Copier("Config Syncer", "kubed.appscode.com", "kubeops/config-syncer docs/guides", selectors=("sync",)),
    Copier(
        "Kyverno",
        "generate.kyverno.io",
        "kyverno pkg/background/generate (labels of clones)",
        origins=("source-namespace",),
    ),
    Copier(
        "the Hierarchical Namespace Controller",
        "hnc.x-k8s.io",
        "kubernetes-sigs/hierarchical-namespaces api/v1alpha2",
        origins=("inherited-from",),
    ),
)
