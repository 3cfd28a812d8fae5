"""The command to run next about an unrecognised text, derived from its names of objects. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.api.text_features import TextKind
from unstuck.api.text_kinds import HEAD
from unstuck.collect.masking import mask
from unstuck.collect.objects.kinds import find_kind
from unstuck.collect.text.cutting.piece import TextBlock, TypedCommand
from unstuck.collect.text.cutting.records import join_records
from unstuck.collect.text.cutting.split import blocks_of, split_lines
from unstuck.collect.text.pasted import find_pasted_in_blocks
from unstuck.diagnosis import asking, given
from unstuck.diagnosis.command import Command, command
from unstuck.diagnosis.gravity import is_relayed, is_skipped, quote_line, sort_by_gravity
from unstuck.diagnosis.line_classes import look_of_class
from unstuck.diagnosis.line_parts import look_at_names
from unstuck.diagnosis.line_speakers import look_of_speaker
from unstuck.diagnosis.looking import NamedLook, look_at_paths, look_at_unit, looks
from unstuck.diagnosis.mentioned import NODE_PATHS, find_telling_lines, names_in, names_in_lines
from unstuck.diagnosis.pasted_looks import is_shown, looks_of
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.facts.text import Messages, Text
from unstuck.facts.vocabulary.kinds import CREATORS
from unstuck.render.placeholders import find_placeholders

say = Messages(__name__)


# A program's own output names things in its container; only in these messages is a path or an address the
# node's.
_OF_A_NODE = (
    *(
        "",
        "audit",
        "klog",
        "klog-cut",
        "dmesg",
        "unit-status",
        "iptables",
        "commands",
        "sentences",
        "docker",
        "ping",
        "top",
        "free",
    ),
    *("apiservices", "discovery", "webhook", "conditions", "kubectl-error"),
)
# Prose, or text that must not be repeated: its lines never count as failures.
_TELLS_NOTHING = frozenset(
    (
        *(
            "picture",
            "pdf",
            "program-file",
            "private-key",
            "kubeconfig",
            "certificate",
            "helm-template",
            "kustomization",
            "compose",
        ),
        *(
            "dockerfile",
            "diff",
            "git-log",
            "go-source",
            "python-source",
            "java-source",
            "script-source",
            "c-source",
            "shell-script",
        ),
        *("html", "xml", "commands", "screenshot"),
    )
)
# Commands whose output is one message, even if it is folded.
_OF_A_MESSAGE = ("discovery", "webhook", "conditions")
_LINES = 40
# Refusals by the kernel in the form of programs in a container's script: coreutils, busybox.
_SCRIPT = regex(
    r"^\s*(?:\S{1,80}: (?:line )?\d{1,6}: )?(?:chown|chmod|chgrp|mkdir|cp|mv|ln|touch|install|tee|rm): "
    r".{0,80}?[‘'`\"]?"
    r"(?P<path>/[^\s:‘’'`\"]{1,400})[’'`\"]?: (?:Operation not permitted|Permission denied|Read-only file "
    r"system)"
)
_UNIT = regex(r"^\W{0,3}(?P<unit>[A-Za-z0-9][\w@.-]{0,200})\.service - ")
_KIND = regex(r"^kind: \"?(?P<kind>[A-Z][A-Za-z]{1,60})\"?\s*$")
_NAME = regex(r"^  name: \"?(?P<name>[a-z0-9][a-z0-9.-]{0,252})\"?\s*$")
_SPACE = regex(r"^  namespace: \"?(?P<name>[a-z0-9][a-z0-9-]{0,62})\"?\s*$")
_MISSING = regex(
    r"^Error from server \(NotFound\): (?P<kind>[a-z][a-z0-9.-]{0,100}) \"(?P<name>[^\"\s]{1,253})\" not "
    r"found"
)
_AILING = regex(r"\b(?:False|Unknown|Failed|Error|Pending|Terminating|Degraded|NotReady)\b|\b0/\d")
# kubectl's commands with tables, and the columns other than names.
_NO_ROW = ("NAME", "NAMESPACE", "...", "No", "Error", "error:", "Warning:")


def run_next(text: str, kind: TextKind | None) -> Text | None:
    """Return the next command for a text, as a sentence without its full stop; None if the text names no
    object. kind: the text's kind.
    """
    return _take_first(_list_candidates(text[:HEAD], kind))


def _list_telling_lines(text: str, kind: TextKind | None) -> list[str]:
    """Return the lines of a text, none for a kind that never reports failures."""
    if kind is not None and kind.id in _TELLS_NOTHING:
        return []
    return [line for block in blocks_of(split_lines(text[:HEAD])) for line in block.lines]


def find_reason(text: str, kind: TextKind | None) -> str | None:
    """Return the message of the line that looks most like the reason, with its innermost error in full; None
    if no line reports a failure.

    A multi-line record counts as one line; if its level and message report no failure, its other fields may.
    """
    lines = _list_telling_lines(text, kind)
    telling = sort_by_gravity(join_records(lines)) or sort_by_gravity(lines)
    return next((said for line in telling if (said := mask(quote_line(line)))), None)


def find_calm_line(text: str, kind: TextKind | None) -> str | None:
    """Return a line that looks like a reason without being one: its program marks it as information and skips
    the subject.
    """
    lines = _list_telling_lines(text, kind)
    line = next(iter(sort_by_gravity(lines)), "")
    return mask(quote_line(line)) if line and is_skipped(line, lines) else None


def find_relayed_line(text: str, kind: TextKind | None) -> str | None:
    """Return the last line that relays another program's message, from a text without failures."""
    lines = _list_telling_lines(text, kind)
    return (
        None
        if sort_by_gravity(lines)
        else next((mask(quote_line(line)) for line in reversed(lines) if is_relayed(line)), None)
    )


def run_next_of_program(text: str) -> Text | None:
    """Return the command about the Pod whose container wrote a text, if a prompt shows the Pod; None
    otherwise.
    """
    return _take_first(
        look for block in blocks_of(split_lines(text[:HEAD])) for look in _list_looks_of_command(block)
    )


def _take_first(candidates: Iterator[NamedLook]) -> Text | None:
    look = next((one for one in candidates if one.command), None)
    if look is None:
        return None
    line, says = look.command.line, look.says
    for word, how in find_placeholders(look.command.argv):
        says += say("; {word}: {how}", word=word, how=how)
    if look.on_node:
        return say("next, on that node and as root: {line} ({says})", line=line, says=says)
    return say("next: {line} ({says})", line=line, says=says)


def _list_candidates(text: str, kind: TextKind | None) -> Iterator[NamedLook]:
    blocks = [*blocks_of(split_lines(text))]
    lines = [line for block in blocks for line in join_records(block.lines) if line.strip()]
    grave = sort_by_gravity(lines)[:_LINES]
    told = kind is None or kind.id not in _TELLS_NOTHING
    if told:
        yield from _list_pipe_looks(look for line in grave if (look := look_of_class(line, text)))
    for block in blocks:
        yield from _list_looks_of_command(block)
    if kind is not None and kind.id == "manifest":
        yield from _list_looks_of_manifest(lines)
    yield from _list_missing_looks(lines)
    id_ = kind.id if kind else ""
    if not any(block.command for block in blocks):
        yield from _list_looks_of_script(lines)
    if id_ in _OF_A_NODE:
        yield from _list_looks_of_node(blocks, lines, id_)
        yield from (look for block in blocks for look in _list_looks_of_described(block))
        yield from _list_looks_of_shell(blocks)
    if told:
        rest = grave or lines[-1:]
        yield from _list_pipe_looks(look for line in rest if (look := look_at_names(line, text)))
        yield from _list_pipe_looks(look for line in rest if (look := look_of_speaker(line, text)))
        yield from _list_pipe_looks(
            look for line in reversed(lines[-_LINES:]) if (look := look_of_class(line, text))
        )


def _list_looks_of_node(blocks: list[TextBlock], lines: list[str], kind: str) -> Iterator[NamedLook]:
    """Yield looks at objects named in lines from outside of containers, reported failures first, and at the
    subjects of commands.
    """
    if kind in _OF_A_MESSAGE:
        yield from _list_pipe_looks(looks(names_in(" ".join(line.strip() for line in lines))))
    shown = find_pasted_in_blocks("", blocks)
    told = find_telling_lines(lines)[:_LINES]
    rest = names_in_lines([line for line in reversed(lines[-_LINES:]) if line not in told], lines)
    commands = shown.commands if shown else ()
    yield from _list_pipe_looks(looks_of(shown) if shown else iter(()))
    yield from (look_at_unit(found["unit"]) for line in lines if (found := _UNIT.search(line)))
    further = (
        *(look for one in rest for look in looks(one)),
        *(look for one in (*map(names_in, told), *rest) for look in look_at_paths(one)),
    )
    yield from _list_pipe_looks(look for look in further if not is_shown(look, commands))


def _list_pipe_looks(found: Iterator[NamedLook]) -> Iterator[NamedLook]:
    """Yield looks that pipe kubectl's output into this program."""
    for look in found:
        yield look if look.on_node or look.for_reader else _make_piped_look(look.command, look.says)


_DESCRIBED = say("its events say in the components' own words what fails")
_WRITTEN = say("its conditions say why")
_SPELT = say("its whole spec and status")
_OF_ITS_USER = say("as which user it runs, and what is mounted in it")
_WHERE = say("in which Namespace it is, if it is there at all")


def _list_looks_of_command(block: TextBlock) -> Iterator[NamedLook]:
    """Yield the look at the object of a kubectl command, or at the unhealthy row of its table."""
    shown = block.command
    if shown is None or shown.program != "kubectl":
        return
    words = shown.arguments
    if words[:1] == ("logs",) and len(words) > 1:
        name = words[1].removeprefix("pod/").removeprefix("pods/")
        yield _make_piped_look(asking.describe(Ref("Pod", shown.namespace, name)), _DESCRIBED)
    if (
        words[:1] == ("get",)
        and len(words) == 2
        and "-o" not in shown.words
        and (row := _find_row(block, shown))
    ):
        yield _make_piped_look(asking.get_as_yaml(row), _WRITTEN)


def _find_row(block: TextBlock, shown: TypedCommand) -> Ref | None:
    """Return the object of the first unhealthy row of a table without Namespaces; None if there is none."""
    kind = find_kind(shown.arguments[1])
    word = kind.ref_kind if kind else shown.arguments[1]
    rows = [line.split() for line in block.lines if _AILING.search(line)]
    names = [row[0] for row in rows if row[0] not in _NO_ROW]
    return Ref(word, shown.namespace, names[0]) if names and not shown.all_namespaces else None


def _list_looks_of_described(block: TextBlock) -> Iterator[NamedLook]:
    """Yield the look at the remaining fields of an object that is described in full or in part."""
    shown = block.command
    if shown is None or shown.program != "kubectl" or shown.arguments[:1] != ("describe",):
        return
    words = shown.arguments[1:]
    kind, name = (
        words[0].partition("/")[::2] if len(words) == 1 else words[:2] if len(words) == 2 else ("", "")
    )
    if kind and name:
        known = find_kind(kind)
        yield _make_piped_look(
            asking.get_as_yaml(Ref(known.ref_kind if known else kind, shown.namespace, name)), _SPELT
        )


def _list_looks_of_shell(blocks: list[TextBlock]) -> Iterator[NamedLook]:
    """Yield the look at the Pod of a shell session with `id` or the like: the Pod's spec shows its
    permissions.
    """
    programs = {block.command.program for block in blocks if block.command}
    if programs & {"whoami", "id"} and not programs & {
        "kubectl",
        "docker",
        "crictl",
        "systemctl",
        "journalctl",
    }:
        yield _make_piped_look(asking.get_as_yaml(Ref("Pod")), _OF_ITS_USER)


def _list_looks_of_script(lines: list[str]) -> Iterator[NamedLook]:
    """Yield the look at the Pod of a script that was refused a path: the container's mounts decide."""
    for line in lines:
        if (found := _SCRIPT.match(line)) and not found["path"].startswith(NODE_PATHS):
            yield _make_piped_look(asking.get_as_yaml(Ref("Pod")), _OF_ITS_USER)


def _list_looks_of_manifest(lines: list[str]) -> Iterator[NamedLook]:
    kind = next((m["kind"] for line in lines if (m := _KIND.match(line))), None)
    name = next((m["name"] for line in lines if (m := _NAME.match(line))), None)
    space = next((m["name"] for line in lines if (m := _SPACE.match(line))), None)
    if kind and name:
        about = Ref(kind, space, name)
        # A workload does not show the obstacle of its Pods.
        yield _make_piped_look(
            asking.describe_pods(about) if kind in CREATORS else asking.describe(about), _DESCRIBED
        )


def _list_missing_looks(lines: list[str]) -> Iterator[NamedLook]:
    for line in lines:
        if found := _MISSING.match(line):
            made = command(
                "kubectl get {kind} -A --field-selector=metadata.name={name}",
                kind=given.resource(found["kind"]),
                name=given.bare(found["kind"], found["name"]),
            )
            yield _make_piped_look(made, _WHERE)


def _make_piped_look(output_of: Command, says: Text) -> NamedLook:
    return NamedLook(asking.pipe(output_of, ()) if output_of else output_of, says, on_node=False)
