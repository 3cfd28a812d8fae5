"""Why a question was not answered, in Chinese where the words are this tool's own; a server's or a kernel's stay as they came."""

from __future__ import annotations

import re

from unstuck.render.words import Lang

_OWN = tuple(
    (re.compile(en), zh)
    for en, zh in (
        (r"no answer within the deadline", r"在期限内没有应答"),
        (r"no answer within (\S+) s", r"\1 秒内没有应答"),
        (r"only the first (\d+) were looked at", r"只查看了前 \1 个"),
        (r"not looked at, after (\d+) types", r"未查看：类型超过 \1 种"),
        (r"GET (\S+): more than (\d+ MiB)", r"GET \1：超过 \2"),
        (r"GET (\S+): more than (\d+ MiB) once it is decoded", r"GET \1：解码后超过 \2"),
        (r"GET (\S+): more than (\d+ MiB) with what else is held", r"GET \1：连同已持有的其他应答超过 \2"),
        (r"the server's answer is no list", r"服务器的应答不是列表"),
        (r"the answer does not unpack", r"应答无法解压"),
        (r"does not tell its types", r"没有列出其资源类型"),
        (r"the logs of its owners may not be read", r"无权读取其所有者的日志"),
        (r"the logs of the control plane may not be read", r"无权读取控制面的日志"),
    )
)


def detail_in(detail: str, lang: Lang) -> str:
    """Return the detail of a `Refused` in this language, as far as it is known in it."""
    if lang == "zh":
        for pattern, zh in _OWN:
            if found := pattern.fullmatch(detail):
                return found.expand(zh)
    return detail
