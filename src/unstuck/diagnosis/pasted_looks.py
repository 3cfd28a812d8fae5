"""Looks at things that a pasted text names: first the objects that its failing lines blame, then the subjects
of its last commands.

A command whose output the text contains is not proposed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unstuck.diagnosis.looking import (
    NamedLook,
    look_at_network_plugin,
    look_at_process,
    look_at_processes,
    looks,
)
from unstuck.diagnosis.mentioned import find_telling_lines, names_in_lines
from unstuck.facts.aspects.pasted import Pasted, ShownCommand
from unstuck.facts.regex import regex

_RUNTIMES = ("docker", "crictl", "ctr", "nerdctl", "podman", "runc", "docker-runc")
# Commands about one process.
_OF_PROCESSES = ("kill", "pstree", "strace", "gdb", "ps", "pmap", "lsof")
_CONTAINER = regex(r"(?=[a-f]*\d)[0-9a-f]{8,64}")
_PID = regex(r"\d{2,9}")
_OF_PROC = regex(r"/proc/(?P<pid>\d{2,9})/")
# An interface that a network plugin makes.
_OF_A_PLUGIN = regex(
    r"\b(?:cni0|cbr0|flannel\.\d+|cali[0-9a-f]{11}|vxlan\.calico|tunl0|weave|cilium_\w+|kube-bridge)\b"
)
# The kernel's log has more than the few pasted lines.
_AGAIN = ("dmesg", "journalctl")


def looks_of(pasted: Pasted) -> Iterator[NamedLook]:
    """Yield the looks at the things that a text names, each on the machine that its prompts show; skip looks
    whose output it contains.
    """
    # The prompt before kubectl shows the reader's machine.
    node = next(
        (shown.host for shown in reversed(pasted.commands) if shown.host and shown.words[:1] != ("kubectl",)),
        "",
    )
    for look in (*_look_for_lines(pasted.lines), *_look_for_commands(pasted.commands)):
        if look.command and not is_shown(look, pasted.commands):
            yield replace(look, node=look.node or node) if look.on_node else look


def _look_for_lines(lines: Sequence[str]) -> Iterator[NamedLook]:
    for named in names_in_lines(find_telling_lines(lines), lines):
        yield from looks(named)


def _look_for_commands(commands: Sequence[ShownCommand]) -> Iterator[NamedLook]:
    for shown in reversed(commands):
        program = next(iter(shown.words), "")
        pids = [*shown.pids, *(int(m["pid"]) for m in _OF_PROC.finditer(shown.text))]
        if program in _OF_PROCESSES:
            pids += [int(word) for word in shown.words if _PID.fullmatch(word)]
        for pid in dict.fromkeys(pids):
            yield replace(look_at_process(pid), node=shown.host)
        ids = [word for word in shown.words if _CONTAINER.fullmatch(word)] if program in _RUNTIMES else []
        for one in dict.fromkeys(ids):
            yield replace(look_at_processes(one), node=shown.host)
        if program in ("ip", "ifconfig", "bridge", "brctl") and _OF_A_PLUGIN.search(shown.text):
            yield replace(look_at_network_plugin(), node=shown.host)


def is_shown(look: NamedLook, commands: Sequence[ShownCommand]) -> bool:
    """Tell whether a command of the text showed the same: the same program about the same names."""
    program, named = _split_names(look.command.argv)
    if not named:
        return program not in _AGAIN and any(
            shown.words and look.command.line.startswith(" ".join(shown.words[:2])) for shown in commands
        )
    return any(
        shown.words[:1] == (program,) and all(name in shown.text for name in named) for shown in commands
    )


def _split_names(argv: Sequence[str]) -> tuple[str, list[str]]:
    """Return the program of a command, of several in a row the first, and the names in it."""
    script = argv[:2] == ("sh", "-c")
    words = argv[2].split() if script else [*argv]
    words = words[2:] if words[:1] == ["timeout"] else words
    # For kubectl the verb decides what is shown, and the kind may be written in many ways.
    plain = words[1:3] if words[0] == "kubectl" else [] if script else words[1:]
    return words[0], [
        word.rpartition("/")[2] if words[0] == "kubectl" else word
        for word in (*plain, *argv[4:])
        if not word.startswith("-")
    ]
