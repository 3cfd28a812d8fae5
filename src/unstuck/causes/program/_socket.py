"""A socket that is a file: its listener is a program on the same machine, without a host name or port."""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import add_node_words
from unstuck.causes._node_words import ask_node
from unstuck.causes._path_volume import find_volume, tell_place
from unstuck.causes.program._plain import NEXT_RUN, choose_pod, look_at_mounts
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.causes.volume._on_node import find_volume_path
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding, Step
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# Go: `dial unix /run/x.sock: …`; URLs: `unix:///run/x.sock`; libpq and libmysql: `socket "/run/x"`, `through
# socket '/run/x'`.
# Node.js: `connect ECONNREFUSED /run/x.sock`.
_SOCKET = regex(
    r"(?:\bunix:? ?(?://)?|\bsocket (?:file )?|\bconnect E[A-Z]{3,14} )"
    r"[\\\"'“‘]{0,2}(?P<path>/[\w./@+-]{1,250}[\w-])"
)


def find_socket(line: str) -> str:
    """Return the path of the socket that a line names, "" if it names none."""
    found = _SOCKET.search(line)
    return found["path"] if found else ""


def make_socket_finding(pod: Ref, one: ProgramMessage, means: Text, path: str, snap: Facts) -> Finding:
    """Return the finding for a refusing socket: the entry at its path, and the expected listener."""
    container, line = one.run.name or None, one.complaint.line
    place = tell_place(pod, container, line, snap, path)
    told = ask_node(pod, container, line, snap, NEXT_RUN, path)
    found = make_finding(pod, one, means + place, look_at_socket(pod, container, path, snap))
    return add_node_words(found, told)


def look_at_socket(pod: Ref, container: str | None, path: str, snap: Facts) -> tuple[Step, ...]:
    """Return the look at the program that should listen: on the node, where the socket lies in a directory of
    it, else in the Pod's containers.
    """
    volume, at, node = (
        find_volume(pod, container, path, snap),
        find_volume_path(pod, container, path, snap),
        find_node_of_pod(pod, snap),
    )
    if at and at.path:
        look = Step(
            say(
                "on that node, see whether any program listens at the socket: a socket left over from an "
                "ended program refuses connections"
            ),
            where=place_on_node(node.name if node else None),
            command=command("ss -xlp | grep -F -e {path}; ls -l -- {path}", path=given.path(at.path)),
        )
        return (look,)
    return (_look_at_containers(pod) if volume else look_at_mounts(pod),)


def look_for_listener(pod: Ref) -> Step:
    """Return the look at the containers of a Pod, one of which makes the socket."""
    return _look_at_containers(choose_pod(pod))


def _look_at_containers(pod: Ref) -> Step:
    return Step(
        say("see whether the container that should listen at the socket runs, and mounts the same volume"),
        command=command("kubectl describe {pod} {space}", pod=given.of(pod), space=given.space(pod)),
    )
