"""A ConfigMap or Secret was changed after a container had read it

## How it happens

Variables from a ConfigMap or a Secret are read when a container starts, and so is a file that is mounted by
`subPath`. A later correction of the object changes nothing for the running containers: they keep the old
value until they are restarted.

## How to tell

The container runs and is not ready, its last lines report a resource that it cannot reach, open or use, and a
ConfigMap or Secret behind its variables or a `subPath` was written after its start (managedFields).

## Known limits

The changed key, and whether its old value caused the messages, are not visible: it stays likely. A program
that exits is restarted with the current values, and is not covered.

## References

- Kubernetes documentation "ConfigMaps", mounted ConfigMaps are updated automatically;
  pkg/kubelet/kubelet_pods.go
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from unstuck.causes._variables import list_whole_objects
from unstuck.causes.container._ends import name_container
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, find_last_words, find_settings
from unstuck.causes.program._plain import mend
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, some, unique
from unstuck.diagnosis.text import Messages, Text, format_duration, who
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.aspects.objects import Touches
from unstuck.facts.aspects.pod import Needs, Volumes
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_key_object, list_statuses, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_SLACK = timedelta(seconds=5)
_MOST = 4
_CONTENT = ("data", "binaryData", "stringData")
# A failed use of a resource: the effect of an old value.
_IN_VAIN = regex(
    r"\b(?:cannot|can't|could not|couldn't|unable|fail\w*|refused|denied|unauthorized|forbidden|invalid"
    r"|unknown|timed? ?out|timeout|"
    r"unreachable|not found|no such|no route|expired|incorrect|wrong|rejected|bad address)\b",
    re.IGNORECASE,
)


def _check(pod: Ref, snap: Facts) -> Sign[Misfit]:
    words = find_last_words(pod, snap)
    if not words.value:
        return Sign(words.value, seen=words.seen, wants=words.wants)
    began = {
        s.name: s.since for s in list_statuses(pod, snap) if s.state == "running" and not s.ready and s.since
    }
    in_vain = {
        w.container: w for w in reversed(words.hits) if w.container in began and _IN_VAIN.search(w.line)
    }
    signs = [
        _hold_times(pod, ref, word, began[name], snap)
        for name, word in in_vain.items()
        for ref in unique(_list_sources(pod, name, snap))[:_MOST]
    ]
    found = any_of(signs) if signs else Sign[Misfit](None)
    return found if found.value else Sign(None, wants=found.wants)


def _hold_times(pod: Ref, ref: Ref, word: ContainerLine, began: datetime, snap: Facts) -> Sign[Misfit]:
    """Compare the last write to an object with the start of the container that reads it."""
    return some(snap, Touches, ref, lambda f: _list_written_after(ref, word, began, f, pod))


def _list_sources(pod: Ref, container: str, snap: Facts) -> Iterator[Ref]:
    """Yield the objects that the container reads once, at its start."""
    held = find_settings(pod, container, snap)
    if held:
        yield from (v.object for v in held[1].variables)
    yield from list_whole_objects(pod, container, snap)
    volumes = {v.name: v for f in snap.of(Volumes, pod) for v in f.items}
    for mount in held[1].sub_paths if held else ():
        volume = volumes.get(mount.volume)
        if volume and (ref := find_key_object(pod, volume)):
            yield ref


def _list_written_after(
    ref: Ref, word: ContainerLine, began: datetime, touches: Touches, pod: Ref
) -> list[Misfit]:
    times = [
        t.at
        for t in touches.items
        if t.at and not t.subresource and any(f.split(".")[0] in _CONTENT for f in t.fields)
    ]
    if not times or max(times) <= began + _SLACK:
        return []
    later: Text = format_duration(max(times) - began)
    return [
        Misfit(
            of=pod,
            field=f"containers[{word.container}].env",
            says=say(
                "{who} runs with what {object} had when it started: that was written {later} after the "
                "start, and variables and a subPath are read at a start only; its last line: “{line}”",
                who=name_container(word.container),
                object=who(ref),
                later=later,
                line=word.quote,
            ),
            help=(
                mend(
                    say(
                        "restart its Pods (kubectl rollout restart): new ones read the current {object}",
                        object=who(ref),
                    )
                ),
            ),
            blocks=(make_container_ref(pod, word.container),),
            do_not=(
                DoNot(
                    say("change {object} once more", object=who(ref)),
                    say("the container that runs would not see that, either"),
                ),
            ),
        )
    ]


PAIRS = (
    Pair(
        "what it reads at its start was written since",
        "written-before",
        ("Pod",),
        _check,
        READS | {Needs, Touches, Volumes},
        proves=False,
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.written-after-start",
    title=say("a ConfigMap or Secret was changed after a container had read it"),
    subjects=("Pod",),
    stages=("ready",),
    reads=list_reads(PAIRS),
    rule=_rule,
)
