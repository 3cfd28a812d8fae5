"""Why a node told nothing: each way to it that was tried, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from unstuck.diagnosis.shortlist import NOT_THERE
from unstuck.diagnosis.text import Text
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Refused
from unstuck.render.cells import cut
from unstuck.render.page import Page
from unstuck.render.visible import visible

# (way, reason) → what happened. {node}, {name}, {span} since when, {seconds} waited, {detail} a stranger's words.
SENTENCES: dict[tuple[str, str], Text] = {
    ("here", "elsewhere"): Text("--here: this is node {name}", "--here：本机是节点 {name}"),
    ("here", "unknown"): Text("--here: it is not known which node this machine is: {detail}", "--here：无法得知本机是哪个节点：{detail}"),
    ("agent", "absent"): Text("no agent is installed", "未安装代理"),
    ("agent", "version"): Text("no agent: the server is older than Kubernetes 1.28", "没有代理：服务器早于 Kubernetes 1.28"),
    ("agent", "denied"): Text("you may not ask the agent: {detail}", "您无权询问代理：{detail}"),
    ("agent", "webhook"): Text(
        "the agent could not be asked: the webhook {name} does not answer, so that nothing can be created",
        "无法询问代理：webhook {name} 不应答，任何对象都创建不了",
    ),
    ("agent", "busy"): Text("the agent takes no more questions for now: {detail}", "代理暂不接受更多询问：{detail}"),
    ("agent", "silent"): Text(
        "the agent did not answer in {seconds:g} s, though its Pod {name} is Ready",
        "代理在 {seconds:g} 秒内没有应答，而其 Pod {name} 为 Ready",
    ),
    ("agent", "pod-absent"): Text("the agent has no Pod on this node", "该节点上没有代理的 Pod"),
    ("agent", "pod-terminating"): Text(
        "the agent does not answer: its Pod {name} has been Terminating for {span}",
        "代理不应答：其 Pod {name} 处于 Terminating 已 {span}",
    ),
    ("agent", "pod-not-ready"): Text(
        "the agent does not answer: its Pod {name} has not been Ready for {span}",
        "代理不应答：其 Pod {name} 未就绪已 {span}",
    ),
    ("agent", "pod-unknown"): Text(
        "the agent did not answer in {seconds:g} s, and you may not see whether it runs",
        "代理在 {seconds:g} 秒内没有应答，您也无权查看它是否在运行",
    ),
    ("ssh", "no-program"): Text("there is no ssh on this machine", "本机没有 ssh"),
    ("ssh", "bad-host"): Text("{name} is no name of a host", "{name} 不是主机名"),
    ("ssh", "no-host"): Text("ssh finds no host {name}", "ssh 找不到主机 {name}"),
    ("ssh", "host-key"): Text(
        "the host key of {name} is not known: log in once by hand, and compare it", "{name} 的主机密钥未知：请手动登录一次并核对"
    ),
    ("ssh", "host-key-changed"): Text("the host key of {name} has changed: {detail}", "{name} 的主机密钥已改变：{detail}"),
    ("ssh", "denied"): Text("{name} does not let you in: {detail}", "{name} 拒绝登录：{detail}"),
    ("ssh", "not-root"): Text(
        "{name}: you are not root there, and sudo asks for a password", "{name}：您在该主机上不是 root，且 sudo 需要密码"
    ),
    ("ssh", "silent"): Text("{name} did not answer in {seconds:g} s", "{name} 在 {seconds:g} 秒内没有应答"),
    ("ssh", "failed"): Text("ssh to {name} failed: {detail}", "ssh 到 {name} 失败：{detail}"),
    ("ssh", "not-able"): Text("{name} could not be looked at: {detail}", "无法查看 {name}：{detail}"),
    ("ssh", "other-node"): Text("{name} is node {detail}, not {node}", "{name} 是节点 {detail}，不是 {node}"),
    ("probe", "not-agreed"): Text("no Pod was made to look; --probe makes one", "未创建用于查看的 Pod；--probe 可创建"),
    ("probe", "no-image"): Text(
        "no Pod was made to look: its image is not known; --probe-image IMAGE", "未创建用于查看的 Pod：镜像未知；--probe-image IMAGE"
    ),
    ("probe", "no-namespace"): Text(
        "no Pod was made to look: Namespace {name} is not there; name one in which nobody else may run commands: --probe-namespace NS",
        "未创建用于查看的 Pod：Namespace {name} 不存在；请指定一个他人不能在其中执行命令的 Namespace：--probe-namespace NS",
    ),
    ("probe", "node-suspect"): Text(
        "no Pod was made to look: the node is not Ready, it would not start", "未创建用于查看的 Pod：节点未就绪，它启动不了"
    ),
    ("probe", "runtime-suspect"): Text(
        "no Pod was made to look: the node's runtime is in doubt ({detail}), and a Pod would get stuck there too",
        "未创建用于查看的 Pod：该节点的运行时可疑（{detail}），新 Pod 也会卡在那里",
    ),
    ("probe", "unknown"): Text(
        "no Pod was made to look: whether the node could run it is not known ({detail})",
        "未创建用于查看的 Pod：不知该节点能否运行它（{detail}）",
    ),
    ("probe", "refused"): Text("the Pod that would have looked was refused: {detail}", "用于查看的 Pod 被拒绝：{detail}"),
    ("probe", "security"): Text(
        "Namespace {name} does not allow a Pod that can look at a node: {detail}; --probe-namespace NS",
        "Namespace {name} 不允许能查看节点的 Pod：{detail}；--probe-namespace NS",
    ),
    ("probe", "not-started"): Text(
        "the Pod that was to look did not start in {seconds:g} s: {detail}", "用于查看的 Pod 在 {seconds:g} 秒内没有启动：{detail}"
    ),
    ("probe", "silent"): Text("the Pod that looked said nothing: {detail}", "用于查看的 Pod 没有输出：{detail}"),
}
ANY: dict[str, Text] = {
    "replaced": Text(
        "{way}: its Pod was replaced or changed by somebody else; nothing of it was read", "{way}：其 Pod 被他人替换或改动，未读取任何内容"
    ),
    "other-node": Text("{way}: what answered was no answer of this node", "{way}：应答的并不是该节点"),
    "unreadable": Text("{way}: the answer cannot be read: {detail}", "{way}：应答无法读取：{detail}"),
    "deadline": Text("{way}: no time was left", "{way}：时间已用完"),
}
PLAIN = Text("{way}: {why}: {detail}", "{way}：{why}：{detail}")
DETAIL = 160


def ways_line(unreached: Sequence[Unreached], page: Page, *, quiet: bool) -> str:
    """Return what was tried for one node, in one sentence; "" where that is not worth saying. quiet: leave out ways that are not there."""
    order = {"here": 0, "agent": 1, "ssh": 2, "probe": 3}
    told = [u for u in unreached if not (quiet and u.reason in NOT_THERE)]
    return page.word("semicolon").join(
        dict.fromkeys(_sentence(u, page) for u in sorted(told, key=lambda u: (order.get(u.way, 9), repr(u))))
    )


def told_by_ways(refused: Refused, nodes: Collection[str]) -> bool:
    """Tell whether the ways to a node tell already why this question is open."""
    return refused.src.where.removeprefix("node:") in nodes and refused.src.where.startswith("node:") and not refused.detail


def _sentence(u: Unreached, page: Page) -> str:
    text = SENTENCES.get((u.way, u.reason)) or ANY.get(u.reason) or PLAIN
    values = {
        "way": page.word(f"way_{u.way}") if u.way in ("agent", "ssh", "probe") else u.way,
        "why": page.word(u.why),
        "node": u.about.name or "",
        "name": u.name or "?",
        "seconds": u.seconds,
        "span": page.ago(u.since) if u.since else "?",
        "detail": cut(visible(u.detail), DETAIL) or page.word(u.why),
    }
    return page.text(text).format(**values)
