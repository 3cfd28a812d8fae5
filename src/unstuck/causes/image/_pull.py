"""Shared parts of the causes of this family: the result of the last attempt to pull, the object it was for,
and whether it repeats.
"""

from __future__ import annotations

from collections.abc import Callable

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import READS as _CONFIG_READS
from unstuck.causes._node_config import add_node_words, tell_config
from unstuck.diagnosis.sign import Sign, hearsay, some, unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.facts.vocabulary.stages import StageId
from unstuck.stages.pod_signs import PULL_REASONS

say = Messages(__name__)

STAGES: tuple[StageId, ...] = ("images-pulled", "init-done")
READS: frozenset[type[Fact]] = frozenset({Failure, ContainerStatuses}) | _CONFIG_READS
_TWICE = 2
RETRIES = say("the kubelet retries the pull within 5 min")
KEEP_PODS = DoNot(
    say("drain or reboot nodes, or delete running Pods that use this registry"),
    say("running Pods still have their image; once moved they need the registry too"),
)


# Whom the runtime asked: the URL of its request, the address that it dialled, its name server.
_ASKED = regex(
    r"https?://(?P<host>[\w.-]{1,253}(?::\d{1,5})?)/|\bdial tcp:? (?P<address>[\d.]{7,15}:\d{1,5})"
    r"|\blookup \S{1,253} on (?P<server>[\d.]{7,15}):\d"
)


@record()
class Pull(Record):
    """The state of a Pod's image pulls with regard to one group of errors.

    waiting: names of the containers that wait for their image. mine: the last attempts that ended with one of
    these errors. ended: whether the last attempt of a container ended so; no if the status gives another
    reason for each that waits. repeated: whether it ended so more than once, in the kubelet's own words.
    """

    waiting: Sign[str]
    mine: Sign[Failure]
    ended: Sign[Failure]
    repeated: Sign[Failure]


def pull(
    pod: Ref, snap: Facts, errors: tuple[ErrorWord, ...], fits: Callable[[Failure], bool] = lambda _: True
) -> Pull:
    """Find failed pulls. errors: words of `Failure.error`. fits: a further condition on these failures."""
    waiting = some(
        snap, ContainerStatuses, pod, lambda f: [s.name for s in f.items if s.reason in PULL_REASONS]
    )
    pulls = tuple(f for f in snap.of(Failure, pod) if f.operation == "image-pull")
    last = tuple(f for f in pulls if not _is_outdated(f, pulls, fits))
    mine = hearsay(snap, Failure, pod, lambda f: [f] if f in last and f.error in errors and fits(f) else [])
    return Pull(waiting, mine, _exclude_other(mine, last, waiting), _repeats(mine, waiting))


def make_signs(ended: str, one: Pull, finding: Callable[[Failure], Finding]) -> Signs:
    """Return the signs of a cause that these errors alone show. ended: the description of the end (`the
    registry says …`).
    """
    return Signs(
        necessary={f"the last attempt to pull ended so: {ended}": one.ended},
        decisive={"a container still waits for an image whose pull failed so again and again": one.repeated},
        supporting={f"a message says so: {ended}": one.mine},
        finding=lambda: finding(one.mine.hits[0]),
    )


def _is_outdated(failure: Failure, pulls: tuple[Failure, ...], fits: Callable[[Failure], bool]) -> bool:
    """Tell whether a later attempt for the same container ended otherwise. A message without a time is
    taken for the latest.
    """
    at = failure.src.at
    mine = (failure.error, fits(failure))
    others = (f.src.at for f in pulls if f.container == failure.container and (f.error, fits(f)) != mine)
    return at is not None and any(later is None or later > at for later in others)


def _exclude_other(mine: Sign[Failure], last: tuple[Failure, ...], waiting: Sign[str]) -> Sign[Failure]:
    """Return no if the status itself gives another reason for each container that waits for its image."""
    if mine.value:
        return mine
    status = {f.src.where for f in waiting.seen if f.whole}
    told = {f.container for f in last if f.src.where in status}
    if waiting.value is False or (waiting.value and status and set(waiting.hits) <= told):
        return Sign(False, seen=unique((*waiting.seen, *last)))
    return Sign(None, seen=last, wants=waiting.wants)


def _repeats(mine: Sign[Failure], waiting: Sign[str]) -> Sign[Failure]:
    """Find a repeated failure: an event counted twice or more, or beside it the status, whose back-off
    comes after a failed attempt.
    """
    if not mine.value or not waiting.value:
        return Sign(None, mine.hits, mine.seen, waiting.wants)
    found = tuple(f for f in mine.hits if f.container in (*waiting.hits, None) and _kubelets(f))
    if sum(f.count for f in found) < _TWICE:
        return Sign(None, found, found)
    return Sign(True, found, unique((*found, *waiting.seen)), sure=mine.sure)


def _kubelets(failure: Failure) -> bool:
    return failure.reporter.startswith("kubelet")


def met_proxy(failure: Failure) -> bool:
    """Tell whether the failure is the runtime's proxy's and not the registry's: Go puts this prefix before
    any error there.
    """
    return "proxyconnect tcp: " in failure.message


def name_image(failure: Failure) -> str:
    """Return the image's name as the message has it, `?` if it names none."""
    return (failure.object.name if failure.object and failure.object.kind == "Image" else None) or "?"


def bracket_image(failure: Failure) -> str:
    """Return ` (IMAGE)` for a sentence that goes on without it, "" if the message names none."""
    image = name_image(failure)
    return "" if image == "?" else f" ({image})"


def quote_innermost_error(failure: Failure) -> Text:
    """Return the note that quotes the innermost error."""
    return say("the pull failed{named}: {message}", named=bracket_image(failure), message=failure.message)


def make_registry_ref(failure: Failure) -> Ref:
    """Return the culprit for the registry's own faults."""
    return Ref("Registry", None, failure.host or "?")


def make_image_ref(failure: Failure) -> Ref:
    """Return the culprit for the faults of one image."""
    return Ref("Image", None, name_image(failure))


def place_on_its_node(pod: Ref, snap: Facts) -> str:
    """Return `node:NAME` of the Pod's Node, for a step."""
    node = find_node_of_pod(pod, snap)
    return place_on_node(node.name if node else None)


def explain_by_config(pod: Ref, failure: Failure, finding: Finding, snap: Facts) -> Finding:
    """Return the finding with the line of the Node's configuration that sends the runtime to another host
    than the image's own registry: a mirror, a proxy.
    """
    named = name_image(failure)
    asked = [part for m in _ASKED.finditer(failure.message) for part in m.groups() if part]
    hosts = [host for host in unique(asked) if not named.startswith(f"{host}/")]
    bare = [host.rpartition(":")[0] for host in hosts if ":" in host]
    return add_node_words(finding, tell_config(find_node_of_pod(pod, snap), [*hosts, *bare], snap, RETRIES))


def use_present_image(pod: Ref, failure: Failure, snap: Facts) -> tuple[Step, ...]:
    """Return the step to use an image already on the node without its registry, if the container's pull
    policy forbids that.
    """
    named_ = [c for f in snap.of(Containers, pod) for c in f.items if failure.container in (None, c.name)]
    if not any(c.pull_policy == "Always" for c in named_):
        return ()
    return (
        Step(
            say(
                "if that node has the image already: imagePullPolicy IfNotPresent starts it without the "
                "registry; a tag may be older there"
            ),
            where="source",
            verify=RETRIES,
        ),
    )
