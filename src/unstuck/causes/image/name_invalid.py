"""The name of the image is not a valid image name

## How it happens

The name breaks the rules for image names: a scheme in front (`https://`), blanks, upper-case letters in the
repository, a tag or a registry that a template left empty (`shop/web:`, `/web:1`), an unfilled placeholder
(`${TAG}`), two colons. The kubelet stops there: no image is pulled.

## How to tell

The container waits with InvalidImageName, `Failed to apply default image tag "x": couldn't parse image name
"x": invalid reference format`. The name itself is in the Pod's spec, and the kubelet's judgement of it never
changes.

## Known limits

A valid but unintended name is another cause: the registry then says that it has no such image, or its host
has no address. The intended name can only be guessed.

## References

- distribution/reference reference.go, normalize.go; Kubernetes pkg/util/parsers/parsers.go,
  pkg/kubelet/images/image_manager.go
"""

from __future__ import annotations

import re

from unstuck.causes.image._pull import READS, STAGES, make_signs, pull
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_FLAWS: tuple[tuple[re.Pattern[str], Text], ...] = (
    (regex(r"[$]\{|[$]\(|\{\{|<"), say("a placeholder in it was not replaced")),
    (regex(r"^[a-z]+://"), say("it begins with a scheme, which no image name has")),
    (regex(r"\s"), say("it contains whitespace")),
    (regex(r":$|:@"), say("its tag is empty")),
    (regex(r"^/|//"), say("a part before or between its slashes is empty")),
    (regex(r"/[^:@]*[A-Z]|^[^/:@]*[A-Z]"), say("its repository contains upper-case letters")),
    (regex(r":[^/:@]*:"), say("it has two tags")),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    one = pull(pod, snap, ("name-invalid",))
    return make_signs("the name is not valid", one, lambda failure: _make_finding(pod, failure, snap))


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    name = failure.key or _find_in_spec(pod, failure, snap) or "?"
    flaw = next((text for pattern, text in _FLAWS if pattern.search(name)), None)
    says = (
        say('"{name}" is not a valid image name', name=name)
        if name != "?"
        else say("the name of its image is not a valid one")
    )
    better = _correct_name(name)
    notes = (say("{better} would be valid", better=better),) if better else ()
    container = (
        say(" of container {container}", container=failure.container) if failure.container else NO_TEXT
    )
    return Finding(
        says + (say(": ") + flaw if flaw else NO_TEXT),
        culprit=Ref("Image", None, name),
        blocks=(pod,),
        notes=notes,
        help=(
            Step(
                say("correct the image")
                + container
                + say(" in the Pod's template, or in the values it is rendered from"),
                where="source",
                verify=say("the new Pods pull their image"),
            ),
        ),
        do_not=(
            DoNot(
                say("wait, or restart the kubelet"),
                say("the name is rejected every time"),
            ),
        ),
    )


def _find_in_spec(pod: Ref, failure: Failure, snap: Facts) -> str | None:
    """Return the name from the Pod's spec: older runtimes name the fault without it."""
    spec = find_container_spec(pod, failure.container, snap)
    return spec.image if spec else None


def _correct_name(name: str) -> str | None:
    """Return the name without recognisable slips; None if it would still be invalid, or a part of it is
    missing.
    """
    head, colon, tag = name.strip().rpartition(":")
    repository, tail = (head, f":{tag}") if colon and "/" not in tag else (name.strip(), "")
    fixed = re.sub(r"^[a-z]+://", "", repository).lower() + tail
    valid = re.fullmatch(
        r"(?:[a-z0-9.-]+(?::\d+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?", fixed
    )
    return fixed if valid and fixed != name and "//" not in fixed else None


CAUSE = Cause(
    id="image.name-invalid",
    title=say("the image name is invalid"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Containers},
    rule=_rule,
)
