"""Frames around a pasted sentence: from a terminal, a log's writer, a client, a screen or a chat."""

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


def _quote(sentence: str) -> str:
    return json.dumps(sentence, ensure_ascii=False)


def _put_behind(prefix: str) -> Frame:
    return lambda sentence: f"{prefix}{sentence}\n"


def _wrap_each(prefix: str, suffix: str = "") -> Frame:
    return lambda sentence: "".join(f"{prefix}{line}{suffix}\n" for line in sentence.split("\n"))


def _put_between(before: str, after: str) -> Frame:
    return lambda sentence: f"{before}{sentence}{after}\n"


def _dump_json(document: str) -> Frame:
    """Return the frame of a JSON document with `"@"` in place of the sentence."""
    return lambda sentence: document.replace('"@"', _quote(sentence)) + "\n"


def _dump_nested_json(document: str) -> Frame:
    return lambda sentence: (
        document.replace('"@"', _quote('{"level":"error","msg":' + _quote(sentence) + "}")) + "\n"
    )


def _cut_at(width: int, indent: str = "") -> Frame:
    """Return the frame of a terminal that breaks full lines at any place."""
    return lambda s: "".join(
        f"{indent}{line[i : i + width]}\n"
        for line in s.split("\n")
        for i in range(0, max(len(line), 1), width)
    )


def _break_at_words(width: int, prefix: str = "") -> Frame:
    def wrapped(sentence: str) -> str:
        lines = [
            part
            for line in sentence.split("\n")
            for part in textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
        ]
        return "".join(f"{prefix}{line}\n" for line in lines)

    return wrapped


def _box(sentence: str, width: int = 100) -> str:
    rows = [line[i : i + width] for line in sentence.split("\n") for i in range(0, max(len(line), 1), width)]
    body = "".join(f"│ {row:{width}} │\n" for row in rows)
    return f"┌{'─' * (width + 2)}┐\n│ {'Events:':{width}} │\n{body}└{'─' * (width + 2)}┘\n"


def _widen(sentence: str) -> str:
    """Type a sentence like an input method for Chinese: with full-width punctuation before blanks, brackets
    and quotes.
    """
    for plain, wide in ((": ", "："), (", ", "，"), ("; ", "；"), (" (", "（"), ("(", "（"), (")", "）")):
        sentence = sentence.replace(plain, wide)
    return _bend(sentence)


def _bend(sentence: str) -> str:
    """Curl the quotes like a word processor: an opening one after a blank or a bracket, else a closing
    one.
    """
    sentence = re.sub(r'(?<![^\s(\[{（：，])"', "“", sentence).replace('"', "”")
    return re.sub(r"(?<![^\s(\[{（：，])'", "‘", sentence).replace("'", "’") + "\n"


def _colour(sentence: str) -> str:
    return (
        "\n".join(
            f"\x1b[1;31m{line[:7]}\x1b[0m\x1b[33m{line[7:]}\x1b[m\x1b[K" for line in sentence.split("\n")
        )
        + "\n"
    )


def _write_crlf(sentence: str) -> str:
    return f"{_KLOG} {sentence}\n".replace("\n", "\r\n")


def _make_verbose(sentence: str) -> str:
    return (
        "Sat 2026-11-21 00:07:16.100000 UTC [s=0a1b;i=2c;b=9e;m=1f;t=5f;x=7a]\n    PRIORITY=3\n    _HOSTNAME=node-1\n"
        f"    SYSLOG_IDENTIFIER=kubelet\n    MESSAGE={sentence}\n    _PID=4242\n"
    )


def _number(form: str) -> Frame:
    return lambda sentence: "".join(
        form.format(n) + line + "\n" for n, line in enumerate(sentence.split("\n"), 41)
    )


def _dump_yaml(sentence: str) -> str:
    body = "\n".join(
        textwrap.wrap(sentence.replace("'", "''"), 78, break_long_words=False, break_on_hyphens=False)
    ).replace("\n", "\n      ")
    return f"    lastTransitionTime: \"{_STAMP}Z\"\n    message: '{body}'\n"


# In a frame for one line, a sentence of several lines gives the facts of its lines in sequence.
FRAMES: dict[str, Frame] = {
    "bare": _put_behind(""),
    "below a prompt": _put_behind("[root@node-1 ~]# kubectl apply -f app.yaml\n"),
    "below a shell's bare prompt": _put_behind("$ cat error.txt\n"),
    "indented": _wrap_each("          "),
    "a tab before it": _wrap_each("\t"),
    "a cut row: age and source": _put_behind("  2m30s (x3 over 5m)   kubelet            "),
    "a cut row: source": _put_behind("kubelet, node-1  "),
    "klog": _put_behind(f"{_KLOG} "),
    "klog, structured": lambda s: f'{_KLOG} "Unhandled Error" err={_quote(s)} logger="UnhandledError"\n',
    "klog without its beginning": _put_behind("kubelet.go:348] "),
    "journald short": _put_behind("Nov 21 00:07:16 node-1 kubelet[4242]: "),
    "journald short, klog": _put_behind(f"Nov 21 00:07:16 node-1 kubelet[4242]: {_KLOG} "),
    "journald short-iso": _put_behind(f"{_STAMP}+0000 node-1 kubelet[4242]: "),
    "journald verbose": _make_verbose,
    "journald json": _dump_json(
        '{"__REALTIME_TIMESTAMP":"1795219200000000","_HOSTNAME":"node-1","SYSLOG_IDENTIFIER":"kubelet","_PID":"4242","MESSAGE":"@"}'
    ),
    "syslog with a priority": _put_behind("<3>Nov 21 00:07:16 node-1 kubelet[4242]: "),
    "docker json": lambda s: f'{{"log":{_quote(s + chr(10))},"stream":"stderr","time":"{_STAMP}.1Z"}}\n',
    "a component's log": _put_behind(f"$ kubectl logs -n kube-system kube-proxy-x4k2p\n{_KLOG} "),
    "a driver's log without headers": _put_behind(
        "$ kubectl logs -n storage ebs-csi-node-x4k2p -c ebs-plugin\n"
    ),
    "a component's file of its node": lambda s: (
        f"# cat {_FILE}\n" + _wrap_each(f"{_STAMP}.100000000Z stderr F ")(f"{_KLOG} {s}")
    ),
    "docker logs, klog": _put_behind(f"# docker logs 0a4c17fe2bd8\n{_KLOG} "),
    "crictl logs, klog": _put_behind(f"# crictl logs 0a4c17fe2bd84\n{_KLOG} "),
    "CRI": _wrap_each(f"{_STAMP}.100000000Z stderr F "),
    "logfmt msg": lambda s: f'time="{_STAMP}.100000000Z" level=error msg={_quote(s)}\n',
    "logfmt error": lambda s: (
        f'level=error ts={_STAMP}.1Z caller=controller.go:114 msg="sync failed" error={_quote(s)}\n'
    ),
    "zap json": _dump_json(
        f'{{"level":"error","ts":"{_STAMP}.1Z","logger":"controller","msg":"Reconciler error","error":"@"}}'
    ),
    "GCP textPayload": _dump_json(
        '{\n  "insertId": "a1b2c3",\n  "logName": "projects/p/logs/kubelet",\n  "severity": "ERROR",\n  "textPayload": "@",\n'
        f'  "timestamp": "{_STAMP}.1Z"\n}}'
    ),
    "GCP jsonPayload": _dump_json(
        f'{{"insertId":"a1b2c3","jsonPayload":{{"MESSAGE":"@","_HOSTNAME":"node-1"}},"severity":"ERROR","timestamp":"{_STAMP}.1Z"}}'
    ),
    "CloudWatch": _put_behind(f"{_STAMP}.100000+00:00 ip-10-0-0-1.ec2.internal.kubelet "),
    "CloudWatch json": _dump_nested_json(
        '{"timestamp":1795219200000,"message":"@","logStreamName":"node-1"}'
    ),
    "Loki": _put_behind(f'{_STAMP}Z {{app="kubelet", node="node-1"}} '),
    "Stern": _wrap_each("web-0 app "),
    "Stern with a sign": _wrap_each("web-0 › app │ "),
    "kubetail": _wrap_each("[web-0 app] "),
    "docker compose": _wrap_each("kubelet_1  | "),
    "kubectl's error": _put_behind("error: "),
    "the server's error": _put_behind('Error from server (InternalError): error when creating "app.yaml": '),
    "Helm": _put_behind("Error: INSTALLATION FAILED: "),
    "Helm, hooks": _put_behind("Error: UPGRADE FAILED: post-upgrade hooks failed: "),
    "GitHub Actions": _put_behind(f"{_STAMP}.1000000Z ##[error]"),
    "GitLab CI": _put_behind("ERROR: Job failed (system failure): prepare environment: "),
    "Terraform": _wrap_each("│ "),
    "k9s": _box,
    "a dashboard's row": _put_between("| Warning | ", " | 5m | kubelet |"),
    "a dashboard's cells": _put_between("Warning\tkubelet node-1\t", "\t3\t2m\t5m"),
    "Markdown quote": _wrap_each("> "),
    "Markdown quote, twice": _wrap_each("> > "),
    "Markdown fence": _put_between("Here is what I see:\n```console\n", "\n```\nAny idea?"),
    "Markdown indented code": _wrap_each("    "),
    "Markdown code": _put_between("The message is `", "`."),
    "Markdown list": _put_behind("- "),
    "Markdown bold": _put_between("**", "**"),
    "a table of Markdown": _put_between("| Reason | Message |\n| --- | --- |\n| Failed | ", " |"),
    "in a sentence": _put_between("we get this error all the time: ", ""),
    "quoted": _put_between('"', '"'),
    "a chat's time and name": _put_behind("[10:12 AM] ann.lee: "),
    "a status' message": _dump_yaml,
    "a status' message, json": lambda s: f'      "message": {_quote(s)},\n',
    "ANSI": _colour,
    "CRLF": _write_crlf,
    "full-width signs": _widen,
    "bent quotes": _bend,
    "line numbers of less": _number("{:>6}  "),
    "line numbers of grep": _number("kubelet.log:{}:"),
    "line numbers of a viewer": _number("{} | "),
    "cut at 80 columns": _cut_at(80),
    "cut at 80 columns, klog": lambda s: _cut_at(80)(f"{_KLOG} {s}"),
    "wrapped at 72 by words": _break_at_words(72),
    "wrapped by a chat": _break_at_words(48),
    "wrapped in a quote": _break_at_words(70, "> "),
    "wrapped and indented": _break_at_words(60, "        "),
    "HTML": lambda s: html.escape(s) + "\n",
    "HTML code": lambda s: f"<pre><code>{html.escape(s)}</code></pre>\n",
    "an escaped string": lambda s: _quote(_quote(s)) + "\n",
}
