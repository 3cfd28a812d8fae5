"""Find the line of a Node's own configuration that contains a word of an error message: the address of a
mirror, a runtime's program, a plugin, a name server, a kernel setting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unstuck.causes._commands import place_on_node
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Step
from unstuck.facts.aspects.node_files import ConfigLine, ConfigMentions
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({ConfigMentions})
# Limits: words to look up, and lines to quote for each.
_WORDS, _LINES = 3, 2
_QUOTED = 120
_HOSTS = "/etc/hosts"
# Programs that read a file only when they start; the others do so at each use.
_READERS = (
    (regex(r"^/etc/containerd/(?!certs\.d/)|/containerd\.service"), "containerd"),
    (regex(r"^/etc/crio/|/crio\.service"), "crio"),
    (regex(r"^/etc/docker/daemon\.json|/docker\.service"), "docker"),
    (regex(r"kubelet"), "kubelet"),
)


def tell_config(node: Ref | None, words: Sequence[str], snap: Facts, verify: Text | None = None) -> NodeWords:
    """Return the file and line of the Node's configuration that contain the first of the words found there.

    verify: how to see that the fix worked.
    """
    if node is None or not node.name:
        return NodeWords()
    wants: list[Want] = []
    for word in unique(w for w in words if len(w) > 2)[:_WORDS]:
        want = Want(ConfigMentions, Ref("ConfigWord", node.name, word))
        wants += () if snap.answered(want) else (want,)
        found = next((f for f in snap.of(ConfigMentions, want.about) if _list_telling(f)), None)
        if found is not None:
            says, lines = NO_TEXT, _list_telling(found)
            for line in lines[:_LINES]:
                says += _name_line(node.name, word, line)
            return NodeWords(says, (_correct(node.name, lines[0], verify),), (found,), tuple(wants))
    return NodeWords(wants=tuple(wants))


def _list_telling(f: ConfigMentions) -> tuple[ConfigLine, ...]:
    """Return the lines but for the one that every /etc/hosts has."""
    return tuple(line for line in f.items if not (line.path == _HOSTS and "localhost" in line.text))


def add_node_words(finding: Finding, told: NodeWords) -> Finding:
    """Return a finding extended by a look at the Node: the Node's steps come first."""
    return replace(
        finding,
        says=finding.says + told.says,
        help=(*told.help, *finding.help),
        enrich=unique((*finding.enrich, *told.wants)),
        seen=(*finding.seen, *told.seen),
    )


def _name_line(node: str, word: str, line: ConfigLine) -> Text:
    return say(
        "; line {number} of {file} on Node {node} has {word}: “{text}”",
        number=line.number,
        file=line.path,
        node=node,
        word=word,
        text=line.text[:_QUOTED],
    )


def _correct(node: str, line: ConfigLine, verify: Text | None) -> Step:
    reader = next((name for pattern, name in _READERS if pattern.search(line.path)), "")
    says = say(
        "correct line {number} of {file} on Node {node}", number=line.number, file=line.path, node=node
    )
    if reader:
        says += say(", and restart {reader} there, which reads it only at its start", reader=reader)
    return Step(
        says,
        where=place_on_node(node),
        command=command(
            "sed -n {number}p {file}", number=given.number(line.number), file=given.path(line.path)
        ),
        verify=verify,
    )
