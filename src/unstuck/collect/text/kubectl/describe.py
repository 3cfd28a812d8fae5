"""`kubectl describe`: the described object goes through the same reader as the object itself, as a partial
view.

Only certain information is whole: the object's existence; its deletion, or with another status the absence of
one (for a Pod whose phase is terminal, describe is silent about its deletion); and, if the paste reaches from
the name to the events, its Node, its phase and its containers' states. Conditions come without reasons,
containers without hooks: these are not whole. But a Pod that waits for its Node and shows no conditions has
none, and then no gates either, because gates come with a condition. Environment values are never kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import find_kind, ref_of
from unstuck.collect.objects.services import make_no_backend
from unstuck.collect.text.cutting.piece import Piece, Reading, TextContext, TypedCommand
from unstuck.collect.text.cutting.shown_objects import find_described_name
from unstuck.collect.text.kubectl import (
    describe_any,
    describe_node,
    describe_other_kinds,
    describe_plain_kinds,
    describe_pod,
)
from unstuck.collect.text.kubectl.describe_other_kinds import is_without_endpoints
from unstuck.collect.text.kubectl.event_rows import is_row
from unstuck.collect.text.kubectl.events import WRITTEN_ABOUT, find_end_of_rows, read_rows
from unstuck.collect.text.kubectl.tree import Branch, parse_tree
from unstuck.facts.aspects.objects import (
    Below,
    Conditions,
    Deletion,
    Finalizers,
    Labels,
    Owners,
    Phase,
    Presence,
    Touches,
)
from unstuck.facts.aspects.pod import ContainerStatuses, Life, Placement
from unstuck.facts.aspects.protection import Users
from unstuck.facts.core import Fact, Ref
from unstuck.facts.regex import regex

_NAME = regex(r"^Name:\s+(?P<name>[a-z0-9][a-z0-9.:-]{0,252})\s*$")
_POD = regex(r"^[a-z0-9][a-z0-9.-]{0,252}$")
_UNDELETED_STATUSES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Pod": ("Pending", "Running"),
        "Namespace": ("Active",),
        "PersistentVolumeClaim": ("Pending", "Bound", "Lost"),
        "PersistentVolume": ("Pending", "Available", "Bound", "Released", "Failed"),
    }
)
_UNCUT = ("Node", "Status", "Containers", "Volumes", "Events")
_KNOWN = regex(
    r"^(?:Namespace|Labels|Annotations|Status|Node|Roles|Start Time|Priority|StorageClass|Selector|Replicas"
    r"|Image\(s\)|Type|Data|"
    r"Provisioner|API Version):"
)
_FILLING = ("No resource quota.", "No LimitRange resource.", "No volumes.")
_NOT_FIRST = ("Events:", "Conditions:", "Error:", "Warning:", "Name:")
# Keys of a Pod above or below its containers; the rest of it has its own reader.
_OF_A_POD = ("Labels:", "Tolerations:", "Node-Selectors:", "QoS Class:")
_OF_CUSTOM = ("Status:", "Spec:")
_KEY = regex(r"^[A-Z][\w ()./-]{0,60}:(?:\s|$)")

# Keys that only this kind has, and keys that it lacks; the first row that fits.
_KINDS_BY_KEYS: tuple[tuple[str, frozenset[str], frozenset[str]], ...] = (
    ("Pod", frozenset({"Containers"}), frozenset()),
    ("Pod", frozenset({"Init Containers"}), frozenset()),
    ("Pod", frozenset({"Node", "Namespace"}), frozenset()),
    ("Node", frozenset({"System Info"}), frozenset()),
    ("Node", frozenset({"Allocatable"}), frozenset()),
    ("Node", frozenset({"Roles", "Addresses"}), frozenset()),
    ("Node", frozenset({"Taints"}), frozenset()),
    ("PersistentVolume", frozenset({"Reclaim Policy", "Source"}), frozenset()),
    ("PersistentVolumeClaim", frozenset({"StorageClass", "Volume"}), frozenset()),
    ("PersistentVolumeClaim", frozenset({"Access Modes"}), frozenset()),
    ("DaemonSet", frozenset({"Desired Number of Nodes Scheduled"}), frozenset()),
    ("Job", frozenset({"Parallelism", "Completions"}), frozenset()),
    ("Service", frozenset({"Selector", "Endpoints"}), frozenset()),
    ("Service", frozenset({"IP Families", "Session Affinity"}), frozenset()),
    ("PodDisruptionBudget", frozenset({"Selector", "Min available"}), frozenset()),
    ("PodDisruptionBudget", frozenset({"Selector", "Max unavailable"}), frozenset()),
    ("Namespace", frozenset({"Labels", "Annotations", "Status"}), frozenset({"Namespace"})),
    ("StorageClass", frozenset({"Provisioner", "ReclaimPolicy"}), frozenset()),
    ("HorizontalPodAutoscaler", frozenset({"Reference", "Min replicas"}), frozenset()),
    ("Endpoints", frozenset({"Subsets"}), frozenset()),
    ("Deployment", frozenset({"StrategyType"}), frozenset()),
    ("StatefulSet", frozenset({"Pod Management Policy"}), frozenset()),
    ("StatefulSet", frozenset({"Update Strategy", "Pod Template"}), frozenset()),
    ("ReplicaSet", frozenset({"Replicas", "Pod Template"}), frozenset()),
)

_WITHOUT_CONTAINERS = (Labels, Presence, Deletion, Phase)
Build = Callable[[Branch, TextContext], dict[str, Any]]
_BUILD: Mapping[str, Build] = MappingProxyType(
    {
        "Pod": describe_pod.build_pod,
        "Node": describe_node.build_node,
        "Namespace": describe_node.build_namespace,
        "PersistentVolumeClaim": describe_node.build_claim,
        "PersistentVolume": describe_other_kinds.build_volume,
        "Deployment": describe_other_kinds.build_deployment,
        "DaemonSet": describe_other_kinds.build_daemon_set,
        "Job": describe_other_kinds.build_job,
        "Service": describe_other_kinds.build_service,
        "PodDisruptionBudget": describe_other_kinds.build_budget,
        "StorageClass": describe_plain_kinds.build_storage_class,
        "ResourceQuota": describe_plain_kinds.build_quota,
        "Endpoints": describe_plain_kinds.build_endpoints,
        "HorizontalPodAutoscaler": describe_plain_kinds.build_autoscaler,
        "RoleBinding": partial(describe_plain_kinds.build_binding, "RoleBinding"),
        "ClusterRoleBinding": partial(describe_plain_kinds.build_binding, "ClusterRoleBinding"),
    }
)


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from `Name:` to the end of the object's description; for a
    description without its beginning, from its first key, if the command above names the object.
    """
    if _is_cut_beginning(lines, i, command):
        return find_end_of_description(lines, i)
    if not _NAME.match(lines[i]) or not any(_KNOWN.match(line) for line in lines[i + 1 : i + 16]):
        return None
    return find_end_of_description(lines, i)


def _is_cut_beginning(lines: Sequence[str], i: int, command: TypedCommand | None) -> bool:
    """Tell whether a line is in the middle of a description whose object only the command names."""
    named = find_described_name(command)
    own = find_kind(named[0]) if named else None
    # The remainder of a Pod or of events has its own readers.
    if own is None and named:
        # The excerpt of a custom kind.
        return lines[i].startswith(_OF_CUSTOM) and not any(_NAME.match(line) for line in lines)
    if (
        own is None
        or own.name not in _BUILD
        or (own.name == "Pod" and not lines[i].startswith(_OF_A_POD))
        or not _KEY.match(lines[i])
        or lines[i].startswith(_NOT_FIRST)
    ):
        return False
    return not any(_NAME.match(line) for line in lines)


def find_end_of_description(lines: Sequence[str], i: int) -> int:
    """Return the index after the last line below i that is keyed, or indented, or of its events."""
    end = i + 1
    for n in range(i + 1, len(lines)):
        line = lines[n]
        if n < end:
            continue
        if _NAME.match(line):
            break
        if line.strip().startswith("Events:") or is_row(line):
            end = find_end_of_rows(lines, n)
        elif amounts := describe_plain_kinds.find_end_of_amounts(lines, n):
            end = amounts
        elif not line.strip() or line[0] in " \t":
            end = n + 1 if line.strip() else end
        elif (_KEY.match(line) and not line.startswith(("Error:", "Warning:"))) or line.startswith(_FILLING):
            end = n + 1
        else:
            break
    return end


def read(piece: Piece) -> Reading:
    """Return the facts of the object described, and of its events."""
    root = parse_tree(piece.lines)
    kind = _find_kind(root, piece.command)
    name, namespace = (
        root.text("Name") or _find_name_by_command(piece),
        root.text("Namespace") or piece.namespace,
    )
    own = find_kind(kind) if kind else None
    about = (
        Ref(own.ref_kind if own else kind, namespace if own is None or own.namespaced else None, name)
        if kind
        else None
    )
    out = Reading()
    build = _BUILD.get(kind)
    other = (describe_any.rebuild_object(root) or _rebuild_excerpt(root, piece)) if build is None else None
    obj = build(root, piece.context) if build else other
    if obj is not None:
        # For a kind known only from its description, a Namespace that the command names may not apply.
        typed = piece.command.namespace if piece.command and not root.get("Name") else None
        namespace = (root.text("Namespace") or typed or "") if other else namespace
        obj["metadata"] = {
            **obj.get("metadata", {}),
            "name": name,
            **({"namespace": namespace} if namespace else {}),
        }
        told = facts_of(obj, f"{piece.context.name}:{piece.start}", piece.context.now)
        if other and describe_any.is_complete(root):
            # Every field is shown, but no annotation is read.
            out.facts += (replace(f, whole=False) if isinstance(f, Labels) else f for f in told)
        else:
            if kind == "Pod" and root.get("Containers", "Init Containers") is None:
                # A part of a description without the containers says nothing about them.
                kept = (*_WITHOUT_CONTAINERS, *((Placement,) if root.text("Node") else ()))
                told = [f for f in told if isinstance(f, kept)]
            out.facts += _mark_partial(
                told, _find_complete_types(kind, root), _excludes_deletion(kind, root.text("Status"))
            )
        about = ref_of(obj) or about
        if kind == "Deployment" and about and (names := describe_other_kinds.list_replica_sets(root)):
            refs = tuple(Ref("ReplicaSet", about.within, name) for name in names)
            out.facts.append(Below(about=about, src=piece.src(0), kind="ReplicaSet", refs=refs, whole=False))
    elif about is not None:
        out.facts.append(Presence(about=about, src=piece.src(0), exists=True))
    if kind == "Service" and about and is_without_endpoints(root):
        out.facts.append(make_no_backend(about, piece.src(0, "Endpoints: <none>")))
    if kind == "PersistentVolumeClaim" and about and (users := _find_users(root, about.within)):
        out.facts.append(
            Users(about=about, src=piece.src(0, f"used by {len(users)} Pods"), refs=users, whole=False)
        )
    if root.get("Events") is not None:
        # The description was pasted whole, from its name to its events: the source of Presence says so.
        out.facts = [
            replace(f, src=piece.src(0)) if isinstance(f, Presence) and f.about == about else f
            for f in out.facts
        ]
    if (first := _find_first_row(piece, root)) is not None:
        out.facts += read_rows(piece, first, len(piece.lines), about)
    return out


def _rebuild_excerpt(root: Branch, piece: Piece) -> dict[str, Any] | None:
    """Return the part of a custom object whose kind and name only the command tells; None for another
    piece.
    """
    named = find_described_name(piece.command)
    if named is None or find_kind(named[0]) or root.get("Name") or not root.get("Status", "Spec"):
        return None
    return describe_any.rebuild_part(root, named[0].lower())


def _find_name_by_command(piece: Piece) -> str:
    named = find_described_name(piece.command)
    return named[1] if named else ""


def _find_first_row(piece: Piece, root: Branch) -> int | None:
    """Return the index of the first event, also where the line above the events was cut out."""
    events = root.get("Events")
    return (
        events.index
        if events is not None
        else next((n for n, line in enumerate(piece.lines) if is_row(line)), None)
    )


def _find_users(root: Branch, namespace: str | None) -> tuple[Ref, ...]:
    """Return the Pods that mount a claim; `Mounted By` up to 1.18. Source: k8s.io/kubectl describe.go
    (describePersistentVolumeClaim).
    """
    found = root.get("Used By", "Mounted By")
    names = [line for line in found.lines() if _POD.match(line)] if found else []
    return tuple(Ref("Pod", namespace, name) for name in names)


def _excludes_deletion(kind: str, status: str) -> bool:
    """Tell whether the status rules out a deletion: otherwise it would be `Terminating`.

    Not for a Pod whose phase is terminal: describe does not show its deletion.
    """
    word = status.partition(" ")[0]
    return word in _UNDELETED_STATUSES.get(kind, ())


def _find_complete_types(kind: str, root: Branch) -> tuple[type[Fact], ...]:
    """Return the types of facts that are complete if a Pod's description was pasted from its name to its
    events.

    Every container has its state. A Node's name is shown if it exists, but not the gates that may be the
    reason for its absence: the API server gives a Pod with gates a condition (applySchedulingGatedCondition
    in pkg/registry/core/pod/strategy.go), and without conditions there is no such section (describe.go). An
    untried Pod has neither.
    """
    if kind != "Pod" or not all(root.get(key) for key in _UNCUT):
        return ()
    if root.get("Conditions"):
        return (ContainerStatuses, Phase, Placement) if root.text("Node") else (ContainerStatuses, Phase)
    return (
        (ContainerStatuses, Phase, Placement, Conditions)
        if root.text("Status") == "Pending" and not root.text("Node")
        else ()
    )


def _mark_partial(facts: list[Fact], shown: tuple[type[Fact], ...], stays: bool) -> Iterator[Fact]:
    """Yield the facts that were shown. shown: as `_find_complete_types`. stays: as `_excludes_deletion`."""
    # A Pod's scheduler is not described.
    for fact in (replace(f, scheduler="") if isinstance(f, Placement) else f for f in facts):
        if isinstance(fact, (Presence, *shown)) or (isinstance(fact, Deletion) and (fact.requested or stays)):
            yield fact
        elif not _is_empty(fact):
            yield replace(fact, whole=False)


def _is_empty(fact: Fact) -> bool:
    """Tell whether the fact is empty because describe leaves out its content."""
    if isinstance(fact, Finalizers):
        return not fact.names
    return isinstance(fact, Touches | Owners | Deletion) or (isinstance(fact, Life) and fact.started is None)


def _find_kind(root: Branch, command: TypedCommand | None) -> str:
    """Return the kind by the command, else by keys that only one kind has; "" if neither shows it."""
    if command is not None and "describe" in command.arguments:
        rest = command.arguments[command.arguments.index("describe") + 1 :]
        word = rest[0].partition("/")[0] if rest else ""
        found = find_kind(word)
        if found:
            return found.name
    keys = {b.key for b in root.below}
    # A Namespace's Status is one word; the Status of an unknown kind has fields below it.
    lacking = frozenset({"Namespace"}) if not root.text("Status") else frozenset[str]()
    by_keys = (
        kind
        for kind, has, lacks in _KINDS_BY_KEYS
        if has <= keys and not lacks & keys and kind not in lacking
    )
    return next(by_keys, "") or (_find_kind_by_events(root) if "Pods Status" in keys else "")


def _find_kind_by_events(root: Branch) -> str:
    """Return the kind that a controller writes Events about, if one of its own follows; before 1.9 no key
    showed it.
    """
    events = root.get("Events")
    words = {word.strip("{},") for line in events.lines() for word in line.split()} if events else set[str]()
    return next((kind for controller, kind in WRITTEN_ABOUT.items() if controller in words), "")
