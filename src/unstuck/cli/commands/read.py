"""`unstuck read`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unstuck.cli import options
from unstuck.cli.bilingual import command_of, option
from unstuck.facts.text import Text

if TYPE_CHECKING:
    from unstuck.api.settings import Settings
    from unstuck.cli.answers import Output
    from unstuck.cli.lang import Lang


HELP = Text(
    """The same answers from text or a support bundle. `-`, or nothing, is standard input.

Without a file, on a terminal, it goes on: paste the next output, and the answer is of all of them together; q or Ctrl-D ends. With a
file it ends after the answer; name `-` beside it to paste more (`unstuck read pod.yaml -`).

Text in any mixture: kubectl's JSON, YAML, tables and describe, events, kubelet and runtime logs, dmesg, df, mount, lsattr. A directory,
tar (gz, xz, bz2, zst) or zip is read as what it holds and unpacked nowhere: must-gather, cluster-info dump, sosreport, what
`unstuck collect` wrote, Snapshots within, and others. What a file says is taken as of when it was written, standard input as of now.

\b
  kubectl describe pod web-0 | unstuck read -
  unstuck read pod.yaml events.txt kubelet.log
  unstuck read must-gather.tar.gz sosreport-node-1.tar.xz
  unstuck read paste.txt --show-facts

Exit status as for `why`; 3 where nothing in it can be read.
""",
    """从文本或诊断包得到同样的回答。`-` 或不给出路径表示标准输入。

不给出文件且在终端上时会继续：粘贴下一段输出，即根据全部内容作答；q 或 Ctrl-D 结束。给出文件时作答后即结束；若要再粘贴内容，请在其后加
`-`（`unstuck read pod.yaml -`）。

文本可任意混合：kubectl 的 JSON、YAML、表格与 describe、events、kubelet 与运行时日志、dmesg、df、mount、lsattr。
目录、tar（gz、xz、bz2、zst）与 zip 按其内容直接读取，不解压到任何地方：must-gather、cluster-info dump、sosreport、`unstuck collect`
所写的文件、其中的快照等。文件按其写入时刻解读，标准输入按当前时刻解读。

\b
  kubectl describe pod web-0 | unstuck read -
  unstuck read pod.yaml events.txt kubelet.log
  unstuck read must-gather.tar.gz sosreport-node-1.tar.xz
  unstuck read paste.txt --show-facts

退出状态与 `why` 相同；其中没有可读取的内容时为 3。
""",
)


@command_of("read", HELP)
@click.argument("paths", nargs=-1, metavar="[PATH…|-]", type=click.Path())
@option(
    "--once",
    is_flag=True,
    help=Text("On a terminal: answer the first paste and end.", "在终端上：回答第一段粘贴后即结束。"),
)
@option(
    "--subject",
    metavar="KIND/NAME",
    help=Text("Only this one; else everything in the text that is not fine.", "仅此对象；否则为文本中所有不正常的对象。"),
)
@option("-n", "--namespace", metavar="NS", help=Text("With --subject: its Namespace.", "与 --subject 合用：其 Namespace。"))
@option(
    "--show-facts",
    is_flag=True,
    help=Text(
        "What was read, instead of the answer; with -o json as --save writes it.", "显示读到的内容，而不作答；-o json 与 --save 所写相同。"
    ),
)
@options.answer
@options.explained
@options.everything
@options.after
@options.saved
@options.settings
def command(
    *,
    paths: tuple[str, ...],
    once: bool,
    subject: str | None,
    namespace: str | None,
    show_facts: bool,
    output: Output,
    lang: Lang,
    explain: bool,
    everything: bool,
    after: float | None,
    save: str | None,
    settings: Settings | None,
) -> int:
    """Answer `unstuck read`."""
    if show_facts and output not in ("text", "wide", "json", "yaml"):
        from unstuck.cli.misuse import Misuse

        raise Misuse(Text("--show-facts goes with -o text, json or yaml", "--show-facts 只能与 -o text、json 或 yaml 合用"))
    from unstuck.api.reading import TextQuestion
    from unstuck.cli.answers import OutputOptions
    from unstuck.cli.read import ReadRequest, read

    shape = OutputOptions(output, lang, explain, everything=everything)
    return read(ReadRequest(paths or ("-",), TextQuestion(subject, namespace, after), show_facts, shape, save, settings, once))
