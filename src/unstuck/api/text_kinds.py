"""Names the kind of an unreadable text by features of that kind alone, and a more useful text. Pure.

Each kind names all of its features; the first kind that has them is meant. No kind is guessed: without features nothing is claimed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress

from unstuck.facts.record import Record, record
from unstuck.facts.text import Text

# So much of a text is looked at. Every feature stays within a line: a long text of one character must not take a minute.
HEAD = 32768


@record()
class TextKind(Record):
    """id: for tests. what: with its article. useful: what to do instead, a sentence without its full stop."""

    id: str
    what: Text
    useful: Text


Feature = Callable[[str], bool]


def recognised(text: str) -> TextKind | None:
    """Return what the text is, None where its features tell nothing."""
    head = text[:HEAD]
    return next((kind for kind, features in _KINDS if all(feature(head) for feature in features)), None)


def kinds() -> tuple[TextKind, ...]:
    """Return every kind that can be recognised."""
    return tuple(kind for kind, _ in _KINDS)


def _has(pattern: str, least: int = 1) -> Feature:
    """Return a feature of texts in which at least so many lines or places match."""
    compiled = re.compile(pattern, re.MULTILINE)

    def feature(text: str) -> bool:
        return sum(1 for _, _ in zip(range(least), compiled.finditer(text), strict=False)) == least

    return feature


def _none(pattern: str) -> Feature:
    found = _has(pattern)
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
    """Tell whether it has words with a full stop or a question mark behind them, and nothing that a program prints."""
    text = text[:4000]
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    english = re.findall(r"\b[a-z]+(?: [a-z,']+){4,40}[.?!](?:\s|$)", text)
    chinese = re.findall(r"[\u4e00-\u9fff，]{8,80}[。？！]", text)
    return 0 < len(lines) <= 40 and bool(english or chinese) and not re.search(r"[{}<>|=\[\]]|\d\d:\d\d:\d\d", text)


_DESCRIBE = Text("useful would be: kubectl describe pod NAME | unstuck read -", "有用的是：kubectl describe pod NAME | unstuck read -")
_PROGRAM = Text(
    "it tells what the program did, not what became of its container; " + _DESCRIBE.en,
    "它说明程序做了什么，不说明容器的结局；" + _DESCRIBE.zh,
)
_LIVE = Text(
    "it tells what is wanted, not what is; useful would be what the cluster has: kubectl get KIND NAME -o yaml | unstuck read -",
    "它写的是期望，而不是现状；有用的是集群中的实际对象：kubectl get KIND NAME -o yaml | unstuck read -",
)
_NODE = Text(
    "useful would be, on that node and as root: unstuck node --here; or journalctl -u kubelet | unstuck read -",
    "有用的是在该节点上以 root 运行 unstuck node --here，或 journalctl -u kubelet | unstuck read -",
)
_EVENTS = Text(
    "useful would be what it left in the cluster: kubectl get events,pods -n NAMESPACE | unstuck read -",
    "有用的是它在集群中留下的痕迹：kubectl get events,pods -n NAMESPACE | unstuck read -",
)
_SOURCE = Text("it tells how a program is written, not what happened; " + _DESCRIBE.en, "它是程序的写法，不是发生了什么；" + _DESCRIBE.zh)
_TYPED = Text("copy the text itself; " + _DESCRIBE.en, "请复制文字本身；" + _DESCRIBE.zh)
_SECRET = Text(
    "it holds credentials: do not pass it on; nothing of it was kept; unstuck takes it by --kubeconfig FILE",
    "其中含有凭据：请勿外传，此处没有保留任何内容；请用 --kubeconfig FILE 使用它",
)
_KEY = Text("it is a secret: do not pass it on; nothing of it was kept", "它是机密：请勿外传，此处没有保留任何内容")
_NETWORK = Text(
    "it tells of the network, not of the object that is stuck; " + _DESCRIBE.en, "它说明网络，而不是卡住的对象；" + _DESCRIBE.zh
)
_CERTIFICATE = Text(
    "it alone tells nothing; when it ends: openssl x509 -noout -enddate -in FILE",
    "单凭它看不出什么；查看其到期时间：openssl x509 -noout -enddate -in FILE",
)
_STACK = Text(
    "useful would be the lines of dmesg before it, which name the fault, and whose process it is: unstuck node --here on that node",
    "有用的是它之前指明故障的 dmesg 内容，以及这是谁的进程：在该节点上运行 unstuck node --here",
)
_FRAMES = r"^(?:\[[^\]\n]{0,60}\][ \t]*)?(?: ?\? )?[ \t]*\w[\w.]*\+0x[0-9a-f]+/0x[0-9a-f]+"
_QUIET = Text("none of its lines tells of a fault that is known here; " + _NODE.en, "其中没有一行是此处已知的故障；" + _NODE.zh)
_ACCESS = Text(
    "first make kubectl reach the cluster (kubectl cluster-info); then: unstuck why pod/NAME",
    "请先让 kubectl 能够连接集群（kubectl cluster-info），然后：unstuck why pod/NAME",
)
_REFUSED = r"^(?:The connection to the server .* was refused|Unable to connect to the server|error: You must be logged in)"
_NAMED = Text(
    "see what there is: kubectl get pods -A; then: unstuck why pod/NAME -n NAMESPACE",
    "请看有什么：kubectl get pods -A；然后：unstuck why pod/NAME -n NAMESPACE",
)
_APPLIED = r"^[\w.-]+/[\w.-]+ (?:created|configured|unchanged|deleted|patched|restarted|scaled)$"
_HELM = Text("it names what Helm waited for, not why; " + _EVENTS.en, "它说明 Helm 在等什么，而不是为什么；" + _EVENTS.zh)
_FAILED = r"^Error: .*(?:INSTALLATION FAILED|UPGRADE FAILED|timed out waiting for the condition|release .* failed)"
_ALERT = Text("it tells that something is wrong, not what; " + _EVENTS.en, "它说明有问题，而不是什么问题；" + _EVENTS.zh)
_METRICS = Text("numbers tell that, not why; " + _DESCRIBE.en, "数字说明有问题，不说明原因；" + _DESCRIBE.zh)
_CLOUD = r"An error occurred \(\w+\) when calling the \w+ operation|^ERROR: \(gcloud\."
_ACCESS_LOG = r"\"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+ HTTP/[\d.]+\" \d{3} "
_DATED = r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3}\S* +(?:\[[^\]\n]{0,99}\] +)?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\b"
_OUTPUT = Text("their output is missing: paste it with them", "缺少它们的输出：请连同输出一起粘贴")
_TABLE = Text("no row of it reads, as from a screenshot; " + _TYPED.en, "没有一行可读，像是截图识别的文字；" + _TYPED.zh)
_HEADS = r"\b(?:READY|STATUS|RESTARTS|REASON)\b"


_KLOG = r"^(?:[ \t]*|\{\"log\":\")[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+:\d+\]"
_CUT = Text("paste its lines whole: journalctl -u kubelet | unstuck read -", "请粘贴完整的行：journalctl -u kubelet | unstuck read -")
_DENIED = Text("it tells what was denied to which program; " + _DESCRIBE.en, "它说明哪个程序被拒绝了什么；" + _DESCRIBE.zh)
_UNAVAILABLE = r"^v\d\w*\.[\w.-]+[ \t]+\S+[ \t]+False \("
_NO_LIST = r"unable to retrieve the complete list of server APIs"
_APIS = Text(
    "useful would be all of them: kubectl get apiservices -o yaml | unstuck read -",
    "有用的是全部内容：kubectl get apiservices -o yaml | unstuck read -",
)
_HOOKS = Text(
    "useful would be the object that was refused: kubectl get KIND NAME -o yaml | unstuck read -",
    "有用的是被拒绝的对象：kubectl get KIND NAME -o yaml | unstuck read -",
)
_CONDITION = r"^[ \t-]*(?:type|reason): '?[A-Z]\w+'?$"
_WHOLE = Text(
    "useful would be the whole object: kubectl get KIND NAME -o yaml | unstuck read -",
    "有用的是整个对象：kubectl get KIND NAME -o yaml | unstuck read -",
)


def _kind(id_: str, en: str, zh: str, useful: Text, *features: Feature) -> tuple[TextKind, tuple[Feature, ...]]:
    return TextKind(id_, Text(en, zh), useful), features


_KINDS = (
    # What no text is.
    _kind("picture", "a picture", "一张图片", _TYPED, _has(r"\A(?:.PNG\r?\n|.{1,12}(?:JFIF|Exif)|GIF8[79]a|RIFF.{4}WEBP)")),
    _kind("pdf", "a PDF", "PDF 文件", _TYPED, _has(r"\A%PDF-")),
    _kind("program-file", "a program's file", "程序文件", _DESCRIBE, _has(r"\A(?:.ELF|MZ.{1,20}\x00)")),
    # Secrets.
    _kind("private-key", "a private key", "私钥", _KEY, _has(r"^-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----")),
    _kind("kubeconfig", "a kubeconfig", "kubeconfig", _SECRET, _has(r"^[ \t]*\"?kind\"?: \"?Config\b"), _has(r"\bclusters\b")),
    _kind("certificate", "a certificate", "证书", _CERTIFICATE, _has(r"^-----BEGIN CERTIFICATE-----")),
    # What the kernel and a node print.
    _kind("kernel-stack", "a kernel stack without the fault's line", "没有故障行的内核栈", _STACK, _has(_FRAMES, 2)),
    _kind("proc-stack", "the kernel stack of a process", "某进程的内核栈", _STACK, _has(r"^\[<[0-9a-f]*>\] \w+", 2)),
    _kind("dmesg", "the kernel's log", "内核日志", _QUIET, _has(r"^\[ *\d+\.\d{6}\] ", 3)),
    _kind("klog", "a Kubernetes component's log", "Kubernetes 组件日志", _QUIET, _has(_KLOG)),
    _kind("klog-cut", "a component's log whose lines lack their beginning", "各行缺少开头的组件日志", _CUT, _has(r"^\w+\.go:\d+\] ")),
    _kind("audit", "the kernel's audit log", "内核审计日志", _DENIED, _has(r"\bavc: +denied\b|\bapparmor=\"DENIED\"")),
    _kind(
        "unit-status",
        "systemctl's status of a unit",
        "systemctl 的单元状态",
        _NODE,
        _has(r"^[ \t]+Loaded: \w+ \("),
        _has(r"^[ \t]+Active: "),
    ),
    _kind("free", "the memory of a machine (free)", "机器内存（free）", _NODE, _has(r"^[ \t]+total\s+used\s+free\b"), _has(r"^Mem:")),
    _kind("top", "a list of processes (top)", "进程列表（top）", _NODE, _has(r"^top - \d\d:\d\d"), _has(r"load average")),
    # What kubectl says of itself.
    _kind("kubectl-no-access", "kubectl's word that it does not reach the cluster", "kubectl 连接不上集群的提示", _ACCESS, _has(_REFUSED)),
    _kind("kubectl-error", "kubectl's word that it was refused", "kubectl 被拒绝的提示", _NAMED, _has(r"^Error from server(?: \(\w+\))?:")),
    _kind("kubectl-nothing", "kubectl's word that there is nothing", "kubectl 的“没有资源”提示", _NAMED, _has(r"^No resources found")),
    _kind("kubectl-applied", "what kubectl has changed", "kubectl 所作的更改", _EVENTS, _has(_APPLIED)),
    _kind("apiservices", "a list of APIServices, one of which is not available", "含不可用项的 APIService 列表", _APIS, _has(_UNAVAILABLE)),
    _kind("discovery", "kubectl's word that an API group does not answer", "某个 API 组无应答的提示", _APIS, _has(_NO_LIST)),
    _kind(
        "webhook",
        "the refusal of a webhook",
        "webhook 的拒绝信息",
        _HOOKS,
        _has(r"failed calling webhook|^Error.*admission webhook .* denied"),
    ),
    _kind("kubectl-version", "versions", "版本信息", _DESCRIBE, _has(r"^(?:Client|Server) Version: ")),
    # Other tools of the trade.
    _kind(
        "docker",
        "the output of Docker",
        "Docker 的输出",
        _DESCRIBE,
        _has(r"^(?:[$#] ?)?docker (?:run|pull|push|ps|logs|info|inspect|start|exec) ?|^ +\"OOMKilled\": (?:true|false)"),
    ),
    _kind("helm", "an error of Helm", "Helm 的错误", _HELM, _has(_FAILED)),
    _kind("helm-status", "what Helm says of a release", "Helm 的发布状态", _EVENTS, _has(r"^LAST DEPLOYED: "), _has(r"^REVISION: \d")),
    _kind(
        "terraform",
        "the output of Terraform",
        "Terraform 的输出",
        _EVENTS,
        _has(r"^(?:│ )?(?:Error: |Terraform will|Terraform used|Plan: \d+ to add)"),
        _has(r"\bon \S+\.tf line \d+|^(?:│ )?Terraform |\bTerraform\b"),
    ),
    _kind("ansible", "the output of Ansible", "Ansible 的输出", _EVENTS, _has(r"^(?:PLAY|TASK|PLAY RECAP) (?:\[.*\] )?\*{3,}")),
    _kind("argocd", "what Argo CD says of an application", "Argo CD 的应用状态", _EVENTS, _has(r"^Sync Status:"), _has(r"^Health Status:")),
    _kind("alert", "an alert", "告警", _ALERT, _has(r"\balertname\b|\[FIRING:\d+\]")),
    _kind("metrics", "metrics of Prometheus", "Prometheus 指标", _METRICS, _has(r"^# (?:HELP|TYPE) \w+ ")),
    _kind(
        "ci",
        "the log of a pipeline",
        "流水线日志",
        _EVENTS,
        _has(r"^(?:##\[(?:error|group|command)\]|::(?:error|group)|section_start:\d+|\[Pipeline\] )"),
    ),
    _kind("cloud-cli", "an error of a cloud's command line", "云厂商命令行的错误", _EVENTS, _has(_CLOUD)),
    # Programs' own words.
    _kind(
        "java-stack",
        "a stack trace of Java",
        "Java 堆栈",
        _PROGRAM,
        _has(r"^[ \t]+at [\w.$/@<>]+\((?:\w+\.(?:java|kt|scala):\d+|Native Method)\)"),
    ),
    _kind("dotnet-stack", "a stack trace of .NET", ".NET 堆栈", _PROGRAM, _has(r"^[ \t]+at [\w.`<>]+\(.*\) in \S+:line \d+")),
    _kind(
        "node-stack", "a stack trace of Node.js", "Node.js 堆栈", _PROGRAM, _has(r"^[ \t]+at (?:.* \()?(?:node:|file:|/)\S+:\d+:\d+\)?$")
    ),
    _kind("python-stack", "a traceback of Python", "Python 的 traceback", _PROGRAM, _has(r"^Traceback \(most recent call last\):")),
    _kind("go-stack", "a stack trace of Go", "Go 堆栈", _PROGRAM, _has(r"^goroutine \d+ \[")),
    _kind("rust-panic", "a panic of Rust", "Rust 的 panic", _PROGRAM, _has(r"^thread '.*' (?:\(\d+\) )?panicked at ")),
    _kind("ruby-stack", "a stack trace of Ruby", "Ruby 堆栈", _PROGRAM, _has(r"^[ \t]*(?:from )?\S+\.rb:\d+:in [`']")),
    _kind("nginx-error", "an error log of nginx", "nginx 错误日志", _PROGRAM, _has(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] \d+#\d+: ")),
    _kind("access-log", "a web server's access log", "Web 服务器访问日志", _PROGRAM, _has(_ACCESS_LOG)),
    _kind(
        "postgres-log",
        "the log of PostgreSQL",
        "PostgreSQL 日志",
        _PROGRAM,
        _has(r"\b(?:LOG|FATAL|ERROR|PANIC):  \w"),
        _has(r"^\d{4}-\d\d-\d\d "),
    ),
    _kind("npm", "the output of npm", "npm 的输出", _PROGRAM, _has(r"^npm (?:ERR!|error|WARN|warn) ")),
    _kind("program-log", "a program's log", "程序日志", _PROGRAM, _has(_DATED)),
    _kind(
        "json-log", "a program's log in JSON", "JSON 格式的程序日志", _PROGRAM, _json_lines, _has(r"\"(?:level|severity|lvl|msg|message)\"")
    ),
    # The network's tools.
    _kind("curl", "the output of curl", "curl 的输出", _NETWORK, _has(r"^(?:curl: \(\d+\) |< HTTP/\d|\* +Trying )")),
    _kind("ping", "the output of ping", "ping 的输出", _NETWORK, _has(r"\bpackets transmitted, \d+ (?:packets )?received\b")),
    _kind(
        "dns",
        "the answer of a name server",
        "域名服务器的应答",
        _NETWORK,
        _has(r"^;; (?:ANSWER|QUESTION) SECTION|^Server:\s+\S+\n+Address:"),
    ),
    _kind("iptables", "rules of iptables", "iptables 规则", _NETWORK, _has(r"^(?:Chain \S+ \(|:\w\S* \w+ \[\d+:\d+\]|-A \S+ -)")),
    # What somebody has written.
    _kind("helm-template", "a template of Helm", "Helm 模板", _LIVE, _has(r"\{\{-? ?(?:\.Values|\.Release|include |toYaml|if \.)")),
    _kind(
        "kustomization",
        "a kustomization",
        "kustomization 文件",
        _LIVE,
        _has(r"^kind: Kustomization$|^(?:patches|configMapGenerator):"),
        _has(r"^resources:"),
    ),
    _kind("manifest", "a manifest", "清单文件（manifest）", _LIVE, _has(r"^[ \t]*\"?apiVersion\"?: "), _has(r"^[ \t]*\"?kind\"?: \"?\w")),
    _kind(
        "conditions", "a part of an object's status", "对象状态的一部分", _WHOLE, _has(_CONDITION), _has(r"^[ \t-]*lastTransitionTime: ")
    ),
    _kind("compose", "a file of Docker Compose", "Docker Compose 文件", _LIVE, _has(r"^services:[ \t]*$"), _has(r"^[ \t]+image: ")),
    _kind("dockerfile", "a Dockerfile", "Dockerfile", _SOURCE, _has(r"^FROM \S+"), _has(r"^(?:RUN|COPY|CMD|ENTRYPOINT|ADD) ")),
    _kind("image-build", "the output of building an image", "镜像构建的输出", _SOURCE, _has(r"^(?:#\d+ \[|Step \d+/\d+ : )")),
    _kind("diff", "a diff", "diff", _SOURCE, _has(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)")),
    _kind("git-log", "the log of git", "git 日志", _SOURCE, _has(r"^commit [0-9a-f]{40}\b"), _has(r"^Author: ")),
    _kind("go-source", "source code in Go", "Go 源代码", _SOURCE, _has(r"^package \w+$"), _has(r"^(?:func|import|type) ")),
    _kind(
        "python-source",
        "source code in Python",
        "Python 源代码",
        _SOURCE,
        _has(r"^(?:import \w|from [\w.]+ import )"),
        _has(r"^[ \t]*(?:def|class) \w+.*:$"),
    ),
    _kind(
        "java-source",
        "source code in Java",
        "Java 源代码",
        _SOURCE,
        _has(r"^(?:package|import) [\w.*]+;$"),
        _has(r"\b(?:class|interface) \w+"),
    ),
    _kind(
        "script-source",
        "source code in JavaScript",
        "JavaScript 源代码",
        _SOURCE,
        _has(r"^(?:const|let|var|function|export|import) .*[;{(]$"),
        _has(r"[;{]$", 2),
    ),
    _kind("c-source", "source code in C", "C 源代码", _SOURCE, _has(r"^#include [<\"]")),
    _kind("shell-script", "a shell script", "shell 脚本", _SOURCE, _has(r"\A#!.*sh\b")),
    _kind("html", "a web page", "网页", _TYPED, _has(r"\A\s*<(?:!doctype html|!DOCTYPE html|html)\b")),
    _kind("xml", "XML", "XML", _DESCRIBE, _has(r"\A\s*<\?xml ")),
    _kind(
        "commands",
        "commands without their output",
        "没有输出的命令",
        _OUTPUT,
        _has(r"^(?:[$#%>] *)?(?:kubectl|oc|k) \w+"),
        _none(r"^(?![$#%>]? *(?:kubectl|oc|k) |[ \t]*$)"),
    ),
    _kind(
        "screenshot",
        "the head of a table of kubectl",
        "kubectl 表格的表头",
        _TABLE,
        _has(_HEADS, 2),
        _has(r"\b(?:NAME|AGE|NAMESPACE|TYPE)\b"),
    ),
    _kind("json", "JSON of nothing that Kubernetes knows", "与 Kubernetes 无关的 JSON", _DESCRIBE, _json),
    _kind(
        "sentences",
        "sentences",
        "文字叙述",
        Text("quote what the cluster says; " + _DESCRIBE.en, "请引用集群的原话；" + _DESCRIBE.zh),
        _sentences,
    ),
    _kind("empty", "empty", "空的", _DESCRIBE, _none(r"\S")),
)
