"""Every word of the interface, in both languages; the words of causes and stages come with them."""

from __future__ import annotations

from typing import Literal

from unstuck.diagnosis.text import Text

Lang = Literal["en", "zh"]

MARKS = {"fine": "✓", "progressing": "…", "stuck": "✗", "unknown": "?"}
STAGE_MARKS = {"done": "✓", "not-done": "✗", "unknown": "?", "later": "·"}

WORDS: dict[str, Text] = {
    # labels at the left
    "proven": Text("proven", "确证"),
    "likely": Text("likely", "很可能"),
    "chain": Text("chain", "连带"),
    "reach": Text("reach", "波及"),
    "seen": Text("seen", "所见"),
    "also": Text("also", "另有"),
    "open_stage": Text("?  ", "？"),
    "undecided": Text("undecided between", "尚不能断定，可能是"),
    "possible": Text("possible", "亦有可能"),
    "decide": Text("decide", "查证"),
    "unseen": Text("not seen", "未看到"),
    "part_events": Text("events", "事件"),
    "part_lease": Text("lease", "租约"),
    "part_log": Text("log", "日志"),
    "part_keys": Text("keys", "键"),
    "help": Text("help", "处理"),
    "do_not": Text("do not", "切勿"),
    "or": Text("or", "或"),
    "colon": Text(": ", "："),
    "semicolon": Text("; ", "；"),
    "way_agent": Text("the agent", "代理"),
    "way_ssh": Text("ssh", "ssh"),
    "way_probe": Text("the Pod that looks", "用于查看的 Pod"),
    # sentences and their parts
    "more": Text("and {n} more", "另有 {n} 项"),
    "more_rows": Text("{n} more pieces of evidence: --explain", "另有 {n} 条证据：--explain"),
    "last": Text("last {span} ago", "最近一次在 {span}前"),
    "ago": Text("{span} ago", "{span}前"),
    "since": Text("since {time}", "自 {time}"),
    "on": Text("on {node}: ", "在 {node} 上："),
    "source": Text("in the owner's manifest: ", "在其来源清单中："),
    "the_node": Text("the node", "所在节点"),
    "undo": Text("undo: ", "撤销："),
    "verify": Text("then: ", "随后："),
    "seen_on": Text("seen on {who}", "见于 {who}"),
    "only_node": Text("The API does not tell; the node does.", "仅凭 API 无法断定，需看节点。"),
    "no_cause": Text(
        "No known cause matches what was seen; {n} were ruled out. unstuck … --explain shows each.",
        "所见事实与已知原因均不相符；已排除 {n} 个。加 --explain 可逐一查看。",
    ),
    "nothing": Text("Nothing was found that is not fine.", "未发现异常。"),
    # why a question is open
    "not-asked": Text("not asked", "未询问"),
    "denied": Text("not allowed", "无权限"),
    "timeout": Text("no answer in time", "未及时答复"),
    "unreachable": Text("cannot be reached", "无法连接"),
    "not-offered": Text("not offered here", "此处不提供"),
    # risks
    "none": Text("no risk", "无风险"),
    "reversible": Text("reversible", "可撤销"),
    "loses-data": Text("LOSES DATA", "会丢失数据"),
    "disrupts": Text("DISRUPTS", "会造成中断"),
    # scan
    "scan_stuck": Text(
        "{stuck} stuck, {unknown} unknown; incidents: {incidents}", "{stuck} 个卡住，{unknown} 个未知；事件：{incidents} 起"
    ),
    "scan_fine": Text("nothing is stuck", "没有卡住的对象"),
    "scan_progressing": Text("{n} still within their time", "{n} 个仍在正常时限内"),
    "incidents": Text("incidents", "事件"),
    "no_cause_for": Text("no cause known yet for", "尚无定论"),
    "closer": Text("closer", "细看"),
    # explain
    "state": Text("state", "状态"),
    "gate": Text("its stage", "所属阶段"),
    "applies": Text("applies", "适用"),
    "necessary": Text("necessary", "必要"),
    "decisive": Text("decisive", "决定"),
    "supporting": Text("supporting", "佐证"),
    "against": Text("against", "反证"),
    "yes": Text("yes", "是"),
    "no": Text("no", "否"),
    "not_known": Text("unknown", "未知"),
    "assumed": Text("attributed by assumption", "归属为推断"),
    "asks": Text("asks {what}", "需查 {what}"),
    "ruled_out": Text("ruled out", "已排除"),
    "judged_undecided": Text("undecided", "未定"),
    "judged_possible": Text("possible", "可能"),
    "missed": Text("not understood: {where}", "未能识别：{where}"),
}


def word(key: str, lang: Lang, **values: object) -> str:
    """One word or sentence of the interface with its values filled in."""
    text = in_lang(WORDS[key], lang)
    return text.format(**values) if values else text


def in_lang(text: Text, lang: Lang) -> str:
    """The text in this language."""
    return text.zh if lang == "zh" else text.en


def mark(word_: str, lang: Lang) -> str:
    """A bracketed remark."""
    return f"（{word_}）" if lang == "zh" else f"({word_})"
