"""Random choices from a seed, with small domains only, so that repeated draws often coincide."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")
Json = dict[str, Any]


class Draw:
    """A random generator: the same seed draws the same case on any machine and Python."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - cases are to be the same each time

    def chance(self, percent: float) -> bool:
        return self._random.random() * 100 < percent

    def pick(self, choices: Sequence[T]) -> T:
        return choices[int(self._random.random() * len(choices))]

    def number(self, low: int, high: int) -> int:
        return low + int(self._random.random() * (high - low + 1))

    def some(self, choices: Sequence[T], low: int = 0, high: int | None = None) -> list[T]:
        """Draw between `low` and `high` items, in order."""
        wanted = self.number(low, min(len(choices), len(choices) if high is None else high))
        keyed = sorted(range(len(choices)), key=lambda _: self._random.random())[:wanted]
        return [choices[i] for i in sorted(keyed)]

    def weighted(self, choices: Mapping[T, float]) -> T:
        at = self._random.random() * sum(choices.values())
        for choice, weight in choices.items():
            at -= weight
            if at < 0:
                return choice
        return next(iter(choices))


def put(target: Json, **fields: Any) -> Json:
    """Add the values other than None: an API object omits unset fields."""
    target.update({key: value for key, value in fields.items() if value is not None})
    return target
