"""The page of tested proofs: each cause by the kind of evidence, and the wrong answers by confidence.

Live rows come from tests/e2e/matrix.json, which an end-to-end run with `UNSTUCK_KEEP_MATRIX=1` writes; the
others from the cases.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from scripts.cases import load_cases

from unstuck.diagnosis.cause import Cause
from unstuck.engine.discover import locate_module

MATRIX = Path(__file__).parent.parent / "tests" / "e2e" / "matrix.json"
ORDER = ("proven", "likely", "undecided", "possible", "wrong", "missed", "no answer", "not taken hold")
SURE = ("proven", "likely")
WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "title": "What is tested, by kind of evidence",
        "how": "Each kind of answer and how often it was tested. **Live**: a real fault in a real cluster, "
        "asked on the node and from "
        "outside (`—`: no such fault there, or none asked yet). **Record**: cases with recorded facts of "
        "the API or a node. **Paste**: "
        "cases given as text or manifests alone. Records and pastes are counted by what the tests hold them "
        "to.",
        "head": "| Cause | Live, with node | Live, without | Record | Paste |",
        "wrong": "Wrong answers by confidence",
        "wrong_head": "| Live questions | Asked | Named `proven` | Wrong at `proven` "
        "| Named `likely` | Wrong at "
        "`likely` "
        "| Left open, rightly | Not answered as wanted |",
        "node": "with node",
        "api": "without",
        "faults": "faults",
        "healthy": "healthy",
        "pasted": "The same answer from pastes",
        "pasted_how": "What a person pastes of each fault: its `kubectl describe` and "
        "its Namespace's events, and "
        "with them what is run on "
        "the node by hand (mounts, attributes, open files, processes, the log). Another cause is wrong; the "
        "rest names what to look at "
        "next.",
        "pasted_head": (
            "| Paste | Faults | The cause first | Undecided, with what to look at next | The object itself "
            "is well | Wrong |"
        ),
        "pasted_api": "describe and events",
        "pasted_node": "with the node's commands",
        "where": "Measured",
        "on": "{n} questions on {dates}: {nodes} nodes, {kubelet}, {runtime}, Linux {kernel} ({machine}).",
        "none": "No live run has been kept yet.",
    },
    "zh": {
        "title": "按证据种类列出的测试结果",
        "how": "最好的结论及测试数量。**现场**：真实集群中的真实故障，分别在节点上与集群外提问（"
        "`—`：没有此类故障，或尚未提问）。"
        "**记录**：以 API 或节点的事实记录给出的用例。**粘贴**：仅以文本或清单给出的用例，如同人工粘贴。"
        "数量来自用例与故障自身的预期，由测试保证。",
        "head": "| 原因 | 现场，有节点证据 | 现场，无节点证据 | 记录 | 粘贴 |",
        "wrong": "按置信度统计的错误结论",
        "wrong_head": (
            "| 现场提问 | 数量 | 给出 `proven` | `proven` 有误 | 给出 "
            "`likely` | `likely` 有误 | 合理地未下结论 | 未达到预期 |"
        ),
        "node": "有节点证据",
        "api": "无节点证据",
        "faults": "故障",
        "healthy": "健康对象",
        "pasted": "粘贴文本得到的答案",
        "pasted_how": "针对每个故障，人工会粘贴的内容：`kubectl describe` 与所在 "
        "Namespace 的事件；另加在节点上手工执行的命令"
        "（挂载、文件属性、打开的文件、进程与日志）。给出其他原因即为错误；其余答案会指出接下来应查看什么。",
        "pasted_head": (
            "| 粘贴内容 | 故障数 | 首先给出该原因 | 未下结论，并指出接下来查看什么 | 对象自身正常 | 错误 |"
        ),
        "pasted_api": "describe 与事件",
        "pasted_node": "另加节点上的命令",
        "where": "测量环境",
        "on": "{n} 个提问，日期 {dates}：{nodes} 个节点，{kubelet}，{runtime}，Linux {kernel}（{machine}）。",
        "none": "尚未保存任何现场运行结果。",
    },
}


def make_page(causes: Iterable[Cause], lang: str, note: str) -> str:
    """Return the whole page in one language."""
    words = WORDS[lang]
    kept: dict[str, Any] = json.loads(MATRIX.read_text("utf-8")) if MATRIX.exists() else {}
    rows: list[dict[str, Any]] = list(kept.get("rows", {}).values())
    lines = [note, f"# {words['title']}", "", words["how"], "", words["head"], "|---|---|---|---|---|"]
    lines += [_make_row(cause, rows) for cause in causes]
    lines += ["", f"## {words['wrong']}", "", words["wrong_head"], "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for evidence in ("node", "api"):
        for healthy in (False, True):
            those = [r for r in rows if r["evidence"] == evidence and (not r["causes"]) == healthy]
            lines.append(
                _format_counts(f"{words['healthy' if healthy else 'faults']}, {words[evidence]}", those)
            )
    if pastes := kept.get("pastes", {}):
        lines += [
            "",
            f"## {words['pasted']}",
            "",
            words["pasted_how"],
            "",
            words["pasted_head"],
            "|---|--:|--:|--:|--:|--:|",
        ]
        lines += [
            _format_pastes(words[f"pasted_{e}"], [o for name, o in pastes.items() if name.endswith(f"/{e}")])
            for e in ("api", "node")
        ]
    dates = ", ".join(sorted({r["on"] for r in rows}))
    where = words["on"].format(n=len(rows), dates=dates, **kept["where"]) if rows else words["none"]
    return "\n".join([*lines, "", f"## {words['where']}", "", where, ""])


def _make_row(cause: Cause, rows: list[dict[str, Any]]) -> str:
    live = [
        _summarise(r["outcome"] for r in rows if cause.id in r["causes"] and r["evidence"] == e)
        for e in ("node", "api")
    ]
    cases = load_cases(locate_module(cause).with_suffix(".cases.md"))
    found = [
        (c.expect, any(info.partition(" ")[0] == "facts" for info, _ in c.texts))
        for c in cases
        if c.expect != "ruled-out"
    ]
    tested = [
        _summarise(expect for expect, facts in found if facts is recorded) for recorded in (True, False)
    ]
    return f"| [{cause.id}](causes/{cause.id}.md) | {' | '.join((*live, *tested))} |"


def _summarise(outcomes: Iterable[str]) -> str:
    """Format counts as `proven 2, undecided 1`, best first."""
    count = Counter(outcomes)
    return ", ".join(f"{o} {count[o]}" for o in ORDER if count[o]) or "—"


def _format_pastes(title: str, outcomes: list[str]) -> str:
    found = Counter(outcomes)
    cells = [
        len(outcomes),
        sum(found[o] for o in SURE),
        found["undecided"],
        found["fine"],
        found["wrong"] + found["missed"],
    ]
    return f"| {title} | " + " | ".join(map(str, cells)) + " |"


def _format_counts(title: str, rows: list[dict[str, Any]]) -> str:
    first = [next((c for c in SURE if r["named"].partition(",")[0].endswith(c)), "") for r in rows]
    wrong = [
        c
        for r in rows
        if r["outcome"] == "wrong"
        for c in (next((s for s in SURE if s in r["named"]), "proven"),)
    ]
    open_ = sum(r["ok"] and not named for r, named in zip(rows, first, strict=True))
    bad = sum(not r["ok"] for r in rows)
    cells = [len(rows), *(n for c in SURE for n in (first.count(c), wrong.count(c))), open_, bad]
    return f"| {title} | " + " | ".join(map(str, cells)) + " |"
