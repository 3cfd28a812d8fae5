"""Objects that a controller creates in every Namespace, with a source for each row: users need not create
them.
"""

from __future__ import annotations

from unstuck.facts.record import Record, record


@record()
class PublishedObject(Record):
    """kind, name: of the object. by: the program that creates it, in its project's spelling. source: the
    documentation.
    """

    kind: str
    name: str
    by: str
    source: str


PUBLISHED: tuple[PublishedObject, ...] = (
    PublishedObject(
        "ConfigMap",
        "kube-root-ca.crt",
        "kube-controller-manager",
        "kubernetes pkg/controller/certificates/rootcacertpublisher",
    ),
    PublishedObject(
        "ConfigMap",
        "istio-ca-root-cert",
        "istiod",
        "istio pilot/pkg/serviceregistry/kube/controller/namespacecontroller.go",
    ),
)


def find_published(kind: str, name: str | None) -> PublishedObject | None:
    """Return the row of an object that a controller creates in every Namespace; None for any other object."""
    return next((p for p in PUBLISHED if (p.kind, p.name) == (kind, name)), None)
