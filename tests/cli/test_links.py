"""The ids of causes are links to their pages in coloured output."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.cli.test_process import call
from unstuck.cli.lang import Lang
from unstuck.cli.links import add_links
from unstuck.cli.terminal import strip_colours

LINK = re.compile(r"\x1b\]8;;(?P<to>[^\x1b]*)\x1b\\(?P<shown>[^\x1b]*)\x1b\]8;;\x1b\\")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_id_leads_to_the_page_of_that_language_on_this_machine(
    lang: Lang, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    (found,) = LINK.finditer(add_links("WHY  proven  file.immutable", lang))
    target = urlsplit(found["to"])
    assert target.scheme == "file" and target.netloc and found["shown"] == "file.immutable"
    page = Path(unquote(target.path))
    assert page.name == "file.immutable.md" and page.is_file() and f"/{lang}/" in str(page)


@pytest.mark.parametrize(
    "text", ["web.shop.svc.cluster.local", "/etc/file.immutable", "no.such-cause", "file.immutable.d", "x=y"]
)
def test_what_is_no_id_of_a_cause_is_no_link(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    assert add_links(text, "en") == text


def test_the_kernels_own_console_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    assert add_links("file.immutable", "en") == "file.immutable"


@pytest.mark.slow
def test_links_come_with_colours_alone_and_change_nothing_that_is_read() -> None:
    plain = call("demo", "file-immutable", "--color=never").stdout
    linked = call("demo", "file-immutable", "--color=always", env={"TERM": "xterm"}).stdout
    assert "\x1b" not in plain and LINK.search(linked)
    assert strip_colours(linked) == plain
