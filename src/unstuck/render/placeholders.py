"""Placeholders for unknown values in a command, and how to find these values."""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.diagnosis.command import PLACEHOLDER
from unstuck.diagnosis.command import command as built
from unstuck.diagnosis.given import NOTHING, kind_of, namespace
from unstuck.diagnosis.text import Messages, Text

say = Messages(__name__)

_HOW = {
    "NODE": say("the node's name, from `kubectl get nodes`"),
    "NAMESPACE": say("its Namespace, from `kubectl get namespaces`"),
    "POD": say("the Pod's name, from `kubectl get pods -A`"),
    "PID": say("the process id, from `ps -ef` there"),
    "HOST": say("the host's name, as the words around the error have it"),
    "REGISTRY": say("the registry's host: what stands before the first / of the image"),
    "RELEASE": say("the release's name, from `helm list -A -a`"),
    "MESSAGE": say("the encoded message that the error ends with"),
    "MANIFEST.yaml": say("the file that was to be applied; of a chart or overlay, what it renders to"),
    "PATH-OF-THE-OBJECT": say("the object's path, as the API server's log names it"),
}
# One list serves both placeholders.
_POD_AND_NAMESPACE = say("the Pod's name and its Namespace, from `kubectl get pods -A`")
_CHOSEN = say("a name of your choice")


def find_placeholders(command: Sequence[str]) -> tuple[tuple[str, Text], ...]:
    """Return (placeholder, how to find its value) for each placeholder of a command, in order."""
    found = dict.fromkeys(word for part in command for word in PLACEHOLDER.findall(part))
    both = (("POD, NAMESPACE", _POD_AND_NAMESPACE),) if {"POD", "NAMESPACE"} <= found.keys() else ()
    alone = (word for word in found if not (both and word in ("POD", "NAMESPACE")))
    return (*both, *((word, _HOW.get(word) or _name(command)) for word in alone))


def _name(command: Sequence[str]) -> Text:
    """Return the meaning of `NAME` by the preceding words."""
    if "create" in command:
        return _CHOSEN
    space = next((command[i + 1] for i, word in enumerate(command[:-1]) if word == "-n"), None)
    kind = next((word.removesuffix("/NAME") for word in command if word.endswith("/NAME")), "secrets")
    ask = built(
        "kubectl get {kind} {space}", kind=kind_of(kind), space=namespace(space) if space else NOTHING
    )
    return say("its name, from `{line}`", line=ask.line)
