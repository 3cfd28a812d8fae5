"""The page about the output of `--redact`, from the redaction rules and their fields."""

from __future__ import annotations

from unstuck.collect.redact.natures import NATURES, Nature, declared_names, natures_named
from unstuck.collect.redact.rules import RULES

_HEAD = {
    "en": (
        "# What stays after `--redact`",
        "Every text field of every observation has one of these natures. A field of which none is declared "
        "is hidden, and a value\n"
        "of an unknown type stops the command: no file is written. Numbers, booleans, times and words of a "
        "closed list are no texts and\n"
        "stay.",
        "| nature | fields | what stays | why |",
        "## Which fields",
        "All others are names, images or any text.",
        "Not kept, though some of it looks as if: digests of images; uids and hex words that no fact's own "
        "field has (a request's id, a\n"
        "key). Passwords made of nothing but words of Kubernetes stay where nothing says that they are "
        "passwords. Lists keep\n"
        "their order.",
    ),
    "zh": (
        "# `--redact` 之后保留什么",
        "每条观察的每个文本字段都属于下列性质之一。未声明性质的字段会被隐藏；遇到未知类型的值时命令中止，"
        "不写文件。数字、布尔值、时间和\n"
        "封闭列表中的词不是文本，原样保留。",
        "| 性质 | 字段 | 保留什么 | 原因 |",
        "## 哪些字段",
        "其余字段均为名称、镜像或普通文本。",
        "看似相同但不保留：镜像摘要；没有任何事实自身字段包含的 uid 与十六进制串（请求 id、密钥）。\n"
        "完全由 Kubernetes 用词组成的密码，若无任何迹象表明它是密码，则会保留。列表保持其顺序。",
    ),
}
_LISTED: tuple[Nature, ...] = ("id", "quantity", "version", "word", "where", "output", "opaque")


def make_page(lang: str, note: str) -> str:
    """Return the whole page, in Markdown."""
    title, intro, head, which, others, last = _HEAD[lang]
    fields = {
        nature: [
            f"{kind}.{field}"
            for kind in declared_names()
            for field, one in natures_named(kind).items()
            if one == nature
        ]
        for nature in NATURES
    }
    rows = [
        (
            f"| {getattr(rule.of, lang)} | {len(fields[nature])} | {getattr(rule.stays, lang)} | "
            f"{getattr(rule.why, lang)} |"
        )
        for nature, rule in RULES.items()
    ]
    lists = [
        f"- {getattr(RULES[nature].of, lang)}: {', '.join(f'`{one}`' for one in fields[nature])}"
        for nature in _LISTED
    ]
    return "\n".join(
        [
            note,
            title,
            "",
            intro,
            "",
            head,
            "|---|---|---|---|",
            *rows,
            "",
            last,
            "",
            which,
            "",
            *lists,
            "",
            others,
            "",
        ]
    )
