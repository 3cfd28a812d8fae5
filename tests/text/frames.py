"""Frames in which people paste a sentence: what a terminal, a log's writer, a client, a screen or a chat puts around it."""

from __future__ import annotations

import html
import json
import re
import textwrap
from collections.abc import Callable

Frame = Callable[[str], str]

_STAMP = "2026-11-21T00:07:16"
_FILE = f"/var/log/containers/kube-proxy-x4k2p_kube-system_kube-proxy-{'0a4c17fe' * 8}.log"
_KLOG = "E1121 00:07:16.100000    4242 kubelet.go:348]"


def _quoted(sentence: str) -> str:
    return json.dumps(sentence, ensure_ascii=False)


def _behind(prefix: str) -> Frame:
    return lambda sentence: f"{prefix}{sentence}\n"


def _each(prefix: str, suffix: str = "") -> Frame:
    return lambda sentence: "".join(f"{prefix}{line}{suffix}\n" for line in sentence.split("\n"))


def _between(before: str, after: str) -> Frame:
    return lambda sentence: f"{before}{sentence}{after}\n"


def _as_json(document: str) -> Frame:
    """Return the frame of a JSON document in which `"@"` stands for the sentence."""
    return lambda sentence: document.replace('"@"', _quoted(sentence)) + "\n"


def _as_nested_json(document: str) -> Frame:
    return lambda sentence: (
        document.replace('"@"', _quoted('{"level":"error","msg":' + _quoted(sentence) + "}")) + "\n"
    )


def _cut_at(width: int, indent: str = "") -> Frame:
    """Return the frame of a terminal that breaks lines where they are full, whatever stands there."""
    return lambda s: "".join(
        f"{indent}{line[i : i + width]}\n"
        for line in s.split("\n")
        for i in range(0, max(len(line), 1), width)
    )


def _at_words(width: int, prefix: str = "") -> Frame:
    def wrapped(sentence: str) -> str:
        lines = [
            part
            for line in sentence.split("\n")
            for part in textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
        ]
        return "".join(f"{prefix}{line}\n" for line in lines)

    return wrapped


def _boxed(sentence: str, width: int = 100) -> str:
    rows = [line[i : i + width] for line in sentence.split("\n") for i in range(0, max(len(line), 1), width)]
    body = "".join(f"│ {row:{width}} │\n" for row in rows)
    return f"┌{'─' * (width + 2)}┐\n│ {'Events:':{width}} │\n{body}└{'─' * (width + 2)}┘\n"


def _full_width(sentence: str) -> str:
    """Type it as an input method for Chinese does: the signs that stand before a blank, brackets and quotes."""
    for plain, wide in ((": ", "："), (", ", "，"), ("; ", "；"), (" (", "（"), ("(", "（"), (")", "）")):
        sentence = sentence.replace(plain, wide)
    return _bent(sentence)


def _bent(sentence: str) -> str:
    """Bend the quotes as a word processor does: the opening one behind a blank or a bracket, else the closing one."""
    sentence = re.sub(r'(?<![^\s(\[{（：，])"', "“", sentence).replace('"', "”")
    return re.sub(r"(?<![^\s(\[{（：，])'", "‘", sentence).replace("'", "’") + "\n"


def _coloured(sentence: str) -> str:
    return (
        "\n".join(
            f"\x1b[1;31m{line[:7]}\x1b[0m\x1b[33m{line[7:]}\x1b[m\x1b[K" for line in sentence.split("\n")
        )
        + "\n"
    )


def _crlf(sentence: str) -> str:
    return f"{_KLOG} {sentence}\n".replace("\n", "\r\n")


def _verbose(sentence: str) -> str:
    return (
        "Sat 2026-11-21 00:07:16.100000 UTC [s=0a1b;i=2c;b=9e;m=1f;t=5f;x=7a]\n    PRIORITY=3\n    _HOSTNAME=node-1\n"
        f"    SYSLOG_IDENTIFIER=kubelet\n    MESSAGE={sentence}\n    _PID=4242\n"
    )


def _numbered(form: str) -> Frame:
    return lambda sentence: "".join(
        form.format(n) + line + "\n" for n, line in enumerate(sentence.split("\n"), 41)
    )


def _yaml_message(sentence: str) -> str:
    body = "\n".join(
        textwrap.wrap(sentence.replace("'", "''"), 78, break_long_words=False, break_on_hyphens=False)
    ).replace("\n", "\n      ")
    return f"    lastTransitionTime: \"{_STAMP}Z\"\n    message: '{body}'\n"


# In a frame that holds one line, a sentence of several is what its first to last lines say one after the other.
FRAMES: dict[str, Frame] = {
    "bare": _behind(""),
    "below a prompt": _behind("[root@node-1 ~]# kubectl apply -f app.yaml\n"),
    "below a shell's bare prompt": _behind("$ cat error.txt\n"),
    "indented": _each("          "),
    "a tab before it": _each("\t"),
    "a cut row: age and source": _behind("  2m30s (x3 over 5m)   kubelet            "),
    "a cut row: source": _behind("kubelet, node-1  "),
    "klog": _behind(f"{_KLOG} "),
    "klog, structured": lambda s: f'{_KLOG} "Unhandled Error" err={_quoted(s)} logger="UnhandledError"\n',
    "klog without its beginning": _behind("kubelet.go:348] "),
    "journald short": _behind("Nov 21 00:07:16 node-1 kubelet[4242]: "),
    "journald short, klog": _behind(f"Nov 21 00:07:16 node-1 kubelet[4242]: {_KLOG} "),
    "journald short-iso": _behind(f"{_STAMP}+0000 node-1 kubelet[4242]: "),
    "journald verbose": _verbose,
    "journald json": _as_json(
        '{"__REALTIME_TIMESTAMP":"1795219200000000","_HOSTNAME":"node-1","SYSLOG_IDENTIFIER":"kubelet","_PID":"4242","MESSAGE":"@"}'
    ),
    "syslog with a priority": _behind("<3>Nov 21 00:07:16 node-1 kubelet[4242]: "),
    "docker json": lambda s: f'{{"log":{_quoted(s + chr(10))},"stream":"stderr","time":"{_STAMP}.1Z"}}\n',
    "a component's log": _behind(f"$ kubectl logs -n kube-system kube-proxy-x4k2p\n{_KLOG} "),
    "a driver's log without headers": _behind("$ kubectl logs -n storage ebs-csi-node-x4k2p -c ebs-plugin\n"),
    "a component's file of its node": lambda s: (
        f"# cat {_FILE}\n" + _each(f"{_STAMP}.100000000Z stderr F ")(f"{_KLOG} {s}")
    ),
    "docker logs, klog": _behind(f"# docker logs 0a4c17fe2bd8\n{_KLOG} "),
    "crictl logs, klog": _behind(f"# crictl logs 0a4c17fe2bd84\n{_KLOG} "),
    "CRI": _each(f"{_STAMP}.100000000Z stderr F "),
    "logfmt msg": lambda s: f'time="{_STAMP}.100000000Z" level=error msg={_quoted(s)}\n',
    "logfmt error": lambda s: (
        f'level=error ts={_STAMP}.1Z caller=controller.go:114 msg="sync failed" error={_quoted(s)}\n'
    ),
    "zap json": _as_json(
        f'{{"level":"error","ts":"{_STAMP}.1Z","logger":"controller","msg":"Reconciler error","error":"@"}}'
    ),
    "GCP textPayload": _as_json(
        '{\n  "insertId": "a1b2c3",\n  "logName": "projects/p/logs/kubelet",\n  "severity": "ERROR",\n  "textPayload": "@",\n'
        f'  "timestamp": "{_STAMP}.1Z"\n}}'
    ),
    "GCP jsonPayload": _as_json(
        f'{{"insertId":"a1b2c3","jsonPayload":{{"MESSAGE":"@","_HOSTNAME":"node-1"}},"severity":"ERROR","timestamp":"{_STAMP}.1Z"}}'
    ),
    "CloudWatch": _behind(f"{_STAMP}.100000+00:00 ip-10-0-0-1.ec2.internal.kubelet "),
    "CloudWatch json": _as_nested_json('{"timestamp":1795219200000,"message":"@","logStreamName":"node-1"}'),
    "Loki": _behind(f'{_STAMP}Z {{app="kubelet", node="node-1"}} '),
    "Stern": _each("web-0 app "),
    "Stern with a sign": _each("web-0 › app │ "),
    "kubetail": _each("[web-0 app] "),
    "docker compose": _each("kubelet_1  | "),
    "kubectl's error": _behind("error: "),
    "the server's error": _behind('Error from server (InternalError): error when creating "app.yaml": '),
    "Helm": _behind("Error: INSTALLATION FAILED: "),
    "Helm, hooks": _behind("Error: UPGRADE FAILED: post-upgrade hooks failed: "),
    "GitHub Actions": _behind(f"{_STAMP}.1000000Z ##[error]"),
    "GitLab CI": _behind("ERROR: Job failed (system failure): prepare environment: "),
    "Terraform": _each("│ "),
    "k9s": _boxed,
    "a dashboard's row": _between("| Warning | ", " | 5m | kubelet |"),
    "a dashboard's cells": _between("Warning\tkubelet node-1\t", "\t3\t2m\t5m"),
    "Markdown quote": _each("> "),
    "Markdown quote, twice": _each("> > "),
    "Markdown fence": _between("Here is what I see:\n```console\n", "\n```\nAny idea?"),
    "Markdown indented code": _each("    "),
    "Markdown code": _between("The message is `", "`."),
    "Markdown list": _behind("- "),
    "Markdown bold": _between("**", "**"),
    "a table of Markdown": _between("| Reason | Message |\n| --- | --- |\n| Failed | ", " |"),
    "in a sentence": _between("we get this error all the time: ", ""),
    "quoted": _between('"', '"'),
    "a chat's time and name": _behind("[10:12 AM] ann.lee: "),
    "a status' message": _yaml_message,
    "a status' message, json": lambda s: f'      "message": {_quoted(s)},\n',
    "ANSI": _coloured,
    "CRLF": _crlf,
    "full-width signs": _full_width,
    "bent quotes": _bent,
    "line numbers of less": _numbered("{:>6}  "),
    "line numbers of grep": _numbered("kubelet.log:{}:"),
    "line numbers of a viewer": _numbered("{} | "),
    "cut at 80 columns": _cut_at(80),
    "cut at 80 columns, klog": lambda s: _cut_at(80)(f"{_KLOG} {s}"),
    "wrapped at 72 by words": _at_words(72),
    "wrapped by a chat": _at_words(48),
    "wrapped in a quote": _at_words(70, "> "),
    "wrapped and indented": _at_words(60, "        "),
    "HTML": lambda s: html.escape(s) + "\n",
    "HTML code": lambda s: f"<pre><code>{html.escape(s)}</code></pre>\n",
    "an escaped string": lambda s: _quoted(_quoted(s)) + "\n",
}
