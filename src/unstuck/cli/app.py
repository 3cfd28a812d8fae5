"""The group of commands. A command's module is imported only when it runs: `unstuck --help` must cost next to nothing."""

from __future__ import annotations

import importlib

import click

from unstuck import __version__
from unstuck.cli.bilingual import VERSION_OPTION, Bilingual, Option, in_language
from unstuck.facts.text import Text

COMMANDS = {
    "why": Text(
        "Why one object is stuck; without an object, the worst thing in the Namespace.",
        "一个对象为何卡住；不给出对象时，为该 Namespace 中最严重的问题。",
    ),
    "scan": Text(
        "What is stuck in a Namespace or in the whole cluster: incidents first.", "一个 Namespace 或整个集群中卡住的一切：先列事件。"
    ),
    "read": Text(
        "The same from files or pasted text: kubectl output, events, kubelet lines.",
        "从文件或粘贴的文本作答：kubectl 输出、events、kubelet 日志行。",
    ),
    "collect": Text(
        "One file of what `why` would use, for `read` elsewhere.", "把 `why` 会用到的内容写成一个文件，供在别处用 `read` 读取。"
    ),
    "node": Text("What this node shows, for an answer that the API cannot give.", "此节点上所见的内容，用于 API 无法给出的回答。"),
    "replay": Text("The answer from a saved Snapshot again, in either language.", "根据已保存的快照再次作答，两种语言均可。"),
    "verify": Text(
        "A proof judged again: which fact, taken away, would end it; needs no cluster.",
        "重新判断一份证明：缺少哪一个事实就不再成立；不需要集群。",
    ),
    "explain": Text("The page of a cause: how it happens, how to tell, what is not known.", "一个原因的页面：成因、如何判断、已知局限。"),
    "demo": Text("Incidents recorded on a real cluster, answered; needs no cluster.", "在真实集群上录制的事件及其回答；不需要集群。"),
    "schema": Text("The JSON Schema of -o json.", "-o json 的 JSON Schema。"),
    "version": Text("The version, and the server's where it can be reached.", "版本；若能连接，还有服务器的版本。"),
    "completion": Text("Completion for bash, zsh or fish.", "bash、zsh 或 fish 的补全。"),
}

HELP = Text(
    """Says why something in Kubernetes is stuck, how it knows, and what safely gets it unstuck.

\b
  unstuck why pod/web-0 -n shop      a Pod that does not start or is not deleted
  unstuck why ns/ci-8842             a Namespace that stays Terminating
  unstuck why                        the worst thing in this Namespace
  unstuck scan -A                    every incident in the cluster
  kubectl describe pod x | unstuck read -

It changes nothing; only to ask a node, and only if allowed, it creates a NodeProbe or a Pod, and deletes it.
`proven` is said only with proof; otherwise it says what would decide.

\b
Exit status: 0 fine, progressing, held · 1 stuck, a cause is proven or likely
             2 stuck or unknown, no cause yet · 3 usage error, not found, or no access
             70 internal error · 130 Ctrl-C
""",
    """说明 Kubernetes 中的某个对象为何卡住、依据是什么，以及如何安全地解开。

\b
  unstuck why pod/web-0 -n shop      无法启动或无法删除的 Pod
  unstuck why ns/ci-8842             一直处于 Terminating 的 Namespace
  unstuck why                        此 Namespace 中最严重的问题
  unstuck scan -A                    集群中的所有事件
  kubectl describe pod x | unstuck read -

它不作任何更改；只有在需要询问节点且得到允许时，才会创建一个 NodeProbe 或一个 Pod，并随后删除。
只有在有证据证明时才说“已证实”；否则会说明还需查证什么。

\b
退出状态：0 正常、进行中或有意停住 · 1 卡住，且有已证实或很可能的原因
          2 卡住或未知，尚无原因 · 3 用法错误、找不到对象或无权访问
          70 内部错误 · 130 Ctrl-C
""",
)


class Lazy(Bilingual, click.Group):
    """A group whose commands are known by name and one line; the rest comes when one is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order in which a person needs them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name, None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"unstuck.cli.commands.{cmd_name}").command
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; raise Misuse with the nearest or the probably meant one where it is unknown."""
        if args and args[0] not in COMMANDS:
            from unstuck.cli.misuse import Misuse

            raise Misuse(_unknown(args[0]), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line each, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, in_language(line, ctx)) for name, line in COMMANDS.items()])


def _unknown(word: str) -> Text:
    from difflib import get_close_matches

    from unstuck.diagnosis import given
    from unstuck.diagnosis.command import command

    if "/" in word and not word.startswith("-"):
        kind, _, name = word.partition("/")
        ask = command("unstuck why {object}", object=given.obj(kind, name)).line or "unstuck why KIND/NAME"
        return Text(f"no such command: {word}; to ask about it: {ask}", f"没有命令 {word}；要询问该对象，请用 {ask}")
    if near := get_close_matches(word, COMMANDS, 1):
        return Text(f"no such command: {word}; did you mean {near[0]}?", f"没有命令 {word}，最接近的是 {near[0]}")
    known = ", ".join(COMMANDS)
    return Text(f"no such command: {word}; there are {known}", f"没有命令 {word}；现有 {known}")


@click.group(
    cls=Lazy,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.version_option(__version__, message="unstuck %(version)s", cls=Option, help=VERSION_OPTION)
@click.pass_context
def app(ctx: click.Context) -> None:
    """Print the help where no command is given."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
