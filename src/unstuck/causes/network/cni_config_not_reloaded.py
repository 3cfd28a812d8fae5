"""The runtime has not loaded the network configuration

## How it happens

The network add-on has written its file, and the runtime still says that it has none: containerd watches the
directory and misses a file that is moved into it (1.6 and before), a directory that was made after its start
or replaced, or its watch ended with an error; or it reads another directory.

## How to tell

The Node stays not Ready, `cni plugin not initialized`, while its configuration directory holds a
configuration whose programs are all there and that was written or moved there more than a minute ago.

## Known limits

A file that was written seconds ago may yet be noticed, and of a copied directory (a bundle, a recorded tree)
the times are the copy's own: both are at most possible. Which directory the runtime reads is taken from its
own configuration.

## References

- containerd internal/cri/server/cni_conf_syncer.go; containerd/containerd issue 4604; Kubernetes
  pkg/kubelet/kubelet.go
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, accept_hearsay, any_of, hearsay, negate, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cni import NetworkPlugins
from unstuck.facts.aspects.objects import Conditions, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.stages.waiting import find_node_under

say = Messages(__name__)

_NOTICED = timedelta(minutes=1)


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    tells = [
        hearsay(snap, Failure, about, lambda f: [f] if f.error == "cni-not-ready" else [])
        for about in dict.fromkeys((subject, node))
        if about
    ]
    said: Sign[Failure] = any_of([s for s in tells if s.value]) if any(s.value for s in tells) else Sign(None)
    there: Sign[NetworkPlugins] = Sign(None, wants=under.wants)
    if node:
        there = some(
            snap,
            NetworkPlugins,
            node,
            lambda f: [f] if f.configs and f.configs[0].plugins and _programs(f) else [],
        )
    # The first one counts. The runtime notices a file at once; the kubelet keeps reporting a missing one for
    # the rest of its interval.
    old = (
        bool(there.hits)
        and (at := there.hits[0].configs[0].written) is not None
        and _seen_at(there.hits[0], snap) - at >= _NOTICED
    )
    if there.value and not old:
        there = Sign(None, there.hits, there.seen)
    return Signs(
        applies=_find_not_ready(node, snap) if node else Sign(True),
        necessary={"the runtime says that it has no network": said},
        decisive={
            "a configuration and its programs exist": there
            if there.value is not None or there.hits
            else Sign(None, said.hits, said.seen, there.wants)
        },
        finding=lambda: _make_finding(subject, node, there.hits[0]),
    )


def _find_not_ready(node: Ref, snap: Facts) -> Sign[Any]:
    """Return no only where all conditions were read, or the Node is shown as Ready."""
    ready = some(
        snap, Conditions, node, lambda f: [c for c in f.items if c.type == "Ready" and c.status == "True"]
    )
    return accept_hearsay(
        negate(ready),
        hearsay(
            snap, Conditions, node, lambda f: [c for c in f.items if c.type == "Ready" and c.status != "True"]
        ),
    )


def _programs(f: NetworkPlugins) -> bool:
    """Tell whether each program of the first configuration exists."""
    return not f.missing if f.whole else {*f.configs[0].plugins, "loopback"} <= set(f.present)


def _seen_at(f: NetworkPlugins, snap: Facts) -> datetime:
    """Return the time of the look: a pasted one may be long past."""
    return f.src.at or snap.now


def _make_finding(subject: Ref, node: Ref | None, found: NetworkPlugins) -> Finding:
    name = node.name if node else None
    path = found.configs[0].path
    return Finding(
        say("the runtime has not loaded the network configuration {path}", path=path),
        culprit=Ref("NetworkPlugin", name, "cni"),
        blocks=tuple(dict.fromkeys((*((node,) if node else ()), subject))),
        help=(
            Step(
                say("write a copy next to it: containerd rereads the directory at any write in it"),
                where=place_on_node(name),
                command=command("cp {path} {path}.again", path=given.path(path)),
                risk="reversible",
                undo=command("rm {path}.again", path=given.path(path)),
            ),
            Step(
                say(
                    "if it still does not: restart containerd; running containers are not affected, new "
                    "ones wait meanwhile"
                ),
                where=place_on_node(name),
                command=command("systemctl restart containerd"),
                risk="disrupts",
                verify=say("the node is Ready within a minute"),
            ),
        ),
        do_not=(
            DoNot(
                say("install the network add-on a second time"),
                say("it changes nothing on this node, and restarts the network of the others"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.cni-config-not-reloaded",
    title=say("the runtime has not loaded the network configuration"),
    subjects=("Pod", "Node"),
    stages=("devices-and-volumes-prepared", "sandbox-and-network"),
    reads=frozenset({Conditions, Failure, NetworkPlugins, Placement}),
    rule=_rule,
)
