"""Declares the kinds of the whole cluster whose objects cause an object of one name in each Namespace with
some labels, each row with its source.
"""

from __future__ import annotations

from unstuck.facts.record import Record, record

# As a mark of such an object: `external-secrets.io/namespaceSelector` (`knowledge/copiers.py`).
SELECTOR_KEY = "namespaceSelector"


@record()
class Spreader(Record):
    """kind: as a Ref has it. makes: the kinds that it causes. selector: the field that selects Namespaces.

    names: fields with the name of the objects, the first that is set; its own name if none is.
    """

    kind: str
    makes: tuple[str, ...]
    selector: tuple[str, ...]
    source: str
    names: tuple[tuple[str, ...], ...] = ()


SPREADERS: tuple[Spreader, ...] = (
    Spreader(
        "ClusterExternalSecret.external-secrets.io",
        ("Secret",),
        ("spec", "namespaceSelector"),
        "external-secrets apis/externalsecrets/v1 (ClusterExternalSecretSpec)",
        (("spec", "externalSecretSpec", "target", "name"), ("spec", "externalSecretName")),
    ),
    Spreader(
        "Bundle.trust.cert-manager.io",
        ("ConfigMap", "Secret"),
        ("spec", "target", "namespaceSelector"),
        "trust-manager pkg/apis/trust/v1alpha1",
    ),
)
