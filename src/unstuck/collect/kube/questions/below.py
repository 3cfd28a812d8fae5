"""The children of a workload, a Namespace or a Node: its Pods, and the ReplicaSets or Jobs between; the
Pods that a budget selects; the users of an object that others name or that applies to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from unstuck.collect.kube.questions.health import is_healthy
from unstuck.collect.kube.questions.objects import item_facts, kind_named, object_facts
from unstuck.collect.kube.questions.users import USERS, UsersOf, find_users, list_users_of_budget
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import (
    CACHED,
    PAGE,
    Listing,
    Session,
    make_refused,
    make_unanswered,
)
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import builtin, ref_of
from unstuck.collect.objects.segments import field_requirement
from unstuck.facts.aspects.objects import Below
from unstuck.facts.core import Fact, Ref, Want

READ_IN_FULL = 50
# Kinds with the number of their Pods in their status, which is left out if it is 0.
_COUNTED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
_IN_NAMESPACE = ("Deployment", "StatefulSet", "DaemonSet", "Job", "PersistentVolumeClaim")
WORKERS = 4
_BETWEEN = {"Deployment": "ReplicaSet", "CronJob": "Job"}


def list_below(session: Session, want: Want) -> list[Fact]:
    """Return one `Below` for each kind listed, and all facts of objects that are not plainly healthy (at
    most 50 of a kind).
    """
    about = want.about
    if about.kind == "Namespace" and about.name:
        return _list_of_namespace(session, want, about.name)
    if about.kind == "Node" and about.name:
        # From the server's cache, which knows Pods by their Node; without it each question reads all Pods of
        # the cluster.
        asked = {"fieldSelector": field_requirement("spec.nodeName", about.name), "resourceVersion": "0"}
        found = session.listing(kind_named("Pod"), None, asked)
        # Every Pod in full: a recently started Pod shows that the Node works.
        return _make_facts(about, found, "Pod", want, found.items)
    if about.kind in USERS and about.name:
        return _list_users(session, want, USERS[about.kind])
    kind = builtin(about.kind)
    if kind is None or not about.name or not about.within:
        return [make_unanswered(want, "not-asked", f"nothing is known to be below a {about.kind}")]
    read = session.object(kind, about)
    if not read.reply.ok:
        return object_facts(session, want)
    selector = label_selector(doc.section(read.reply.doc, "spec", "selector"), about.kind)
    if about.kind == "PodDisruptionBudget":
        # Every Pod in full: its owner matters. An empty selector matches all of the Namespace.
        found = session.listing(
            kind_named("Pod"), about.within, {"labelSelector": selector} if selector else {}
        )
        lacking = _list_users(session, want, list_users_of_budget(read.reply.doc))
        return [*_make_facts(about, found, "Pod", want, found.items), *lacking]
    if not selector and about.kind != "CronJob":
        return [make_unanswered(want, "not-offered", "it has no selector", read.where)]
    return _list_of_workload(session, want, selector, read.reply.doc)


def _list_of_namespace(session: Session, want: Want, name: str) -> list[Fact]:
    """Return its Pods; if it is not being deleted, also its workloads and claims, which may have no Pod
    yet.
    """
    path = kind_named("Namespace").path(None, name)
    stays = session.knows(path) and not _is_being_deleted(
        session.object(kind_named("Namespace"), want.about).reply.doc
    )
    kinds = ["Pod", *(_IN_NAMESPACE if stays else ())]
    lists = run_each(lambda k: session.listing(kind_named(k), name), kinds, WORKERS)
    return [
        f
        for kind, found in zip(kinds, lists, strict=True)
        for f in _make_facts(want.about, found, kind, want)
    ]


def _list_users(session: Session, want: Want, users: Sequence[UsersOf]) -> list[Fact]:
    """Return one `Below` for each kind of its users, and all facts of the first of them."""
    lists = run_each(lambda of: find_users(session, of, want.about), users, WORKERS)
    return [
        f
        for of, found in zip(users, lists, strict=True)
        for f in _make_facts(want.about, found, of.kind, want, found.items[:READ_IN_FULL])
    ]


def _is_being_deleted(namespace: doc.Doc) -> bool:
    return doc.at(namespace, "metadata", "deletionTimestamp") is not None


def _list_of_workload(session: Session, want: Want, selector: str, body: doc.Doc) -> list[Fact]:
    about, uid = want.about, doc.text(body, "metadata", "uid")
    between = _BETWEEN.get(about.kind)
    params: Mapping[str, str | int] = (
        {"labelSelector": selector, **_from_cache(session, about.kind, body)} if selector else {}
    )
    kinds = [between] if about.kind == "CronJob" else [between, "Pod"] if between else ["Pod"]
    names = [k for k in kinds if k]
    lists = dict(
        zip(
            names,
            run_each(lambda k: session.listing(kind_named(k), about.within, params), names, 2),
            strict=True,
        )
    )
    owners = {uid}
    out: list[Fact] = []
    for name in names:
        own = [i for i in lists[name].items if _list_controllers(i) & owners]
        out += _make_facts(about, Listing(tuple(own), lists[name].whole, lists[name].read), name, want)
        owners |= {doc.text(i, "metadata", "uid") for i in own}
    return out


def _from_cache(session: Session, kind: str, workload: doc.Doc) -> Mapping[str, str | int]:
    """Return the query that lets a scan read from the server's cache: without it a selector reads all Pods of
    the Namespace from etcd. The cache answers in one page.
    """
    few = kind in _COUNTED and (doc.whole_number(workload, "status", "replicas") or 0) <= PAGE
    return CACHED if session.cached and few else {}


def _make_facts(
    about: Ref, found: Listing, kind: str, want: Want, in_full: Sequence[doc.Doc] | None = None
) -> list[Fact]:
    """Return facts of the children. in_full: objects whose facts are all returned; None: the first ones
    that are not plainly healthy.
    """
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    refs = tuple(r for i in found.items if (r := ref_of(i)))
    out: list[Fact] = [
        Below(
            about=about, src=found.read.src(f"{len(refs)} {kind}s"), kind=kind, refs=refs, whole=found.whole
        )
    ]
    return out + full_or_present(
        found, [i for i in found.items if not is_healthy(i)][:READ_IN_FULL] if in_full is None else in_full
    )


def full_or_present(found: Listing, wanted: Iterable[doc.Doc]) -> list[Fact]:
    """Return all facts of the wanted items."""
    out: list[Fact] = []
    for item in wanted:
        ref = ref_of(item)
        kind = builtin(ref.kind) if ref else None
        if ref and kind:
            out += item_facts(kind, item, found.read)
    return out


def _list_controllers(item: doc.Doc) -> set[str]:
    return {doc.text(o, "uid") for o in doc.rows(item, "metadata", "ownerReferences")} - {""}


def label_selector(selector: doc.Doc, kind: str) -> str:
    """Return a LabelSelector (of a ReplicationController a plain map) in the form of a query parameter; ""
    if it selects nothing.
    """
    if kind == "ReplicationController":
        return ",".join(f"{k}={v}" for k, v in doc.pairs(selector))
    parts = [f"{k}={v}" for k, v in doc.pairs(selector, "matchLabels")]
    for row in doc.rows(selector, "matchExpressions"):
        key, values = doc.text(row, "key"), ",".join(doc.strings(row, "values"))
        operator = doc.text(row, "operator")
        form = {
            "In": f"{key} in ({values})",
            "NotIn": f"{key} notin ({values})",
            "Exists": key,
            "DoesNotExist": f"!{key}",
        }.get(operator)
        parts += [form] if form and key else []
    return ",".join(parts)
