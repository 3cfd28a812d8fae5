"""The parts of a line that a look needs: its Helm release, its Namespace, its object."""

from __future__ import annotations

import re

from unstuck.diagnosis.command import Command
from unstuck.diagnosis.looking import NamedLook, look_at_object
from unstuck.diagnosis.objects_named import find_objects_in_line
from unstuck.diagnosis.text import Text
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.knowledge.kind_words import CLUSTER_SCOPED, KIND_WORDS

# As `helm` is called, and as its errors name a release and a Namespace.
_OF_RELEASE = regex(
    r"(?:Upgrade|Install|Release|release|Rollback|Uninstall)s? \\*\"?"
    r"(?P<named>[a-z0-9][a-z0-9.-]{0,52})\\*\"? (?:failed|in namespace)"
    r"|\\*\"(?P<undeployed>[a-z0-9][a-z0-9.-]{0,52})\\*\" has no deployed releases"
    r"|\bhelm (?:upgrade|install|rollback|uninstall|delete)(?: --?(?:install|i|atomic|wait|debug))* "
    r"(?P<typed>[a-z0-9][a-z0-9.-]{0,52})\b"
    # Terraform's provider for Helm, which by its conventions calls the resource as the release.
    r"|\bresource \\*\"helm_release\\*\" \\*\"(?P<resource>[a-z0-9][a-z0-9.-]{0,52})\\*\""
    r"|\bhelm_release\.(?P<address>[a-z0-9][a-z0-9-]{0,52})\b"
)
_IN_NAMESPACE = regex(
    r"(?:^|\s)(?:-n|--namespace)[ =](?P<space>[a-z0-9][a-z0-9-]{0,62})\b|in namespace \\*\"?"
    r"(?P<told>[a-z0-9-]{1,63})"
)
_ASKED_HOST = regex(r"(?:-connect |\bhttps://)(?P<host>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?=[:/\s]|$)")
SPACE = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
NAME = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
KIND_WORD = "|".join(sorted(KIND_WORDS, key=lambda word: (-len(word), word)))


def find_release(around: str) -> str | None:
    """Return the Helm release that a text names, None if it names none."""
    found = _OF_RELEASE.search(around)
    return next((name for name in found.groups() if name), None) if found else None


def find_namespace(around: str) -> str | None:
    """Return the Namespace that a text names, None if it names none."""
    found = _IN_NAMESPACE.search(around)
    return (found["space"] or found["told"]) if found else None


def find_asked_host(around: str) -> str:
    """Return the host that a TLS client above was asked to connect to, "" if none was."""
    found = _ASKED_HOST.search(around)
    return found["host"] if found else ""


def look_here(command: Command, says: Text) -> NamedLook:
    """Return a look that the reader takes at the cluster, not at a node."""
    return NamedLook(command, says, on_node=False, for_reader=True)


def look_at_named(m: re.Match[str]) -> NamedLook:
    """Look at the object whose kind, Namespace and name a line gives."""
    kind = KIND_WORDS[m["kind"].lower()]
    return look_at_object(Ref(kind, None if kind in CLUSTER_SCOPED else m["space"], m["name"]))


def look_at_reconciled(m: re.Match[str]) -> NamedLook:
    """Look at the object that a controller was working on."""
    parts = m.groupdict()
    kind = {"nodepool": "NodePool.karpenter.sh", "provisioner": "Provisioner.karpenter.sh"}.get(
        parts["kind"], ".".join(filter(None, (parts["kind"], parts.get("group"))))
    )
    return look_at_object(Ref(kind, parts.get("space"), parts["name"]))


def look_at_names(line: str, around: str = "") -> NamedLook | None:
    """Return the look at the first object that a line names by its kind; None if it names none."""
    found = (
        look_at_object(ref)
        for ref in find_objects_in_line(line, find_namespace(around))
        if ref.kind != "ServiceAccount"
    )
    return next((look for look in found if look.command), None)
