"""Pages in a real browser: no horizontal overflow, no errors, each step shows its host, its risk and its
undo.

In headless Chromium, over its own protocol on two pipes
(https://chromedevtools.github.io/devtools-protocol/).
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.test_commands import snapshots
from tests.contract.test_formats import many, of_step, report
from unstuck.diagnosis.answer import Answer
from unstuck.engine import diagnose, discover
from unstuck.render.html import write_html
from unstuck.render.page import Page
from unstuck.render.words import Lang

CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian's package chromium)"),
]
PATIENCE = 60
# A phone and a screen.
WIDTHS = (360, 1280)
EACH = 120


class Browser:
    """One Chromium with one page. errors: its logged errors since the page was opened."""

    def __init__(self, profile: Path) -> None:
        commands, self._out = os.pipe()
        self._in, replies = os.pipe()
        argv = (
            f"exec {CHROMIUM} --headless --no-sandbox --disable-gpu --user-data-dir={profile} "
            "--remote-debugging-pipe about:blank"
        )
        # The protocol's pipes are the descriptors 3 and 4.
        joined = f"{argv} 3<&{commands} 4>&{replies} {commands}<&- {replies}>&-"
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(["bash", "-c", joined], pass_fds=(commands, replies), **quiet)
        os.close(commands)
        os.close(replies)
        self._ids, self._left, self.errors = itertools.count(1), b"", list[str]()
        self._session: str | None = None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self(f"{domain}.enable")

    def __call__(self, method: str, **given: Any) -> dict[str, Any]:
        """Send a command and return its result; errors reported meanwhile are kept."""
        number = next(self._ids)
        said = {
            "id": number,
            "method": method,
            "params": given,
            **({"sessionId": self._session} if self._session else {}),
        }
        os.write(self._out, json.dumps(said).encode() + b"\0")
        return self._until(lambda told: told.get("id") == number)["result"]

    def show(self, page: Path, width: int, scheme: str) -> None:
        """Open a page at this width, in light or dark."""
        self("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.errors.clear()
        self("Page.navigate", url=page.as_uri())
        until = time.monotonic() + PATIENCE
        there = f'location.href === {json.dumps(page.as_uri())} && document.readyState === "complete"'
        while not self.value(there):
            assert time.monotonic() < until, "the page is not loaded"
            time.sleep(0.02)

    def value(self, expression: str) -> Any:
        """Return the value of an expression on the page; the page's own policy forbids scripts, but not
        this.
        """
        return self("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def close(self) -> None:
        """End Chromium."""
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)

    def _until(self, wanted: Any) -> dict[str, Any]:
        while True:
            told = self._told()
            if told.get("method") == "Runtime.exceptionThrown" or (
                told.get("method") == "Log.entryAdded" and told["params"]["entry"]["level"] == "error"
            ):
                self.errors.append(json.dumps(told["params"]))
            if "error" in told:
                raise AssertionError(told["error"])
            if wanted(told):
                return told

    def _told(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            more = os.read(self._in, 1 << 20)
            assert more, "the browser ended"
            self._left += more
        first, _, self._left = self._left.partition(b"\0")
        return json.loads(first)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


def answers() -> list[Answer]:
    """Return answers about single objects of all sorts, and a scan."""
    single = (report(snap, diagnose(subject, snap, discover())) for snap, subject in snapshots()[::EACH])
    return [many(), *(one for one in single if one.diagnoses[0].state.name in ("stuck", "unknown"))]


ANSWERS = answers() if CHROMIUM else []
# Elements that overflow to the right, except a command scrolled within its own box.
TOO_WIDE = """[...document.querySelectorAll("body *")].filter(e => {
  for (let up = e; up; up = up.parentElement)
    if (["auto", "scroll", "hidden"].includes(getComputedStyle(up).overflowX) && up !== document.documentElement) return false;
  return e.getBoundingClientRect().right > document.documentElement.clientWidth + 1;
}).map(e => e.className + ": " + e.textContent.slice(0, 60))"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_page_fits_says_each_step_and_runs_nothing(
    browser: Browser, tmp_path: Path, lang: Lang, scheme: str, width: int
) -> None:
    for n, one in enumerate(ANSWERS):
        page = tmp_path / f"{n}.html"
        page.write_text(write_html(one, lang, survey=len(one.diagnoses) > 1), "utf-8")
        browser.show(page, width, scheme)
        assert browser.value("document.documentElement.scrollWidth") <= width, (n, browser.value(TOO_WIDE))
        assert browser.value(TOO_WIDE) == [], n
        assert browser.errors == [], n
        shown = "".join(browser.value("document.body.innerText").split())
        if len(one.diagnoses) == 1:
            for needle in steps(one, lang):
                assert "".join(needle.split()) in shown, (n, needle)


def steps(one: Answer, lang: Lang) -> Iterator[str]:
    """Yield the visible parts of each step: instruction, host, risk, undo and effect."""
    for told in (t for t in one.diagnoses[0].causes if t.consequence_of is None):
        for step in told.finding.help:
            yield from of_step(step, Page(lang, 100, one.at))


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_dark_is_dark_and_light_is_light(browser: Browser, tmp_path: Path, lang: Lang) -> None:
    page = tmp_path / "page.html"
    page.write_text(write_html(ANSWERS[0], lang), "utf-8")
    brightness = {}
    for scheme in ("light", "dark"):
        browser.show(page, WIDTHS[1], scheme)
        ground, ink = (
            browser.value(f"getComputedStyle(document.body).{of}") for of in ("backgroundColor", "color")
        )
        brightness[scheme] = [
            sum(int(part) for part in colour[colour.index("(") + 1 : -1].split(",")[:3])
            for colour in (ground, ink)
        ]
    assert brightness["light"][0] > brightness["light"][1] + 300
    assert brightness["dark"][1] > brightness["dark"][0] + 300


def test_what_is_wrong_with_a_page_is_seen(browser: Browser, tmp_path: Path) -> None:
    """The looks above could fail."""
    page = tmp_path / "page.html"
    policy = '<meta http-equiv="Content-Security-Policy" content="script-src \'none\'">'
    page.write_text(f'<!doctype html>{policy}<p style="min-width:999px">x</p><script>1</script>', "utf-8")
    browser.show(page, WIDTHS[0], "light")
    assert browser.value(TOO_WIDE) == [": x"]
    assert "Content Security Policy" in "".join(browser.errors)
