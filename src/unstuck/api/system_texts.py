"""Kinds of texts from a cluster, its nodes and surrounding tools, and of input other than text."""

from __future__ import annotations

from unstuck.api import text_advice as advice
from unstuck.api.text_features import KnownKind, make_kind, matches
from unstuck.facts.text import Messages

say = Messages(__name__)

_FRAMES = r"^(?:\[[^\]\n]{0,60}\][ \t]*)?(?: ?\? )?[ \t]*\w[\w.]*\+0x[0-9a-f]+/0x[0-9a-f]+"
_REFUSED = (
    r"^(?:The connection to the server .* was refused|Unable to connect to the server|error: You must be "
    r"logged in)"
)
_APPLIED = r"^[\w.-]+/[\w.-]+ (?:created|configured|unchanged|deleted|patched|restarted|scaled)$"
_FAILED = (
    r"^Error: .*(?:INSTALLATION FAILED|UPGRADE FAILED|timed out waiting for the condition|release .* failed)"
)
_CLOUD = r"An error occurred \(\w+\) when calling the \w+ operation|^ERROR: \(gcloud\."
_KLOG = r"^(?:[ \t]*|\{\"log\":\")[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\]"
_UNAVAILABLE = r"^v\d\w*\.[\w.-]+[ \t]+\S+[ \t]+False \("
_NO_LIST = r"unable to retrieve the complete list of server APIs"

SYSTEM_TEXTS: tuple[KnownKind, ...] = (
    # Input other than text.
    make_kind(
        "picture",
        say("a picture"),
        advice.TYPED,
        matches(r"\A(?:.PNG\r?\n|.{1,12}(?:JFIF|Exif)|GIF8[79]a|RIFF.{4}WEBP)"),
    ),
    make_kind("pdf", say("a PDF"), advice.TYPED, matches(r"\A%PDF-")),
    make_kind("program-file", say("a program's file"), advice.DESCRIBE, matches(r"\A(?:.ELF|MZ.{1,20}\x00)")),
    # Secrets.
    make_kind(
        "private-key",
        say("a private key"),
        advice.KEY,
        matches(r"^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
    ),
    make_kind(
        "kubeconfig",
        say("a kubeconfig"),
        advice.SECRET,
        matches(r"^[ \t]*\"?kind\"?: \"?Config\b"),
        matches(r"\bclusters\b"),
    ),
    make_kind(
        "certificate", say("a certificate"), advice.CERTIFICATE, matches(r"^-----BEGIN CERTIFICATE-----")
    ),
    # Output of the kernel and a node.
    make_kind(
        "kernel-stack", say("a kernel stack without the fault's line"), advice.STACK, matches(_FRAMES, 2)
    ),
    make_kind(
        "proc-stack",
        say("the kernel stack of a process"),
        advice.STACK,
        matches(r"^\[<[0-9a-f]*>\] \w+", 2),
    ),
    make_kind("dmesg", say("the kernel's log"), advice.QUIET, matches(r"^\[ *\d+\.\d{6}\] ", 3)),
    make_kind("klog", say("a Kubernetes component's log"), advice.QUIET, matches(_KLOG)),
    make_kind(
        "klog-cut",
        say("a component's log whose lines lack their beginning"),
        advice.CUT,
        matches(r"^\w+\.go:\d+\] "),
    ),
    make_kind(
        "audit",
        say("the kernel's audit log"),
        advice.DENIED,
        matches(r"\bavc: +denied\b|\bapparmor=\"DENIED\""),
    ),
    make_kind(
        "unit-status",
        say("systemctl's status of a unit"),
        advice.NODE,
        matches(r"^[ \t]+Loaded: \w+ \("),
        matches(r"^[ \t]+Active: "),
    ),
    make_kind(
        "free",
        say("the memory of a machine (free)"),
        advice.NODE,
        matches(r"^[ \t]+total\s+used\s+free\b"),
        matches(r"^Mem:"),
    ),
    make_kind(
        "top",
        say("a list of processes (top)"),
        advice.NODE,
        matches(r"^top - \d\d:\d\d"),
        matches(r"load average"),
    ),
    # kubectl's own messages.
    make_kind(
        "kubectl-no-access",
        say("kubectl's word that it does not reach the cluster"),
        advice.ACCESS,
        matches(_REFUSED),
    ),
    make_kind(
        "kubectl-error",
        say("kubectl's word that it was refused"),
        advice.NAMED,
        matches(r"^Error from server(?: \(\w+\))?:"),
    ),
    make_kind(
        "kubectl-nothing",
        say("kubectl's word that there is nothing"),
        advice.NAMED,
        matches(r"^No resources found"),
    ),
    make_kind("kubectl-applied", say("what kubectl has changed"), advice.EVENTS, matches(_APPLIED)),
    make_kind(
        "apiservices",
        say("a list of APIServices, one of which is not available"),
        advice.APIS,
        matches(_UNAVAILABLE),
    ),
    make_kind(
        "discovery",
        say("kubectl's word that an API group does not answer"),
        advice.APIS,
        matches(_NO_LIST),
    ),
    make_kind(
        "webhook",
        say("the refusal of a webhook"),
        advice.HOOKS,
        matches(r"failed calling webhook|^Error.*admission webhook .* denied"),
    ),
    make_kind("kubectl-version", say("versions"), advice.DESCRIBE, matches(r"^(?:Client|Server) Version: ")),
    # Other tools.
    make_kind(
        "docker",
        say("the output of Docker"),
        advice.DESCRIBE,
        matches(
            r"^(?:[$#] ?)?docker (?:run|pull|push|ps|logs|info|inspect|start|exec) ?|^ +\"OOMKilled\": "
            r"(?:true|false)"
        ),
    ),
    make_kind("helm", say("an error of Helm"), advice.HELM, matches(_FAILED)),
    make_kind(
        "helm-status",
        say("what Helm says of a release"),
        advice.EVENTS,
        matches(r"^LAST DEPLOYED: "),
        matches(r"^REVISION: \d"),
    ),
    make_kind(
        "terraform",
        say("the output of Terraform"),
        advice.EVENTS,
        matches(r"^(?:│ )?(?:Error: |Terraform will|Terraform used|Plan: \d+ to add)"),
        matches(r"\bon \S+\.tf line \d+|^(?:│ )?Terraform |\bTerraform\b"),
    ),
    make_kind(
        "ansible",
        say("the output of Ansible"),
        advice.EVENTS,
        matches(r"^(?:PLAY|TASK|PLAY RECAP) (?:\[.*\] )?\*{3,}"),
    ),
    make_kind(
        "argocd",
        say("what Argo CD says of an application"),
        advice.EVENTS,
        matches(r"^Sync Status:"),
        matches(r"^Health Status:"),
    ),
    make_kind("alert", say("an alert"), advice.ALERT, matches(r"\balertname\b|\[FIRING:\d+\]")),
    make_kind("metrics", say("metrics of Prometheus"), advice.METRICS, matches(r"^# (?:HELP|TYPE) \w+ ")),
    make_kind(
        "ci",
        say("the log of a pipeline"),
        advice.EVENTS,
        matches(r"^(?:##\[(?:error|group|command)\]|::(?:error|group)|section_start:\d+|\[Pipeline\] )"),
    ),
    make_kind("cloud-cli", say("an error of a cloud's command line"), advice.EVENTS, matches(_CLOUD)),
)
