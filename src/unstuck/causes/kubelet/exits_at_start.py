"""The kubelet exits at startup, because of its own configuration or state

## How it happens

A kubelet that fails to set up its prerequisites exits, and systemd restarts it repeatedly, with the same
result. Most common are a state file that no longer fits (the CPU or memory manager's policy was changed, CPUs
or memory were added or removed), a file that its flags or its configuration name and that is missing, and a
port that another process holds. An old edit takes effect at the next restart.

## How to tell

The kubelet has no process, and its log ends with one of the lines after which it always exits: `"command
failed" err="failed to run Kubelet: …"`, `"Failed to start ContainerManager" err="…"`, `"Failed to listen and
serve" err="…"`. They name the file or the address, and are quoted.

## Known limits

The holder of a port is reported if the node was checked. If it was not checked whether the kubelet is
running, its message makes it likely: it may be from an earlier start. Unknown words are quoted, without their
own fix. An invalid configuration, swap, a cgroup driver that differs, and a client certificate that has
expired are other causes.

## References

- Kubernetes pkg/kubelet/kubelet.go (initializeRuntimeDependentModules),
  pkg/kubelet/cm/cpumanager/state/state_checkpoint.go (1.34)
- Kubernetes documentation: Control CPU Management Policies on the Node, "Changing the CPU Manager Policy"
"""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes._at_start import READS, exit_messages, fails_or_asks_its_log
from unstuck.causes._commands import place_on_node
from unstuck.causes._port_holders import find_port_holders, look_at_holder, name_holder
from unstuck.causes.kubelet._silent import find_expired_client_certificates
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.look_commands import client_certificate
from unstuck.diagnosis.sign import Sign, accept_hearsay, all_of, hearsay, negate, only_yes
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.kubelet import Certificates
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.aspects.sockets import PortHolder, PortHolders
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.waiting import find_node_under, is_quiet, may_wait_for_lost_node, waits_for_kubelet

say = Messages(__name__)

# Each is a separate cause.
_OTHERS: tuple[ErrorWord, ...] = (
    "swap-on",
    "config-unparsable",
    "option-unknown",
    "cgroup-driver-differs",
    "controller-missing",
)
# pkg/kubelet/cm/container_manager_linux.go (setupKernelTunables).
_UNPRIVILEGED = regex(r"open /proc/sys/\S{1,80}: (?:permission denied|read-only file system)")
# systemd src/core/dbus-cgroup.c, through github.com/opencontainers/cgroups.
_OLD_SYSTEMD = ", or unknown property"
_READY = say("the kubelet keeps running, and the node is Ready within a minute")


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = find_node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said: Sign[Failure] = exit_messages(node, snap, _is_match) if node else Sign(None)
    down: Sign[DaemonState] = (
        hearsay(snap, DaemonState, node, lambda f: [] if f.running else [f]) if node else Sign(None)
    )
    ended = fails_or_asks_its_log(node, snap, said, ("kubelet",)) if node else Sign(None)
    if node and any(_asks_for_bootstrap(f) for f in said.hits):
        ended = all_of((negate(find_expired_client_certificates(node, snap)), ended))
    return Signs(
        applies=accept_hearsay(accept_hearsay(is_quiet(subject, snap), down), only_yes(said)),
        necessary={
            "it is a Node, or bound to one": under,
            "it waits for its kubelet": waits_for_kubelet(subject, snap),
        },
        decisive={
            (
                "the kubelet says why it exits, it is not running, and no expired certificate explains that"
            ): ended
        },
        supporting={"the kubelet says why it exits": only_yes(said)},
        finding=lambda: _make_finding(subject, node or Ref("Node"), said.hits[-1], snap),
    )


def _is_match(f: Failure) -> bool:
    return f.operation == "kubelet-start" and f.error not in _OTHERS


def _asks_for_bootstrap(f: Failure) -> bool:
    """Tell whether it lacks the file that it would use to get a client certificate."""
    return "bootstrap" in (f.path or "")


def _make_finding(subject: Ref, node: Ref, said: Failure, snap: Facts) -> Finding:
    where = place_on_node(node.name)
    port = _wanted_port(said)
    held = find_port_holders(node, port, snap, said.src.at).hits if port else ()
    says = (
        say(
            "the kubelet exits at startup: {holder} listens on its port {port}",
            holder=name_holder(held[0]),
            port=port,
        )
        if held
        else say("the kubelet exits at startup: “{message}”", message=said.message)
    )
    return Finding(
        says,
        culprit=Ref("File", node.name, said.path or "kubelet.service"),
        blocks=tuple(dict.fromkeys((node, subject, Ref("Kubelet", node.name, "kubelet")))),
        help=(*((_free_port(held[0], where),) if held else _fix(where, said, port)), _start(where)),
        do_not=_do_not(said),
        enrich=(Want(PortHolders, node),) if port else (),
    )


def _wanted_port(said: Failure) -> int:
    """Return the TCP port that it could not listen on; 0 if it is not about a port."""
    port = (said.host or "").rpartition(":")[2]
    return int(port) if said.error == "address-in-use" and port.isdecimal() else 0


def _free_port(holder: PortHolder, where: str) -> Step:
    step = look_at_holder(holder, where)
    return replace(
        step,
        says=say(
            "end {holder}, or give it another port; first see what it is for", holder=name_holder(holder)
        ),
    )


def _fix(where: str, said: Failure, port: int) -> tuple[Step, ...]:
    path = said.path
    if said.error == "checkpoint-refused" and path:
        return (
            Step(
                say("see which policy and which CPUs or memory it was written with"),
                where=where,
                command=command("cat {path}", path=given.path(path)),
            ),
            Step(
                say(
                    "set the kubelet's setting back to the value in the file; if the new value is intended, "
                    "drain the node and move the file away: the kubelet writes a new one"
                ),
                where=where,
                command=command(
                    "mv {path} {moved}", path=given.path(path), moved=given.path(f"{path}.before")
                ),
                risk="reversible",
                undo=command("mv {moved} {path}", path=given.path(path), moved=given.path(f"{path}.before")),
            ),
        )
    if port:
        return (
            Step(
                say("see which process holds port {port}, and end it or give it another port", port=port),
                where=where,
                command=command("ss -ltnp sport = :{port}", port=given.number(port)),
            ),
        )
    if _UNPRIVILEGED.search(said.message):
        return (
            Step(
                say(
                    "run the kubelet with permission to write kernel settings; if it is meant to run in a "
                    "user namespace or an unprivileged container, enable its feature gate "
                    "KubeletInUserNamespace"
                ),
                where=where,
            ),
        )
    if _OLD_SYSTEMD in said.message:
        return (
            Step(say("check the version of systemd"), where=where, command=command("systemctl --version")),
            Step(
                say(
                    "upgrade systemd on this node: it does not know a property that the kubelet sets for "
                    "its cgroups"
                ),
                where=where,
            ),
        )
    if path and _asks_for_bootstrap(said):
        return (
            Step(
                say(
                    "renew the kubelet's client certificate, or restore its kubeconfig (kubelet.conf): it "
                    "asks for {path} only where they are missing or have expired",
                    path=path,
                ),
                where=where,
                command=client_certificate(),
            ),
        )
    if path:
        return (
            Step(
                say(
                    (
                        "see what is at {path}: restore the file, or correct the flag or the setting that "
                        "names it"
                    ),
                    path=path,
                ),
                where=where,
                command=command("ls -ld {path}", path=given.path(path)),
            ),
        )
    return (
        Step(
            say("fix the problem that it names; the lines before it say more"),
            where=where,
            command=command("journalctl -u kubelet -n 100"),
        ),
    )


def _start(where: str) -> Step:
    return Step(
        say("then start it; the end of its log tells whether it was the only fault"),
        where=where,
        command=command("systemctl restart kubelet"),
        risk="reversible",
        verify=_READY,
    )


def _do_not(said: Failure) -> tuple[DoNot, ...]:
    if said.error != "checkpoint-refused":
        return ()
    return (
        DoNot(
            say(
                "remove the state file while Pods with exclusive CPUs or pinned "
                "memory are running on the node"
            ),
            say("the new kubelet does not know what they hold, and gives it to other Pods as well"),
        ),
    )


CAUSE = Cause(
    id="kubelet.exits-at-start",
    title=say("the kubelet exits at startup"),
    subjects=("Node", "Pod"),
    needs=may_wait_for_lost_node,
    reads=READS
    | {PortHolders, Certificates, Conditions, Lease, Placement, Phase, Deletion, ContainerStatuses},
    rule=_rule,
)
