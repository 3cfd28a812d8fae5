"""`kubectl logs`: a container's own words.

Kept are the last lines, secrets masked; they are a stranger's, and no Failure is read from them, except from
the lines of runc's own init before the program ran. If it names the Pod, the log must hold nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.message import OF_THE_NODE
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.logs.component_pods import read_component
from unstuck.collect.text.logs.last_words import parse_last_words
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Containers, LastLines
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import place_of_containers
from unstuck.facts.derive.refusals import find_refusals
from unstuck.facts.regex import regex
from unstuck.wording.klog import read_records
from unstuck.wording.match import find_failures
from unstuck.wording.program.read import find_complaint

LINES = 20
# Sources: runc libcontainer/standard_init_linux.go (1.0), docker/cli cmd/docker/docker.go and
# cli/command/container/run.go.
_RUNCS = regex(
    r"\s*(?:standard_init_linux\.go:\d{1,5}: exec user process caused|(?:docker: )?Error response from "
    r"daemon: )"
)
# kubectl's own, where the command names no container.
# Source: k8s.io/kubectl pkg/polymorphichelpers/logsforobject.go, pkg/cmd/util/podcmd/podcmd.go (1.9–1.34).
_CHOSE = regex(
    r"^Default(?:ed|ing) container (?:name to )?\"?(?P<name>[a-z0-9-]{1,63})\"?(?: out of: |\.\s*$)"
)
_OTHERS = regex(
    r"^Use 'kubectl describe pod/\S{1,253}(?: -n \S{1,63})?' to see all of the containers in this pod\.\s*$"
)
# kubectl's own errors if it gets no log.
_CLIENTS_OWN = regex(
    r"^(?:Error from server(?: \(\w{1,40}\))?: (?:Get \S{1,400}/containerLogs/|container \S{1,80} in pod "
    r"|previous terminated container|pods \")|unable to retrieve container logs for )"
)
_LONGEST = 2000
_PRINTING_COMMANDS = ("logs", "exec", "attach", "run")


def is_program_output(command: TypedCommand | None) -> bool:
    """Tell whether a command prints the output of a program in a container."""
    programs = ("kubectl", "docker", "crictl", "nerdctl", "podman")
    return (
        command is not None
        and command.program in programs
        and any(w in _PRINTING_COMMANDS for w in command.arguments[:2])
    )


def is_of_previous_run(command: TypedCommand) -> bool:
    """Tell whether `kubectl logs` asks for the log of the run before the present one."""
    return any(w in ("-p", "--previous") for w in command.words)


def find(lines: Sequence[str], _i: int, command: TypedCommand | None) -> int | None:
    """Return the end of everything below such a command."""
    return len(lines) if is_program_output(command) else None


def read(piece: Piece) -> Reading:
    """Return LastLines about the container that the command names; a workload (`deploy/web`) names none."""
    out, command, rows = Reading(), piece.command, list(enumerate(piece.lines))
    # `kubectl logs` names the Pod.
    if command is None or command.program != "kubectl":
        out.facts += parse_runtime_failures(piece, rows)
    if command is None or "logs" not in command.arguments:
        return out
    if command.program != "kubectl":
        out.facts += read_component(piece, rows, [w for w in command.arguments if w != "logs"], None)
        return out
    asked = [w for w in command.arguments if w != "logs"]
    pod = asked[0].removeprefix("pod/").removeprefix("pods/").removeprefix("po/") if asked else ""
    if not pod or "/" in pod or command.option("-l", "--selector"):
        named = [pod.rpartition("/")[2], (command.option("-l", "--selector") or "").rpartition("=")[2]]
        out.facts += read_component(
            piece, rows, [*named, command.option("-c", "--container") or ""], piece.namespace
        )
        return out
    chose = next((m["name"] for _, line in rows if (m := _CHOSE.match(line))), None)
    container = command.option("-c", "--container") or (asked[1] if len(asked) > 1 else chose)
    rows = [(i, line) for i, line in rows if not _CHOSE.match(line) and not _OTHERS.match(line)]
    owner = Ref("Pod", piece.namespace, pod)
    about = Ref("Container", place_of_containers(owner), container)
    out.facts += _parse_refused_start(piece, owner, container, rows)
    told = find_last_lines(piece, about, rows, previous=is_of_previous_run(command))
    if told:
        out.facts += [told, *_find_end(piece, owner, told)]
    out.facts += read_component(piece, rows, [pod, container or ""], piece.namespace)
    return out


def _find_end(piece: Piece, pod: Ref, told: LastLines) -> list[Failure]:
    """Return the program's end, if its log ends with that: klog's, or a known last message of a program."""
    last = next(iter([*read_records(piece.lines, piece.context.now)][-1:]), None)
    if last and (ends := parse_last_words(last, piece, pod)):
        return [replace(f, container=told.about.name) for f in ends]
    if told.complaint is None or not told.complaint.final:
        return []
    said = told.complaint.line
    at = next((n for n, line in enumerate(piece.lines) if said in mask(line)), len(piece.lines) - 1)
    return [
        Failure(
            about=pod,
            src=piece.src(at, said),
            operation="program-run",
            error="fatal",
            message=said,
            container=told.about.name,
        )
    ]


def find_last_lines(
    piece: Piece, about: Ref, rows: Sequence[tuple[int, str]], *, previous: bool
) -> LastLines | None:
    """Return the last lines of a container, secrets masked. rows: (index, line); None if it wrote nothing."""
    kept = [(i, line) for i, line in rows if line.strip() and not _CLIENTS_OWN.match(line)][-LINES:]
    if not kept:
        return None
    words = tuple(mask(line[:_LONGEST]) for _, line in kept)
    said = find_complaint(words)
    # The telling line, if it occurs there verbatim; else the last one.
    told = next((n for n, word in enumerate(words) if said and said.line and said.line in word), -1)
    src = piece.src(kept[told][0], words[told][:200])
    return LastLines(about=about, src=src, lines=words, previous=previous, complaint=said, whole=False)


def parse_runtime_failures(piece: Piece, rows: Sequence[tuple[int, str]]) -> list[Fact]:
    """Return the failed starts that runc reports, or dockerd in its words. rows: (index, line)."""
    lines = [(i, line) for i, line in rows if _RUNCS.match(line)]
    found = [
        f
        for i, line in lines
        for f in find_failures(
            line, about=piece.block("Pod"), src=piece.src(i, line.strip()), reporter="runc"
        )
    ]
    node = piece.node or piece.block("Node")
    return [replace(f, about=node) if f.operation in OF_THE_NODE else f for f in found]


def _parse_refused_start(
    piece: Piece, pod: Ref, container: str | None, rows: Sequence[tuple[int, str]]
) -> list[Fact]:
    """Return the failures of a start that the kernel refused, where the log holds nothing else. rows:
    (index, line).
    """
    said = [(i, line) for i, line in rows if line.strip()]
    if not find_refusals([line.strip() for _, line in said]):
        return []
    i, line = said[-1]
    found = find_failures(line, about=pod, src=piece.src(i, line.strip()), reporter="runc")
    return [replace(f, container=f.container or container) for f in found]


def attribute_to_only_container(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts, with logs whose container the command did not name told about the Pod's only one,
    where the text shows the Pod.
    """
    facts = list(facts)
    only = {
        place_of_containers(f.about): f.items[0].name
        for f in facts
        if isinstance(f, Containers) and len(f.items) == 1 and f.about.name
    }
    return [_with_name(f, only) if isinstance(f, LastLines) and f.about.name is None else f for f in facts]


def _with_name(fact: LastLines, only: dict[str | None, str]) -> LastLines:
    name = only.get(fact.about.within or "")
    return replace(fact, about=Ref("Container", fact.about.within, name)) if name else fact
