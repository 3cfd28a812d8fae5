"""The kubelet exits because swap is enabled

## How it happens

A kubelet whose `failSwapOn` is true, which is the default, ends at its start where any swap is active: an
entry in fstab that came back with an upgrade, a swap unit of systemd, zram that the distribution turns on, a
swap file created against a shortage of memory.

## How to tell

The kubelet's own last words are `running with swap on is not supported`, and it does not run. `/proc/swaps`
names the device.

## Known limits

A kubelet that is configured to tolerate swap (`failSwapOn: false`) does not report this. If the kubelet's
process was not checked, its message makes it likely: it may be from an earlier start. If it was, a message
older than a quarter of an hour is no proof, and with a running process it only raises the question; a newer
kubelet without the message cancels it.

## References

- Kubernetes pkg/kubelet/cm/container_manager_linux.go; documentation "Swap memory management"
"""

from __future__ import annotations

from unstuck.causes._at_start import READS, exit_messages, fails_at_start
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import only_yes
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(node: Ref, snap: Facts) -> Signs:
    said = exit_messages(node, snap, lambda f: f.error == "swap-on")
    return Signs(
        decisive={
            "the kubelet says that it does not run with swap, and it does not run": fails_at_start(
                node, snap, said, ("kubelet",)
            )
        },
        supporting={"the kubelet says that it does not run with swap": only_yes(said)},
        finding=lambda: _make_finding(node, said.hits[0]),
    )


def _make_finding(node: Ref, said: Failure) -> Finding:
    name = node.name or "NODE"
    where = f"node:{name}"
    of = say(" ({path})", path=said.path) if said.path else NO_TEXT
    return Finding(
        say("the kubelet exits at startup because swap is enabled") + of,
        culprit=Ref("File", node.name, said.path or "/proc/swaps"),
        blocks=tuple(dict.fromkeys((node, Ref("Kubelet", node.name, "kubelet")))),
        help=(
            Step(say("see what is used as swap"), where=where, command=command("cat /proc/swaps")),
            Step(
                say(
                    "disable it while there is enough free memory for the swapped-out pages; the kubelet is "
                    "restarted automatically"
                ),
                where=where,
                command=command("swapoff -a"),
                risk="reversible",
                undo=command("swapon -a"),
                verify=say("the node becomes Ready within a minute"),
            ),
            Step(
                say(
                    "permanently: remove it from /etc/fstab and mask its unit (systemctl list-units --type "
                    "swap; for zram its generator)"
                ),
                where="source",
            ),
        ),
        do_not=(
            DoNot(
                say("set failSwapOn to false just to start it"),
                say(
                    "Pods' memory, including Secrets, would be written to disk, and memory limits would no "
                    "longer hold"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="kubelet.swap-enabled",
    title=say("the kubelet exits because swap is enabled"),
    subjects=("Node",),
    reads=READS,
    rule=_rule,
)
