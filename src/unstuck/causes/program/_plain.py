"""A cause of this family whose evidence is the message alone, or the message and one look at the Pod's own
object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from unstuck.causes._capabilities import find_capability
from unstuck.causes._given import find_given, join_given
from unstuck.causes._given_paths import find_trust_given
from unstuck.causes._given_settings import find_misnamed
from unstuck.causes._node_words import ask_node
from unstuck.causes._path_volume import tell_place
from unstuck.causes._sources import find_source
from unstuck.causes._told_by_node import NodeWords
from unstuck.causes._value_source import ValueSource
from unstuck.causes.program._told import ProgramMessage, find_lone_messages, find_program_messages
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pod import Complaint, LastLines
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.knowledge.kind_words import CLUSTER_SCOPED, KIND_WORDS

say = Messages(__name__)

T = TypeVar("T")

# The most reports that a sentence adds to the first.
_OTHERS = 3
# A Java exception in the chain of its causes.
_CAUSED = regex(r"\s*(?:Caused by: |[\w.$]{3,120}(?:Exception|Error): )")
# The most lines of an exception below its message.
_BELOW = 12
# The most of their changes that follow the first report's.
_CHANGES = 2
# Errors that an empty file, an empty directory or a dangling link explains.
_OF_CONTENT: tuple[ProgramError, ...] = (
    "certificate-untrusted",
    "client-certificate-refused",
    "command-not-found",
    "config-unparsable",
    "crashed",
    "data-damaged",
    "data-foreign",
    "file-missing",
    "format-refused",
    "kubeconfig-missing",
    "library-missing",
    "option-wanted",
    "value-absent",
    "value-malformed",
    "value-refused",
)
# Errors that a value explains which the Pod was given.
_OF_GIVEN: tuple[ProgramError, ...] = (
    *(error for error in _OF_CONTENT if error != "data-foreign"),
    "address-absent",
    "cloud-object-missing",
    "cloud-refused",
    "mode-refused",
    "option-unknown",
    "state-refused",
)
# Free space or the values of settings decide these errors: they have signs of their own, or none that is
# sure.
_DECIDED_ELSEWHERE: tuple[ProgramError, ...] = (
    "address-absent",
    "kernel-setting-denied",
    "kernel-setting-low",
    "no-space",
    "thread-refused",
)
NEXT_RUN = say("the next run gets past this line")


def make_plain_signs(
    pod: Ref,
    snap: Facts,
    errors: tuple[ProgramError, ...],
    found: Callable[[ProgramMessage], Finding],
    confirmed: dict[str, Sign[ProgramMessage]] | None = None,
) -> Signs:
    """Return the signs for an unambiguous message. confirmed: further evidence; none of it refutes the
    message.
    """
    said = find_program_messages(pod, snap, *errors)
    lone = find_lone_messages(pod, snap, *errors)
    return Signs(
        necessary={"the last log lines of a failed run say so": said},
        decisive={
            **{name: make_no_unknown(sign) for name, sign in (confirmed or {}).items()},
            **_explain_by_node(pod, said, snap),
        },
        supporting={"its message is unambiguous": said if said.value else lone},
        finding=lambda: _make_finding(
            pod,
            [*(h for s in (confirmed or {}).values() if s.value for h in s.hits), *said.hits],
            found,
            snap,
        ),
    )


def _make_finding(
    pod: Ref, all_: Sequence[ProgramMessage], found: Callable[[ProgramMessage], Finding], snap: Facts
) -> Finding:
    """Return the finding: for a text with each object that it reports, for a run with the object behind a
    path in a volume.
    """
    one, *others = all_
    finding = found(one)
    if pod.kind == "Text":
        return _make_others_finding(finding, one, others, found)
    named = one.run.name or None, one.complaint.line, snap, one.complaint.path
    told, source = _ask_node(pod, one, snap), _find_source(pod, one, snap)
    if _names_any(finding, source.variables):
        source = ValueSource(wants=source.wants)
    change = (mend(source.change),) if source.change.en and not told.replaces else ()
    rest = [step for step in finding.help if step.where != "source" or not (change or told.replaces)]
    return replace(
        finding,
        says=finding.says
        + join_given(tell_place(pod, *named), source)
        + told.says
        + _tell_alike(one, _list_alike(one, others)),
        help=(*told.help, *change, *rest),
        enrich=unique((*finding.enrich, *told.wants, *source.wants)),
        seen=(*finding.seen, *told.seen),
    )


def _names_any(finding: Finding, names: tuple[str, ...]) -> bool:
    """Tell whether the finding says one of these names already."""
    said = (finding.says.en, *(step.says.en for step in finding.help))
    return any(name in text for name in names for text in said)


def _find_source(pod: Ref, one: ProgramMessage, snap: Facts) -> ValueSource:
    """Return the source of the value that the message is about, else what the Pod was given by that name."""
    container, said = one.run.name or None, one.complaint
    source = find_source(pod, container, said, snap)
    if source.says.en or source.change.en:
        return source
    if said.error in ("variable-missing", "setting-missing"):
        given = find_misnamed(pod, container, said.line, said.name, snap)
    elif said.error == "permission-denied":
        given = find_capability(pod, container, said.line, snap)
    elif said.error in _OF_GIVEN:
        given = find_given(pod, container, said.line, snap, said.path, _read_below(pod, one, snap))
        if not given.says.en and said.error == "certificate-untrusted":
            given = find_trust_given(pod, container, snap)
        if not given.says.en and said.error == "crashed":
            given = _find_by_causes(pod, one, snap)
    else:
        return source
    # An address to listen on has its own remedy, wherever it is set.
    change = NO_TEXT if said.error == "address-absent" else given.change
    return replace(given, change=change, wants=unique((*source.wants, *given.wants)))


def _find_by_causes(pod: Ref, one: ProgramMessage, snap: Facts) -> ValueSource:
    """Return what an exception above the last one names: the last one may be of a library's own terms."""
    lines = _read_log(pod, one, snap)
    causes = [line.strip() for line in lines if _CAUSED.match(line) and line.strip() != one.complaint.line]
    told = (find_given(pod, one.run.name or None, line, snap) for line in reversed(causes[-_BELOW:]))
    return next((given for given in told if given.says.en), ValueSource())


def _read_below(pod: Ref, one: ProgramMessage, snap: Facts) -> str:
    """Return the lines of the log below the message: an exception's own fields, such as `input: 'x:1'`."""
    lines = _read_log(pod, one, snap)
    at = next((n for n, line in enumerate(lines) if line.strip() == one.complaint.line), len(lines))
    return "\n".join(lines[at + 1 : at + 1 + _BELOW])


def _read_log(pod: Ref, one: ProgramMessage, snap: Facts) -> Sequence[str]:
    """Return the last lines of the log that the message is from; none if it is from elsewhere."""
    logs = snap.of(LastLines, make_container_ref(pod, one.run.name or None))
    return next((f.lines for f in logs if f.complaint == one.complaint), ())


def _ask_node(pod: Ref, one: ProgramMessage, snap: Facts) -> NodeWords:
    """Return the Node's explanation of the message."""
    said = one.complaint
    return ask_node(
        pod, one.run.name or None, said.line, snap, NEXT_RUN, said.path, content=said.error in _OF_CONTENT
    )


def _explain_by_node(pod: Ref, said: Sign[ProgramMessage], snap: Facts) -> dict[str, Sign[ProgramMessage]]:
    """Return a sign of the messages that the Node's state certainly explains: it concerns the named object,
    and they have no other meaning. Empty for messages that no Node can explain.
    """
    if pod.kind != "Pod":
        return {}
    asked = [
        (one, _ask_node(pod, one, snap)) for one in said.hits if one.complaint.error not in _DECIDED_ELSEWHERE
    ]
    hits = [(one, told) for one, told in asked if told.decides]
    wants = unique(want for _, told in asked for want in told.wants)
    if not hits and not wants:
        return {}
    name = "the Node's state explains the message"
    if not hits:
        return {name: Sign(None, wants=wants)}
    return {name: Sign(True, tuple(one for one, _ in hits), unique(f for _, told in hits for f in told.seen))}


def _make_others_finding(
    finding: Finding,
    one: ProgramMessage,
    others: Sequence[ProgramMessage],
    found: Callable[[ProgramMessage], Finding],
) -> Finding:
    """Return the finding with the other reports of the same kind in a text: each needs a fix."""
    alike = _list_alike(one, others)
    says = finding.says + _tell_alike(one, alike)
    further = {told.says: told for told in (found(other) for other in others if other not in alike)}
    more = [told for told in further.values() if told.says != finding.says]
    for other in more[:_OTHERS]:
        says += say("; {other}", other=other.says)
    changes = (step for told in more[:_OTHERS] for step in told.help if step.where == "source")
    return replace(
        finding,
        says=says + say("; and {n} more", n=len(more) - _OTHERS) if len(more) > _OTHERS else says,
        help=unique((*finding.help, *islice(changes, _CHANGES))),
    )


def _list_alike(one: ProgramMessage, others: Sequence[ProgramMessage]) -> list[ProgramMessage]:
    """Return the other reports of the same thing about another name."""
    same = _but_name(one)
    return [other for other in others if same and _but_name(other) == same]


def _tell_alike(one: ProgramMessage, alike: Sequence[ProgramMessage]) -> Text:
    names = dict.fromkeys(other.complaint.name for other in alike)
    more = ", ".join(name for name in names if name != one.complaint.name)
    return say("; the same holds for {names}", names=more) if more else NO_TEXT


def _but_name(one: ProgramMessage) -> Complaint | None:
    """Return the complaint without its name; None if it has none."""
    return replace(one.complaint, name="", line="", final=False) if one.complaint.name else None


def look_at_object(said: Complaint, says: Text) -> tuple[Step, ...]:
    """Return the step that shows the current state of the object that the server names; none without a kind
    and a name.
    """
    if not (said.resource and said.name):
        return ()
    kind = KIND_WORDS.get(said.resource.partition(".")[0].lower())
    at = (
        given.namespace(said.namespace or None)
        if said.namespace or (kind and kind not in CLUSTER_SCOPED)
        else given.NOTHING
    )
    return (
        Step(
            says,
            command=command(
                "kubectl get {object} {at} -o yaml", object=given.obj(said.resource, said.name), at=at
            ),
        ),
    )


def choose_pod(pod: Ref | None) -> Ref:
    """Return the Pod that a step is about; for a text without a Pod, placeholders for the reader."""
    return pod if pod and pod.kind == "Pod" else Ref("Pod", "NAMESPACE", None)


def look_at_mounts(pod: Ref) -> Step:
    """Return the step that shows the mounts of a Pod's containers."""
    of = choose_pod(pod)
    return Step(
        say("see what is mounted where"),
        command=command("kubectl describe {pod} {space}", pod=given.of(of), space=given.space(of)),
    )


def look_at_settings(pod: Ref | None = None) -> Step:
    """Return the step that shows a program's inputs: its image, arguments and environment, and the ConfigMaps
    that it reads. pod: its Pod, if the text names it.
    """
    of = choose_pod(pod if pod and pod.name else None)
    says = say("check the version of its image, its arguments and environment, and which ConfigMaps it reads")
    return Step(
        says, command=command("kubectl get {pod} {space} -o yaml", pod=given.of(of), space=given.space(of))
    )


def make_signs_in_text(
    text: Ref, snap: Facts, error: ProgramError, found: Callable[[ProgramMessage], Finding]
) -> Signs:
    """Return the signs for a line that is no run's last message: only texts have such lines. found: makes
    each one's finding.
    """
    return make_joint_signs_in_text(
        text, snap, error, lambda said: _make_others_finding(found(said[0]), said[0], said[1:], found)
    )


def make_joint_signs_in_text(
    text: Ref, snap: Facts, error: ProgramError, found: Callable[[Sequence[ProgramMessage]], Finding]
) -> Signs:
    """Return the signs as `make_signs_in_text` does, with one finding for all reported lines."""
    said = find_lone_messages(text, snap, error)
    return Signs(
        decisive={}, supporting={"its message is unambiguous": said}, finding=lambda: found(said.hits)
    )


def mend(says: Text) -> Step:
    """Return the change to make in the owner's source, and how to verify it."""
    return Step(says, where="source", verify=NEXT_RUN)


def make_no_unknown(sign: Sign[T]) -> Sign[T]:
    """Return a yes unchanged, and a no as unknown: a healthy state now does not refute the program's earlier
    failure.
    """
    return sign if sign.value else Sign(None, wants=sign.wants)
