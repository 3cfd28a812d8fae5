"""The runtime waits for a hung program that unpacks a layer

## How it happens

A layer that has come in is unpacked by a helper of the runtime: `unpigz` or `igzip` for containerd where they
are installed, dockerd itself started once more as `docker-applyLayer`. Such a helper that was stopped, that
waits in the kernel for a disk that does not answer, or whose reader went away, keeps its pull from ending.
The kubelet waits with it, and pulls one image after the other on most Nodes: other Pods wait behind it
without a word.

## How to tell

The Pod stays ContainerCreating with `Pulling image "x"` as its last Event for more than ten minutes, and on
the Node such a program has existed since the pull began, stopped (T) or in a wait that cannot be interrupted
(D).

## Known limits

The image whose layer a helper unpacks is not visible, so this is `likely` at most. A sleeping helper may be
waiting for a slow download or a slow disk: that alone is no evidence. A pull without a helper (Go unpacks on
its own) hangs without this sign. A disk that does not answer is the root, where the kernel names it.

## References

- containerd pkg/archive/compression/compression.go; moby pkg/chrootarchive; proc(5); Kubernetes
  pkg/kubelet/images/puller.go (serial pulls)
"""

from __future__ import annotations

from datetime import timedelta

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.objects import Event, Events
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.pulls import Unpacking
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_LONG = timedelta(minutes=10)
# A helper is started some time after its pull, and clocks are read in seconds.
_MARGIN = timedelta(seconds=5)
_OF_PULLS = ("Pulling", "Pulled", "Failed", "BackOff", "Created", "Started")


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node_of_pod(pod, snap)
    pulling = some(snap, Events, pod, lambda f: _find_pull_under_way(f, snap))
    begun = min((e.last for e in pulling.hits if e.last), default=None)
    helpers: Sign[Proc] = Sign(None)
    if node is not None and begun is not None:
        helpers = some(
            snap,
            Unpacking,
            node,
            lambda f: [p for p in f.items if p.start and begun - _MARGIN <= p.start <= snap.now - _LONG],
        )
    halted = tuple(p for p in helpers.hits if p.stuck_threads or p.state == "T")
    # The image of the layer is not visible: never sure.
    stands: Sign[Proc] = (
        Sign(True, halted, helpers.seen, sure=False)
        if halted
        else Sign(None, helpers.hits, helpers.seen, helpers.wants)
    )
    return Signs(
        necessary={"an image has been under way for more than ten minutes": pulling},
        decisive={"a program that unpacks layers was started since, and does not move": stands},
        finding=lambda: _make_finding(pod, pulling.hits[0], halted[0], node),
    )


def _find_pull_under_way(fact: Events, snap: Facts) -> list[Event]:
    """Return the newest message about pulling or starting, if it is the start of a pull, long ago."""
    # A part of the Events does not show the later ones.
    told = [e for e in fact.items if fact.whole and e.reason in _OF_PULLS and e.last]
    newest = max(told, key=lambda e: (e.last or snap.now, e.reason), default=None)
    return (
        [newest]
        if newest and newest.reason == "Pulling" and newest.last and snap.now - newest.last >= _LONG
        else []
    )


def _make_finding(pod: Ref, event: Event, helper: Proc, node: Ref | None) -> Finding:
    name = (node.name if node else None) or "NODE"
    where = place_on_node(node.name if node else None)
    stopped = helper.state == "T"
    how = say("is stopped (state T)") if stopped else say("is in an uninterruptible wait in the kernel")
    note = say("event: {message}, and nothing since", message=event.message)
    kernel = (
        say("it waits in {waits_in}", waits_in=helper.waits_in) if helper.waits_in and not stopped else None
    )
    go_on = Step(
        say("resume it"),
        where=where,
        command=command("kill -CONT {pid}", pid=given.number(helper.pid)),
        risk="reversible",
        undo=command("kill -STOP {pid}", pid=given.number(helper.pid)),
        verify=say("the pull completes, and the container is created"),
    )
    disk = Step(
        say("see which disk it waits for, and restore it; then the pull continues automatically"),
        where=where,
        command=command("cat /proc/{pid}/stack", pid=given.number(helper.pid)),
        verify=say("the pull completes, and the container is created"),
    )
    return Finding(
        say(
            "{comm} (pid {pid}) on Node {name}, which unpacks a layer, ",
            comm=helper.comm,
            pid=helper.pid,
            name=name,
        )
        + how,
        culprit=Ref("Process", name, str(helper.pid)),
        blocks=(pod,),
        notes=(note, kernel) if kernel else (note,),
        help=(go_on,) if stopped else (disk,),
        do_not=(
            DoNot(
                say("restart the runtime or reboot while that disk still does not respond"),
                say(
                    "it hangs again at the next pull, and dockerd without live-restore "
                    "takes its containers down"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="image.extract-hung",
    title=say("the runtime is waiting for a program that unpacks a layer"),
    subjects=("Pod",),
    stages=("images-pulled", "init-done"),
    reads=frozenset({Events, Placement, Unpacking}),
    rule=_rule,
)
