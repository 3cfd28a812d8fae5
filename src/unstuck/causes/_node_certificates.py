"""The certificates in the directories of a Node that a container mounts, for a message that one has
expired.
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_place import NodePlace, list_mounted_places
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_paths import NodePath, PathCertificate
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_EXPIRED = regex(
    r"(?i)certificate.{0,40}expired|expired.{0,20}certificate|CERT_HAS_EXPIRED|NotAfter|not yet valid"
)
_TOLD = 2


def tell_expiry(pod: Ref, container: str | None, line: str, snap: Facts, verify: Text) -> NodeWords:
    """Return the expired certificates of the Node that the container mounts; empty for another message."""
    if not _EXPIRED.search(line):
        return NodeWords()
    says, help_, seen, wants = NO_TEXT, list[Step](), list[Fact](), list[Want]()
    for place in list_mounted_places(pod, container, snap):
        want = Want(NodePath, place.path)
        wants += () if snap.answered(want) else (want,)
        for found in snap.of(NodePath, place.path):
            over = [c for c in found.certificates if c.ends < snap.now][:_TOLD]
            seen += [found] if over else []
            for one in over:
                path = _write_path(place, found, one)
                node = place.path.within or ""
                says += say(
                    "; on Node {node} the certificate {path} ({subject}) expired on {ends}",
                    node=node,
                    path=path,
                    subject=one.subject,
                    ends=f"{one.ends:%Y-%m-%d}",
                )
                help_.append(_renew(node, path, verify))
    return NodeWords(
        says, tuple(help_[:1]), tuple(seen), tuple(wants), decides=bool(seen), replaces=bool(seen)
    )


def _write_path(place: NodePlace, found: NodePath, one: PathCertificate) -> str:
    top = found.parts[-1].path if found.parts else place.path.name or ""
    return f"{top.rstrip('/')}/{one.file}" if one.file else top


def _renew(node: str, path: str, verify: Text) -> Step:
    return Step(
        say(
            "renew {path} on Node {node}, and see there why it was not renewed (configuration management, an "
            "agent); then restart what has read it",
            path=path,
            node=node,
        ),
        where=place_on_node(node),
        command=command("openssl x509 -noout -subject -dates -in {path}", path=given.path(path)),
        verify=verify,
    )
