"""A subPath is not a key of the mounted ConfigMap or Secret

## How it happens

`subPath` takes one file of a volume. Where the key has another name (`menu.yml` and `menu.yaml`), the kubelet
makes an empty directory of the requested name and mounts that, without a message.

## How to tell

The program finds a directory in place of a file, or the runtime cannot mount one over the other, and the
ConfigMap or Secret has no key of the name in `subPath`.

## Known limits

Volumes that choose keys themselves (`items`) and projected ones are not looked at.

## References

- Kubernetes documentation "Volumes", subPath; pkg/kubelet/kubelet_pods.go (makeMounts)
"""

from __future__ import annotations

import re

from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import Messages, list_names, who
from unstuck.diagnosis.verdict import Signs, Step
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.pod import Needs, Volumes
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings, SubPathMount
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.pods import find_key_object
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_SHOWN = 6
_DIRECTORY = regex(r"is a directory|\bEISDIR\b|not a directory|a directory onto a file", re.IGNORECASE)


def _match_sub_path(
    pod: Ref, word: ContainerLine, _: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    if not _DIRECTORY.search(word.line):
        return None
    volumes = {v.name: v for f in snap.of(Volumes, pod) for v in f.items}
    whole = [n.volume for f in snap.of(Needs, pod) for n in f.items if n.by == "volume" and n.key]
    mounts = [(m, volumes[m.volume]) for m in one.sub_paths if m.volume in volumes and m.volume not in whole]
    signs = [
        _hold_sub_path(pod, word, one, m, ref, snap) for m, v in mounts if (ref := find_key_object(pod, v))
    ]
    return any_of(signs) if signs else None


def _hold_sub_path(
    pod: Ref, word: ContainerLine, one: ContainerSettings, mount: SubPathMount, ref: Ref, snap: Facts
) -> Sign[Misfit]:
    key = mount.sub_path.strip("/")
    return some(
        snap,
        Keys,
        ref,
        lambda f: (
            [_judge_without_key(pod, word, one, mount, ref, f)] if f.whole and key not in f.names else []
        ),
    )


def _judge_without_key(
    pod: Ref, word: ContainerLine, one: ContainerSettings, mount: SubPathMount, ref: Ref, keys: Keys
) -> Misfit:
    near = pick_nearest(mount.sub_path, keys.names) or keys.names[:1]
    field = f"containers[{one.name}].volumeMounts[{mount.path}].subPath"
    has = (
        say("has the keys {names}", names=list_names(keys.names[:_SHOWN]))
        if keys.names
        else say("has no key")
    )
    instead = (
        say("set {field} to an existing key: {key}", field=field, key=near[0])
        if near
        else say("put the key there")
    )
    return Misfit(
        of=pod,
        field=field,
        says=say(
            (
                "{who} wrote “{line}”: its subPath for {path} is {key}, and {object} has no such key, so "
                "that an empty directory is mounted"
            ),
            who=word.title,
            line=word.quote,
            path=mount.path,
            key=mount.sub_path,
            object=who(ref),
        ),
        notes=(say("{object} {has}", object=who(ref), has=has),),
        help=(
            Step(instead, where="source", verify=say("the next run gets past this line")),
            Step(
                say("see its keys"),
                command=command(
                    "kubectl describe {object} {space}", object=given.of(ref), space=given.space(ref)
                ),
            ),
        ),
    )


PAIRS = (
    Pair(
        "a subPath is no key of what is mounted",
        "contained",
        ("Pod",),
        make_words_check(_match_sub_path),
        READS | {Keys, Needs, Volumes},
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.sub-path-missing",
    title=say("a subPath is not a key of the mounted ConfigMap or Secret"),
    subjects=("Pod",),
    stages=("containers-created", *STAGES),
    reads=list_reads(PAIRS),
    rule=_rule,
)
