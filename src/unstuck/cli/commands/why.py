"""`unstuck why`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import cluster_options, complete, evidence_options, options
from unstuck.cli.bilingual import command_of, option
from unstuck.cli.lang import Duration, Lang
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.api.settings import Settings
    from unstuck.cli.answers import Output
    from unstuck.cli.connecting import ClusterOptions, EvidenceOptions

HELP = Text(
    """Why one object is stuck, with proof, and what safely gets it unstuck.

KIND is a Pod, Namespace, Node, PVC, PV, Deployment, StatefulSet, DaemonSet, Job, or anything that is being deleted.
A NAME alone is looked for among Pods, then workloads, then the rest. Without an object: the worst thing in the Namespace.
What only a node tells is asked of the agent there, if one is installed; then by the ways that you allow.

\b
  unstuck why pod/web-0 -n shop
  unstuck why web-0                              the Pod, else the workload, of this name
  unstuck why sts pg -n pay --lang zh
  unstuck why pods -l app=web -A                 those of them that are not fine
  unstuck why @3                                 the third of the last scan, for an hour
  unstuck why ns/ci-8842 --wait --timeout 10m    until it is gone or a cause is known
  unstuck why pod/web-0 --here                   on the Pod's node, as root: with the node's evidence
  unstuck why pod/web-0 --ssh root@{node}        with the node's evidence through your own ssh
  unstuck why pod/web-0 --probe                  with a short-lived Pod on the node that looks
  unstuck why pod/web-0 --facts node.json        with what `unstuck node --here -o json` printed there
  unstuck why pod/web-0 --save web-0.json.gz     for `unstuck replay`

\b
Exit status: 0 fine, progressing or gone · 1 stuck, a cause is proven or likely
             2 stuck or unknown, no cause yet · 3 usage error, not found, or no access
""",
    """一个对象为何卡住，附证据，以及如何安全地解开。

KIND 可为 Pod、Namespace、Node、PVC、PV、Deployment、StatefulSet、DaemonSet、Job，或任何正在删除的对象。
只给出 NAME 时，先在 Pod 中查找，再查工作负载，然后是其余类别。不给出对象时：该 Namespace 中最严重的问题。
只有节点才知道的内容，先询问那里的代理（若已安装），再用您允许的途径。

\b
  unstuck why pod/web-0 -n shop
  unstuck why web-0                              此名称的 Pod，否则为工作负载
  unstuck why sts pg -n pay --lang zh
  unstuck why pods -l app=web -A                 其中不正常的那些
  unstuck why @3                                 上次扫描的第三起故障，一小时内有效
  unstuck why ns/ci-8842 --wait --timeout 10m    直到它消失，或原因已知
  unstuck why pod/web-0 --here                   在该 Pod 的节点上以 root 运行：带节点证据
  unstuck why pod/web-0 --ssh root@{node}        通过您自己的 ssh 取得节点证据
  unstuck why pod/web-0 --probe                  在节点上用一个短时 Pod 查看
  unstuck why pod/web-0 --facts node.json        带上那里的 `unstuck node --here -o json` 的输出
  unstuck why pod/web-0 --save web-0.json.gz     供 `unstuck replay` 使用

\b
退出状态：0 正常、进行中或已消失 · 1 卡住，且有已证实或很可能的原因
          2 卡住或未知，尚无原因 · 3 用法错误、找不到对象或无权访问
""",
)


@command_of("why", HELP)
@click.argument("words", nargs=-1, metavar="[KIND/NAME… | KIND NAME… | NAME | @N]", shell_complete=complete.objects)
@option(
    "-l",
    "--selector",
    "labels",
    metavar="LABELS",
    help=Text(
        "As for kubectl: those with these labels, e.g. app=web; Pods, or KIND.",
        "同 kubectl：具有这些标签的对象，例如 app=web；Pod 或 KIND。",
    ),
)
@option(
    "--field-selector",
    "fields",
    metavar="FIELDS",
    help=Text("As for kubectl: those with these fields, e.g. spec.nodeName=n1.", "同 kubectl：具有这些字段的对象，例如 spec.nodeName=n1。"),
)
@option("-A", "--all-namespaces", "everywhere", is_flag=True, help=Text("In all Namespaces.", "在所有 Namespace 中。"))
@cluster_options.cluster
@options.answer
@options.explained
@options.everything
@options.after
@options.saved
@options.settings
@option(
    "--wait",
    section=options.PIPELINES,
    is_flag=True,
    help=Text("Ask again until it is fine or gone, or a cause is known.", "反复询问，直到它恢复正常或消失，或原因已知。"),
)
@option(
    "--timeout",
    section=options.PIPELINES,
    type=Duration(),
    default="10m",
    metavar="D",
    help=Text("With --wait: at most D (10m).", "与 --wait 合用：至多 D（10m）。"),
)
@option(
    "-w",
    "--watch",
    is_flag=True,
    help=Text("Ask again and again until it is fine, or Ctrl-C; prints what changes.", "反复询问，直到恢复正常或按 Ctrl-C；只显示变化。"),
)
@evidence_options.sight
def command(
    *,
    words: tuple[str, ...],
    labels: str | None,
    fields: str | None,
    everywhere: bool,
    place: ClusterOptions,
    output: Output,
    lang: Lang,
    explain: bool,
    everything: bool,
    after: float | None,
    save: str | None,
    wait: bool,
    watch: bool,
    timeout: float,
    sight: EvidenceOptions,
    settings: Settings | None,
) -> int:
    """Answer `unstuck why`."""
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.why import Selection, WhyRequest, why

    asked = WhyRequest(
        which=Selection(words, labels or "", fields or "", everywhere),
        place=place,
        sight=sight,
        shape=OutputOptions(output, lang, explain, everything=everything, paged=not watch),
        after=after,
        save=save,
        timeout=timeout if wait else None,
        settings=settings,
        watch=watch,
    )
    return why(asked)
