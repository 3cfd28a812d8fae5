"""The registry has no image with this name

## How it happens

The tag or the repository is mistyped; the tag was never pushed, or to another registry; a chart's default tag
does not exist; the publisher withdrew the tag or moved the repository; a short name like `web:1` is looked
for in the runtime's default registry, not in the company's.

## How to tell

`not found`, `manifest unknown`, `manifest for x not found`, `name unknown` in the kubelet's words about its
own pull, repeated, with the container still waiting for the image: the registry was asked and answered. Names
that look like it come from the Node's own list of images and, where the registry may be asked
(`--ask-registry`), from its list of tags.

## Known limits

`pull access denied, repository does not exist or may require authorization` does not show whether the name or
the credentials are wrong: that stays open, except for Docker's own images (`library/`), which are public:
there it is likely the name. containerd's `not found` does not tell a missing tag from a missing repository;
the registry's list of tags does. A Node reports only its 50 largest images.

## References

- opencontainers/distribution-spec spec.md (MANIFEST_UNKNOWN, NAME_UNKNOWN, listing tags); containerd
  core/remotes/docker/resolver.go; moby distribution/errors.go
"""

from __future__ import annotations

from difflib import get_close_matches

from unstuck.causes.image._name import Name, parse_image
from unstuck.causes.image._pull import (
    READS,
    RETRIES,
    STAGES,
    Pull,
    explain_by_config,
    make_image_ref,
    make_signs,
    name_image,
    pull,
    quote_innermost_error,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.pulls import NodeImages, Tags
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

_FOUND: ErrorWord = "not-found"
_EITHER: ErrorWord = "not-found-or-denied"
_NEAR = 3


def _rule(pod: Ref, snap: Facts) -> Signs:
    sure = pull(pod, snap, (_FOUND,))
    either = pull(pod, snap, (_FOUND, _EITHER))
    open_to_all = pull(pod, snap, (_EITHER,), lambda f: parse_image(name_image(f)).open_to_all)
    one = sure
    if not sure.mine.value and open_to_all.mine.value:
        one = Pull(open_to_all.waiting, open_to_all.mine, open_to_all.ended, _open(open_to_all))
    elif not sure.mine.value and either.mine.value:
        # A client that may not see the image gets the same answer, so which of the two it is stays open.
        one = Pull(either.waiting, either.mine, _open(either), _open(either))
    return make_signs(
        "the registry has no such image",
        one,
        lambda failure: explain_by_config(pod, failure, _make_finding(pod, failure, snap), snap),
    )


def _open(one: Pull) -> Sign[Failure]:
    return Sign(None, one.mine.hits, one.mine.seen)


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    name = parse_image(name_image(failure))
    node = find_node_of_pod(pod, snap)
    what = name.digest if name.digest and not name.tag else f"{name.short}:{name.tag}"
    held = tuple(parse_image(n) for f in snap.of(NodeImages, node) for n in f.names) if node else ()
    told = snap.of(Tags, name.repository)
    there = next((f for f in told if f.whole), None)
    says = say("registry {host} has no image {what}", host=name.host, what=what)
    if (there and not there.exists) or (name.open_to_all and failure.error == _EITHER):
        says = say("registry {host} has no repository {path} that is public", host=name.host, path=name.path)
    notes = [quote_innermost_error(failure), *_list_notes(name, held, there, node)]
    wants = [Want(Tags, name.repository), *([Want(NodeImages, node)] if node and not held else [])]
    return Finding(
        says,
        culprit=make_image_ref(failure),
        blocks=(pod,),
        notes=tuple(notes),
        help=(
            Step(
                say("list its tags in the registry"),
                command=command(
                    "skopeo list-tags docker://{repository}",
                    repository=given.image(f"{name.host}/{name.path}"),
                ),
            ),
            Step(
                say(
                    "if the name or tag is wrong, use an existing image in the Pod's template; if it is "
                    "right, push this one (and keep your own copy of images a publisher may withdraw)"
                ),
                where="source",
                verify=RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("push another image under this name as a workaround"),
                say("every Pod that uses it would start an unintended program"),
            ),
        ),
        enrich=tuple(w for w in wants if not snap.answered(w)),
    )


def _list_notes(name: Name, held: tuple[Name, ...], there: Tags | None, node: Ref | None) -> list[Text]:
    """Return notes on whether the image existed once, and its likely intended name."""
    notes = []
    if node and any(h.repository == name.repository and h.tag == name.tag for h in held):
        notes.append(
            say(
                (
                    "Node {node} still has an image with this exact name: it existed once and was "
                    "withdrawn, or it was loaded by hand"
                ),
                node=node.name,
            )
        )
    if there and there.tags:
        near = _near(name.tag, there.tags)
        listed = ", ".join(near or there.tags[-_NEAR:])
        word = say("closest tags") if near else say("existing tags")
        notes.append(say("{word}: {listed}", word=word, listed=listed))
    mine = [h.tag for h in held if h.repository == name.repository and h.tag and h.tag != name.tag]
    if mine and not (there and there.tags):
        listed = ", ".join(_near(name.tag, tuple(mine)) or mine[:_NEAR])
        notes.append(say("the node has this image with tags {listed}", listed=listed))
    paths = sorted({h.path for h in held if h.host == name.host and h.path != name.path})
    if not mine and (near := get_close_matches(name.path, paths, 1, 0.75)):
        notes.append(say("did you mean {near}? The node has that image of this registry", near=near[0]))
    return notes


def _near(tag: str, tags: tuple[str, ...]) -> list[str]:
    return get_close_matches(tag, sorted(set(tags) - {tag}), _NEAR, 0.6)


CAUSE = Cause(
    id="image.not-found",
    title=say("the registry has no image with this name"),
    subjects=("Pod",),
    stages=STAGES,
    reads=READS | {Placement, NodeImages, Tags},
    rule=_rule,
)
