"""A variable is not set in the spec, and its value is something else

## How it happens

For each Service of the Namespace the kubelet sets variables in every container, such as
`REDIS_PORT=tcp://10.96.0.7:6379` for Service `redis`. A program that reads a setting of that name gets an
address where it expects a number. And `$(NAME)` in `command`, `args` or `env` is replaced only where the
container's env has such a variable; else it stays unchanged.

## How to tell

The last lines hold an address as `tcp://IP:PORT` of a Service of the Pod's Namespace, and the container's env
does not set that variable; or they hold a `$(NAME)` that the container's spec uses and does not set.

## Known limits

The variable that the program reads is not visible: it is assumed to be that Service's. Variables of the image
are not known.

## References

- Kubernetes pkg/kubelet/envvars/envvars.go; core/v1 EnvVar; third_party/forked/golang/expansion
"""

from __future__ import annotations

import re

from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.causes.program._plain import mend
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import NO_TEXT, Messages
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.aspects.services import ServicesAt
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.listed import pick_nearest
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_LINK = regex(
    r"\b(?:tcp|udp|sctp)://(?P<host>\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]{2,39}\]):(?P<port>\d{1,5})",
    re.IGNORECASE,
)
_LITERAL = regex(r"\$\((?P<name>[A-Za-z_][A-Za-z0-9_.-]{0,100})\)")


def _match_link(
    pod: Ref, word: ContainerLine, settings: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    """Compare a value like `tcp://10.96.0.7:6379` with the addresses of Services: the kubelet makes such
    variables of them.
    """
    found = _LINK.search(word.line)
    if not found or not settings.links:
        return None
    address = found["host"].strip("[]")
    spec = find_container_spec(pod, one.name, snap)
    if spec is None:
        return None
    own = spec.env

    def made_of(f: ServicesAt) -> list[Misfit]:
        for service in (s for s in f.services if s.within == pod.within and s.name):
            name = f"{(service.name or '').upper().replace('-', '_')}_PORT"
            # The program may read another variable of that form.
            if not any(variable.endswith("_PORT") for variable in own):
                return [_made_by_kubelet(pod, word, service, name)]
        return []

    return some(snap, ServicesAt, Ref("Address", None, address), made_of)


def _made_by_kubelet(pod: Ref, word: ContainerLine, service: Ref, name: str) -> Misfit:
    return Misfit(
        of=pod,
        field="spec.enableServiceLinks",
        says=say(
            "{who} wrote “{line}”: {name} is not set in the spec; the kubelet sets this variable from "
            "Service {service} of the Namespace, to an address",
            who=word.title,
            line=word.quote,
            name=name,
            service=service.name,
        ),
        help=(
            mend(
                say(
                    "set {name} in the container's env, or enableServiceLinks: false in the Pod's spec, or "
                    "have the program read a variable of another name",
                    name=name,
                )
            ),
        ),
        do_not=(
            DoNot(say("delete the Service because of it"), say("clients that use its name would lose it")),
        ),
    )


def _match_literal(
    pod: Ref, word: ContainerLine, _: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    """Compare an unreplaced `$(NAME)` in the line with the variables of its container."""
    names = [m["name"] for m in _LITERAL.finditer(word.line) if m["name"] in one.unset]
    if not names:
        return None
    spec = find_container_spec(pod, one.name, snap)
    near = pick_nearest(names[0], spec.env) if spec else ()
    taken = say(", nor do its envFrom sources") if one.whole_env else NO_TEXT
    return Sign(
        True,
        (
            Misfit(
                of=pod,
                field=f"containers[{one.name}].env",
                says=say(
                    (
                        "{who} wrote “{line}”: $({name}) was not replaced because its env has no variable "
                        "{name}{taken}"
                    ),
                    who=word.title,
                    line=word.quote,
                    name=names[0],
                    taken=taken,
                ),
                notes=(say("did you mean {near}? That one is set", near=near[0]),) if near else (),
                help=(
                    mend(
                        say(
                            (
                                "set {name} in the container's env, above the variables that use it, or "
                                "correct the name where it is used"
                            ),
                            name=names[0],
                        )
                    ),
                ),
            ),
        ),
    )


PAIRS = (
    Pair(
        "a variable that nobody sets is made of a Service",
        "of-kind",
        ("Pod",),
        make_words_check(_match_link),
        READS | {ServicesAt},
    ),
    Pair(
        "a $(NAME) is no variable of its container",
        "contained",
        ("Pod",),
        make_words_check(_match_literal),
        READS,
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.variable-unset",
    title=say("a variable is not set in the spec, and its value is something else"),
    subjects=("Pod",),
    stages=STAGES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
