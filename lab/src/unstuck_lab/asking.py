"""Asks the real command about a fault: inside the node, with its evidence, and outside, without."""

import json
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from unstuck_lab import control, pasting, pki, shell
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.node import Node

Evidence = Literal["node", "api"]
UNSTUCK = str(Path(sys.executable).with_name("unstuck"))
PATIENCE = 60  # seconds; no answer may take longer


@dataclass(frozen=True)
class FaultQuestion:
    """One subject of a fault, with the node's evidence or without."""

    fault: Fault
    subject: str
    evidence: Evidence

    def __str__(self) -> str:
        return f"{self.fault.name}/{self.subject}/{self.evidence}"


@dataclass(frozen=True)
class CommandReply:
    """The command's output. report: None if it printed no JSON; error then has its output.

    saved: the Snapshot behind the answer, if requested. pasted: a likely paste of a person right afterwards:
    kubectl's output about the subject, or with the node's evidence the output of commands run on the node.
    """

    status: int
    report: dict[str, Any] | None
    error: str
    seconds: float
    saved: bytes = b""
    pasted: str = ""


def list_questions(fault: Fault) -> list[FaultQuestion]:
    """List all questions about a fault."""
    subjects = (fault.subject, *fault.also)
    evidences: tuple[Evidence, ...] = ("node", "api")
    return [FaultQuestion(fault, subject, evidence) for subject in subjects for evidence in evidences]


def ask(lab: Lab, question: FaultQuestion, more: tuple[str, ...] = ()) -> CommandReply:
    """Ask once. more: further options. Raises `LabError` only when the command cannot be started or ended."""
    place = ("-n", question.fault.namespace) if question.fault.namespace else ()
    argv = [UNSTUCK, "why", question.subject, *place, "-o", "json", *more]
    node = find_node(lab, question.fault, question.subject) if question.evidence == "node" else None
    began = time.monotonic()
    if node is None:
        # Without a node there is no node evidence, and the answer need not mention it.
        outside = ["--no-node"] if question.evidence == "api" else []
        done = shell.attempt([*argv, *outside, f"--kubeconfig={lab.kubeconfig}"], timeout=PATIENCE)
    else:
        done = node.run([*argv, "--here", f"--kubeconfig={provide_inner_kubeconfig(lab)}"], timeout=PATIENCE)
    seconds = time.monotonic() - began
    _save_output(lab, question, done.stdout + done.stderr)
    try:
        return CommandReply(done.returncode, json.loads(done.stdout), "", seconds)
    except ValueError:
        return CommandReply(done.returncode, None, (done.stderr or done.stdout).strip()[-300:], seconds)


def _save_output(lab: Lab, question: FaultQuestion, output: str) -> None:
    """Save an answer in the lab's directory, for the analysis of a failure."""
    if lab.existing is None and lab.paths.state.is_dir():
        lab.paths.answers.mkdir(exist_ok=True)
        (lab.paths.answers / f"{str(question).replace('/', '_')}.txt").write_text(output)


def ask_further(lab: Lab, question: FaultQuestion, since: datetime) -> CommandReply:
    """Ask once, and for the fault's main subject also keep the Snapshot or the paste, which must give the
    same answer elsewhere.

    since: the time of the fault's application, in UTC.
    """
    if question.subject != question.fault.subject or not question.fault.accepts:
        return ask(lab, question)
    if question.evidence == "api":
        reply = ask(lab, question)
        return replace(
            reply, pasted=pasting.paste_description(lab, question.subject, question.fault.namespace)
        )
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "saved.json"
        reply = ask(lab, question, ("--save", str(file)))
        saved = file.read_bytes() if file.exists() else b""
    return replace(reply, saved=saved, pasted=_paste_from_node(lab, question, since))


def _paste_from_node(lab: Lab, question: FaultQuestion, since: datetime) -> str:
    """Return the paste about the node itself, or about the Pod on its node; "" if the node does not run."""
    kind, _, name = question.subject.partition("/")
    node = find_node(lab, question.fault, question.subject) if kind in ("pod", "node") else None
    pod = lab.get_pod(question.fault.namespace or "default", name) if kind == "pod" else None
    placed = kind == "node" or (
        pod is not None and node is not None and pod["spec"].get("nodeName") == node.name
    )
    try:
        return pasting.paste_node_output(node, pod, since) if node and placed else ""
    except LabError:
        return ""


def provide_inner_kubeconfig(lab: Lab) -> Path:
    """Return the administrator's kubeconfig for use on a node, written if it does not exist."""
    file = lab.paths.state / "inner.kubeconfig"
    if not file.exists():
        pki.write_private(file, pki.format_kubeconfig(lab.paths, pki.ADMIN, control.format_inner_url()))
    return file


def find_node(lab: Lab, fault: Fault, subject: str) -> Node | None:
    """Return the node to inspect: the subject itself, its Pod's node, the node of its Namespace's first Pod,
    or else the first node.

    None when that node does not run, and for an existing cluster, whose nodes cannot be entered.
    """
    if not lab.nodes:
        return None
    kind, _, name = subject.partition("/")
    wanted = name if kind == "node" else _find_node_name(lab, fault, kind, name)
    try:
        node = lab.get_node(wanted) if wanted else lab.nodes[0]
    except LabError:
        return None
    return node if node.running else None


def _find_node_name(lab: Lab, fault: Fault, kind: str, name: str) -> str | None:
    namespace = name if kind == "ns" else fault.namespace
    pods = lab.request("GET", f"/api/v1/namespaces/{namespace}/pods")["items"] if namespace else []
    chosen = [pod for pod in pods if kind == "pod" and pod["metadata"]["name"] == name] or pods
    return next((str(pod["spec"]["nodeName"]) for pod in chosen if pod["spec"].get("nodeName")), None)
