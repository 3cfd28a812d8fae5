"""What becomes of each text by its nature, what of it stays, and why: told in the file itself, and in docs/en/redaction.md."""

from __future__ import annotations

from collections.abc import Mapping

from unstuck.collect.redact.natures import Nature
from unstuck.facts.record import Record, record
from unstuck.facts.text import Text


@record()
class RedactionRule(Record):
    """of: what such a text is. stays: what of it is written as it was. why: why that tells nothing of anybody, or what is lost else."""

    of: Text
    stays: Text
    why: Text


RULES: Mapping[Nature, RedactionRule] = {
    "id": RedactionRule(
        Text("uids and ids of containers", "uid 与容器 id"),
        Text("all of it, where it is written as one", "符合其格式时原样保留"),
        Text(
            "made at random by the API server and the runtime; logs and directories are found by it",
            "由 API server 和运行时随机生成；日志和目录按它查找",
        ),
    ),
    "quantity": RedactionRule(
        Text("amounts", "数量"),
        Text("a number with its unit", "数字及其单位"),
        Text("causes calculate with it", "原因据此计算"),
    ),
    "version": RedactionRule(
        Text("versions of software", "软件版本"),
        Text("its numbers, and marks of at most three characters (`el7`)", "其中的数字，以及不超过三个字符的标记（`el7`）"),
        Text("causes depend on it; anybody may run it", "原因取决于它；任何人都可能使用同一版本"),
    ),
    "word": RedactionRule(
        Text("words of Kubernetes, Linux and unstuck, such as a phase or an error", "Kubernetes、Linux 与 unstuck 的用词，例如阶段或错误"),
        Text("the word, where unstuck knows it; else as any text", "unstuck 认识该词时保留；否则按普通文本处理"),
        Text("causes compare it; it is nobody's name", "原因以其比较；它不是任何人的名称"),
    ),
    "where": RedactionRule(
        Text("where an observation was made", "观察的出处"),
        Text("the API's groups and types, numbers of lines", "API 的组与类型、行号"),
        Text("the same everywhere", "到处相同"),
    ),
    "ref": RedactionRule(
        Text("the name of what a fact is about", "事实所涉对象的名称"),
        Text("as of a name, an image or any text, by its kind", "按其类型同名称、镜像或普通文本"),
        Text("see there", "见相应条目"),
    ),
    "name": RedactionRule(
        Text("names of objects and hosts", "对象与主机的名称"),
        Text(
            "names that every cluster has (`kube-system`, `coredns`); an ordinal or random letters at the end (`-0`, `-x7k2p`)",
            "每个集群都有的名称（`kube-system`、`coredns`）；末尾的序号或随机字母（`-0`、`-x7k2p`）",
        ),
        Text("a controller put it there; it shows which Pods are of one owner", "由控制器附加；它表明哪些 Pod 属于同一所有者"),
    ),
    "image": RedactionRule(
        Text("references of images", "镜像引用"),
        Text(
            "hosts of public registries, and of a cloud's all but the customer's label; short numbers in the tag",
            "公共镜像仓库的主机名，云厂商主机名中除客户标签以外的部分；标签中的短数字",
        ),
        Text("causes depend on which registry it is", "原因取决于是哪个镜像仓库"),
    ),
    "output": RedactionRule(
        Text("a container's own words", "容器自己的输出"),
        Text("as of any text, but numbers of at most four digits", "同普通文本，但数字至多四位"),
        Text("anybody's numbers may stand there", "其中可能有任何人的号码"),
    ),
    "opaque": RedactionRule(
        Text("a machine's identifier at its cloud", "机器在云中的标识"),
        Text("nothing", "无"),
        Text("no cause reads it", "没有原因读取它"),
    ),
    "text": RedactionRule(
        Text("anything else: messages, quotes, paths, labels, commands", "其余一切：消息、引文、路径、标签、命令"),
        Text(
            "words that stand in unstuck's own source; numbers of at most eight digits; times; amounts and durations with their unit; "
            "uids and ids of containers that some fact's own field has; loopback addresses and masks; single letters and punctuation",
            "unstuck 自身源码中出现的词；至多八位的数字；时间；带单位的数量与时长；"
            "某个事实自身字段所含的 uid 与容器 id；回环地址与掩码；单个字母和标点",
        ),
        Text("messages keep their sense, and everything that is not known to be harmless goes", "消息保持原意，凡不确知无害者一律去除"),
    ),
}
