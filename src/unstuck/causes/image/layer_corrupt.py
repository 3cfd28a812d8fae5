"""A layer of the image arrives damaged, or is damaged on the Node

## How it happens

Each layer has a size and a digest, which the runtime checks. They do not fit where a proxy or a mirror cuts
the transfer short or answers with its own page, where the registry's store lost or damaged a blob, or where a
push was not finished. On the Node itself a layer may lose files later, by a full or failing disk, a power
loss or a program that removes files it considers harmful: then the image is present, every container of it
fails, and pulling again does not help, because the layer counts as present.

## How to tell

`failed size validation: A != B`, `unexpected commit digest`, `Digest did not match`, `filesystem layer
verification failed`, `archive/tar: invalid tar header`, `gzip: invalid checksum` in the kubelet's words about
its own pull, repeated: the runtime has computed it. For a stored layer `open …/overlay2/…/diff/…: no such
file or directory` or `readlink …/overlay2/l: invalid argument` from docker itself.

## Known limits

`unexpected EOF` alone means only that a transfer ended early: reported as `likely`, and only if it ended so
repeatedly. A wrong blob in the registry and a cut on the way look the same from one Node.

## References

- containerd plugins/content/local/writer.go, core/unpack/unpacker.go; moby distribution/pull_v2.go,
  layer/layer_store.go; containers/image copy/digesting_reader.go
"""

from __future__ import annotations

from unstuck.causes._commands import remove_image
from unstuck.causes._starting import find_node_name, say_on_node
from unstuck.causes.image._pull import (
    READS,
    RETRIES,
    STAGES,
    Pull,
    bracket_image,
    make_image_ref,
    name_image,
    place_on_its_node,
    pull,
    quote_innermost_error,
)
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, command
from unstuck.diagnosis.sign import Sign, any_of, hearsay, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord

say = Messages(__name__)

_DAMAGED: tuple[ErrorWord, ...] = ("blob-mismatch", "layer-unreadable")
_STORED: ErrorWord = "layer-file-missing"
_STORE = regex(r"(?P<root>/\S{0,300}?)/overlay2?/")
_TWICE = 2


def _rule(pod: Ref, snap: Facts) -> Signs:
    damaged = pull(pod, snap, (*_DAMAGED, "cut-short"))
    arrives = _find_early_ends(damaged)
    waits = _waits(pod, snap)
    stored = hearsay(snap, Failure, pod, lambda f: [f] if f.error == _STORED and _may_be_of(f, waits) else [])
    hurt = any_of([s for s in (arrives, stored) if s.value]) if arrives.value or stored.value else arrives
    return Signs(
        necessary={"what arrives, or is stored, is not what the image promises": hurt},
        decisive={
            "the runtime found so again and again, and a container still waits": _find_repeated_damage(
                damaged
            ),
            "the runtime misses a file of a layer, and a container cannot be made": _misses(stored, waits),
        },
        supporting={"a message says so": hurt},
        finding=lambda: _make_finding(pod, hurt.hits[0], snap),
    )


def _find_early_ends(damaged: Pull) -> Sign[Failure]:
    """Find transfers that ended early; they count only where that happened more than once."""
    found = tuple(f for f in damaged.mine.hits if f.error in _DAMAGED)
    short = tuple(f for f in damaged.mine.hits if f.error not in _DAMAGED)
    if found or sum(f.count for f in short) >= _TWICE:
        return (
            damaged.ended
            if not found
            else Sign(True, (*found, *short), damaged.ended.seen, sure=damaged.ended.sure)
        )
    return Sign(None, short, short) if short else damaged.ended


def _find_repeated_damage(damaged: Pull) -> Sign[Failure]:
    """Find the repeated failure; stay open for ends of a transfer, as only sizes and digests are the
    runtime's own reckoning.
    """
    if damaged.repeated.value and not any(f.error in _DAMAGED for f in damaged.repeated.hits):
        return Sign(None, damaged.repeated.hits, damaged.repeated.seen)
    return damaged.repeated


def _waits(pod: Ref, snap: Facts) -> Sign[str]:
    return some(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [s.name for s in f.items if s.reason in ("ImageInspectError", "CreateContainerError")],
    )


def _may_be_of(failure: Failure, waits: Sign[str]) -> bool:
    """Tell whether the failure may explain a waiting container: not if the message names another one."""
    return not waits.value or failure.container in (None, *waits.hits)


def _misses(stored: Sign[Failure], waits: Sign[str]) -> Sign[Failure]:
    if not stored.value or not waits.value:
        return Sign(None, stored.hits, stored.seen)
    return Sign(True, stored.hits, (*stored.seen, *waits.seen), sure=stored.sure and waits.sure)


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    if failure.error == _STORED:
        return _make_lost_files_finding(pod, failure, snap)
    name, host = name_image(failure), failure.host or "?"
    short = failure.error == "cut-short"
    says = say("image {name} arrives damaged from registry {host}", name=name, host=host)
    if short:
        says = say("the transfer of image {name} from registry {host} ends early", name=name, host=host)
    return Finding(
        says,
        culprit=make_image_ref(failure),
        blocks=(pod,),
        notes=(quote_innermost_error(failure),),
        help=(
            Step(
                say(
                    "pull the image on another machine, bypassing the proxy or mirror: if it is damaged "
                    "there too, push it again"
                ),
                command=command('skopeo copy docker://{image} dir:"$(mktemp -d)"', image=given.image(name)),
                verify=RETRIES,
            ),
            Step(
                say(
                    "if it is intact there, check everything in between (a proxy's size or time limit, a "
                    "mirror's cache, its disk)"
                ),
                where=place_on_its_node(pod, snap),
                verify=RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("disable digest verification, or pull in a way that does not verify"),
                say("a corrupted program would be started"),
            ),
        ),
    )


def _make_lost_files_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    """Return the finding for a stored layer that has lost files."""
    where = place_on_its_node(pod, snap)
    path = failure.path or "?"
    root = _STORE.search(path)
    spec = find_container_spec(pod, failure.container, snap)
    name = name_image(failure) if name_image(failure) != "?" else spec.image if spec else None
    return Finding(
        say(
            "a stored layer of the image{named} has lost files: {path}",
            named=bracket_image(failure),
            path=path,
        )
        + say_on_node(pod, snap),
        culprit=Ref("File", find_node_name(pod, snap), path),
        blocks=(pod,),
        notes=(say("runtime: {message}", message=failure.message),),
        help=(
            Step(
                say(
                    "find out what removed it and whether the disk is healthy (kernel log, a security agent "
                    "watching the runtime's directory): exclude that directory there"
                ),
                where=where,
                command=command("ls -la {directory}", directory=given.path(root["root"] if root else path)),
            ),
            Step(
                say(
                    "then, while its registry is available, remove every image that shares the layer from "
                    "the runtime (running containers are not stopped), and pull again; without the registry "
                    "no container can be created from them any more; loading the image over a layer that "
                    "counts as present changes nothing"
                ),
                where=where,
                command=remove_image(pod, snap, name) if name else NO_COMMAND,
                risk="disrupts",
                verify=say("the container is created at the kubelet's next retry"),
            ),
        ),
        do_not=(
            DoNot(
                say("remove the runtime's directory, or prune with volumes"),
                say("container data and docker's own volumes would be lost with it"),
            ),
        ),
    )


CAUSE = Cause(
    id="image.layer-corrupt",
    title=say("a layer of the image is damaged"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created", "started"),
    reads=READS | {Containers, NodeInfo},
    rule=_rule,
)
