"""Reports objects that have missed their desired state for too long without a known reason: they may never
reach it.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis import asking, given
from unstuck.diagnosis.answer import Diagnosis, State, find_messages
from unstuck.diagnosis.command import command
from unstuck.diagnosis.next import Next
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text, called, who
from unstuck.engine.leads import leads
from unstuck.engine.looked_at import tell_looked_at
from unstuck.engine.next import choose_next
from unstuck.engine.shortlist import make_shortlist
from unstuck.engine.unlike import tell_unlike
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.pod import ContainerStatus
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import list_statuses
from unstuck.facts.record import replace
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.lines import is_being_deleted
from unstuck.stages.messages import find_messages_about
from unstuck.stages.state_wording import choose_threshold

say = Messages(__name__)
_WAITS = ("PodInitializing", "ContainerCreating")
Chain = Sequence[tuple[Ref, State]]


def judge_unfinished(d: Diagnosis, chain: Chain, snap: Snapshot, after: float | None) -> Diagnosis:
    """Return the answer as undecided if the subject should be done by now, no cause was found, and nothing
    grants it more time.

    Such an answer leads to the last object of the chain, as does any other answer without a cause and without
    an open question. chain: the subject, the object it waits for, and so on, each with its state. after:
    `--after`.
    """
    if d.causes:
        return tell_unlike(tell_looked_at(d, snap), snap)
    d = _add_words_of_last(d, chain, snap)
    live = any(s.startswith("live:") for s in snap.sources)
    # A Namespace is judged by all its content.
    if live and d.state.unjudged and d.subject.kind != "Namespace":
        return _tell_unjudged(d)
    # An object is within its time if the object it waits for is.
    unfinished = not chain[-1][1].granted and _is_unfinished(d, snap, after)
    if unfinished:
        tail = _waits_for(chain)
        says = d.state.says + tail if d.state.says else None
        d = replace(d, state=replace(d.state, name="unknown", headline=d.state.headline + tail, says=says))
        lead = leads(d)
        d = replace(
            d,
            shortlist=make_shortlist(d, lead),
            leads=tuple(o.id for o in lead),
            next=choose_next(d, lead, snap),
        )
    open_ = unfinished or (d.state.name in ("stuck", "unknown") and not any(n.decides for n in d.next))
    if live and open_ and not any(n.named for n in d.next) and (look := _look(chain, snap)):
        d = replace(d, next=(look, *(n for n in d.next[:1] if n.decides)))
    return tell_unlike(d, snap)


def _add_words_of_last(d: Diagnosis, chain: Chain, snap: Snapshot) -> Diagnosis:
    """Return the answer with the messages about the last object of the chain, if there are none about the
    subject itself.
    """
    last = chain[-1][0]
    if len(chain) == 1 or d.state.name not in ("stuck", "unknown") or d.state.own or any(find_messages(d)):
        return d
    return replace(
        d, state=replace(d.state, evidence=unique((*d.state.evidence, *find_messages_about(last, snap))))
    )


def _tell_unjudged(d: Diagnosis) -> Diagnosis:
    """Return the answer as undecided for an object with only its presence judged: its operation is
    unknown.
    """
    says = say(
        "who selects it or refers to it, and its events: nothing that it says of itself tells whether it "
        "has any effect"
    )
    look = Next(asking.describe(d.subject), "here", says, (), 0.0, "api")
    return replace(d, state=replace(d.state, name="unknown"), next=d.next or (look,))


def _is_unfinished(d: Diagnosis, snap: Snapshot, after: float | None) -> bool:
    state = d.state
    if state.name != "progressing" or state.granted or is_being_deleted(d.subject, snap):
        return False
    # Without a known start, an object is not known to be within its time.
    return state.since is None or snap.now - state.since >= choose_threshold("unfinished", after)


def _waits_for(chain: Chain) -> Text:
    """Return a text with the last object of the chain, its state, and the unknown reason."""
    last, state = chain[-1]
    if len(chain) == 1:
        return say("; why is not known")
    if state.name == "held":
        return say(
            "; it waits for {it}, which is held: {says}", it=who(last), says=state.says or state.headline
        )
    return say(
        "; it waits for {it}: {says}; why is not known", it=who(last), says=state.says or state.headline
    )


def _look(chain: Chain, snap: Snapshot) -> Next | None:
    """Return the look at the last object of the chain; None if that is the subject itself and there is
    nothing else to look at.
    """
    last, _ = chain[-1]
    if last.kind == "Pod" and (found := _look_at_container(last, snap)):
        return found
    if (missing := _find_missing_pod(last, snap)) is not None:
        says = say("whether a Pod with this name exists, and which controller owns it")
        return Next(asking.get_as_yaml(missing), "here", says, (), 0.0, "api")
    if len(chain) > 1:
        return Next(
            asking.describe(last),
            "here",
            say("what {it} waits for, and its events", it=called(last)),
            (),
            0.0,
            "api",
        )
    return None


def _look_at_container(pod: Ref, snap: Snapshot) -> Next | None:
    """Return the look at the last log lines of the first container that keeps its Pod from being ready; for
    an ended one, of its last run.
    """
    one = next((s for s in list_statuses(pod, snap) if _holds_up(s)), None)
    if one is None:
        return None
    words = {"pod": given.of(pod), "space": given.space(pod), "container": given.container(one.name)}
    if one.state == "running" or one.ended:
        line = command("kubectl logs {space} {pod} --container={container} --tail=50", **words)
        return Next(line, "here", say("what container {name} said last", name=one.name), (), 0.0, "api")
    line = command("kubectl logs {space} {pod} --container={container} --previous --tail=50", **words)
    return Next(
        line, "here", say("what container {name} said last before it ended", name=one.name), (), 0.0, "api"
    )


def _holds_up(s: ContainerStatus) -> bool:
    if s.state == "running":
        # An init container is ready only once it has ended.
        return not s.ready or (s.kind == "sidecar" and s.started is False)
    if s.state == "waiting":
        return s.last is not None and s.reason not in _WAITS
    return s.ended is not None and (s.kind != "init" or s.ended.code != 0)


def _find_missing_pod(owner: Ref, snap: Snapshot) -> Ref | None:
    """Return the name of the first Pod of a StatefulSet that has made none: another object's Pod may have
    that name.
    """
    workload = snap.one(Workload, owner) if owner.kind == "StatefulSet" else None
    if workload is None or workload.created or not workload.wanted or not owner.name:
        return None
    return Ref("Pod", owner.within, f"{owner.name}-0")
