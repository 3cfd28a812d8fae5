"""The Node has no network plugin that its runtime can use

## How it happens

A sandbox gets its network from a plugin: a file in `/etc/cni/net.d` names it, a program in `/opt/cni/bin` is
it. On this Node the file is missing (no network add-on was installed yet, its DaemonSet does not run here, or
it was removed), cannot be read, has a `cniVersion` that the plugin does not take, or names a missing program.
The first file by name counts: a file left over from an earlier add-on is taken before the one in use.

## How to tell

The Node is not Ready, `cni plugin not initialized`, `cni config uninitialized` or `No CNI configuration file
in /etc/cni/net.d`; or sandboxes fail with `failed to find plugin "x" in path`, or the log says `does not
support config version`. On the Node the directory is empty, or the program lacks.

## Known limits

If the text shows a Pod of the network add-on that does not come up, that is why there is no configuration:
then this is no more than possible. A kubelet without a network does not begin with a Pod, so its volumes wait
as well (`FailedMount … not registered`). Right after a Node joined this is normal for a minute. If the file
exists and the runtime has not noticed it: network.cni-config-not-reloaded. For a Node that was Ready before
it may be either, until a look at the Node.

## References

- CNI specification 1.0; containerd docs/cri/config.md; Kubernetes pkg/kubelet/kubelet.go (updateRuntimeUp)
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from unstuck.causes._commands import list_pods_on, place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, hearsay, only_yes, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cni import NetworkPlugins
from unstuck.facts.aspects.objects import Conditions, Events, Failure, Presence
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, is_node_ready
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.knowledge.network_agents import is_network_agent
from unstuck.stages.waiting import find_node_under

say = Messages(__name__)

# A kubelet registers its Node as not Ready, and the condition keeps that time until its first change.
_REGISTERED = timedelta(seconds=3)
# CNI libcni, pkg/invoke/find.go.
_PATH = regex(r"in path \[(?P<path>/[^\]]{1,500})\]")
_REFUSED: ErrorWord = "cni-version-refused"


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said = _find_network_not_ready(subject, node, snap)
    lacks: Sign[Any] = Sign(None, wants=under.wants)
    if node:
        lacks = some(snap, NetworkPlugins, node, lambda f: [f] if f.whole and _broken(f) else [])
    tells = only_yes(said)
    notes: tuple[Text, ...] = ()
    if (
        said.value
        and all(f.operation == "network-ready" for f in said.hits)
        and (down := _find_agent_down(node, snap))
    ):
        # Its agent writes the configuration once it runs: a missing one follows from that.
        tells = Sign(None, said.hits, said.seen)
        notes = (
            say(
                (
                    "{pod}, which writes that configuration once it runs, is not up: why, its own log and "
                    "events say"
                ),
                pod=who(down),
            ),
        )
    if node and said.value and lacks.value is None and all(f.error == "cni-not-ready" for f in said.hits):
        had = _had_one(node, snap)
        # An existing but unnoticed configuration gives the same message.
        tells = Sign(None) if had.value else tells
        lacks = Sign(None, said.hits if had.value else (), said.seen, (*lacks.wants, *had.wants))
    if said.value and lacks.value is None:
        lacks = Sign(None, lacks.hits, lacks.seen, (*lacks.wants, *_list_unseen_agents(snap)))
    return Signs(
        necessary={"the runtime has no network for sandboxes": said},
        decisive={"no configuration or no program of a plugin exists": lacks},
        supporting={"the runtime says so": tells},
        finding=lambda: _make_finding(subject, node, lacks.hits[0] if lacks.value else None, said.hits),
        notes=notes,
    )


def _had_one(node: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the Node was Ready once: it turned not ready some time after it was made."""
    made = some(snap, Presence, node, lambda f: [f.created] if f.created else [])
    turned = some(
        snap,
        Conditions,
        node,
        lambda f: [c.since for c in f.items if c.type == "Ready" and c.status != "True" and c.since],
    )
    if made.hits and turned.hits:
        return Sign(max(turned.hits) - min(made.hits) >= _REGISTERED, seen=(*made.seen, *turned.seen))
    return Sign(None, wants=(*made.wants, *turned.wants))


def _find_agent_down(node: Ref | None, snap: Facts) -> Ref | None:
    """Return a Pod of a network add-on that is seen not to run, on this Node if its Node is known."""
    for fact in snap.every(ContainerStatuses):
        if (
            fact.about.kind == "Pod"
            and is_network_agent(fact.about.name or "")
            and any(not s.ready for s in fact.items)
        ):
            on = find_node_of_pod(fact.about, snap)
            if node is None or on is None or on == node:
                return fact.about
    return None


def _list_unseen_agents(snap: Facts) -> tuple[Want, ...]:
    """Return the question of each network add-on's Pod whether it runs, where that was not seen."""
    agents = (pod for pod in snap.subjects("Pod") if is_network_agent(pod.name or ""))
    return tuple(Want(ContainerStatuses, pod) for pod in agents if not snap.of(ContainerStatuses, pod))


def _broken(f: NetworkPlugins) -> bool:
    return not f.configs or not f.configs[0].plugins or bool(f.missing)


def _find_network_not_ready(subject: Ref, node: Ref | None, snap: Facts) -> Sign[Failure]:
    """Return no if all of the Node's conditions, or all of the Pod's Events, were read, and none reports
    it.
    """
    ready = is_node_ready(node, snap) if node else None
    told = [
        hearsay(snap, Failure, about, lambda f: [f] if _is_match(f, ready) else [])
        for about in dict.fromkeys((subject, node))
        if about
    ]
    if any(s.value for s in told):
        return any_of([s for s in told if s.value])
    if subject.kind == "Node":
        whole: Sign[Failure] = some(snap, Conditions, subject, lambda _: ())
    else:
        whole = some(snap, Events, subject, lambda _: ())
    return whole


def _is_match(f: Failure, ready: bool | None) -> bool:
    """Tell whether this is a failure of the Node's network now: a log line from before the Node was Ready
    again does not count.
    """
    if f.error == "cni-not-ready" or (f.error == _REFUSED and f.operation == "network-ready"):
        return not ready
    return f.operation == "network-set-up" and f.error in ("plugin-missing", _REFUSED)


def _describe_by_words(said: tuple[Failure, ...], on: Text) -> Text:
    """Return the fault, if messages alone show it."""
    refused = next((f for f in said if f.error == _REFUSED), None)
    if refused:
        name = say(" {key}", key=refused.key) if refused.key else NO_TEXT
        return say(
            "the plugin{name} does not support the cniVersion of the network configuration{on}",
            name=name,
            on=on,
        )
    lacking = [f for f in said if f.error == "plugin-missing" and f.key]
    if lacking:
        missing = ", ".join(dict.fromkeys(f.key for f in lacking if f.key))
        where = _describe_searched(lacking)
        n = missing.count(",") + 1
        return (
            say(
                "the {n:binary|binaries} of network {n:plugin|plugins} {missing} {n:is|are} missing",
                n=n,
                missing=missing,
            )
            + where
            + on
        )
    return say("the runtime has no network plugin{on}", on=on)


def _describe_searched(lacking: list[Failure]) -> Text:
    """Return the directories searched for each of these; empty if the messages name none."""
    found = [m["path"].split() for f in lacking if (m := _PATH.search(f.src.quote))]
    common = [d for d in found[0] if all(d in dirs for dirs in found)] if found else []
    return say(" in {where}", where=", ".join(common)) if common else NO_TEXT


def _mend(said: tuple[Failure, ...], found: NetworkPlugins | None) -> Text:
    if found and found.configs and not found.configs[0].plugins:
        return say(
            "correct that file (it must be JSON that names a plugin): the runtime rereads it automatically"
        )
    errors = {f.error for f in said}
    if _REFUSED in errors:
        return say(
            "set a cniVersion the plugin supports at the configuration's source (the add-on's ConfigMap), or "
            "install newer plugins: kubelets 1.16 to 1.23 reject a configuration without one"
        )
    if "plugin-missing" in errors:
        return say(
            "restore the binary: the network add-on's installer ships its own; bridge, host-local, loopback, "
            "macvlan and portmap come with the CNI plugins package"
        )
    return say(
        "install the cluster's network add-on, or make its DaemonSet run there: it writes the configuration "
        "and the binaries"
    )


def _behind(found: NetworkPlugins | None) -> str:
    """Return the first configuration with all its programs, if an incomplete one comes before it; else ""."""
    if found is None or not found.missing:
        return ""
    return next((c.path for c in found.configs[1:] if c.path in found.usable), "")


def _move_away(node: str | None, path: str, behind: str) -> tuple[Step, ...]:
    moved = given.path(f"{path}.before")
    return (
        Step(
            say(
                (
                    "if it is left over from a network add-on that is no longer used: move it away; the "
                    "runtime then takes {behind}"
                ),
                behind=behind,
            ),
            where=place_on_node(node),
            command=command("mv {path} {moved}", path=given.path(path), moved=moved),
            risk="reversible",
            undo=command("mv {moved} {path}", path=given.path(path), moved=moved),
            verify=say("new Pods of the node get an address"),
        ),
    )


def _look(node: str | None, found: NetworkPlugins | None) -> Step:
    """Return the look at a file that is no plugin's configuration; else at the component that should have
    written one.
    """
    if found and found.configs and not found.configs[0].plugins:
        path = given.path(found.configs[0].path)
        says = say("see what is wrong with it: the first line that is not JSON, or the missing part")
        return Step(says, where=place_on_node(node), command=command("cat {path}", path=path))
    return Step(
        say("check whether the network add-on's Pod is running on that node, and if not, why"),
        command=list_pods_on(node),
    )


def _make_finding(
    subject: Ref, node: Ref | None, found: NetworkPlugins | None, said: tuple[Failure, ...]
) -> Finding:
    name = node.name if node else None
    on = say(" on Node {name}", name=name) if name else NO_TEXT
    if found and found.configs and found.missing:
        says = say(
            "the binary of network plugin {missing} is missing{on}: {bin_dirs}",
            missing=found.missing[0],
            on=on,
            bin_dirs=", ".join(found.bin_dirs),
        )
    elif found and found.configs:
        says = say(
            "the first network configuration cannot be read{on}: {path}", on=on, path=found.configs[0].path
        )
    elif found:
        says = say("there is no network configuration{on}: {conf_dir}", on=on, conf_dir=found.conf_dir)
    else:
        says = _describe_by_words(said, on)
    behind = _behind(found)
    if found and behind:
        first = found.configs[0].path
        says = say(
            (
                "the network configuration {first} comes before {behind}{on}, and wants plugin {missing}, "
                "which is not installed: {bin_dirs}"
            ),
            first=first,
            behind=behind,
            on=on,
            missing=found.missing[0],
            bin_dirs=", ".join(found.bin_dirs),
        )
    message = next(
        (f.message for f in sorted(said, key=lambda f: f.error == "cni-not-ready") if f.message), ""
    )
    return Finding(
        says,
        culprit=Ref("NetworkPlugin", name, "cni"),
        blocks=tuple(dict.fromkeys((*((node,) if node else ()), subject))),
        notes=(say("runtime: {message}", message=message),) if message else (),
        help=(
            *(_move_away(name, found.configs[0].path, behind) if found and behind else ()),
            _look(name, found),
            Step(_mend(said, found), where="source", verify=say("the node is Ready within a minute")),
        ),
        do_not=(
            DoNot(
                say("write another plugin's configuration by hand"),
                say("Pods then get addresses the rest of the cluster cannot reach"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.cni-not-installed",
    title=say("the node has no network plugin its runtime can use"),
    subjects=("Pod", "Node"),
    stages=("devices-and-volumes-prepared", "sandbox-and-network"),
    reads=frozenset({ContainerStatuses, Failure, Conditions, Events, NetworkPlugins, Placement, Presence}),
    rule=_rule,
)
