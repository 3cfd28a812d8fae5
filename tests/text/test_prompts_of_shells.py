"""Lines that only look like a host's prompt, or like rows of a tool."""

from __future__ import annotations

import pytest

from tests.text.support import pick, read_facts
from unstuck.collect.text.cutting.split import parse_command
from unstuck.facts.aspects.pasted import Pasted


@pytest.mark.parametrize("prompt", ["bash-4.4$", "sh-5.1#", "dash-0.5$"])
def test_the_name_of_a_shell_is_no_host(prompt: str) -> None:
    found = parse_command(f"{prompt} df -h")
    assert found is not None and found.host is None


def test_the_line_below_the_heads_of_a_table_is_no_row_of_attributes() -> None:
    table = "CLAIM           POD\n--------------- --------------------------\norders          orders-0\n"
    assert {type(f) for f in read_facts(table)} <= {Pasted} and not pick(read_facts(table), Pasted)
