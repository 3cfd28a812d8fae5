"""The library: diagnose stuck Kubernetes objects from your own program.

    from unstuck import api

    report = api.connect().why("pod/web-0", namespace="shop")
    report.diagnoses[0].causes[0].id

Errors are those of `unstuck.errors`. Nothing is printed, no signal is handled and the process is never ended.
Names are imported on first use: `import unstuck.api` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unstuck.api.cluster import Cluster, connect
    from unstuck.api.collecting import CloserProgress, Collected
    from unstuck.api.nodes import Consent, Nodes
    from unstuck.api.pages import CausePage, causes, explain, search
    from unstuck.api.reading import ReadProgress, read
    from unstuck.api.redaction import Redacted
    from unstuck.api.replaying import replay
    from unstuck.api.report import Report
    from unstuck.api.scanning import Scan, ScanProgress
    from unstuck.api.waiting import Pause
    from unstuck.collect.kube.nodes.leftover_probes import LeftoverProbe as LeftPod
    from unstuck.collect.kube.nodes.probe_pod import Plan
    from unstuck.collect.kube.transport.overrides import Overrides
    from unstuck.diagnosis.answer import CauseMatch as Cause
    from unstuck.diagnosis.answer import Diagnosis, Incident, OpenCause, Question, Stage, State
    from unstuck.diagnosis.next import Next
    from unstuck.diagnosis.shortlist import Look, Place, Shortlist
    from unstuck.diagnosis.verdict import DoNot, Evidence, Finding, Step
    from unstuck.facts.core import Fact, Ref, Refused, Source, Want
    from unstuck.facts.snapshot import Snapshot
    from unstuck.facts.text import Text

# The module of each public name, and its name there.
_HOMES = {
    "Cause": ("unstuck.diagnosis.answer", "CauseMatch"),
    "CausePage": ("unstuck.api.pages", "CausePage"),
    "CloserProgress": ("unstuck.api.collecting", "CloserProgress"),
    "Cluster": ("unstuck.api.cluster", "Cluster"),
    "Collected": ("unstuck.api.collecting", "Collected"),
    "Consent": ("unstuck.api.nodes", "Consent"),
    "Diagnosis": ("unstuck.diagnosis.answer", "Diagnosis"),
    "DoNot": ("unstuck.diagnosis.verdict", "DoNot"),
    "Evidence": ("unstuck.diagnosis.verdict", "Evidence"),
    "Fact": ("unstuck.facts.core", "Fact"),
    "Finding": ("unstuck.diagnosis.verdict", "Finding"),
    "Incident": ("unstuck.diagnosis.answer", "Incident"),
    "LeftPod": ("unstuck.collect.kube.nodes.leftover_probes", "LeftoverProbe"),
    "Look": ("unstuck.diagnosis.shortlist", "Look"),
    "Next": ("unstuck.diagnosis.next", "Next"),
    "Nodes": ("unstuck.api.nodes", "Nodes"),
    "OpenCause": ("unstuck.diagnosis.answer", "OpenCause"),
    "Overrides": ("unstuck.collect.kube.transport.overrides", "Overrides"),
    "Pause": ("unstuck.api.waiting", "Pause"),
    "Place": ("unstuck.diagnosis.shortlist", "Place"),
    "Plan": ("unstuck.collect.kube.nodes.probe_pod", "Plan"),
    "Question": ("unstuck.diagnosis.answer", "Question"),
    "ReadProgress": ("unstuck.api.reading", "ReadProgress"),
    "Redacted": ("unstuck.api.redaction", "Redacted"),
    "Ref": ("unstuck.facts.core", "Ref"),
    "Refused": ("unstuck.facts.core", "Refused"),
    "Report": ("unstuck.api.report", "Report"),
    "Scan": ("unstuck.api.scanning", "Scan"),
    "ScanProgress": ("unstuck.api.scanning", "ScanProgress"),
    "Shortlist": ("unstuck.diagnosis.shortlist", "Shortlist"),
    "Snapshot": ("unstuck.facts.snapshot", "Snapshot"),
    "Source": ("unstuck.facts.core", "Source"),
    "Stage": ("unstuck.diagnosis.answer", "Stage"),
    "State": ("unstuck.diagnosis.answer", "State"),
    "Step": ("unstuck.diagnosis.verdict", "Step"),
    "Text": ("unstuck.facts.text", "Text"),
    "Want": ("unstuck.facts.core", "Want"),
    "causes": ("unstuck.api.pages", "causes"),
    "connect": ("unstuck.api.cluster", "connect"),
    "explain": ("unstuck.api.pages", "explain"),
    "read": ("unstuck.api.reading", "read"),
    "replay": ("unstuck.api.replaying", "replay"),
    "search": ("unstuck.api.pages", "search"),
}

__all__ = [
    "Cause",
    "CausePage",
    "CloserProgress",
    "Cluster",
    "Collected",
    "Consent",
    "Diagnosis",
    "DoNot",
    "Evidence",
    "Fact",
    "Finding",
    "Incident",
    "LeftPod",
    "Look",
    "Next",
    "Nodes",
    "OpenCause",
    "Overrides",
    "Pause",
    "Place",
    "Plan",
    "Question",
    "ReadProgress",
    "Redacted",
    "Ref",
    "Refused",
    "Report",
    "Scan",
    "ScanProgress",
    "Shortlist",
    "Snapshot",
    "Source",
    "Stage",
    "State",
    "Step",
    "Text",
    "Want",
    "causes",
    "connect",
    "explain",
    "read",
    "replay",
    "search",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    value = globals()[name] = getattr(import_module(module), attribute)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
