"""Which line of the Node's /etc/hosts a Pod on its Node's network has a name's address from."""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_files import ConfigLine, ConfigMentions
from unstuck.facts.aspects.pod import Complaint, Containers
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_HOSTS = "/etc/hosts"
_IPV4 = regex(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_NAME = regex(r"(?=.*[A-Za-z])[\w-]+(?:\.[\w-]+)+\.?")


def tell_hosts_line(pod: Ref, said: Complaint, snap: Facts, verify: Text) -> NodeWords:
    """Return the hosts line that resolves the unreachable name: for a message with the name, the line with
    both; for a message with an address alone, the line that maps some full name to it. Empty if the Pod's own
    settings contain the address, because no lookup takes place then.
    """
    word, node = said.name.rstrip("."), find_node_of_pod(pod, snap)
    shared = any(f.host_network for f in snap.of(Containers, pod))
    by_name = _NAME.fullmatch(word) is not None
    if not shared or node is None or not node.name or not (by_name or _IPV4.fullmatch(word)):
        return NodeWords()
    if not by_name and any(
        a.host == word for f in snap.of(PodSettings, pod) for c in f.items for a in c.addresses
    ):
        return NodeWords()
    want = Want(ConfigMentions, Ref("ConfigWord", node.name, word))
    asked = set(_IPV4.findall(said.line))
    for found in snap.of(ConfigMentions, want.about):
        for line in found.items:
            address, *names = line.text.partition("#")[0].split() or ("",)
            full = word if by_name else next((n for n in names if _NAME.fullmatch(n)), "")
            if line.path == _HOSTS and full in names and (address in asked or not asked):
                return _tell(node.name, full, address, line, found, verify)
    return NodeWords(wants=() if snap.answered(want) else (want,))


def _tell(
    node: str, name: str, address: str, line: ConfigLine, found: ConfigMentions, verify: Text
) -> NodeWords:
    says = say(
        "; line {number} of {file} on Node {node} gives {name} the address {address}",
        number=line.number,
        file=_HOSTS,
        node=node,
        name=name,
        address=address,
    )
    step = Step(
        say(
            "if {name} has another address by now, correct or remove line {number} of {file} on Node {node}",
            name=name,
            number=line.number,
            file=_HOSTS,
            node=node,
        ),
        where=place_on_node(node),
        command=command("grep -nF -e {name} /etc/hosts", name=given.host(name)),
        verify=verify,
    )
    return NodeWords(says, (step,), (found,))
