"""A text that a person reads, in both languages."""

from __future__ import annotations

from datetime import timedelta

from unstuck.facts.text import Text

__all__ = ["Text", "lasting"]


def lasting(span: timedelta) -> Text:
    """`12 min`, `3 h 20 min`, `5 d`, in both languages."""
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
