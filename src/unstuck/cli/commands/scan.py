"""`unstuck scan`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from unstuck.cli import cluster_options, options
from unstuck.cli.bilingual import command_of, option
from unstuck.cli.lang import Duration, Lang
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.api.settings import Settings
    from unstuck.cli.answers import Output
    from unstuck.cli.connecting import ClusterOptions
    from unstuck.cli.scan import FailOn


HELP = Text(
    """What is stuck in a Namespace or in the whole cluster: incidents by symptom, the widest first.

\b
  unstuck scan
  unstuck scan -n shop
  unstuck scan -A --members
  unstuck scan -A --watch
  unstuck scan -A -o html > cluster.html

Exit status as for `why`, over everything that was found; for pipelines --fail-on.
""",
    """一个 Namespace 或整个集群中卡住的一切：故障按现象分组，波及最广的在前。

\b
  unstuck scan
  unstuck scan -n shop
  unstuck scan -A --members
  unstuck scan -A --watch
  unstuck scan -A -o html > cluster.html

退出状态与 `why` 相同，针对所找到的全部内容；流水线可用 --fail-on。
""",
)


@command_of("scan", HELP)
@option("-A", "--all-namespaces", "everywhere", is_flag=True, help=Text("The whole cluster.", "整个集群。"))
@cluster_options.cluster
@options.answer
@option("-m", "--members", is_flag=True, help=Text("Name every member of each incident.", "列出每起故障的全部成员。"))
@option(
    "--held",
    is_flag=True,
    help=Text(
        "List what somebody has stopped on purpose: scaled to 0, suspended, cordoned.", "列出有人有意停住的对象：缩容到 0、挂起、封锁。"
    ),
)
@option(
    "--fail-on",
    section=options.PIPELINES,
    type=click.Choice(["stuck", "proven", "never"]),
    help=Text("Exit 1 only for what is stuck, or for proven causes; else 0.", "仅在有对象卡住或原因已证实时以 1 退出；否则为 0。"),
)
@option(
    "-w",
    "--watch",
    is_flag=True,
    help=Text("Scan again and again, in place on a terminal, until q or Ctrl-C.", "反复扫描，在终端上原位刷新，直到按 q 或 Ctrl-C。"),
)
@option(
    "--every",
    type=Duration(),
    default="10s",
    metavar="D",
    help=Text("With --watch: a scan each D (10s).", "与 --watch 合用：每隔 D 扫描一次（10s）。"),
)
@option(
    "--qps",
    section=options.PIPELINES,
    type=click.FloatRange(1, 10_000),
    metavar="N",
    help=Text("At most N requests a second.", "每秒至多 N 个请求。"),
)
@options.explained
@options.after
@options.saved
@options.settings
def command(
    *,
    everywhere: bool,
    place: ClusterOptions,
    output: Output,
    lang: Lang,
    members: bool,
    held: bool,
    fail_on: FailOn | None,
    watch: bool,
    every: float,
    qps: float | None,
    explain: bool,
    after: float | None,
    save: str | None,
    settings: Settings | None,
) -> int:
    """Answer `unstuck scan`."""
    if everywhere and place.namespace:
        raise Misuse(Text("-A and -n exclude each other", "-A 与 -n 互相排斥"))
    if every <= 0:
        raise Misuse(Text("--every needs a time above 0s", "--every 必须大于 0s"))
    # NaN, which is in every range.
    if qps is not None and math.isnan(qps):
        raise Misuse(Text("--qps needs a number", "--qps 应为数字"))
    from unstuck.api.cluster import connect

    cluster = connect(place.context, kubeconfig=place.kubeconfig, namespace=place.namespace, qps=qps, overrides=place.overrides)
    begun = cluster.begin_scan(everywhere=everywhere, after=after)
    # All that prints is imported while the server is at work.
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.scan import ScanRequest, scan

    return scan(
        cluster,
        begun,
        ScanRequest(
            OutputOptions(output, lang, explain, members, paged=not watch), after, save, fail_on, every if watch else None, settings, held
        ),
    )
