"""Changes since Pods of a ReplicaSet, StatefulSet, DaemonSet or Job last got a Node, as far as objects
show them.
"""

from __future__ import annotations

from datetime import datetime

from unstuck.collect.kube.questions.below import label_selector
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind
from unstuck.collect.objects.placing.pods import pod_shape
from unstuck.facts.aspects.history import History, NodeAge, Revision
from unstuck.facts.core import Fact, Ref, Want

_NODE_PAGES = 40
_REVISED = ("StatefulSet", "DaemonSet")
_HASH = "controller-revision-hash"
# Writers of the Node's own state, which changes all the time.
_COMPONENTS = ("kubelet", "kube-controller-manager", "cloud-controller-manager")
_FIELDS = (("f:metadata", "f:labels"), ("f:spec", "f:taints"))


def history(session: Session, want: Want) -> list[Fact]:
    """Return one History: the owner with its predecessors, the Pods of its template, and the Nodes."""
    about = want.about
    if about.kind not in ("ReplicaSet", *_REVISED, "Job") or not about.within or not about.name:
        return [make_unanswered(want, "not-asked", f"nothing is known of what {about.kind} made before")]
    kind = kind_named(about.kind)
    mine = _owner(session, kind, about)
    if not mine:
        return [make_unanswered(want, "not-offered", f"its {about.kind} is not there")]
    controller = next(
        (o for o in doc.rows(mine, "metadata", "ownerReferences") if doc.text(o, "kind") == "Deployment"), {}
    )
    deployment = _owner(
        session,
        kind_named("Deployment"),
        Ref("Deployment", about.within, doc.text(controller, "name") or None),
    )
    nodes = session.listing(kind_named("Node"), None, most=_NODE_PAGES)
    if not nodes.read.reply.ok:
        return [make_refused(want, nodes.read)]
    current = ""
    if about.kind in _REVISED:
        kept = _list_revisions(session, mine, about)
        current = doc.text(max(kept, key=_number), "metadata", "name") if kept else ""
        revisions = [_revision(r, "data") for r in kept] or [_revision(mine)]
    else:
        revisions = [_revision(r) for r in _list_siblings(session, kind, about, deployment)] or [
            _revision(mine)
        ]
    fitted = _find_when_fitted(session, mine, deployment, about, current)
    ages = tuple(_age(n) for n in nodes.items)
    src = nodes.read.src(f"{len(ages)} Nodes, {len(revisions)} revisions")
    ordered = tuple(sorted(revisions, key=lambda r: (r.created.timestamp() if r.created else 0.0, r.name)))
    return [
        History(
            about=about,
            src=src,
            fitted=fitted,
            revisions=ordered,
            nodes=ages,
            current=current,
            whole=nodes.whole,
        )
    ]


def _list_revisions(session: Session, mine: doc.Doc, about: Ref) -> list[doc.Doc]:
    """Return the ControllerRevisions of a StatefulSet or DaemonSet: they carry the labels of its Pods."""
    revisions, selector = (
        kind_named("ControllerRevision"),
        label_selector(doc.section(mine, "spec", "selector"), about.kind),
    )
    if not selector:
        return []
    session.looked_up.add(revisions.path(about.within))
    found = session.listing(revisions, about.within, {"labelSelector": selector}, most=1)
    return [i for i in found.items if _is_owned(i, mine)]


def _number(revision: doc.Doc) -> int:
    """Order by this number alone: rolling back makes an old one the newest by it."""
    number = revision.get("revision")
    return number if isinstance(number, int) else 0


def _is_owned(item: doc.Doc, by: doc.Doc) -> bool:
    return doc.text(by, "metadata", "uid") in (
        doc.text(o, "uid") for o in doc.rows(item, "metadata", "ownerReferences")
    )


def _owner(session: Session, kind: Kind, ref: Ref) -> doc.Doc:
    if not ref.name:
        return {}
    session.looked_up.add(kind.path(ref.within, ref.name))
    read = session.object(kind, ref)
    return read.reply.doc if read.reply.ok else {}


def _list_siblings(session: Session, sets: Kind, about: Ref, deployment: doc.Doc) -> list[doc.Doc]:
    selector = label_selector(doc.section(deployment, "spec", "selector"), "Deployment")
    if not selector:
        return []
    session.looked_up.add(sets.path(about.within))
    found = session.listing(sets, about.within, {"labelSelector": selector}, most=1)
    return [i for i in found.items if _is_owned(i, deployment)]


def _revision(item: doc.Doc, *under: str) -> Revision:
    template = doc.section(item, *under, "spec", "template")
    made = {
        "metadata": {
            **doc.section(template, "metadata"),
            "namespace": doc.text(item, "metadata", "namespace"),
        },
        "spec": template.get("spec"),
    }
    return Revision(
        doc.text(item, "metadata", "name"),
        doc.time(item, "metadata", "creationTimestamp"),
        pod_shape(made, bound=False),
    )


def _find_when_fitted(
    session: Session, mine: doc.Doc, deployment: doc.Doc, about: Ref, current: str
) -> datetime | None:
    """Return the time when the last of the existing Pods got its Node; else the time when its Deployment was
    fully available.
    """
    selector = label_selector(doc.section(mine, "spec", "selector"), about.kind)
    pods = kind_named("Pod")
    session.looked_up.add(pods.path(about.within))
    found = session.listing(pods, about.within, {"labelSelector": selector}, most=1) if selector else None
    # For a StatefulSet the label is the revision's name, for a DaemonSet its suffix.
    of_it = [
        p
        for p in (found.items if found else ())
        if current.endswith(doc.text(p, "metadata", "labels", _HASH) or current)
    ]
    rows = [c for p in of_it for c in doc.rows(p, "status", "conditions")]
    placed = [
        t
        for c in rows
        if doc.text(c, "type") == "PodScheduled"
        and doc.text(c, "status") == "True"
        and (t := doc.time(c, "lastTransitionTime"))
    ]
    if placed:
        return max(placed)
    progress = next(
        (c for c in doc.rows(deployment, "status", "conditions") if doc.text(c, "type") == "Progressing"), {}
    )
    # It does not change when the Pods are lost later (pkg/controller/deployment/util/deployment_util.go:
    # NewRSAvailableReason).
    done = doc.text(progress, "reason") == "NewReplicaSetAvailable" and f'"{about.name}"' in doc.text(
        progress, "message"
    )
    return doc.time(progress, "lastUpdateTime") if done else None


def _age(node: doc.Doc) -> NodeAge:
    rows = doc.rows(node, "metadata", "managedFields")
    written = {
        (doc.text(r, "manager"), at)
        for r in rows
        if doc.text(r, "manager") not in _COMPONENTS
        and (at := doc.time(r, "time"))
        and any(doc.section(r, "fieldsV1", *f) for f in _FIELDS)
    }
    return NodeAge(
        doc.text(node, "metadata", "name"),
        doc.time(node, "metadata", "creationTimestamp"),
        doc.text(node, "status", "nodeInfo", "kubeletVersion"),
        tuple(sorted(written, key=lambda w: (w[1], w[0]))),
    )
