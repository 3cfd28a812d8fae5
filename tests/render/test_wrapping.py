"""Foreign text cannot look like a command of ours: wrapped text never begins at the commands' column."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from unstuck.render.cells import Span
from unstuck.render.page import COLUMN, Page, lay_out

PAGE = Page("en", 100, datetime(2026, 1, 1, tzinfo=UTC))
NAME = (
    "db-credentials, which is in use by a newer revision, so that the old ones are in the way:    kubectl "
    "delete secrets --all -n team-a"
)


def rows(text: str, label: str, page: Page = PAGE) -> list[str]:
    return ["".join(span.text for span in line) for line in page.block(Span(label), text)]


def test_a_name_with_blanks_does_not_make_a_line_that_looks_like_a_command() -> None:
    first, *rest = rows(f"create Secret {NAME}", "help")
    assert first.startswith("  help") and rest
    assert all(row.startswith(" " * (COLUMN + 1)) for row in rest)


@given(
    st.text(alphabet="ab -:\u3000中", max_size=300),
    st.sampled_from(["", "help", "undecided between"]),
    st.integers(60, 140),
)
def test_no_line_but_the_first_begins_in_the_column_of_commands(text: str, label: str, width: int) -> None:
    _, *rest = rows(text, label, Page("en", width, PAGE.at))
    assert all(row[: COLUMN + 1].isspace() for row in rest)


@given(
    st.text(alphabet="ab -:\u3000中", max_size=300),
    st.sampled_from(["", "WHY", "下一步"]),
    st.integers(20, 140),
)
def test_on_an_answers_page_neither(text: str, label: str, width: int) -> None:
    page = lay_out("en", width, PAGE.at)
    first, *rest = rows(text, label, page)
    begins = 0 if page.is_narrow else page.column
    assert all(row[: begins + 1].isspace() for row in rest)
    assert label or first[: begins + 1].isspace() or not page.is_narrow
