"""`unstuck collect`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import cluster_options, complete, evidence_options, options
from unstuck.cli.bilingual import command_of, option
from unstuck.cli.misuse import Misuse
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.cli.connecting import ClusterOptions, EvidenceOptions
    from unstuck.cli.lang import Lang


HELP = Text(
    """One file of what `why` would use, for an answer elsewhere: `unstuck read FILE` gives the same one.

Without an object: the Namespace, or with -A the cluster; the worst is looked at closely, nodes included.
It holds observations: no Secret's value, no environment, no command line. FILE appears only when it is whole.

\b
  unstuck collect pod/web-0 -n shop -o web-0.tar.gz
  unstuck collect -n shop -o shop.tar.gz
  unstuck collect -A --redact -o cluster.tar.gz
  unstuck read cluster.tar.gz

Exit status: 0 written · 3 usage error, no access or FILE not written
""",
    """把 `why` 会用到的内容写成一个文件，供在别处作答：`unstuck read FILE` 给出同样的回答。

不给出对象时：该 Namespace；加上 -A 则为整个集群；其中最严重的会仔细查看，包括其节点。
文件只含观察所得：没有 Secret 的值、环境变量或命令行。FILE 只在完整时才出现。

\b
  unstuck collect pod/web-0 -n shop -o web-0.tar.gz
  unstuck collect -n shop -o shop.tar.gz
  unstuck collect -A --redact -o cluster.tar.gz
  unstuck read cluster.tar.gz

退出状态：0 已写入 · 3 用法错误、无权访问，或无法写入 FILE
""",
)


@command_of("collect", HELP)
@click.argument("subject", nargs=-1, metavar="[KIND/NAME | KIND NAME]", shell_complete=complete.objects)
@option(
    "-o",
    "--output",
    "file",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help=Text("The file to write, a tar.gz.", "要写入的文件，为 tar.gz。"),
)
@option("-A", "--all-namespaces", "everywhere", is_flag=True, help=Text("The whole cluster.", "整个集群。"))
@option(
    "--redact",
    is_flag=True,
    help=Text(
        "Replace names, addresses, images and unknown words; tells what was replaced.",
        "替换名称、地址、镜像与不认识的词；并说明替换了什么。",
    ),
)
@option("--overwrite", is_flag=True, help=Text("Replace FILE if it exists.", "若 FILE 已存在则替换它。"))
@cluster_options.cluster
@options.lang
@options.after
@evidence_options.sight
def command(
    *,
    subject: tuple[str, ...],
    file: str,
    everywhere: bool,
    redact: bool,
    overwrite: bool,
    place: ClusterOptions,
    lang: Lang,
    after: float | None,
    sight: EvidenceOptions,
) -> int:
    """Answer `unstuck collect`."""
    from unstuck.cli.collect import CollectRequest, collect

    if everywhere and (place.namespace or subject):
        raise Misuse(Text("-A goes with neither -n nor an object", "-A 不能与 -n 或对象同时使用"))
    return collect(CollectRequest(subject, everywhere, file, place, sight, lang, after, redact, overwrite))
