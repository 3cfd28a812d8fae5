"""Kinds of texts of programs: logs and stack traces, output of network tools, manifests, source code."""

from __future__ import annotations

from unstuck.api import text_advice as advice
from unstuck.api.text_features import KnownKind, is_json, is_json_lines, is_prose, lacks, make_kind, matches
from unstuck.facts.text import Messages

say = Messages(__name__)

_ACCESS_LOG = r"\"(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+ HTTP/[\d.]+\" \d{3} "
_DATED = (
    r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3}\S* +(?:\[[^\]\n]{0,99}\] +)?(?:TRACE|DEBUG|INFO|WARN"
    r"(?:ING)?|ERROR|FATAL)\b"
)
_HEADS = r"\b(?:READY|STATUS|RESTARTS|REASON)\b"
_CONDITION = r"^[ \t-]*(?:type|reason): '?[A-Z]\w+'?$"

PROGRAM_TEXTS: tuple[KnownKind, ...] = (
    # Programs' own output.
    make_kind(
        "java-stack",
        say("a stack trace of Java"),
        advice.PROGRAM,
        matches(r"^[ \t]+at [\w.$/@<>]+\((?:\w+\.(?:java|kt|scala):\d+|Native Method)\)"),
    ),
    make_kind(
        "dotnet-stack",
        say("a stack trace of .NET"),
        advice.PROGRAM,
        matches(r"^[ \t]+at [\w.`<>]+\(.*\) in \S+:line \d+"),
    ),
    make_kind(
        "node-stack",
        say("a stack trace of Node.js"),
        advice.PROGRAM,
        matches(r"^[ \t]+at (?:.* \()?(?:node:|file:|/)\S+:\d+:\d+\)?$"),
    ),
    make_kind(
        "python-stack",
        say("a traceback of Python"),
        advice.PROGRAM,
        matches(r"^Traceback \(most recent call last\):"),
    ),
    make_kind("go-stack", say("a stack trace of Go"), advice.PROGRAM, matches(r"^goroutine \d+ \[")),
    make_kind(
        "rust-panic",
        say("a panic of Rust"),
        advice.PROGRAM,
        matches(r"^thread '.*' (?:\(\d+\) )?panicked at "),
    ),
    make_kind(
        "ruby-stack",
        say("a stack trace of Ruby"),
        advice.PROGRAM,
        matches(r"^[ \t]*(?:from )?\S+\.rb:\d+:in [`']"),
    ),
    make_kind(
        "nginx-error",
        say("an error log of nginx"),
        advice.PROGRAM,
        matches(r"^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] \d+#\d+: "),
    ),
    make_kind("access-log", say("a web server's access log"), advice.PROGRAM, matches(_ACCESS_LOG)),
    make_kind(
        "postgres-log",
        say("the log of PostgreSQL"),
        advice.PROGRAM,
        matches(r"\b(?:LOG|FATAL|ERROR|PANIC):  \w"),
        matches(r"^\d{4}-\d\d-\d\d "),
    ),
    make_kind("npm", say("the output of npm"), advice.PROGRAM, matches(r"^npm (?:ERR!|error|WARN|warn) ")),
    make_kind("program-log", say("a program's log"), advice.PROGRAM, matches(_DATED)),
    make_kind(
        "json-log",
        say("a program's log in JSON"),
        advice.PROGRAM,
        is_json_lines,
        matches(r"\"(?:level|severity|lvl|msg|message)\""),
    ),
    # Network tools.
    make_kind(
        "curl",
        say("the output of curl"),
        advice.NETWORK,
        matches(r"^(?:curl: \(\d+\) |< HTTP/\d|\* +Trying )"),
    ),
    make_kind(
        "ping",
        say("the output of ping"),
        advice.NETWORK,
        matches(r"\bpackets transmitted, \d+ (?:packets )?received\b"),
    ),
    make_kind(
        "dns",
        say("the answer of a name server"),
        advice.NETWORK,
        matches(r"^;; (?:ANSWER|QUESTION) SECTION|^Server:\s+\S+\n+Address:"),
    ),
    make_kind(
        "iptables",
        say("rules of iptables"),
        advice.NETWORK,
        matches(r"^(?:Chain \S+ \(|:\w\S* \w+ \[\d+:\d+\]|-A \S+ -)"),
    ),
    # Text written by people.
    make_kind(
        "helm-template",
        say("a template of Helm"),
        advice.LIVE,
        matches(r"\{\{-? ?(?:\.Values|\.Release|include |toYaml|if \.)"),
    ),
    make_kind(
        "kustomization",
        say("a kustomization"),
        advice.LIVE,
        matches(r"^kind: Kustomization$|^(?:patches|configMapGenerator):"),
        matches(r"^resources:"),
    ),
    make_kind(
        "manifest",
        say("a manifest"),
        advice.LIVE,
        matches(r"^[ \t]*\"?apiVersion\"?: "),
        matches(r"^[ \t]*\"?kind\"?: \"?\w"),
    ),
    make_kind(
        "conditions",
        say("a part of an object's status"),
        advice.WHOLE,
        matches(_CONDITION),
        matches(r"^[ \t-]*lastTransitionTime: "),
    ),
    make_kind(
        "compose",
        say("a file of Docker Compose"),
        advice.LIVE,
        matches(r"^services:[ \t]*$"),
        matches(r"^[ \t]+image: "),
    ),
    make_kind(
        "dockerfile",
        say("a Dockerfile"),
        advice.SOURCE,
        matches(r"^FROM \S+"),
        matches(r"^(?:RUN|COPY|CMD|ENTRYPOINT|ADD) "),
    ),
    make_kind(
        "image-build",
        say("the output of building an image"),
        advice.SOURCE,
        matches(r"^(?:#\d+ \[|Step \d+/\d+ : )"),
    ),
    make_kind("diff", say("a diff"), advice.SOURCE, matches(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)")),
    make_kind(
        "git-log",
        say("the log of git"),
        advice.SOURCE,
        matches(r"^commit [0-9a-f]{40}\b"),
        matches(r"^Author: "),
    ),
    make_kind(
        "go-source",
        say("source code in Go"),
        advice.SOURCE,
        matches(r"^package \w+$"),
        matches(r"^(?:func|import|type) "),
    ),
    make_kind(
        "python-source",
        say("source code in Python"),
        advice.SOURCE,
        matches(r"^(?:import \w|from [\w.]+ import )"),
        matches(r"^[ \t]*(?:def|class) \w+.*:$"),
    ),
    make_kind(
        "java-source",
        say("source code in Java"),
        advice.SOURCE,
        matches(r"^(?:package|import) [\w.*]+;$"),
        matches(r"\b(?:class|interface) \w+"),
    ),
    make_kind(
        "script-source",
        say("source code in JavaScript"),
        advice.SOURCE,
        matches(r"^(?:const|let|var|function|export|import) .*[;{(]$"),
        matches(r"[;{]$", 2),
    ),
    make_kind("c-source", say("source code in C"), advice.SOURCE, matches(r"^#include [<\"]")),
    make_kind("shell-script", say("a shell script"), advice.SOURCE, matches(r"\A#!.*sh\b")),
    make_kind(
        "html", say("a web page"), advice.TYPED, matches(r"\A\s*<(?:!doctype html|!DOCTYPE html|html)\b")
    ),
    make_kind("xml", say("XML"), advice.DESCRIBE, matches(r"\A\s*<\?xml ")),
    make_kind(
        "commands",
        say("commands without their output"),
        advice.OUTPUT,
        matches(r"^(?:[$#%>] *)?(?:kubectl|oc|k) \w+"),
        lacks(r"^(?![$#%>]? *(?:kubectl|oc|k) |[ \t]*$)"),
    ),
    make_kind(
        "screenshot",
        say("the head of a table of kubectl"),
        advice.TABLE,
        matches(_HEADS, 2),
        matches(r"\b(?:NAME|AGE|NAMESPACE|TYPE)\b"),
    ),
    make_kind("json", say("JSON of nothing that Kubernetes knows"), advice.DESCRIBE, is_json),
    make_kind(
        "sentences",
        say("sentences"),
        say("quote what the cluster says; {useful}", useful=advice.DESCRIBE),
        is_prose,
    ),
    make_kind("empty", say("empty"), advice.DESCRIBE, lacks(r"\S")),
)
