"""Explanations for missing evidence of a node: a sentence on each failed access method."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from unstuck.diagnosis.shortlist import NOT_THERE
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Refused
from unstuck.render.cells import cut
from unstuck.render.page import Page
from unstuck.render.visible import visible

say = Messages(__name__)

# (way, reason) → a sentence. {node}, {name}, {span} since when, {seconds} waited, {detail} a foreign message.
SENTENCES: dict[tuple[str, str], Text] = {
    ("here", "elsewhere"): say.template("--here: this is node {name}"),
    ("here", "unknown"): say.template("--here: it is not known which node this machine is: {detail}"),
    ("agent", "absent"): say("no agent is installed"),
    ("agent", "version"): say("no agent: the server is older than Kubernetes 1.28"),
    ("agent", "denied"): say.template("you may not ask the agent: {detail}"),
    ("agent", "webhook"): say.template(
        "the agent could not be asked: the webhook {name} does not answer, so that nothing can be created"
    ),
    ("agent", "busy"): say.template("the agent takes no more questions for now: {detail}"),
    ("agent", "silent"): say.template(
        "the agent did not answer in {seconds:g} s, though its Pod {name} is Ready"
    ),
    ("agent", "pod-absent"): say("the agent has no Pod on this node"),
    ("agent", "pod-terminating"): say.template(
        "the agent does not answer: its Pod {name} has been Terminating for {span}"
    ),
    ("agent", "pod-not-ready"): say.template(
        "the agent does not answer: its Pod {name} has not been Ready for {span}"
    ),
    ("agent", "pod-unknown"): say.template(
        "the agent did not answer in {seconds:g} s, and you may not see whether it runs"
    ),
    ("ssh", "no-program"): say("there is no ssh on this machine"),
    ("ssh", "bad-host"): say.template("{name} is no name of a host"),
    ("ssh", "no-host"): say.template("ssh finds no host {name}"),
    ("ssh", "host-key"): say.template(
        "the host key of {name} is not known: log in once by hand, and compare it"
    ),
    ("ssh", "host-key-changed"): say.template("the host key of {name} has changed: {detail}"),
    ("ssh", "denied"): say.template("{name} does not let you in: {detail}"),
    ("ssh", "not-root"): say.template("{name}: you are not root there, and sudo asks for a password"),
    ("ssh", "silent"): say.template("{name} did not answer in {seconds:g} s"),
    ("ssh", "failed"): say.template("ssh to {name} failed: {detail}"),
    ("ssh", "not-able"): say.template("{name} could not be looked at: {detail}"),
    ("ssh", "other-node"): say.template("{name} is node {detail}, not {node}"),
    ("probe", "not-agreed"): say("no Pod was made to look; --probe makes one"),
    ("probe", "no-image"): say("no Pod was made to look: its image is not known; --probe-image IMAGE"),
    ("probe", "no-namespace"): say.template(
        "no Pod was made to look: Namespace {name} is not there; name one in which nobody else may run "
        "commands: --probe-namespace NS"
    ),
    ("probe", "node-suspect"): say("no Pod was made to look: the node is not Ready, it would not start"),
    ("probe", "runtime-suspect"): say.template(
        "no Pod was made to look: the node's runtime is in doubt ({detail}), and a Pod would get stuck "
        "there too"
    ),
    ("probe", "unknown"): say.template(
        "no Pod was made to look: whether the node could run it is not known ({detail})"
    ),
    ("probe", "refused"): say.template("the Pod that would have looked was refused: {detail}"),
    ("probe", "security"): say.template(
        "Namespace {name} does not allow a Pod that can look at a node: {detail}; --probe-namespace NS"
    ),
    ("probe", "not-started"): say.template(
        "the Pod that was to look did not start in {seconds:g} s: {detail}"
    ),
    ("probe", "silent"): say.template("the Pod that looked said nothing: {detail}"),
}
ANY: dict[str, Text] = {
    "replaced": say.template(
        "{way}: its Pod was replaced or changed by somebody else; nothing of it was read"
    ),
    "other-node": say.template("{way}: what answered was no answer of this node"),
    "unreadable": say.template("{way}: the answer cannot be read: {detail}"),
    "deadline": say.template("{way}: no time was left"),
}
PLAIN = say.template("{way}: {why}: {detail}")
DETAIL = 160


def describe_access(unreached: Sequence[Unreached], page: Page, *, quiet: bool) -> str:
    """Return the failed attempts for one node in one sentence; "" if none is worth mentioning. quiet: whether
    to omit missing access methods.
    """
    order = {"here": 0, "agent": 1, "ssh": 2, "probe": 3}
    told = [u for u in unreached if not (quiet and u.reason in NOT_THERE)]
    return page.word("semicolon").join(
        dict.fromkeys(_sentence(u, page) for u in sorted(told, key=lambda u: (order.get(u.way, 9), repr(u))))
    )


def is_explained_by_access(refused: Refused, nodes: Collection[str]) -> bool:
    """Tell whether the failed access methods already explain this open question."""
    return (
        refused.src.where.removeprefix("node:") in nodes
        and refused.src.where.startswith("node:")
        and not refused.detail
    )


def _sentence(u: Unreached, page: Page) -> str:
    text = SENTENCES.get((u.way, u.reason)) or ANY.get(u.reason) or PLAIN
    values = {
        "way": page.word(f"way_{u.way}") if u.way in ("agent", "ssh", "probe") else u.way,
        "why": page.word(u.why),
        "node": u.about.name or "",
        "name": u.name or "?",
        "seconds": u.seconds,
        "span": page.ago(u.since) if u.since else "?",
        "detail": cut(visible(u.detail), DETAIL) or page.word(u.why),
    }
    return page.text(text).format(**values)
