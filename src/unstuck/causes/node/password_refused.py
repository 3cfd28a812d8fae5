"""A server of k3s or rke2 refuses a node's password

## How it happens

An agent of k3s or rke2 makes a password for its node at its first start, and the server keeps it in a Secret.
A reinstalled machine, or a second one with the same host name, presents another password and is refused: it
never joins.

## How to tell

The agent's log, or the server's, has `Node password rejected, duplicate hostname or contents of
'/etc/rancher/node/password' may not match`.

## Known limits

Its evidence is the message alone: it is never more than likely. A later fix is not seen. The message does not
distinguish a new machine from a second one of this name.

## References

- k3s pkg/agent/config/config.go, pkg/nodepassword; k3s documentation: Manage registration, "Node registration
  process"
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "node-password-refused", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = (
        say(
            "The k3s or rke2 server refuses the password of node {name}: a node of this name registered with "
            "another one, as before a new installation",
            name=c.name,
        )
        if c.name
        else say(
            "The k3s or rke2 server refuses this node's password: a node of this host name registered with "
            "another one, or {path} was lost or replaced",
            path=c.path,
        )
    )
    look = Step(
        say(
            "check for which names the server keeps a password (NAME.node-password.k3s or .rke2), and "
            "which Nodes exist"
        ),
        command=command("kubectl get nodes,secrets -n kube-system"),
    )
    named = Step(
        say(
            "if another machine has this host name: give this one a unique name (node-name or with-node-id "
            "in its configuration)"
        )
    )
    register = Step(
        say(
            "if it is the same machine after a new installation: delete its Secret there and its old Node; "
            "it then registers again"
        )
    )
    first = DoNot(
        say("delete the Secret while a second machine runs under this name"),
        say("the two then take the Node from each other, and its Pods with it"),
    )
    return make_finding(text, one, means, (look, named, register), do_not=(first,))


CAUSE = Cause(
    id="node.password-refused",
    title=say("a server of k3s or rke2 refuses a node's password"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
