"""The command to run next about a text that was not understood, by the objects that it names. Pure."""

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
from unstuck.diagnosis.line_classes import look_at_names, look_of_class, look_of_speaker
from unstuck.diagnosis.looking import NamedLook, look_at_paths, look_at_unit, looks
from unstuck.diagnosis.mentioned import NODE_PATHS, find_telling_lines, names_in, names_in_lines
from unstuck.diagnosis.pasted_looks import is_shown, looks_of
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.facts.text import Messages, Text
from unstuck.facts.vocabulary.kinds import CREATORS
from unstuck.render.placeholders import find_placeholders

say = Messages(__name__)


# A program's own words name things in its container; only in these words is a path or an address the node's.
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
# Prose, or text that must not be repeated: no line of it reports a failure.
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
# Programs that a container's script calls and the kernel refuses, as they report it: coreutils, busybox.
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
# kubectl's words for tables, and the columns that are not names.
_NO_ROW = ("NAME", "NAMESPACE", "...", "No", "Error", "error:", "Warning:")


def run_next(text: str, kind: TextKind | None) -> Text | None:
    """Return the command that a text calls for, as a sentence without its full stop; None if it names
    nothing. kind: of the text.
    """
    return _take_first(_list_candidates(text[:HEAD], kind))


def _list_telling_lines(text: str, kind: TextKind | None) -> list[str]:
    """Return the lines of a text, none for a kind of text that reports no failures."""
    if kind is not None and kind.id in _TELLS_NOTHING:
        return []
    return [line for block in blocks_of(split_lines(text[:HEAD])) for line in block.lines]


def find_reason(text: str, kind: TextKind | None) -> str | None:
    """Return the message of the line that looks most like the reason, its innermost error whole; None if
    no line reports a failure.

    A record over several lines is one; where its level and its message report no failure, its other fields
    may.
    """
    lines = _list_telling_lines(text, kind)
    telling = sort_by_gravity(join_records(lines)) or sort_by_gravity(lines)
    return next((said for line in telling if (said := mask(quote_line(line)))), None)


def find_calm_line(text: str, kind: TextKind | None) -> str | None:
    """Return a line that looks most like a reason and is none: its program marks it as information, and
    skips its subject.
    """
    lines = _list_telling_lines(text, kind)
    line = next(iter(sort_by_gravity(lines)), "")
    return mask(quote_line(line)) if line and is_skipped(line, lines) else None


def find_relayed_line(text: str, kind: TextKind | None) -> str | None:
    """Return the last line that repeats another program's information, from a text without a line that
    reports a failure.
    """
    lines = _list_telling_lines(text, kind)
    return (
        None
        if sort_by_gravity(lines)
        else next((mask(quote_line(line)) for line in reversed(lines) if is_relayed(line)), None)
    )


def run_next_of_program(text: str) -> Text | None:
    """Return the one command about the Pod whose container wrote a text, if a prompt shows which; None if
    none does.
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
    """Yield the looks at things named in lines outside of containers, first reported failures, and at the
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
    """Yield them with kubectl's output read here."""
    for look in found:
        yield look if look.on_node or look.for_reader else _make_piped_look(look.command, look.says)


_DESCRIBED = say("its events say in the components' own words what fails")
_WRITTEN = say("its conditions say why")
_SPELT = say("its whole spec and status")
_OF_ITS_USER = say("as which user it runs, and what is mounted in it")
_WHERE = say("in which Namespace it is, if it is there at all")


def _list_looks_of_command(block: TextBlock) -> Iterator[NamedLook]:
    """Yield the look at the object that a command of kubectl names, or the row of its table that is not
    well.
    """
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
    """Yield the look at the rest of an object whose description, or a part of it, is shown."""
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
    """Yield the look at the Pod in whose shell somebody ran `id` or the like: its spec says what it may do
    there.
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
    """Yield the look at the Pod whose script was refused a path: it is in its container, and the mounts
    there decide.
    """
    for line in lines:
        if (found := _SCRIPT.match(line)) and not found["path"].startswith(NODE_PATHS):
            yield _make_piped_look(asking.get_as_yaml(Ref("Pod")), _OF_ITS_USER)


def _list_looks_of_manifest(lines: list[str]) -> Iterator[NamedLook]:
    kind = next((m["kind"] for line in lines if (m := _KIND.match(line))), None)
    name = next((m["name"] for line in lines if (m := _NAME.match(line))), None)
    space = next((m["name"] for line in lines if (m := _SPACE.match(line))), None)
    if kind and name:
        about = Ref(kind, space, name)
        # A workload does not say what its Pods wait for.
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
