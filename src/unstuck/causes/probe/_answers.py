"""Fixes for a failing probe, by its answer and the program's last line; none if neither shows the cause."""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes.container._probe_answers import find_meaning
from unstuck.causes.container._probe_kind import find_other_protocol
from unstuck.causes.container._reported import advise_by_line
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.gravity import FAILING
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Handler
from unstuck.facts.core import Ref
from unstuck.facts.derive.asked import find_asked
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_SILENT = ("timeout", "deadline-exceeded")
# Messages of a running program that is not ready yet: it waits, or tries again.
_WAITS = regex(
    r"(?i)\bwait(?:ing|s)?\b|\bretr(?:y|ies|ying)\b|try(?:ing)? again|\bnot (?:yet )?(?:ready|connected"
    r"|synced)\b|\bno (?:quorum|answer|reply|response)\b|\bblocked by\b"
    r"|\bquorum (?:of|is|not)\b|\bstill (?:starting|loading|connecting|syncing)\b|\b(?:loading|restoring"
    r"|replaying|migrating|rebuilding)\b"
)


def says_why(line: str) -> bool:
    """Tell whether a running program's line gives the reason it is not ready: a failure, or a wait."""
    return _WAITS.search(line) is not None or FAILING.search(line) is not None


def advise_by_answer(
    pod: Ref, failure: Failure, probe: Handler | None, line: str, name: str | None, verify: Text, snap: Facts
) -> tuple[Step, ...]:
    """Return the fixes. line: the program's last one, "" if none was read. name: the container's. verify: a
    sign of success.
    """
    how = probe.how if probe else ""
    silent = failure.error in _SILENT
    other = find_other_protocol(pod, failure, probe, name, snap)
    meaning = other or find_meaning(failure, probe)
    settled = meaning if meaning and meaning.settled else None
    own = advise_by_line(line, pod.within, verify) if line and says_why(line) else ()
    asked = silent and how in ("http", "tcp", "grpc") and not own and other is None
    seconds = probe.timeout if probe else 1
    return fitting(
        *own,
        Remedy(
            silent and how == "exec",
            Step(
                say(
                    "set timeoutSeconds of the probe above what its command takes ({seconds} s now), "
                    "or make the check quicker",
                    seconds=seconds,
                ),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(asked, _ask_from_node(pod, failure, probe, snap)),
        Remedy(
            settled is not None, Step(settled.mend if settled else NO_TEXT, where="source", verify=verify)
        ),
    )


def _ask_from_node(pod: Ref, failure: Failure, probe: Handler | None, snap: Facts) -> Step:
    """Return the look that distinguishes a program that hangs from a node that drops the probe's packets."""
    node = find_node_of_pod(pod, snap)
    asked = next((a for a in find_asked(failure.message) if a.is_ip), None)
    says = say(
        "ask the same from that node and from another one: no answer on that node alone is a rule of its "
        "firewall, which the kubelet's packets meet in chain OUTPUT; none anywhere is the program"
    )
    if asked is None:
        return Step(
            says,
            command=command("kubectl get {pod} {space} -o wide", pod=given.of(pod), space=given.space(pod)),
        )
    at = given.host(f"{asked.host}:{asked.port}")
    ask = (
        command("curl -sSk -m 5 -o /dev/null https://{at}", at=at)
        if probe is not None and probe.scheme == "HTTPS"
        else command("curl -sS -m 5 -o /dev/null http://{at}", at=at)
    )
    return Step(says, where=place_on_node(node.name if node else None), command=ask)
