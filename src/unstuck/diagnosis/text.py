"""A text that a person reads, in both languages."""

from __future__ import annotations

from datetime import timedelta

from unstuck.facts.core import Ref
from unstuck.facts.text import NO_TEXT, Messages, Text, joined, listed, paired, same_in_both

__all__ = ["NO_TEXT", "Messages", "Text", "called", "joined", "lasting", "listed", "paired", "same_in_both", "who"]


def who(ref: Ref) -> str:
    """Return `Pod default/ed-immut`, `Node lab-1`: how an object is called in a sentence."""
    name = ref.name or ref.uid or ref.block
    if name is None:
        return f"{ref.kind} {ref.within}" if ref.within else ref.kind
    return f"{ref.kind} {ref.within}/{name}" if ref.within else f"{ref.kind} {name}"


def called(ref: Ref) -> Text:
    """Name it as `who` does; where nothing names it, by where it was read."""
    if ref.name or ref.uid:
        return Text(who(ref), who(ref))
    if ref.block is None:
        return Text(f"unnamed {ref.kind}", f"未写明名称的 {ref.kind}")
    file, _, lines = ref.block.rpartition(":")
    where = one_or_span(lines)
    en = f"lines {where}" if "-" in where else f"line {where}"
    return Text(f"unnamed {ref.kind} ({file}, {en})", f"未写明名称的 {ref.kind}（{file} 第 {where} 行）")


def one_or_span(lines: str) -> str:
    """Return `3-7`, and `3` for `3-3`."""
    first, _, last = lines.partition("-")
    return lines if last not in ("", first) else first


def lasting(span: timedelta) -> Text:
    """Return `12 min`, `3 h 20 min`, `5 d`, in both languages."""
    seconds = max(0, int(span.total_seconds()))
    if seconds < 120:
        return Text(f"{seconds} s", f"{seconds} 秒")
    minutes = seconds // 60
    if minutes < 120:
        return Text(f"{minutes} min", f"{minutes} 分钟")
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return Text(f"{hours} h {rest} min" if rest else f"{hours} h", f"{hours} 小时 {rest} 分钟" if rest else f"{hours} 小时")
    return Text(f"{hours // 24} d", f"{hours // 24} 天")
