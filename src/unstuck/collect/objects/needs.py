"""The objects that a Pod's spec refers to: a Pod cannot start without the required ones."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.containers import rows_with_kind
from unstuck.collect.objects.generic import SeenObject
from unstuck.facts.aspects.pod import Need, Needs
from unstuck.facts.core import Ref

# The publisher in kube-controller-manager puts it into every Namespace; it comes with the automatic token
# volume.
_ROOT_CA = "kube-root-ca.crt"


def read_needs(seen: SeenObject, spec: doc.Doc) -> Needs:
    """Return ConfigMaps, Secrets, claims, pull secrets and a named service account."""
    items = list_needs(seen.ref.within, spec)
    shown = ", ".join(str(n.object) for n in items)
    return Needs(about=seen.ref, src=seen.src(f"refers to {shown or 'nothing'}"), items=items)


def list_needs(namespace: str | None, spec: doc.Doc) -> tuple[Need, ...]:
    """Return the objects that a Pod's spec names, in their order."""
    return tuple(
        dict.fromkeys(
            (
                *_read_volumes(namespace, spec),
                *_read_containers(namespace, spec),
                *_read_pod(namespace, spec),
            )
        )
    )


def _read_pod(namespace: str | None, spec: doc.Doc) -> Iterator[Need]:
    for row in doc.rows(spec, "imagePullSecrets"):
        if name := doc.text(row, "name"):
            # Only an event reports a missing pull secret; pulling continues without it.
            yield Need(Ref("Secret", namespace, name), "pull-secret", optional=True)
    account = doc.text(spec, "serviceAccountName")
    if account and account != "default":
        yield Need(Ref("ServiceAccount", namespace, account), "service-account")


def _read_volumes(namespace: str | None, spec: doc.Doc) -> Iterator[Need]:
    for row in doc.rows(spec, "volumes"):
        volume = doc.text(row, "name")
        if claim := doc.text(row, "persistentVolumeClaim", "claimName"):
            yield Need(Ref("PersistentVolumeClaim", namespace, claim), "claim", volume=volume)
        yield from _read_source(namespace, "ConfigMap", doc.section(row, "configMap"), "name", volume)
        yield from _read_source(namespace, "Secret", doc.section(row, "secret"), "secretName", volume)
        for part in doc.rows(row, "projected", "sources"):
            if doc.text(part, "configMap", "name") != _ROOT_CA:
                yield from _read_source(
                    namespace, "ConfigMap", doc.section(part, "configMap"), "name", volume
                )
            yield from _read_source(namespace, "Secret", doc.section(part, "secret"), "name", volume)


def _read_source(namespace: str | None, kind: str, row: doc.Doc, field: str, volume: str) -> Iterator[Need]:
    """Yield a volume's source: the object, and each key that `items` names."""
    name = doc.text(row, field)
    if not name:
        return
    ref, optional = Ref(kind, namespace, name), doc.flag(row, "optional")
    yield Need(ref, "volume", optional=optional, volume=volume)
    for item in doc.rows(row, "items"):
        if key := doc.text(item, "key"):
            yield Need(ref, "volume", key=key, optional=optional, volume=volume)


def _read_containers(namespace: str | None, spec: doc.Doc) -> Iterator[Need]:
    for row, _ in rows_with_kind(spec):
        container = doc.text(row, "name")
        for env in doc.rows(row, "env"):
            # Most have a value.
            given = doc.section(env, "valueFrom")
            for field, kind in (
                (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")) if given else ()
            ):
                ref = doc.section(given, field)
                if name := doc.text(ref, "name"):
                    key = doc.text(ref, "key") or None
                    yield Need(Ref(kind, namespace, name), "env", key, doc.flag(ref, "optional"), container)
        for source in doc.rows(row, "envFrom"):
            for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
                ref = doc.section(source, field)
                if name := doc.text(ref, "name"):
                    yield Need(
                        Ref(kind, namespace, name), "envFrom", None, doc.flag(ref, "optional"), container
                    )
