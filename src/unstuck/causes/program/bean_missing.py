"""A framework finds no component of a required type

## How it happens

Spring builds a program from beans, and one of them needs another that no configuration provides: a class
without its annotation or outside of the packages that are searched, a library that is not in the image, a
profile or a property that switches it off, or two that fit where one is wanted.

## How to tell

The innermost cause: `No qualifying bean of type '…' available`, `required a bean of type '…' that could not
be found`. The messages around it (`Error creating bean with name …`, `Unsatisfied dependency`) only follow
from it.

## Known limits

Its evidence is the message alone: it is never more than likely. Whether it was fixed since is not seen.

## References

- Spring Framework NoSuchBeanDefinitionException, NoUniqueBeanDefinitionException
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_settings, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("bean-missing",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if c.reason:
        means = say(
            "Spring finds several beans of type {name} where one is wanted{found}",
            name=c.name,
            found=c.reason,
        )
        step = mend(say("mark one of them as primary, or name the one that is meant (@Primary, @Qualifier)"))
        return make_finding(pod, one, means, (step,))
    means = say("Spring finds no bean of type {name}, which another bean needs", name=c.name)
    step = mend(
        say(
            "set the profile or property that enables it (SPRING_PROFILES_ACTIVE, the property of a "
            "condition), add the library that contains it, or have its package scanned; if the settings "
            "have not changed, go back to the previous image"
        )
    )
    looks = (look_at_settings(),) if pod.kind == "Text" else ()
    return make_finding(pod, one, means, (*looks, step))


CAUSE = Cause(
    id="program.bean-missing",
    title=say("a framework finds no component of a required type"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
