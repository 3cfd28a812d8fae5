"""Finds objects by selector, or by a bare name, with their facts."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import METADATA_LIST, ApiRead, Session, cannot_ask
from unstuck.collect.kube.transport.suggest import suggest_names
from unstuck.collect.objects import doc, facts_of, metadata_of
from unstuck.collect.objects.kinds import Kind, builtin, ref_of
from unstuck.errors import AccessError, NotFound, Unreachable, UsageError
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages

say = Messages(__name__)

# The kinds to search for a bare name, step by step: the first step with a hit decides.
STEPS: tuple[tuple[str, ...], ...] = (
    ("Pod",),
    ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicaSet", "ReplicationController"),
    ("PersistentVolumeClaim", "Service", "Node", "Namespace", "PersistentVolume"),
)
# Kinds whose contents are private, and may be large.
_METADATA_ALONE = ("Secret", "ConfigMap")


@record()
class TypedSelector(Record):
    """As kubectl has it. labels: -l. fields: --field-selector. namespace: None for all."""

    namespace: str | None
    labels: str = ""
    fields: str = ""


def select(session: Session, kind: Kind, by: TypedSelector) -> tuple[list[Ref], list[Fact]]:
    """Return every object of this type that the selector matches, with its facts.

    Errors: UsageError if the server does not accept the selector, NotFound for a Namespace that does not
    exist, AccessError, Unreachable.
    """
    params = {
        name: value for name, value in (("labelSelector", by.labels), ("fieldSelector", by.fields)) if value
    }
    bare = kind.ref_kind in _METADATA_ALONE
    found = session.listing(kind, by.namespace if kind.namespaced else None, params, metadata=bare)
    if not found.read.reply.ok:
        raise _error(session, kind, found.read)
    if not found.items and kind.namespaced and by.namespace:
        _check_exists(session, by.namespace)
    refs, facts = list[Ref](), list[Fact]()
    for item in found.items:
        if ref := ref_of(item):
            refs.append(ref)
            facts += (metadata_of if bare else facts_of)(item, kind.path(ref.within, ref.name), found.read.at)
    return refs, facts


def find_by_name(session: Session, name: str, namespace: str) -> list[list[Ref]]:
    """Return the objects with this name for each step of `STEPS`; steps without any are left out.

    Errors: NotFound if there are none, with the Pods of nearly this name; AccessError, Unreachable.
    """
    kinds = [kind for step in STEPS for word in step if (kind := builtin(word))]
    reads = run_each(lambda kind: session.object(kind, kind.ref(namespace, name)), kinds)
    for read in reads:
        if not read.reply.ok and not read.reply.object_missing and (whole := cannot_ask(session, read.reply)):
            raise whole
    there = {
        kind.ref_kind: ref_of(read.reply.doc)
        for kind, read in zip(kinds, reads, strict=True)
        if read.reply.ok
    }
    found = [[ref for word in step if (ref := there.get(word))] for step in STEPS]
    if any(found):
        return [step for step in found if step]
    _check_exists(session, namespace)
    raise NotFound(
        say(
            (
                "no Pod, workload, claim, Service, Node or Namespace is called {name!r} "
                "in Namespace {namespace!r}"
            ),
            name=name,
            namespace=namespace,
        ),
        suggest_names(name, _list_pods(session, namespace)) or say("anything else: KIND/NAME"),
    )


def server_version(session: Session) -> str:
    """Return the server's version. Errors: AccessError, Unreachable."""
    reply = session.get("/version", retries=0).reply
    if version := doc.text(reply.doc, "gitVersion") if reply.ok else "":
        return version[:60]
    said = (reply.detail or reply.message or f"HTTP {reply.status}").rstrip(".")
    whole = cannot_ask(session, reply)
    raise whole or Unreachable(say("the server does not tell its version: {said}", said=said))


def names(session: Session, kind: Kind, namespace: str | None, seconds: float) -> Sequence[str]:
    """Return the names of a kind's objects from one quick request; none if it fails."""
    path = kind.path(namespace if kind.namespaced else None)
    reply = session.get(path, {"limit": 500}, accept=METADATA_LIST, retries=0, seconds=seconds).reply
    return [doc.text(item, "metadata", "name") for item in doc.rows(reply.doc, "items")] if reply.ok else ()


def _list_pods(session: Session, namespace: str) -> list[str]:
    pods = builtin("Pod")
    items = session.listing(pods, namespace, metadata=True, most=10).items if pods else ()
    return [doc.text(item, "metadata", "name") for item in items]


def _check_exists(session: Session, namespace: str) -> None:
    """Check that the Namespace exists. Errors: NotFound."""
    from unstuck.collect.kube.questions.missing import no_namespace

    spaces = builtin("Namespace")
    if spaces and session.object(spaces, Ref("Namespace", None, namespace)).reply.object_missing:
        raise no_namespace(session, namespace)


def _error(session: Session, kind: Kind, read: ApiRead) -> AccessError | Unreachable | UsageError | NotFound:
    reply = read.reply
    said = (reply.detail or reply.message or f"HTTP {reply.status}").rstrip(".")
    if reply.status == 400:
        return UsageError(say("the server does not take this selector: {said}", said=said))
    whole = cannot_ask(session, reply)
    if isinstance(whole, AccessError | Unreachable | NotFound):
        return whole
    if reply.status == 403 or reply.why == "denied":
        return AccessError(say("not allowed to list {plural}: {said}", plural=kind.plural, said=said))
    return Unreachable(
        say("{plural} could not be listed: {said}", plural=kind.plural, said=said), say("try again")
    )
