"""Names the kind of an unreadable text by features of that kind alone, and a more useful text. Pure.

Each kind lists all of its features; the first kind that has them wins. No kind is guessed: without features
nothing is claimed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress

from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages, Text

say = Messages(__name__)


# The examined beginning of a text. No feature spans lines: a long text of one character must not take a
# minute.
HEAD = 32768


@record()
class TextKind(Record):
    """id: for tests. what: with its article; Chinese has a blank before Latin letters. useful: what to do
    instead, without a full stop.
    """

    id: str
    what: Text
    useful: Text


Feature = Callable[[str], bool]


def recognise(text: str) -> TextKind | None:
    """Return the kind of the text, None if its features match none."""
    head = text[:HEAD]
    return next((kind for kind, features in _KINDS if all(feature(head) for feature in features)), None)


def list_kinds() -> tuple[TextKind, ...]:
    """Return every kind that can be recognised."""
    return tuple(kind for kind, _ in _KINDS)


def _pattern_feature(pattern: str, least: int = 1) -> Feature:
    """Return a feature of texts with at least this many matching lines or places."""
    compiled = re.compile(pattern, re.MULTILINE)

    def feature(text: str) -> bool:
        return sum(1 for _, _ in zip(range(least), compiled.finditer(text), strict=False)) == least

    return feature


def _lacks(pattern: str) -> Feature:
    found = _pattern_feature(pattern)
    return lambda text: not found(text)


def _json(text: str) -> bool:
    if text[:1] not in ("{", "["):
        return False
    with suppress(ValueError, RecursionError):
        json.loads(text)
        return True
    return False


def _json_lines(text: str) -> bool:
    lines = [line for line in text.splitlines()[:50] if line.strip()][:20]
    return len(lines) > 1 and all(_json(line) for line in lines)


def _sentences(text: str) -> bool:
    """Tell whether it has words with a full stop or a question mark behind them, and nothing that a
    program prints.
    """
    text = text[:4000]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    english = re.findall(r"\b[a-z]+(?: [a-z,']+){4,40}[.?!](?:\s|$)", text)
    chinese = re.findall(r"[\u4e00-\u9fff，]{8,80}[。？！]", text)
    return (
        0 < len(lines) <= 40
        and bool(english or chinese)
        and not re.search(r"[{}<>|=\[\]]|\d\d:\d\d:\d\d", text)
    )


_DESCRIBE = say("useful would be: kubectl describe pod NAME | unstuck read -")
_PROGRAM = say("it tells what the program did, not what became of its container; {useful}", useful=_DESCRIBE)
_LIVE = say(
    "it tells what is wanted, not what is; useful would be what the cluster has: kubectl get KIND NAME -o "
    "yaml | unstuck read -"
)
_NODE = say(
    "useful would be, on that node and as root: unstuck node --here; or journalctl -u kubelet | unstuck "
    "read -"
)
_EVENTS = say(
    "useful would be what it left in the cluster: kubectl get events,pods -n NAMESPACE | unstuck read -"
)
_SOURCE = say("it tells how a program is written, not what happened; {useful}", useful=_DESCRIBE)
_TYPED = say("copy the text itself; {useful}", useful=_DESCRIBE)
_SECRET = say(
    "it holds credentials: do not pass it on; nothing of it was kept; unstuck takes it by --kubeconfig FILE"
)
_KEY = say("it is a secret: do not pass it on; nothing of it was kept")
_NETWORK = say("it tells of the network, not of the object that is stuck; {useful}", useful=_DESCRIBE)
_CERTIFICATE = say("it alone tells nothing; when it ends: openssl x509 -noout -enddate -in FILE")
_STACK = say(
    "useful would be the lines of dmesg before it, which name the fault, and whose process it is: unstuck "
    "node --here on that node"
)
_FRAMES = r"^(?:\[[^\]\n]{0,60}\][ \t]*)?(?: ?\? )?[ \t]*\w[\w.]*\+0x[0-9a-f]+/0x[0-9a-f]+"
_QUIET = say("none of its lines tells of a fault that is known here; {useful}", useful=_NODE)
_ACCESS = say("first make kubectl reach the cluster (kubectl cluster-info); then: unstuck why pod/NAME")
_REFUSED = (
    r"^(?:The connection to the server .* was refused|Unable to connect to the server|error: You must be "
    r"logged in)"
)
_NAMED = say("see what there is: kubectl get pods -A; then: unstuck why pod/NAME -n NAMESPACE")
_APPLIED = r"^[\w.-]+/[\w.-]+ (?:created|configured|unchanged|deleted|patched|restarted|scaled)$"
_HELM = say("it names what Helm waited for, not why; {useful}", useful=_EVENTS)
_FAILED = (
    r"^Error: .*(?:INSTALLATION FAILED|UPGRADE FAILED|timed out waiting for the condition|release .* failed)"
)
_ALERT = say("it tells that something is wrong, not what; {useful}", useful=_EVENTS)
_METRICS = say("numbers tell that, not why; {useful}", useful=_DESCRIBE)
_CLOUD = r"An error occurred \(\w+\) when calling the \w+ operation|^ERROR: \(gcloud\."
_ACCESS_LOG = r"\"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+ HTTP/[\d.]+\" \d{3} "
_DATED = (
    r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3}\S* +(?:\[[^\]\n]{0,99}\] +)?(?:TRACE|DEBUG|INFO|WARN"
    r"(?:ING)?|ERROR|FATAL)\b"
)
_OUTPUT = say("their output is missing: paste it with them")
_TABLE = say("no row of it reads, as from a screenshot; {useful}", useful=_TYPED)
_HEADS = r"\b(?:READY|STATUS|RESTARTS|REASON)\b"


_KLOG = r"^(?:[ \t]*|\{\"log\":\")[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\]"
_CUT = say("paste its lines whole: journalctl -u kubelet | unstuck read -")
_DENIED = say("it tells what was denied to which program; {useful}", useful=_DESCRIBE)
_UNAVAILABLE = r"^v\d\w*\.[\w.-]+[ \t]+\S+[ \t]+False \("
_NO_LIST = r"unable to retrieve the complete list of server APIs"
_APIS = say("useful would be all of them: kubectl get apiservices -o yaml | unstuck read -")
_HOOKS = say("useful would be the object that was refused: kubectl get KIND NAME -o yaml | unstuck read -")
_CONDITION = r"^[ \t-]*(?:type|reason): '?[A-Z]\w+'?$"
_WHOLE = say("useful would be the whole object: kubectl get KIND NAME -o yaml | unstuck read -")


def _kind(id_: str, what: Text, useful: Text, *features: Feature) -> tuple[TextKind, tuple[Feature, ...]]:
    return TextKind(id_, what, useful), features


_KINDS = (
    # Input that is no text.
    _kind(
        "picture",
        say("a picture"),
        _TYPED,
        _pattern_feature(r"\A(?:.PNG\r?\n|.{1,12}(?:JFIF|Exif)|GIF8[79]a|RIFF.{4}WEBP)"),
    ),
    _kind("pdf", say("a PDF"), _TYPED, _pattern_feature(r"\A%PDF-")),
    _kind("program-file", say("a program's file"), _DESCRIBE, _pattern_feature(r"\A(?:.ELF|MZ.{1,20}\x00)")),
    # Secrets.
    _kind(
        "private-key",
        say("a private key"),
        _KEY,
        _pattern_feature(r"^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
    ),
    _kind(
        "kubeconfig",
        say("a kubeconfig"),
        _SECRET,
        _pattern_feature(r"^[ \t]*\"?kind\"?: \"?Config\b"),
        _pattern_feature(r"\bclusters\b"),
    ),
    _kind(
        "certificate", say("a certificate"), _CERTIFICATE, _pattern_feature(r"^-----BEGIN CERTIFICATE-----")
    ),
    # Output of the kernel and a node.
    _kind(
        "kernel-stack", say("a kernel stack without the fault's line"), _STACK, _pattern_feature(_FRAMES, 2)
    ),
    _kind(
        "proc-stack",
        say("the kernel stack of a process"),
        _STACK,
        _pattern_feature(r"^\[<[0-9a-f]*>\] \w+", 2),
    ),
    _kind("dmesg", say("the kernel's log"), _QUIET, _pattern_feature(r"^\[ *\d+\.\d{6}\] ", 3)),
    _kind("klog", say("a Kubernetes component's log"), _QUIET, _pattern_feature(_KLOG)),
    _kind(
        "klog-cut",
        say("a component's log whose lines lack their beginning"),
        _CUT,
        _pattern_feature(r"^\w+\.go:\d+\] "),
    ),
    _kind(
        "audit",
        say("the kernel's audit log"),
        _DENIED,
        _pattern_feature(r"\bavc: +denied\b|\bapparmor=\"DENIED\""),
    ),
    _kind(
        "unit-status",
        say("systemctl's status of a unit"),
        _NODE,
        _pattern_feature(r"^[ \t]+Loaded: \w+ \("),
        _pattern_feature(r"^[ \t]+Active: "),
    ),
    _kind(
        "free",
        say("the memory of a machine (free)"),
        _NODE,
        _pattern_feature(r"^[ \t]+total\s+used\s+free\b"),
        _pattern_feature(r"^Mem:"),
    ),
    _kind(
        "top",
        say("a list of processes (top)"),
        _NODE,
        _pattern_feature(r"^top - \d\d:\d\d"),
        _pattern_feature(r"load average"),
    ),
    # kubectl's own messages.
    _kind(
        "kubectl-no-access",
        say("kubectl's word that it does not reach the cluster"),
        _ACCESS,
        _pattern_feature(_REFUSED),
    ),
    _kind(
        "kubectl-error",
        say("kubectl's word that it was refused"),
        _NAMED,
        _pattern_feature(r"^Error from server(?: \(\w+\))?:"),
    ),
    _kind(
        "kubectl-nothing",
        say("kubectl's word that there is nothing"),
        _NAMED,
        _pattern_feature(r"^No resources found"),
    ),
    _kind("kubectl-applied", say("what kubectl has changed"), _EVENTS, _pattern_feature(_APPLIED)),
    _kind(
        "apiservices",
        say("a list of APIServices, one of which is not available"),
        _APIS,
        _pattern_feature(_UNAVAILABLE),
    ),
    _kind(
        "discovery",
        say("kubectl's word that an API group does not answer"),
        _APIS,
        _pattern_feature(_NO_LIST),
    ),
    _kind(
        "webhook",
        say("the refusal of a webhook"),
        _HOOKS,
        _pattern_feature(r"failed calling webhook|^Error.*admission webhook .* denied"),
    ),
    _kind("kubectl-version", say("versions"), _DESCRIBE, _pattern_feature(r"^(?:Client|Server) Version: ")),
    # Other tools of the trade.
    _kind(
        "docker",
        say("the output of Docker"),
        _DESCRIBE,
        _pattern_feature(
            r"^(?:[$#] ?)?docker (?:run|pull|push|ps|logs|info|inspect|start|exec) ?|^ +\"OOMKilled\": "
            r"(?:true|false)"
        ),
    ),
    _kind("helm", say("an error of Helm"), _HELM, _pattern_feature(_FAILED)),
    _kind(
        "helm-status",
        say("what Helm says of a release"),
        _EVENTS,
        _pattern_feature(r"^LAST DEPLOYED: "),
        _pattern_feature(r"^REVISION: \d"),
    ),
    _kind(
        "terraform",
        say("the output of Terraform"),
        _EVENTS,
        _pattern_feature(r"^(?:│ )?(?:Error: |Terraform will|Terraform used|Plan: \d+ to add)"),
        _pattern_feature(r"\bon \S+\.tf line \d+|^(?:│ )?Terraform |\bTerraform\b"),
    ),
    _kind(
        "ansible",
        say("the output of Ansible"),
        _EVENTS,
        _pattern_feature(r"^(?:PLAY|TASK|PLAY RECAP) (?:\[.*\] )?\*{3,}"),
    ),
    _kind(
        "argocd",
        say("what Argo CD says of an application"),
        _EVENTS,
        _pattern_feature(r"^Sync Status:"),
        _pattern_feature(r"^Health Status:"),
    ),
    _kind("alert", say("an alert"), _ALERT, _pattern_feature(r"\balertname\b|\[FIRING:\d+\]")),
    _kind("metrics", say("metrics of Prometheus"), _METRICS, _pattern_feature(r"^# (?:HELP|TYPE) \w+ ")),
    _kind(
        "ci",
        say("the log of a pipeline"),
        _EVENTS,
        _pattern_feature(
            r"^(?:##\[(?:error|group|command)\]|::(?:error|group)|section_start:\d+|\[Pipeline\] )"
        ),
    ),
    _kind("cloud-cli", say("an error of a cloud's command line"), _EVENTS, _pattern_feature(_CLOUD)),
    # Programs' own words.
    _kind(
        "java-stack",
        say("a stack trace of Java"),
        _PROGRAM,
        _pattern_feature(r"^[ \t]+at [\w.$/@<>]+\((?:\w+\.(?:java|kt|scala):\d+|Native Method)\)"),
    ),
    _kind(
        "dotnet-stack",
        say("a stack trace of .NET"),
        _PROGRAM,
        _pattern_feature(r"^[ \t]+at [\w.`<>]+\(.*\) in \S+:line \d+"),
    ),
    _kind(
        "node-stack",
        say("a stack trace of Node.js"),
        _PROGRAM,
        _pattern_feature(r"^[ \t]+at (?:.* \()?(?:node:|file:|/)\S+:\d+:\d+\)?$"),
    ),
    _kind(
        "python-stack",
        say("a traceback of Python"),
        _PROGRAM,
        _pattern_feature(r"^Traceback \(most recent call last\):"),
    ),
    _kind("go-stack", say("a stack trace of Go"), _PROGRAM, _pattern_feature(r"^goroutine \d+ \[")),
    _kind(
        "rust-panic",
        say("a panic of Rust"),
        _PROGRAM,
        _pattern_feature(r"^thread '.*' (?:\(\d+\) )?panicked at "),
    ),
    _kind(
        "ruby-stack",
        say("a stack trace of Ruby"),
        _PROGRAM,
        _pattern_feature(r"^[ \t]*(?:from )?\S+\.rb:\d+:in [`']"),
    ),
    _kind(
        "nginx-error",
        say("an error log of nginx"),
        _PROGRAM,
        _pattern_feature(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] \d+#\d+: "),
    ),
    _kind("access-log", say("a web server's access log"), _PROGRAM, _pattern_feature(_ACCESS_LOG)),
    _kind(
        "postgres-log",
        say("the log of PostgreSQL"),
        _PROGRAM,
        _pattern_feature(r"\b(?:LOG|FATAL|ERROR|PANIC):  \w"),
        _pattern_feature(r"^\d{4}-\d\d-\d\d "),
    ),
    _kind("npm", say("the output of npm"), _PROGRAM, _pattern_feature(r"^npm (?:ERR!|error|WARN|warn) ")),
    _kind("program-log", say("a program's log"), _PROGRAM, _pattern_feature(_DATED)),
    _kind(
        "json-log",
        say("a program's log in JSON"),
        _PROGRAM,
        _json_lines,
        _pattern_feature(r"\"(?:level|severity|lvl|msg|message)\""),
    ),
    # The network's tools.
    _kind(
        "curl",
        say("the output of curl"),
        _NETWORK,
        _pattern_feature(r"^(?:curl: \(\d+\) |< HTTP/\d|\* +Trying )"),
    ),
    _kind(
        "ping",
        say("the output of ping"),
        _NETWORK,
        _pattern_feature(r"\bpackets transmitted, \d+ (?:packets )?received\b"),
    ),
    _kind(
        "dns",
        say("the answer of a name server"),
        _NETWORK,
        _pattern_feature(r"^;; (?:ANSWER|QUESTION) SECTION|^Server:\s+\S+\n+Address:"),
    ),
    _kind(
        "iptables",
        say("rules of iptables"),
        _NETWORK,
        _pattern_feature(r"^(?:Chain \S+ \(|:\w\S* \w+ \[\d+:\d+\]|-A \S+ -)"),
    ),
    # Text written by people.
    _kind(
        "helm-template",
        say("a template of Helm"),
        _LIVE,
        _pattern_feature(r"\{\{-? ?(?:\.Values|\.Release|include |toYaml|if \.)"),
    ),
    _kind(
        "kustomization",
        say("a kustomization"),
        _LIVE,
        _pattern_feature(r"^kind: Kustomization$|^(?:patches|configMapGenerator):"),
        _pattern_feature(r"^resources:"),
    ),
    _kind(
        "manifest",
        say("a manifest"),
        _LIVE,
        _pattern_feature(r"^[ \t]*\"?apiVersion\"?: "),
        _pattern_feature(r"^[ \t]*\"?kind\"?: \"?\w"),
    ),
    _kind(
        "conditions",
        say("a part of an object's status"),
        _WHOLE,
        _pattern_feature(_CONDITION),
        _pattern_feature(r"^[ \t-]*lastTransitionTime: "),
    ),
    _kind(
        "compose",
        say("a file of Docker Compose"),
        _LIVE,
        _pattern_feature(r"^services:[ \t]*$"),
        _pattern_feature(r"^[ \t]+image: "),
    ),
    _kind(
        "dockerfile",
        say("a Dockerfile"),
        _SOURCE,
        _pattern_feature(r"^FROM \S+"),
        _pattern_feature(r"^(?:RUN|COPY|CMD|ENTRYPOINT|ADD) "),
    ),
    _kind(
        "image-build",
        say("the output of building an image"),
        _SOURCE,
        _pattern_feature(r"^(?:#\d+ \[|Step \d+/\d+ : )"),
    ),
    _kind("diff", say("a diff"), _SOURCE, _pattern_feature(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)")),
    _kind(
        "git-log",
        say("the log of git"),
        _SOURCE,
        _pattern_feature(r"^commit [0-9a-f]{40}\b"),
        _pattern_feature(r"^Author: "),
    ),
    _kind(
        "go-source",
        say("source code in Go"),
        _SOURCE,
        _pattern_feature(r"^package \w+$"),
        _pattern_feature(r"^(?:func|import|type) "),
    ),
    _kind(
        "python-source",
        say("source code in Python"),
        _SOURCE,
        _pattern_feature(r"^(?:import \w|from [\w.]+ import )"),
        _pattern_feature(r"^[ \t]*(?:def|class) \w+.*:$"),
    ),
    _kind(
        "java-source",
        say("source code in Java"),
        _SOURCE,
        _pattern_feature(r"^(?:package|import) [\w.*]+;$"),
        _pattern_feature(r"\b(?:class|interface) \w+"),
    ),
    _kind(
        "script-source",
        say("source code in JavaScript"),
        _SOURCE,
        _pattern_feature(r"^(?:const|let|var|function|export|import) .*[;{(]$"),
        _pattern_feature(r"[;{]$", 2),
    ),
    _kind("c-source", say("source code in C"), _SOURCE, _pattern_feature(r"^#include [<\"]")),
    _kind("shell-script", say("a shell script"), _SOURCE, _pattern_feature(r"\A#!.*sh\b")),
    _kind(
        "html", say("a web page"), _TYPED, _pattern_feature(r"\A\s*<(?:!doctype html|!DOCTYPE html|html)\b")
    ),
    _kind("xml", say("XML"), _DESCRIBE, _pattern_feature(r"\A\s*<\?xml ")),
    _kind(
        "commands",
        say("commands without their output"),
        _OUTPUT,
        _pattern_feature(r"^(?:[$#%>] *)?(?:kubectl|oc|k) \w+"),
        _lacks(r"^(?![$#%>]? *(?:kubectl|oc|k) |[ \t]*$)"),
    ),
    _kind(
        "screenshot",
        say("the head of a table of kubectl"),
        _TABLE,
        _pattern_feature(_HEADS, 2),
        _pattern_feature(r"\b(?:NAME|AGE|NAMESPACE|TYPE)\b"),
    ),
    _kind("json", say("JSON of nothing that Kubernetes knows"), _DESCRIBE, _json),
    _kind(
        "sentences",
        say("sentences"),
        say("quote what the cluster says; {useful}", useful=_DESCRIBE),
        _sentences,
    ),
    _kind("empty", say("empty"), _DESCRIBE, _lacks(r"\S")),
)
