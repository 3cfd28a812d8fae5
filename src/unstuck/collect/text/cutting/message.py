"""A single line that no format claimed but that holds a known message: a status' message, an error copied
from a screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from unstuck.collect.objects.scheduling import parse_unschedulable
from unstuck.collect.text.cutting.ages import AGE
from unstuck.collect.text.cutting.nested_texts import find_nested_texts
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.cutting.sentences import is_sentence, read_refusals, read_sentences
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.wording.match import find_failures
from unstuck.wording.names import find_pod
from unstuck.wording.namespace import find_condition

# The node is at fault here, whichever Pod the message names.
OF_THE_MACHINE: frozenset[Operation] = frozenset(
    {
        "kubelet-start",
        "static-pod-read",
        "runtime-start",
        "module-load",
        "certificate-check",
        "pod-address-range",
        "disk-measure",
        "watch",
        "file-open",
        "access",
        "process-start",
    }
)
OF_THE_NODE: frozenset[Operation] = OF_THE_MACHINE | {
    "rootfs-remove",
    "snapshot-remove",
    "container-remove",
    "netns-remove",
    "runtime-ready",
    "node-ready",
    "log-write",
}
# Also after the rest of an Event's row whose first column was cut off.
_SCHEDULER = regex(
    rf"^[\s>│|]*(?:[\w-]{{1,60}}(?:: |\s+(?=\d{{1,6}}/)))?"
    rf"(?:FailedScheduling\s+(?:{AGE}\s+(?:\(x\d{{1,7}} over {AGE}\)\s+)?)?(?:(?:from )?[\w./-]{{1,253}}"
    r"\s+)?)?"
    r"(?:\d{1,6}/\d{1,6} nodes are available: |No nodes are available that match all of the |"
    # A reason alone.
    r"\d{1,6} (?:node\(s\) (?:had|have|did|didn't|were|exceed|unavailable)|"
    r"Insufficient (?:cpu|memory|pods|ephemeral-storage|[\w.-]{1,253}/[\w.-]{1,63}))(?![\w-]))"
)
# No other program writes this, so it counts after any words.
_SCHEDULER_INSIDE = regex(r"(?<=[\s(])\d{1,6}/\d{1,6} nodes are available: (?=\d)")
# A runtime's message is long, and is often pasted as a narrow screen or a YAML block broke it.
_BROKEN = regex(
    r"failed to create containerd task|OCI runtime create failed|Failed to create pod sandbox", re.IGNORECASE
)
# The Pod in a runtime's request; the kubelet's own message names the Pod nowhere else.
_FOR_POD = regex(
    r"\bsandbox (?:container )?for pod \\*\"(?P<name>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)\\*\""
)
_SHOWS = ("get", "describe")
_MOST_BROKEN = 8
# pkg/controller/statefulset/stateful_pod_control.go; names: apiserver/pkg/storage/names/generate.go,
# apimachinery/pkg/util/rand/rand.go.
_CREATED = regex(
    r"in StatefulSet (?P<set>[a-z0-9][a-z0-9.-]{0,252}) failed error: |"
    r"pods \"(?P<replicas>[a-z0-9][a-z0-9.-]{0,240}-[bcdf-hj-np-tv-xz2456789]{8,10})-"
    r"(?:[bcdf-hj-np-tv-xz2456789]{5})?\" is forbidden"
)
# Records of controller-runtime, and of the loggers of Prometheus and its operator: no kubelet writes so.
_OF_A_CONTROLLER = regex(
    r"\bcaller=[\w./-]{1,80}\.go:\d|\"(?:controller|controllerKind|logger)\": ?\"|\b(?:controller|logger)=\""
)
# As the kubelet has it of a container that it makes.
_MISSING: tuple[Operation, ErrorWord] = ("container-create", "not-found")
# The kubelet's Event of such a container begins so: pkg/kubelet/kuberuntime/kuberuntime_container.go.
_OF_AN_EVENT = regex(r"(?:^|: )Error: ")
_UNKNOWN_POD = Ref("Pod", block="-")
_NO_SOURCE = Source("")
# Errors that say only that something failed.
VAGUE: tuple[ErrorWord, ...] = ("other", "call-failed", "failed")


def find_known_failures(text: str) -> list[Failure]:
    """Return the failures that a text reports, before their subject and source are known."""
    return find_failures(text, about=_UNKNOWN_POD, src=_NO_SOURCE)


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of a known message: after one line, or after several where a runtime's message was
    broken.
    """
    line = lines[i]
    if len(line) < 12:
        return None
    if line.rstrip().endswith(":") and (end := _find_end(lines, i)):
        return end
    if _is_of_controller(line):
        return None
    if is_known(text := find_innermost_text(line)) or _parse_unschedulable(text, _UNKNOWN_POD, _NO_SOURCE):
        return i + 1
    if _BROKEN.search(line):
        for end in range(i + 2, min(i + _MOST_BROKEN, len(lines)) + 1):
            if not lines[end - 1].strip():
                break
            if find_known_failures("\n".join(lines[i:end])):
                return end
    return None


def _is_of_controller(line: str) -> bool:
    """Tell whether a controller reports a missing ConfigMap or Secret, which is then its own trouble."""
    if not _OF_A_CONTROLLER.search(line):
        return False
    text = find_innermost_text(line)
    found = find_known_failures(text)
    return bool(found) and not _OF_AN_EVENT.search(text) and all(_is_of_anybody(f) for f in found)


def _is_of_anybody(failure: Failure) -> bool:
    """Tell whether these are the API server's bare words: a kubelet names the container or the Namespace."""
    return (
        (failure.operation, failure.error) == _MISSING
        and failure.container is None
        and not (failure.object and failure.object.within)
    )


def find_innermost_text(line: str) -> str:
    """Return the innermost text of a line that holds a known message; the line itself where no nested text
    does.
    """
    return next((text for text in find_nested_texts(line) if is_known(text)), line)


def is_known(text: str) -> bool:
    """Tell whether a text is a message from which facts can be read."""
    return bool(find_known_failures(text)) or is_sentence(text) or any(read_refusals(text, _NO_SOURCE))


def _find_end(lines: Sequence[str], i: int) -> int | None:
    """Return the end of a message that was broken after its colons: a wrapped error ends with the innermost
    one.
    """
    end = i + 1
    while (
        end < min(i + _MOST_BROKEN, len(lines))
        and lines[end - 1].rstrip().endswith(":")
        and lines[end].strip()
    ):
        end += 1
    whole = "\n".join(lines[i:end]) if end > i + 1 else ""
    return (
        end
        if any(f.error != "other" for f in find_known_failures(whole))
        or find_condition(f"{lines[i].rstrip()} ")
        else None
    )


def read(piece: Piece) -> Reading:
    """Return the Failures of the line about the Pod that it names or an unnamed one, a runtime's own about
    its Node; or from its sentences.
    """
    line = "\n".join(piece.lines)
    if told := _parse_unschedulable(line, find_pod(line) or piece.block("Pod"), piece.src(0)):
        return Reading([told])
    if sentences := [*read_sentences(find_innermost_text(line), piece, piece.src(0))]:
        return Reading(sentences)
    found = find_failures(
        find_innermost_text(line), about=_find_pod(line, piece), src=piece.src(0), reporter="paste"
    )
    if all(f.error in VAGUE for f in found) and (
        refused := [*read_refusals(find_innermost_text(line), piece.src(0))]
    ):
        return Reading(refused)
    node, maker = piece.node or piece.block("Node"), _find_creator(line) or piece.block("ReplicaSet")
    return Reading([_attribute(f, node, maker) if f.about.block else f for f in found])


def _find_pod(line: str, piece: Piece) -> Ref:
    """Return the Pod of a message: the named one, else the object of the command above."""
    named, shown = find_pod(line), _find_shown_pod(piece.command)
    if named is None and (sandbox := _FOR_POD.search(line)):
        return Ref("Pod", None, sandbox["name"])
    if shown is None or (named and named.name):
        return named or piece.block("Pod")
    return replace(shown, uid=named.uid if named else None)


def _find_shown_pod(command: TypedCommand | None) -> Ref | None:
    """Return the only Pod that a kubectl command shows; None for every other command."""
    if command is None or command.program != "kubectl" or command.is_filtered:
        return None
    words = command.arguments
    if len(words) == 2 and words[0] in _SHOWS and words[1].startswith("pod/"):
        return Ref("Pod", command.namespace, words[1].removeprefix("pod/"))
    if len(words) == 3 and words[0] in _SHOWS and words[1] in ("pod", "pods", "po"):
        return Ref("Pod", command.namespace, words[2])
    return None


def _attribute(failure: Failure, node: Ref, maker: Ref) -> Failure:
    """Attribute a failure without a named object to the Node or the creator, if no other object is
    possible.
    """
    if failure.operation == "pod-create":
        return replace(failure, about=maker)
    return replace(failure, about=node) if failure.operation in OF_THE_NODE else failure


def _find_creator(line: str) -> Ref | None:
    """Return the creator whose Pod was refused, if the Pod's name shows it: a ReplicaSet's name ends in a
    hash.
    """
    found = _CREATED.search(line)
    if found is None:
        return None
    return (
        Ref("StatefulSet", None, found["set"]) if found["set"] else Ref("ReplicaSet", None, found["replicas"])
    )


def _parse_unschedulable(line: str, about: Ref, src: Source) -> Unschedulable | None:
    """Parse the scheduler's sentence alone, as in a condition or an Event, or nested in another text."""
    said = next((text for text in _list_scheduler_texts(line) if _SCHEDULER.match(text)), None)
    return parse_unschedulable(said.strip(), about=about, src=src, whole=False) if said else None


def _list_scheduler_texts(line: str) -> Iterator[str]:
    """Yield the line, and the parts of it in which the scheduler's whole sentence may begin."""
    yield line
    if " nodes are available: " not in line:
        return
    yield from _cut_to_sentence(line)
    if "map[" in line or line.lstrip().startswith("{"):
        yield from find_nested_texts(line)


def _cut_to_sentence(line: str) -> tuple[str, ...]:
    """Return the scheduler's sentence within other words, up to the parenthesis that encloses it."""
    found = _SCHEDULER_INSIDE.search(line)
    if found is None:
        return ()
    said = line[found.start() :].replace("’", "'").rstrip()
    enclosed = line[: found.start()].endswith("(") and said.count(")") > said.count("(")
    return (said[: said.rindex(")")] if enclosed else said,)
