"""Every word of the interface, in both languages; the words of causes and stages come with them."""

from __future__ import annotations

from typing import Literal

from unstuck.diagnosis.text import Text

Lang = Literal["en", "zh"]

MARKS = {"fine": "✓", "progressing": "…", "held": "‖", "stuck": "✗", "unknown": "?"}
# What is fine, with a cause below.
BUT = "!"
STAGE_MARKS = {"done": "✓", "not-done": "✗", "unknown": "?", "later": "·"}

WORDS: dict[str, Text] = {
    # labels at the left
    "proven": Text("proven", "已证实"),
    "likely": Text("likely", "很可能"),
    "why": Text("WHY", "原因"),
    "fix": Text("FIX", "处理"),
    "dont": Text("DON'T", "不要"),
    "next": Text("NEXT", "下一步"),
    "owner_unknown": Text("whose it is, nobody knows here", "归属未知"),
    "proof": Text("PROOF", "依据"),
    "says": Text("SAYS", "原话"),
    "stages": Text("STEPS", "进度"),
    "column_who": Text("Who", "对象"),
    "column_why": Text("Why", "原因"),
    "column_since": Text("Since", "时长"),
    "not_seen": Text("UNSEEN", "未看到"),
    "seen": Text("seen", "所见"),
    "undecided": Text("undecided between", "尚不能断定，可能是"),
    "possible": Text("possible", "可能"),
    "decide": Text("decide", "查证"),
    "unseen": Text("not seen", "未看到"),
    "part_events": Text("events", "事件"),
    "part_lease": Text("lease", "租约"),
    "part_log": Text("log", "日志"),
    "part_keys": Text("keys", "键"),
    "help": Text("help", "处理"),
    "do_not": Text("do not", "不要"),
    "or": Text("or", "或"),
    "held": Text("held on purpose", "有意停住"),
    "held_cordoned": Text("cordoned", "封锁"),
    "held_suspended": Text("suspended", "挂起"),
    "held_scaled": Text("scaled to 0", "缩容到 0"),
    "asked_there": Text("run first: the command for {who}, below", "请先运行下方针对 {who} 的命令"),
    "or_else": Text("or ", "或："),
    "to_be_sure": Text("to be sure: ", "如需确认："),
    "but": Text(", but there is a problem", "，但存在问题"),
    "colon": Text(": ", "："),
    "comma": Text(", ", "，"),
    "list_comma": Text(", ", "、"),
    "dash": Text(" — ", "："),
    "semicolon": Text("; ", "；"),
    "way_agent": Text("the agent", "代理"),
    "way_ssh": Text("ssh", "ssh"),
    "way_probe": Text("the Pod that looks", "用于查看的 Pod"),
    # sentences and their parts
    "more": Text("and {n} more", "另有 {n} 项"),
    "folded": Text("+ {what}", "另有 {what}"),
    "on_demand": Text(": --all", "：--all"),
    "n_rows": Text("{n} more of the evidence", "{n} 条依据"),
    "n_steps": Text("{n} more to do", "{n} 个处理步骤"),
    "n_notes": Text("{n} more notes", "{n} 条说明"),
    "n_follows": Text("{n} more that follow from it", "{n} 个由此引起的问题"),
    "n_next": Text("{n} other ways to ask", "{n} 种其他查法"),
    "n_says": Text("{n} more messages", "{n} 条消息"),
    "one_placing": Text("where it could run", "可放入何处"),
    "n_less": Text("{n} less likely causes", "{n} 个可能性较小的原因"),
    "one_less": Text("1 less likely cause", "1 个可能性较小的原因"),
    "one_rows": Text("1 more of the evidence", "1 条依据"),
    "one_steps": Text("1 more to do", "1 个处理步骤"),
    "one_notes": Text("1 more note", "1 条说明"),
    "one_follows": Text("1 more that follows from it", "1 个由此引起的问题"),
    "one_next": Text("1 other way to ask", "1 种其他查法"),
    "one_says": Text("1 more message", "1 条消息"),
    "more_causes": Text("+ {n} more: {ids} (--all)", "另有 {n} 个：{ids}（--all）"),
    "on_a_node": Text(", on node {node}", "，节点 {node}"),
    "many": Text("{n} {kind}s {owner}: {names}", "{n} 个 {kind} {owner}：{names}"),
    "many_unnamed": Text("{n} unnamed {kind}s ({file}, lines {lines})", "{n} 个未写明名称的 {kind}（{file} 第 {lines} 行）"),
    "and_more": Text("{names} and {n} more", "{names} 等另外 {n} 个"),
    "steps_done": Text("{n} of {of} steps done", "{of} 步完成 {n} 步"),
    "then_stages": Text("then: ", "之后："),
    "affects": Text("affects ", "影响范围："),
    # what it may be
    "possible_only": Text("possible, not confirmed: ", "可能，尚未确认："),
    "also": Text("ALSO", "也可能"),
    "one_of": Text("not decided; something speaks for each of {n}:", "尚未确定，{n} 个原因各有迹象："),
    "fits": Text("not decided; the {n} most common that fit:", "尚未确定，与所见相符的 {n} 个常见原因："),
    "all_that_fit": Text("not decided; these {n} fit what was seen:", "尚未确定，以下 {n} 个原因与所见相符："),
    "less_likely": Text("+ {n} less likely", "另有 {n} 个可能性较小"),
    "unknown_why": Text("not known: too little was seen to tell {n} possible causes apart", "未知：所见太少，{n} 个可能的原因无法区分"),
    "areas": Text("by area: ", "按类别："),
    "no_rule_here": Text("no rule covers these words; {n} causes remain open", "没有规则解释以上原话；仍有 {n} 个原因未排除"),
    "last": Text("last {span} ago", "最近一次在 {span}前"),
    "ago": Text("{span} ago", "{span}前"),
    "said": Text("a message says: {error}", "一条消息称：{error}"),
    "since": Text("since {time}", "自 {time}"),
    "on": Text("on {node}: ", "在 {node} 上："),
    "source": Text("in the owner's manifest: ", "在其清单中："),
    "on_the_node": Text("on the node: ", "在该节点上："),
    "on_that_node": Text("on the node that this came from: ", "在产生这些内容的节点上："),
    "your_paste": Text("your paste", "粘贴的内容"),
    "put_for": Text("replace {word} with {how}", "将 {word} 换成{how}"),
    "undo": Text("undo: ", "撤销："),
    "verify": Text("then: ", "随后："),
    "seen_on": Text("seen on {who}", "见于 {who}"),
    "no_cause": Text(
        "No known cause matches what was seen; {n} were ruled out. unstuck … --explain shows each.",
        "所见事实与已知原因均不相符；已排除 {n} 个。加 --explain 可逐一查看。",
    ),
    "nothing": Text("No problems found.", "未发现异常。"),
    "nothing_else": Text("Nothing else is wrong: what is known was left out.", "除已知问题外，未发现其他异常。"),
    # where a waiting Pod might go
    "at_nodes": Text("NODES", "节点"),
    "flaw": Text("FLAW", "缺陷"),
    "changed": Text("CHANGED", "变化"),
    "opens": Text("OPENS", "可行"),
    "held_by": Text("HELD BY", "占用者"),
    "preemption": Text("PREEMPT", "抢占"),
    "open_here": Text("OPEN", "未知"),
    "differs": Text("DIFFERS", "不一致"),
    "scheduler_differs": Text(
        "the scheduler's last words give other reasons than the objects as they were read: one of the two is out of date",
        "调度器最近给出的原因与读到的对象不符：两者之一已经过时",
    ),
    "fits_now": Text("it fits now on {names}: the scheduler retries within 5 min", "现在可放入 {names}：调度器会在 5 分钟内重试"),
    "no_nodes": Text("the cluster has no nodes", "没有任何节点"),
    "n_of": Text("{n} of {nodes}: ", "{nodes} 个中的 {n} 个："),
    "more_groups": Text("{n} more Nodes for {groups} other sets of reasons: -o json", "另有 {n} 个节点属于其他 {groups} 组原因：-o json"),
    "opening": Text("{change}: fits on {n} ({names})", "{change}：可放入 {n} 个节点（{names}）"),
    "like": Text("{change}: {names}", "{change}：{names}"),
    "holds_some": Text("{amount} in {pods} Pods", "{amount}，共 {pods} 个 Pod"),
    "holds_pods": Text("{pods} Pods", "{pods} 个 Pod"),
    "of_nobody": Text("Pods of no controller in {namespace}: ", "{namespace} 中无控制器的 Pod："),
    # why a question is open
    "not-asked": Text("not asked", "未询问"),
    "denied": Text("not allowed", "无权限"),
    "timeout": Text("no answer in time", "未及时答复"),
    "unreachable": Text("cannot be reached", "无法连接"),
    "too-large": Text("the answer is too large", "应答过大"),
    "not-offered": Text("not offered here", "此处不提供"),
    # risks
    "none": Text("no risk", "无风险"),
    "reversible": Text("reversible", "可撤销"),
    "loses-data": Text("LOSES DATA", "会丢失数据"),
    "disrupts": Text("DISRUPTS", "会造成中断"),
    # scan
    "scan_incident": Text("{n} incident", "{n} 起故障"),
    "scan_object": Text("{n} object", "涉及 {n} 个对象"),
    "scan_incidents": Text("{n} incidents", "{n} 起故障"),
    "scan_objects": Text("{n} objects", "涉及 {n} 个对象"),
    "alike_count": Text(" ({n} more look alike)", "（另有 {n} 个看似相同）"),
    "dot": Text(" · ", " · "),
    "not-starting": Text("NOT STARTING", "启动不了"),
    "crashing": Text("CRASHING", "反复崩溃"),
    "not-going-away": Text("NOT GOING AWAY", "删不掉"),
    "nodes": Text("NODES", "节点"),
    "other": Text("OTHER", "其他"),
    "n_of_kind": Text("{n} {kind}", "{n} 个 {kind}"),
    "others": Text(" +{n} more", " 及另外 {n} 个"),
    "perhaps": Text("possible, not confirmed: {title}", "可能，尚未确认：{title}"),
    "no_rule": Text("“{quote}”: no rule knows this", "“{quote}”：没有规则认识此消息"),
    "more_incidents": Text("… {n} more: --members", "… 另有 {n} 起：--members"),
    "more_elsewhere": Text("… {n} more: -o json", "… 另有 {n} 起：-o json"),
    "open_one": Text("open one: unstuck why @{n}", "查看其中一起：unstuck why @{n}"),
    "every": Text("every {span}", "每 {span}"),
    "looking": Text("looking …", "正在查看 …"),
    "counted": Text("{pods} Pods, {ill} look ill …", "{pods} 个 Pod，其中 {ill} 个看似异常 …"),
    "keys": Text("q quit   ⏎ why   / filter   m members", "q 退出   ⏎ 查看原因   / 筛选   m 成员"),
    "keys_short": Text("q ⏎ / m", "q ⏎ / m"),
    "keys_opened": Text("q back", "q 返回"),
    "round_failed": Text("no scan at {why}", "未能扫描：{why}"),
    "filtered_out": Text("no incident has these words", "没有故障含有这些文字"),
    "went": Text("gone {span} ago", "{span}前消失"),
    "not_seen_now": Text("not seen any more; less could be seen {span} ago", "已看不到；{span}前能看到的内容变少"),
    "all_members": Text("all members: -m", "全部成员：-m"),
    "with_ids": Text("causes by id: -o wide", "显示原因 id：-o wide"),
    "and_alike": Text(" (+{n} alike)", "（另有 {n} 个相似）"),
    "alike": Text("look alike, not read", "看似相同，未读取"),
    "scan_fine": Text("nothing is stuck", "没有卡住的对象"),
    "scan_none_seen": Text("nothing that could be seen is stuck", "在能看到的范围内没有卡住的对象"),
    "left_out": Text("left out", "未列入"),
    "scan_starting": Text("{n} still starting", "另有 {n} 个仍在启动"),
    "scan_going": Text("{n} still terminating", "另有 {n} 个仍在终止"),
    "incidents": Text("incidents", "事件"),
    "open": Text("open", "未定"),
    "members": Text("members", "成员"),
    "closer": Text("closer", "细看"),
    # verify
    "rests_on": Text(
        "judged again by unstuck {tool} from {n} facts about {who}, as of {at}",
        "由 unstuck {tool} 根据 {n} 个事实重新判断：{who}，时刻 {at}",
    ),
    "without_each": Text(
        "Each of these is needed; in front stands what would be left without it:", "以下每个事实都不可缺少；前面所写的是缺少它时的结论："
    ),
    "without_none": Text("It does not rest on any single fact.", "它不依赖于任何单个事实。"),
    "follows_not": Text("{claimed} does not follow from these facts", "由这些事实推不出 {claimed}"),
    "follows_other": Text("{claimed} is not what follows from these facts, but {told}", "由这些事实推出的不是 {claimed}，而是 {told}"),
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
    "understood": Text("understood as {form}: {where}", "识别为 {form}：{where}"),
    "again": Text("passed over, as it stands elsewhere word for word: {where}", "已略过，因别处有逐字相同的内容：{where}"),
    "missed": Text("not understood: {where}", "未能识别：{where}"),
}


def word(key: str, lang: Lang, **values: object) -> str:
    """Return one word or sentence of the interface with its values filled in."""
    text = in_lang(WORDS[key], lang)
    return text.format(**values) if values else text


def in_lang(text: Text, lang: Lang) -> str:
    """Return the text in this language."""
    return text.zh if lang == "zh" else text.en


def mark(word_: str, lang: Lang) -> str:
    """Return a bracketed remark."""
    return f"（{word_}）" if lang == "zh" else f"({word_})"
