"""Chooses the open causes to show, and their order: one rule for every format (docs/why/undecided.md)."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from types import MappingProxyType

from unstuck.diagnosis.answer import Diagnosis, OpenCause, find_messages
from unstuck.diagnosis.sign import unique
from unstuck.facts.aspects.objects import Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.derive.pods import SHUT_DOWN
from unstuck.knowledge.commonness import count_reports
from unstuck.stages.status import TERMINATING

LEADS = 5
# Up to this many causes without support are worth listing; more would merely list all possibilities.
FEW = 10
# Families of causes behind a failing call, by the beginning of its operation, nearest first.
FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("image-", ("image", "runtime")),
    ("pull-secret", ("image",)),
    ("sandbox-", ("network", "runtime", "security", "resources", "cgroup")),
    ("network-", ("network",)),
    ("volume-", ("volume", "storage", "config", "mount", "file")),
    ("device-", ("volume", "storage")),
    ("subpath-", ("volume", "mount", "file")),
    ("resources-", ("resources",)),
    ("container-", ("container", "runtime", "security", "config", "resources", "cgroup", "volume")),
    ("probe-", ("probe", "container")),
    ("post-start", ("container",)),
    ("pod-create", ("admission", "apiserver", "controller")),
    ("node-", ("kubelet", "runtime", "network", "node", "cgroup")),
    ("runtime-", ("runtime", "cgroup", "node")),
)
# The same by a container's waiting reason: a table's row shows no message.
OF_REASON: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("CrashLoopBackOff", "Error", "OOMKilled", "Completed"), ("container", "probe", "resources")
        ),
        **dict.fromkeys(
            ("RunContainerError", "StartError", "ContainerCannotRun"),
            ("container", "resources", "runtime", "volume", "security"),
        ),
        **dict.fromkeys(
            (
                "ErrImagePull",
                "ImagePullBackOff",
                "ErrImageNeverPull",
                "ImageInspectError",
                "InvalidImageName",
                "RegistryUnavailable",
            ),
            ("image",),
        ),
        "CreateContainerConfigError": ("config", "security"),
        "CreateContainerError": ("container", "runtime", "volume", "config"),
    }
)


def leads(d: Diagnosis) -> tuple[OpenCause, ...]:
    """Return the open causes worth telling a person, at most five, ordered by support, then by how common
    they are, then by stage.

    A known stage supports the causes that hold it. Empty if nothing is known: the answer then names missing
    facts, not possible causes. Beside a proven cause, only causes at a stage that no shown cause holds: the
    proven cause does not explain such a stage.
    """
    line = [s.id for s in d.stages]
    here = next((s.id for s in d.stages if s.state == "not-done"), "")
    families = find_families(d)
    return tuple(sorted(_list_candidates(d), key=lambda o: _rank(o, here, line, families))[:LEADS])


def leads_to_ask(d: Diagnosis, told: Sequence[OpenCause]) -> Sequence[OpenCause]:
    """Return the open causes whose questions are put to a person: the leads, or every open cause if nothing
    is known. told: the leads.
    """
    return told if told or d.causes or d.state.name not in ("stuck", "unknown") else d.undecided


def weigh_cause(cause: str, families: Sequence[str]) -> float:
    """Weigh how common a cause is, given the families that the evidence points at: the later its family in
    the list, the less.

    Every cause counts one report more than was found: a cause without a report is possible, too.
    """
    family = cause.partition(".")[0]
    far = families.index(family) if family in families else len(families)
    return (1 + count_reports(cause)) / (1 + far)


def _list_candidates(d: Diagnosis) -> Sequence[OpenCause]:
    possible = [o for o in d.undecided if o.possible]
    if d.state.passed:
        return possible
    if any(t.confidence == "proven" for t in d.causes):
        told = {t.stage for t in d.causes}
        return [o for o in possible if o.stage not in told]
    if decidable := [o for o in possible if o.questions]:
        # A cause without a deciding question leads nowhere, and would displace a decidable one.
        return decidable
    # A text that is no object cannot be asked anything; only its own words support a cause.
    if d.causes or d.state.name not in ("stuck", "unknown") or (possible and d.subject.kind == "Text"):
        return possible
    return [*possible, *_list_unsupported(d, {o.id for o in possible})]


def _list_unsupported(d: Diagnosis, possible: Container[str]) -> Sequence[OpenCause]:
    """Return the causes without support that are worth listing: undecidable ones do not count against the
    limit.
    """
    # The kubelet's own reason for ending the whole Pod is no guess.
    if any(isinstance(f, Phase) and f.reason in SHUT_DOWN for f in d.state.evidence):
        return ()
    if related := [o for o in _list_causes_of_related_families(d) if o.id not in possible]:
        return related
    left = [o for o in d.undecided if o.questions and o.id not in possible]
    if d.state.own and d.state.word != TERMINATING:
        # Its own status names its fault: only causes that read the status explain it.
        left = [o for o in left if o.id.startswith("reported.")]
    return left if d.state.name == "stuck" and len(left) <= FEW else ()


def _list_causes_of_related_families(d: Diagnosis) -> list[OpenCause]:
    """Return the open causes of the families behind an unexplained message or a container's reason."""
    families = find_families(d)
    return [o for o in d.undecided if o.id.partition(".")[0] in families]


def find_families(d: Diagnosis) -> tuple[str, ...]:
    """Return the families of causes that the messages point at, each once and nearest first; none without
    such messages.
    """
    tried = {f.operation for f in find_messages(d) if isinstance(f, Failure)}
    if found := unique(
        family for prefix, among in FAMILIES if any(o.startswith(prefix) for o in tried) for family in among
    ):
        return found
    waiting = {s.reason for f in d.state.evidence if isinstance(f, ContainerStatuses) for s in f.items}
    return unique(family for reason, among in OF_REASON.items() if reason in waiting for family in among)


def _rank(
    one: OpenCause, here: str, line: Sequence[str], families: Sequence[str]
) -> tuple[bool, int, bool, float, int, str]:
    return (
        not one.possible,
        -len(one.evidence),
        bool(here) and one.stage != here,
        -weigh_cause(one.id, families),
        locate_stage(one.stage, line),
        one.id,
    )


def locate_stage(stage: str, line: Sequence[str]) -> int:
    """Return a stage's index on its line; the line's length for a stage that is not on it."""
    return line.index(stage) if stage in line else len(line)
