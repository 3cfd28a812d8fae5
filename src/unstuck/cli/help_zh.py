"""`--help` in Chinese. The commands hold the English, which is the source; what is said of one option is found by its English words."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import click

from unstuck.render.cells import cells, padded, wrapped

COMMANDS = {
    "": """说明 Kubernetes 中的某个对象为何卡住、依据是什么，以及如何安全地解开。

\b
  unstuck why pod/web-0 -n shop      无法启动或无法删除的 Pod
  unstuck why ns/ci-8842             一直处于 Terminating 的命名空间
  unstuck why                        此命名空间中最严重的问题
  unstuck scan -A                    集群中的所有事件
  kubectl describe pod x | unstuck read -

它不作任何更改；只有在需要询问节点且得到允许时，才会创建一个 NodeProbe 或一个 Pod，并随后删除。
只有在有证据证明时才说“确证”；否则会说明还需查证什么。

\b
退出状态：0 正常或进行中 · 1 卡住，且有确证或很可能的原因
          2 卡住或未知，尚无原因 · 3 无法提出该问题
          70 内部错误 · 130 Ctrl-C
""",
    "why": """一个对象为何卡住，附证据，以及如何安全地解开。

KIND 可为 Pod、Namespace、Node、PVC、PV、Deployment、StatefulSet、DaemonSet、Job，或任何正在删除的对象。
只给出 NAME 时，先在 Pod 中查找，再查工作负载，然后是其余类别。不给出对象时：该命名空间中最严重的问题。
只有节点才知道的内容，先询问那里的代理（若已安装），再用您允许的途径。

\b
  unstuck why pod/web-0 -n shop
  unstuck why web-0                              此名称的 Pod，否则为工作负载
  unstuck why sts pg -n pay --lang zh
  unstuck why pods -l app=web -A                 其中不正常的那些
  unstuck why ns/ci-8842 --wait --timeout 10m    直到它消失，或原因已知
  unstuck why pod/web-0 --here                   在该 Pod 的节点上以 root 运行：带节点证据
  unstuck why pod/web-0 --ssh root@{node}        通过您自己的 ssh 取得节点证据
  unstuck why pod/web-0 --probe                  在节点上用一个短时 Pod 查看
  unstuck why pod/web-0 --facts node.json        带上那里的 `unstuck node --here -o json` 的输出
  unstuck why pod/web-0 --save web-0.json.gz     供 `unstuck replay` 使用

\b
退出状态：0 正常、进行中或已消失 · 1 卡住，且有确证或很可能的原因
          2 卡住或未知，尚无原因 · 3 无法提出该问题
""",
    "scan": """一个命名空间或整个集群中卡住的一切：故障按现象分组，波及最广的在前。

\b
  unstuck scan
  unstuck scan -n shop
  unstuck scan -A --members
  unstuck scan -A --watch
  unstuck scan -A -o html > cluster.html

退出状态与 `why` 相同，针对所找到的全部内容；流水线可用 --fail-on。
""",
    "read": """从文本或诊断包得到同样的回答。`-` 表示标准输入。

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
    "collect": """把 `why` 会用到的内容写成一个文件，供在别处作答：`unstuck read FILE` 给出同样的回答。

不给出对象时：该命名空间；加上 -A 则为整个集群；其中最严重的会仔细查看，包括其节点。
文件只含观察所得：没有 Secret 的值、环境变量或命令行。FILE 只在完整时才出现。

\b
  unstuck collect pod/web-0 -n shop -o web-0.tar.gz
  unstuck collect -n shop -o shop.tar.gz
  unstuck collect -A --redact -o cluster.tar.gz
  unstuck read cluster.tar.gz

退出状态：0 已写入 · 3 无法提出该问题，或无法写入 FILE
""",
    "node": """被动查看节点：进程、挂载、文件标志、kubelet 日志。要看到全部内容需要 root。

\b
  unstuck node --here --pod 9e964fdf-…           此处是什么占住了该 Pod
  unstuck node --here --pod 9e964fdf-… -o json   供别处的 `unstuck why … --facts FILE` 使用
  unstuck node --script | ssh root@node-7 sh -s -- 9e964fdf-… > node-7.txt
  unstuck node --root node-7.txt --pod 9e964fdf-…

不作任何更改；没有 --touch 时，不触碰任何可能挂起的路径。
退出状态与 `why` 相同，仅凭节点的证据；没有可读取的内容时为 3。
""",
    "replay": """根据已保存的快照再次作答：与保存时的字节完全相同，两种语言均可。

\b
  unstuck why pod/web-0 --save web-0.json.gz
  unstuck replay web-0.json.gz
  unstuck replay web-0.json.gz --lang zh -o json

退出状态与 `why` 相同；文件不是快照时为 3。
""",
    "explain": """一个原因的页面：成因、如何判断、已知局限。不给出 CAUSE 时：按类别列出全部原因。

\b
  unstuck explain
  unstuck explain file.immutable --lang zh
  unstuck explain -o json
""",
    "demo": """在真实集群上录制的事件，逐一根据其记录作答。不需要集群，也不需要任何权限。

\b
  unstuck demo
  unstuck demo --list
  unstuck demo file-immutable --lang zh

退出状态为 0；给出 NAME 时为其回答的退出状态。
""",
    "schema": """-o json 与 -o yaml 输出内容的 JSON Schema。

\b
  unstuck why pod/x -o json > answer.json
  check-jsonschema --schemafile <(unstuck schema) answer.json
""",
    "completion": """输出某种 shell 的补全脚本。

\b
  source <(unstuck completion bash)            # 写入 ~/.bashrc
  unstuck completion zsh > ~/.zfunc/_unstuck
  unstuck completion fish > ~/.config/fish/completions/unstuck.fish
""",
}

WORDS = {
    # one line for each command
    "Why one object is stuck; without an object, the worst thing in the Namespace.": (
        "一个对象为何卡住；不给出对象时，为该命名空间中最严重的问题。"
    ),
    "What is stuck in a Namespace or in the whole cluster: incidents first.": "一个命名空间或整个集群中卡住的一切：先列事件。",
    "The same from files or pasted text: kubectl output, events, kubelet lines.": (
        "从文件或粘贴的文本作答：kubectl 输出、events、kubelet 日志行。"
    ),
    "One file of what `why` would use, for `read` elsewhere.": "把 `why` 会用到的内容写成一个文件，供在别处用 `read` 读取。",
    "What this node shows, for an answer that the API cannot give.": "此节点上所见的内容，用于 API 无法给出的回答。",
    "The answer from a saved Snapshot again, in either language.": "根据已保存的快照再次作答，两种语言均可。",
    "The page of a cause: how it happens, how to tell, what is not known.": "一个原因的页面：成因、如何判断、已知局限。",
    "Incidents recorded on a real cluster, answered; needs no cluster.": "在真实集群上录制的事件及其回答；不需要集群。",
    "The JSON Schema of -o json.": "-o json 的 JSON Schema。",
    "Completion for bash, zsh or fish.": "bash、zsh 或 fish 的补全。",
    # options
    "Show the version and exit.": "显示版本并退出。",
    "Show this message and exit.": "显示此帮助并退出。",
    "Language; else as LC_ALL, LC_MESSAGES, LANG say.": "语言；否则由 LC_ALL、LC_MESSAGES、LANG 决定。",
    "text (default), wide (text with more), json, yaml, markdown or html (one page); for pipelines name, junit or github.": (
        "text（默认）、wide（内容更多的 text）、json、yaml、markdown 或 html（单个页面）；用于流水线：name、junit 或 github。"
    ),
    "Name every member of each incident.": "列出每起事件的全部成员。",
    "Exit 1 only for what is stuck, or for proven causes; else 0.": "仅在有对象卡住或原因确证时以 1 退出；否则为 0。",
    "Scan again and again, in place on a terminal, until q or Ctrl-C.": "反复扫描，在终端上原位刷新，直到按 q 或 Ctrl-C。",
    "With --watch: a scan each D (10s).": "与 --watch 合用：每隔 D 扫描一次（10s）。",
    "At most N requests a second.": "每秒至多 N 个请求。",
    "text (default), json or yaml.": "text（默认）、json 或 yaml。",
    "Every sign of every cause, its facts and the judgement.": "每个原因的每个迹象、其事实与判断。",
    "As for kubectl; else KUBECONFIG, ~/.kube/config, or the Pod's own account.": (
        "与 kubectl 相同；否则为 KUBECONFIG、~/.kube/config，或 Pod 自身的服务账号。"
    ),
    "A context of the kubeconfig.": "kubeconfig 中的上下文。",
    "The Namespace; else the context's.": "命名空间；否则为上下文中的命名空间。",
    "Call it stuck after D (30s, 5m) instead of the usual times.": "超过 D（30s、5m）即视为卡住，而不用通常的时限。",
    "Save what was seen (.gz: compressed), for replay.": "保存所见内容（.gz 为压缩），供 replay 使用。",
    "Ask again until it is fine or gone, or a cause is known.": "反复询问，直到它恢复正常或消失，或原因已知。",
    "With --wait: at most D (10m).": "与 --wait 合用：至多 D（10m）。",
    "Look at this machine too: it is the node that the object is on.": "同时查看本机：它就是该对象所在的节点。",
    "With --here: touch the Pod's network and FUSE mounts; a process may wait there until they answer.": (
        "与 --here 合用：触碰该 Pod 的网络挂载与 FUSE 挂载；可能会有一个进程在那里一直等到它们应答。"
    ),
    "Answer without any node's evidence.": "不使用任何节点的证据作答。",
    "With --here: where the node's root is mounted (/).": "与 --here 合用：节点的根目录挂载在何处（/）。",
    "With --here: at most D for each look at it (4.5s); a busy node may need 30s.": (
        "与 --here 合用：每次查看至多 D（4.5s）；繁忙的节点可能需要 30s。"
    ),
    "At most D for the look (4.5s); a busy node may need 30s.": "查看至多 D（4.5s）；繁忙的节点可能需要 30s。",
    "Look at the node as you reach it by ssh; {node} in HOST is the Node's name.": "通过您的 ssh 查看节点；HOST 中的 {node} 代表节点名称。",
    "Make a short-lived Pod on the node to look at it, if nothing else can; deleted afterwards.": (
        "若别无他法，在节点上创建一个短时 Pod 来查看；用后即删。"
    ),
    "The Pod's image: that of the agent (else the installed agent's).": "该 Pod 的镜像：代理的镜像（否则用已安装的代理的镜像）。",
    "The Pod's Namespace (unstuck-system; must be named where that is not there).": (
        "该 Pod 的命名空间（默认 unstuck-system；它不存在时必须指定）。"
    ),
    "As for kubectl: those with these labels, e.g. app=web; Pods, or KIND.": "同 kubectl：具有这些标签的对象，例如 app=web；Pod 或 KIND。",
    "As for kubectl: those with these fields, e.g. spec.nodeName=n1.": "同 kubectl：具有这些字段的对象，例如 spec.nodeName=n1。",
    "In all Namespaces.": "在所有命名空间中。",
    "As for kubectl: another cluster of the kubeconfig than the context's.": "同 kubectl：使用 kubeconfig 中的另一个集群。",
    "As for kubectl: another user of the kubeconfig than the context's.": "同 kubectl：使用 kubeconfig 中的另一个用户。",
    "As for kubectl: the API server's address.": "同 kubectl：API server 的地址。",
    "As for kubectl: ask as this user, to see what it sees.": "同 kubectl：以此用户的身份询问，看它能看到什么。",
    "As for kubectl: with --as, in this group; repeatable.": "同 kubectl：与 --as 合用，属于此组；可重复。",
    "A bearer token, instead of all credentials of the kubeconfig.": "bearer 令牌，取代 kubeconfig 中的全部凭据。",
    "Do not check the server's certificate: insecure.": "不校验服务器证书：不安全。",
    "At most D for one request (15s).": "单个请求至多 D（15s）。",
    "The former name of --try-write.": "--try-write 的旧名。",
    "Where a refused write would decide, try it as the server's dry run (needs the right to patch).": (
        "若某次写入被拒绝与否即可定论，则以试运行（dry run）方式尝试（需要 patch 权限）。"
    ),
    "Ask an image's registry which tags it has: from this machine, without credentials.": (
        "向镜像仓库询问其有哪些标签：从本机发出，不带凭据。"
    ),
    "Also use these saved facts.": "同时使用这些已保存的事实。",
    "The whole cluster.": "整个集群。",
    "Only this one; else everything in the text that is not fine.": "仅此对象；否则为文本中所有不正常的对象。",
    "With --subject: its Namespace.": "与 --subject 合用：其命名空间。",
    "What was read, instead of the answer.": "显示读到的内容，而不作答。",
    "This machine.": "本机。",
    "Print the collector for hosts without Python, and do nothing else.": "输出供没有 Python 的主机使用的收集脚本，此外不做任何事。",
    "Where the node's root is: a mounted host, a recorded tree, what the script gave.": (
        "节点的根目录在何处：挂载的主机、录制的目录树，或脚本的输出。"
    ),
    "Look closely at this Pod (its metadata.uid).": "仔细查看此 Pod（其 metadata.uid）。",
    "Also touch its network and FUSE mounts: a process may wait there until they answer.": (
        "同时触碰其网络挂载与 FUSE 挂载：可能会有一个进程在那里一直等到它们应答。"
    ),
    "The file to write, a tar.gz.": "要写入的文件，为 tar.gz。",
    "Replace names, addresses, images and unknown words; tells what was replaced.": (
        "替换名称、地址、镜像与不认识的词；并说明替换了什么。"
    ),
    "Replace FILE if it exists.": "若 FILE 已存在则替换它。",
    "Only the names of the records.": "仅列出记录的名称。",
}
HEADINGS = {"Options": "选项", "Commands": "命令"}
_FIRST_COLUMN = 30


class _Chinese(click.HelpFormatter):
    """As click lays help out, by the cells that Chinese takes on a terminal."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Its first word alone is English with click."""
        super().write_usage(prog, args, prefix or "用法：")

    def write_heading(self, heading: str) -> None:
        """With the colon of Chinese."""
        self.write(f"{' ' * self.current_indent}{HEADINGS.get(heading, heading)}：\n")

    def write_text(self, text: str) -> None:
        """Paragraphs; one that begins with a backspace, as click has it, stays as it is."""
        indent, parts = " " * self.current_indent, []
        for part in text.strip("\n").split("\n\n"):
            as_is = part.startswith("\b\n")
            lines = part.split("\n")[1:] if as_is else [w for line in part.split("\n") for w in wrapped(line, self.width - len(indent))]
            parts.append("\n".join(f"{indent}{line}".rstrip() for line in lines))
        self.write("\n\n".join(parts) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = _FIRST_COLUMN, col_spacing: int = 2) -> None:
        """Two columns, as click's."""
        told = [(first, WORDS.get(second, second)) for first, second in rows]
        column = min(max(cells(first) for first, _ in told), col_max) + col_spacing
        indent = " " * self.current_indent
        for first, second in told:
            lines = wrapped(second, max(self.width - column - len(indent), 10))
            if cells(first) > column - col_spacing:
                self.write(f"{indent}{first}\n")
            else:
                self.write(f"{indent}{padded(first, column)}{lines.pop(0)}\n")
            self.write("".join(f"{indent}{' ' * column}{line}\n" for line in lines))


def help_in_chinese(ctx: click.Context) -> str:
    """What `--help` prints for the command of this context."""
    formatter = _Chinese(width=ctx.terminal_width, max_width=ctx.max_content_width)
    told = copy.copy(ctx.command)
    name = "" if ctx.parent is None else ctx.command.name or ""
    told.help = COMMANDS.get(name, told.help)
    told.format_help(ctx, formatter)
    return formatter.getvalue().rstrip("\n")
