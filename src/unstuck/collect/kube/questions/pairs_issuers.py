"""The Secrets of issuers for the whole cluster, which are read from one Namespace.

Sources: cert-manager documentation, "Cluster Resource Namespace"; cmd/controller
`--cluster-resource-namespace`.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.questions.pairs_tools import labels_of
from unstuck.collect.kube.transport.session import Session
from unstuck.collect.objects import doc
from unstuck.collect.objects.project_references import CERTIFICATES
from unstuck.collect.objects.segments import field_requirement
from unstuck.facts.aspects.counterparts import Counterpart
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

CLUSTER_ISSUER = f"ClusterIssuer.{CERTIFICATES}"
_OPTION = regex(r"--cluster-resource-namespace=(?P<space>[a-z0-9-]{1,63})")
_NAME, _CONTROLLER = "app.kubernetes.io/name", "app.kubernetes.io/component"
_DEEPEST, _MOST, _PAGES = 8, 8, 2
# The key of an ACME account is made by the issuer itself.
_MADE = "privateKeySecretRef"


def read_issuer_secrets(session: Session, about: Ref, obj: doc.Doc) -> Iterator[Counterpart]:
    """Yield each Secret that a ClusterIssuer names with the Namespaces that have one of that name."""
    asked = list(dict.fromkeys(_find_secrets(doc.section(obj, "spec"), "spec")))[:_MOST]
    space = _find_space(session) if asked else ""
    for field, name in asked if space else ():
        by_name = {"fieldSelector": field_requirement("metadata.name", name)}
        found = session.listing(kind_named("Secret"), None, by_name, metadata=True, most=_PAGES)
        if found.read.reply.ok and found.whole:
            there = [doc.text(i, "metadata", "namespace") for i in found.items]
            yield Counterpart(
                "cluster-secret",
                about,
                field,
                name,
                "Secret",
                (),
                f"Namespace {space}",
                (name,) if space in there else tuple(f"{one}/{name}" for one in sorted(there)),
            )


def _find_secrets(spec: doc.Doc, place: str) -> Iterator[tuple[str, str]]:
    """Yield each name of a Secret, with its field."""
    for field, at, text in doc.find_fields(spec, place, _DEEPEST, _MOST * _MOST):
        parent = at.rpartition(".")[0].rpartition(".")[2]
        if field == "secretName" or (field == "name" and parent.endswith("SecretRef") and parent != _MADE):
            yield at, text


def _find_space(session: Session) -> str:
    """Return the Namespace that its controller reads Secrets from: that of its option, else its own; "" if it
    is not known.
    """
    found = session.listing(kind_named("Deployment"), None, {"labelSelector": f"{_NAME}=cert-manager"})
    mine = [i for i in found.items if labels_of(i).get(_CONTROLLER, "controller") == "controller"]
    spaces = {_read_space(i) for i in mine}
    return spaces.pop() if len(spaces) == 1 else ""


def _read_space(item: doc.Doc) -> str:
    rows = doc.rows(item, "spec", "template", "spec", "containers")
    told = (_OPTION.search(" ".join((*doc.strings(c, "args"), *doc.strings(c, "command")))) for c in rows)
    return next((m["space"] for m in told if m), doc.text(item, "metadata", "namespace"))
