"""A daemon of the Node does not start: its configuration is invalid

## How it happens

The kubelet or the container runtime reads its configuration once, at its start. A typing error, a value of
the wrong type, a field or a flag that this version does not know (an upgrade took it away) ends it at once;
systemd starts it repeatedly, with the same end. An old edit takes effect at the next restart.

## How to tell

The daemon has no process, and its log ends with the message of the file's parser: `failed to load kubelet
config file, path: …, error: …`, `unknown flag: --network-plugin`, `containerd: failed to load TOML: …: (12,
3): …`, `unable to configure the Docker daemon with file …`, `update config from file: decode configuration
…`. They name the file, and usually the line or the field.

## Known limits

If it was not checked whether the daemon runs, the message makes it likely: it may be from an earlier start. A
daemon that runs as a Pod (kube-proxy, CoreDNS, the API server) has the same message in its container's log,
and is reported by program.config-unparsable and program.option-unknown.

## References

- Kubernetes cmd/kubelet/app/server.go (loadConfigFile, 1.34); containerd
  cmd/containerd/server/config/config.go
- moby cmd/dockerd/daemon.go; cri-o pkg/config/config.go
"""

from __future__ import annotations

from unstuck.causes._at_start import READS, exit_messages, fails_or_asks_its_log, name_daemon
from unstuck.causes._commands import place_on_node
from unstuck.causes._removed_options import tell_removal
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.sign import Sign, accept_hearsay, hearsay, only_yes
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease, NodeInfo
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.aspects.runtime import RuntimeAnswer
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.runtime import find_daemons, waits_for_runtime
from unstuck.stages.waiting import find_node_under, is_quiet, may_wait_for_lost_node, waits_for_kubelet

say = Messages(__name__)

_MINE: tuple[ErrorWord, ...] = ("config-unparsable", "option-unknown")
_UNITS = {"dockerd": "docker"}
_READY = say("the daemon keeps running, and the Node is Ready within a minute")


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said: Sign[Failure] = (
        exit_messages(node, snap, lambda f: _is_match(f, node, snap)) if node else Sign(None)
    )
    daemon = name_daemon(said.hits[-1], node, snap) if node and said.hits else ""
    down: Sign[DaemonState] = (
        hearsay(snap, DaemonState, node, lambda f: [] if f.running else [f]) if node else Sign(None)
    )
    daemons = (daemon,) if daemon else ("kubelet", *find_daemons(node, snap)) if node else ()
    ended = fails_or_asks_its_log(node, snap, said, daemons) if node else Sign(None)
    return Signs(
        applies=accept_hearsay(accept_hearsay(is_quiet(subject, snap), down), only_yes(said)),
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for the daemon": waits_for_kubelet(subject, snap)
            if daemon in ("", "kubelet")
            else waits_for_runtime(subject, snap),
        },
        decisive={"the daemon says that its configuration is invalid, and it does not run": ended},
        supporting={"the daemon says that its configuration is invalid": only_yes(said)},
        finding=lambda: _make_finding(subject, node or Ref("Node"), daemon, said.hits[-1]),
    )


def _is_match(f: Failure, node: Ref, snap: Facts) -> bool:
    used = ("kubelet", *find_daemons(node, snap))
    return (
        f.operation in ("kubelet-start", "runtime-start")
        and f.error in _MINE
        and name_daemon(f, node, snap) in used
    )


def _make_finding(subject: Ref, node: Ref, daemon: str, said: Failure) -> Finding:
    where, unit = place_on_node(node.name), _UNITS.get(daemon, daemon)
    at = " ".join(part for part in (said.path, f"({said.key})" if said.key else "") if part)
    if said.error == "option-unknown":
        removal = tell_removal(said.key or "", daemon)
        says = say("{daemon} does not start: it does not know {key}", daemon=daemon, key=said.key)
        says += removal.says
        mend = say(
            "remove it from the unit, its drop-ins and its environment file (for kubeadm "
            "/var/lib/kubelet/kubeadm-flags.env)"
        )
        look = command("systemctl cat {unit}", unit=given.unit(unit))
        if "feature gate" in said.message:
            says = say(
                "{daemon} of Node {node} does not start: this version does not know the feature gate {key}",
                daemon=daemon,
                node=node.name or "?",
                key=said.key,
            )
            mend = say(
                "remove it from featureGates in the file that --config names (for kubeadm "
                "/var/lib/kubelet/config.yaml), or from --feature-gates"
            )
    else:
        says = say(
            "{daemon} does not start: its configuration is invalid{at}",
            daemon=daemon,
            at=say(", {at}", at=at) if at else NO_TEXT,
        )
        mend = say(
            "correct it there, or put the last good version of the file back; running "
            "containers are not touched"
        )
        look = command("cat {path}", path=given.path(said.path)) if said.path else NO_COMMAND
    kind = "Kubelet" if daemon == "kubelet" else "Runtime"
    return Finding(
        says,
        culprit=Ref("File", node.name, said.path or f"{unit}.service"),
        blocks=tuple(dict.fromkeys((node, subject, Ref(kind, node.name, daemon)))),
        notes=(say("{daemon}: {message}", daemon=daemon, message=said.message),) if said.message else (),
        help=(
            Step(say("check what it reads"), where=where, command=look),
            Step(mend, where=where),
            Step(
                say("then start it; the end of its log tells whether it was the only fault"),
                where=where,
                command=command("systemctl restart {unit}", unit=given.unit(unit)),
                risk="reversible",
                verify=_READY,
            ),
        ),
    )


CAUSE = Cause(
    id="node.daemon-config-invalid",
    title=say("a daemon of the node does not start: its configuration is invalid"),
    subjects=("Node", "Pod"),
    needs=may_wait_for_lost_node,
    reads=READS | {Conditions, Lease, NodeInfo, Placement, Phase, Deletion, ContainerStatuses, RuntimeAnswer},
    rule=_rule,
)
