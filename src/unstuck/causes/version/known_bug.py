"""An installed version has a known bug with these symptoms

## How it happens

A component has a fault that its project knows, and has fixed in a later version: a kubelet that cannot
unmount, a runtime that loses the end of a container, a controller that leaves its finalizer behind. The
cluster, or one Node of it, still runs an earlier version.

## How to tell

The bug's symptom is present: the message, the failing call, the finalizer. And the version of the component
lies in the bug's range. A message that only this bug writes makes it likely; if other causes look the same it
stays possible. A version by itself is no evidence, and one with the fix rules the bug out. [All bugs that are
known](../bugs.md), with their versions and sources.

## Known limits

- Vendors patch: a version such as `v1.28.5-eks-5e0fdde` may have the fix earlier. The answer shows the
  version that the Node reports.
- The control plane's version is the API server's; its controllers may be one minor version older.
- No Node reports the version of runc. That of a CSI sidecar or of a network plugin is the tag of its image,
  where one of its Pods was read; an image by digest alone has none.
- Messages that a component writes only to its log are known only if the log was read.

## References

- The sources of each bug: its issue, the fix, the release notes that name the version
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import cache, lru_cache
from typing import get_args

from unstuck.causes import _starting
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages, make_text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Finalizers, Phase, Server
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, Placement
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.text import Text
from unstuck.facts.vocabulary.stages import EndStage, NamespaceStage, StageId, StartStage
from unstuck.knowledge.bugs import BUGS, BugLook, KnownBug

say = Messages(__name__)

_CLUSTER = Ref("Cluster")
_CONTROL_PLANE = ("kube-controller-manager", "kube-scheduler", "kube-apiserver")
# The scheme of `containerRuntimeVersion` names a Node's runtime; runc is below both.
_RUNTIMES = ("containerd", "cri-o")
_UNTOLD = ("runc",)
_LATELY = timedelta(hours=1)
_NOTES = 3
# A scheduling gate's controller, and a deletion's requester, are no components with a version.
_NO_COMPONENT: tuple[StageId, ...] = ("gates-lifted", "requested")
_STAGES: tuple[StageId, ...] = tuple(
    stage
    for line in (StartStage, EndStage, NamespaceStage)
    for stage in get_args(line)
    if stage not in _NO_COMPONENT
)


@record()
class _Installed(Record):
    """The version of a component, if known. version: "" if unknown; wants: the facts that would then show
    it.
    """

    version: str = ""
    seen: tuple[Fact, ...] = ()
    wants: tuple[Want, ...] = ()
    absent: bool = False


@record()
class _Suspicion(Record):
    """A bug with the facts that look like it. has: whether the installed version has it; None: not known."""

    bug: KnownBug
    shown: tuple[Fact, ...]
    installed: _Installed
    has: bool | None


def _rule(subject: Ref, snap: Facts) -> Signs:
    found = tuple(_list_suspicions(subject, snap))
    affected = tuple(s for s in found if s.has)
    open_ = tuple(s for s in found if s.has is None and s.bug.specific)
    told = affected or open_
    return Signs(
        applies=Sign(bool(found), found, unique(f for s in found for f in s.shown)),
        necessary={"the installed version has this bug": _find_version(found, affected, open_)},
        decisive={},
        supporting={"words are there that only this bug leads to": _find_words(told)},
        finding=lambda: _make_finding(subject, affected, snap),
        notes=tuple(_note(s) for s in told[:_NOTES]),
    )


def _find_version(
    found: Sequence[_Suspicion], affected: Sequence[_Suspicion], open_: Sequence[_Suspicion]
) -> Sign[_Suspicion]:
    if affected:
        return Sign(True, tuple(affected), unique(f for s in affected for f in s.installed.seen))
    if open_:
        return Sign(None, wants=unique(w for s in open_ for w in s.installed.wants))
    return Sign(False, seen=unique(f for s in found for f in s.installed.seen)) if found else Sign(None)


def _find_words(told: Sequence[_Suspicion]) -> Sign[_Suspicion]:
    """Find a yes in symptoms that only this bug has; symptoms that others share are shown and decide
    nothing.
    """
    only = tuple(s for s in told if s.bug.specific)
    if only:
        return Sign(True, only, unique(f for s in only for f in s.shown))
    return Sign(None, tuple(told), unique(f for s in told for f in s.shown))


def _list_suspicions(subject: Ref, snap: Facts) -> Iterator[_Suspicion]:
    """Yield the bugs whose symptoms the facts show, the specific ones first.

    Skip a bug if other causes look the same and the version is unknown.
    """
    for bug in _order_bugs():
        shown = unique(f for look in bug.looks for f in _find_seen(look, subject, snap))
        if not shown:
            continue
        installed = _find_installed(bug.component, subject, snap)
        has = False if installed.absent else bug.has(installed.version) if installed.version else None
        if has is not None or bug.specific:
            yield _Suspicion(bug, shown, installed, has)


@cache
def _order_bugs() -> tuple[KnownBug, ...]:
    return tuple(sorted(BUGS, key=lambda b: not b.specific))


@cache
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words)


def _find_seen(look: BugLook, subject: Ref, snap: Facts) -> tuple[Fact, ...]:
    """Return the facts in which all that belongs to this look is seen; none if any of it is not."""
    if subject.kind not in look.kinds:
        return ()
    parts: list[tuple[Fact, ...]] = []
    if look.finalizer:
        parts.append(_find_held(look.finalizer, subject, snap))
    if look.reasons:
        parts.append(tuple(f for f in snap.of(Phase, subject) if f.reason in look.reasons))
    if look.operations or look.errors:
        parts.append(_list_failures(look, subject, snap))
    elif look.words:
        parts.append((*_list_failures(look, subject, snap), *_find_said(look.words, subject, snap)))
    return unique(f for part in parts for f in part) if all(parts) else ()


def _find_held(finalizer: str, subject: Ref, snap: Facts) -> tuple[Fact, ...]:
    if not any(f.requested for f in snap.of(Deletion, subject)):
        return ()
    prefix = finalizer if finalizer.endswith("/") else ""
    return tuple(
        f
        for f in snap.of(Finalizers, subject)
        if any(n == finalizer or (prefix and n.startswith(prefix)) for n in f.names)
    )


def _list_failures(look: BugLook, subject: Ref, snap: Facts) -> tuple[Fact, ...]:
    if not snap.of(Failure, subject):
        return ()

    def is_match(f: Failure) -> bool:
        fits = _is_among(f.operation, look.operations) and _is_among(f.error, look.errors)
        return fits and (
            not look.words or _pattern(look.words).search(f"{f.message}\n{f.src.quote}".lower()) is not None
        )

    return _starting.start_failures(subject, snap, is_match).hits


def _is_among(word: str, wanted: Sequence[str]) -> bool:
    """Tell whether a word is wanted; where none is named, each is."""
    return not wanted or word in wanted


def _find_said(words: str, subject: Ref, snap: Facts) -> Iterator[Fact]:
    """Yield the Events of the last hour and the conditions that contain this message."""
    search = _pattern(words).search
    for events in snap.of(Events, subject):
        if any(
            search(_lower(e.message)) and (e.last is None or snap.now - e.last <= _LATELY)
            for e in events.items
        ):
            yield events
    for conditions in snap.of(Conditions, subject):
        if any(search(_lower(c.message)) for c in conditions.items):
            yield conditions


@lru_cache(256)
def _lower(message: str) -> str:
    """Return it in small letters: each bug looks at the same few messages."""
    return message.lower()


def _find_installed(component: str, subject: Ref, snap: Facts) -> _Installed:
    """Return the version of a component that the subject depends on."""
    if component in _CONTROL_PLANE:
        server = snap.one(Server, _CLUSTER)
        return (
            _Installed(server.version, (server,))
            if server and server.version
            else _Installed(wants=(Want(Server, _CLUSTER),))
        )
    if component in ("kubelet", *_RUNTIMES):
        return _find_version_on_node(component, subject, snap)
    return _Installed() if component in _UNTOLD else _find_version_by_image(component, snap)


def _find_version_on_node(component: str, subject: Ref, snap: Facts) -> _Installed:
    node = find_node(subject, snap)
    if node is None:
        return _Installed(wants=(Want(Placement, subject),) if subject.kind == "Pod" else ())
    info = snap.one(NodeInfo, node)
    if info is None:
        return _Installed(wants=(Want(NodeInfo, node),))
    if component not in _RUNTIMES:
        return _Installed(info.kubelet, (info,))
    scheme, _, version = info.runtime.partition("://")
    return _Installed(
        version if scheme == component else "", (info,), absent=bool(scheme) and scheme != component
    )


def _find_version_by_image(component: str, snap: Facts) -> _Installed:
    """Return the tag of the component's image. With several tags return the first by name: one version with
    the bug is enough.
    """
    tags = sorted(
        (tag, f) for f in snap.every(Containers) for c in f.items if (tag := _tag(c.image, component))
    )
    return _Installed(tags[0][0], (tags[0][1],)) if tags else _Installed()


def _tag(image: str, component: str) -> str:
    """Return the tag of an image with this repository name, "" for another image and for one without a
    tag.
    """
    path, _, tag = image.partition("@")[0].rpartition(":")
    return tag if "/" not in tag and (path == component or path.endswith(f"/{component}")) else ""


def _note(s: _Suspicion) -> Text:
    """Describe a bug while the cause is undecided."""
    fixed = ", ".join(s.bug.fixed)
    if s.installed.version:
        return say(
            "{bug}: in {component} {version}, {what}; fixed in {fixed}",
            bug=s.bug.id,
            component=s.bug.component,
            version=s.installed.version,
            what=make_text(s.bug.says),
            fixed=s.bug.fixed_after(s.installed.version) or fixed,
        )
    return say(
        "{bug}: in versions of {component} before the fix, {what}; fixed in {fixed}",
        bug=s.bug.id,
        component=s.bug.component,
        what=make_text(s.bug.says),
        fixed=fixed,
    )


def _make_finding(subject: Ref, affected: Sequence[_Suspicion], snap: Facts) -> Finding:
    first, *others = affected
    bug, version = first.bug, first.installed.version
    node = find_node(subject, snap) if bug.component in ("kubelet", *_RUNTIMES) else None
    fixed = bug.fixed_after(version)
    own = Step(make_text(bug.workaround), where="source") if bug.workaround else None
    upgrade = Step(
        say("upgrade {component} to {fixed} or later", component=bug.component, fixed=fixed),
        where="source",
        verify=say("the version is {fixed} or later, and the message is not repeated", fixed=fixed),
    )
    what = make_text(bug.says)
    if node and node.name:
        says = say(
            "{component} {version} on Node {node} has the bug {bug}: {what}",
            component=bug.component,
            version=version,
            node=node.name,
            bug=bug.id,
            what=what,
        )
    else:
        says = say(
            "{component} {version} has the bug {bug}: {what}",
            component=bug.component,
            version=version,
            bug=bug.id,
            what=what,
        )
    return Finding(
        says,
        culprit=Ref("KnownBug", None, bug.id),
        blocks=(subject,),
        notes=(
            say("fixed in {fixed}; {source}", fixed=", ".join(bug.fixed), source=bug.sources[0]),
            *(_note(s) for s in others[:_NOTES]),
        ),
        help=(*((own,) if own else ()), upgrade),
    )


CAUSE = Cause(
    id="version.known-bug",
    title=say("a known bug of an installed version"),
    subjects=(
        "Pod",
        "Namespace",
        "Job",
        "CronJob",
        "Deployment",
        "ReplicaSet",
        "StatefulSet",
        "DaemonSet",
        "PersistentVolumeClaim",
        "PersistentVolume",
        "VolumeAttachment",
        "VolumeSnapshot.snapshot.storage.k8s.io",
        "VolumeSnapshotContent.snapshot.storage.k8s.io",
    ),
    stages=_STAGES,
    reads=frozenset(
        {
            Failure,
            Events,
            Conditions,
            Deletion,
            Finalizers,
            Phase,
            Placement,
            ContainerStatuses,
            Containers,
            NodeInfo,
            Server,
        }
    ),
    rule=_rule,
)
