"""A scan as a page: foreign text is never markup, in either format or language."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from tests.render.support import make_snapshot
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Answer
from unstuck.engine import diagnose, discover, list_causes
from unstuck.engine.batch import diagnose_together, group_alike
from unstuck.engine.incidents import group_incidents
from unstuck.engine.omissions import describe_omissions, find_unanswered
from unstuck.facts.aspects.alike import Alike, Other, Unread
from unstuck.facts.aspects.objects import Owners, Phase, Presence
from unstuck.facts.aspects.pod import (
    Containers,
    ContainerSpec,
    ContainerStatus,
    ContainerStatuses,
    Placement,
    Termination,
)
from unstuck.facts.core import Fact, Ref, Refused, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.render.github import write_github
from unstuck.render.html import write_html
from unstuck.render.json import make_document, write_json
from unstuck.render.junit import write_junit
from unstuck.render.markdown import escape_markdown, quote_code, write_markdown
from unstuck.render.names import count_nameless, names
from unstuck.render.scan import Manner, scan
from unstuck.render.text import write_text as as_text
from unstuck.render.visible import is_hidden
from unstuck.render.words import Lang

EVIL = "<script>alert(1)</script>![x](javascript:x)\x1b[31m`|"
SRC = Source("/api/v1/namespaces/shop/pods/web", EVIL)


def crashed(name: str, *, others: int = 0) -> list[Fact]:
    pod = Ref("Pod", "shop", name, f"uid-{name}")
    ended = Termination(code=3, reason="Error")
    status = ContainerStatus(EVIL, "main", "waiting", "CrashLoopBackOff", EVIL, last=ended, restarts=9)
    more = tuple(Other(Ref("Pod", "shop", f"{name}-{i}")) for i in range(others))
    facts: list[Fact] = [
        Presence(about=pod, src=SRC, exists=True),
        Phase(about=pod, src=SRC, phase="Running"),
        Placement(about=pod, src=SRC, node=Ref("Node", None, "n-1")),
        Owners(about=pod, src=SRC, refs=(), controller=Ref("ReplicaSet", "shop", "web-7d9f8b6c5d", "rs")),
        Containers(about=pod, src=SRC, items=(ContainerSpec(EVIL, "main", "x"),)),
        ContainerStatuses(about=pod, src=SRC, items=(status,)),
    ]
    return [*facts, Alike(about=pod, src=SRC, others=more, whole=False)] if others else facts


def page() -> Answer:
    snap = make_snapshot(*crashed("web", others=4))
    found = tuple(diagnose_together([Ref("Pod", "shop", "web")], snap, list_causes()))
    return Answer(snap.now, snap.sources, found, group_incidents(found, snap), "0")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        # A row of the table leads to its section, and nowhere else.
        inner = {value for name, value in attrs if name == "href" and re.fullmatch(r"#i\d+", value or "")}
        self.loads += [
            name
            for name, value in attrs
            if name in ("src", "href", "onclick", "onerror", "action") and value not in inner
        ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_page_is_one_file_that_loads_nothing_and_runs_nothing(lang: Lang) -> None:
    text = write_html(page(), lang)
    tags = Tags()
    tags.feed(text)
    assert "script" not in tags.seen and tags.loads == [] and "img" not in tags.seen
    assert "\x1b" not in text and "&lt;script&gt;" in text
    assert tags.seen.count("section") >= 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_markdown_takes_nothing_for_markup(lang: Lang) -> None:
    whole = write_markdown(page(), lang)
    # The content of a code span is never markup.
    text = re.sub(r"(`+) ?[^\n]*? ?(?<!`)\1(?!`)", "", whole)
    assert "\x1b" not in whole and "![x](" not in text.replace("\\", "\0") and "<script>" not in text
    assert "## 1 · shop/pod/web" in text and (" 4 " in text or "+4 " in text)


# None of these may take effect: markup of either format, a terminal's escapes, bidirectional controls, line
# ends.
HOSTILE = (
    "a|b<script>alert(1)</script>&amp;[x](javascript:x)`*_\x1b[2J\x1b]0;t\x07\x9b31m\r\u202e\u2066\n# h\x00"
)


PARTS = frozenset(
    (
        *(
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "section",
            "details",
            "summary",
            "h1",
            "h2",
            "p",
            "span",
            "div",
            "ul",
            "li",
        ),
        *("code", "dl", "dt", "dd", "table", "thead", "tbody", "tr", "th", "td", "a"),
    )
)


def hostile() -> Answer:
    """Return a report with a name, a Namespace, a Node, members, a refusal and a kind that no API server
    accepts, and some that one may send.
    """
    pod, lost = Ref("Pod", HOSTILE, HOSTILE, "u1"), Ref("Pod", HOSTILE, f"z{HOSTILE}", "u2")
    src = Source(HOSTILE, HOSTILE)
    status = ContainerStatus(
        HOSTILE,
        "main",
        "waiting",
        "CrashLoopBackOff",
        HOSTILE,
        last=Termination(code=3, reason=HOSTILE),
        restarts=9,
    )
    odd = ContainerStatus(HOSTILE, "main", "waiting", HOSTILE, HOSTILE)
    facts: list[Fact] = [
        Presence(about=pod, src=src, exists=True),
        Phase(about=pod, src=src, phase="Running"),
        Placement(about=pod, src=src, node=Ref("Node", None, HOSTILE)),
        Owners(about=pod, src=src, refs=(), controller=Ref("ReplicaSet", HOSTILE, HOSTILE, "rs")),
        ContainerStatuses(about=pod, src=src, items=(status,)),
        Alike(about=pod, src=src, others=(Other(Ref("Pod", HOSTILE, f"b{HOSTILE}"), HOSTILE),), whole=False),
        Presence(about=lost, src=src, exists=True),
        Phase(about=lost, src=src, phase="Pending"),
        ContainerStatuses(about=lost, src=src, items=(odd,)),
        Refused(about=Ref(f"{HOSTILE}List", HOSTILE), src=src, want="Names", why="denied", detail=HOSTILE),
        Unread(about=Ref(f"{HOSTILE}List", HOSTILE), src=src, count=3),
    ]
    snap = make_snapshot(*facts)
    found = tuple(diagnose_together([pod, lost], snap, list_causes()))
    return Answer(
        snap.now,
        (HOSTILE,),
        found,
        group_incidents(found, snap),
        "0",
        find_unanswered(snap),
        describe_omissions(snap),
    )


@pytest.mark.parametrize("members", [False, True])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_hostile_name_acts_in_any_form(lang: Lang, members: bool) -> None:
    report = hostile()
    assert report.incidents and report.not_seen and report.left_out
    page_, text = write_html(report, lang, members=members), write_markdown(report, lang, members=members)
    told = scan(report, lang, 120, False, Manner(members=members))
    # Each of the three contains every part of the report, without control characters or misleading ones.
    tests, commands = write_junit(report, lang), write_github(report, lang)
    for whole in (page_, text, told, write_json(report, members=members), tests, commands):
        assert whole.count("script") >= 6
        assert not [c for c in whole if is_hidden(c) and c != "\n"]
    cases = ET.fromstring(tests)  # noqa: S314 - ours
    assert {part.tag for part in cases.iter()} <= {
        "testsuites",
        "testsuite",
        "testcase",
        "failure",
        "error",
        "skipped",
    }
    # A value may contain anything except its terminators: a workflow command begins at the line's start, a
    # property ends at `,` and `::`.
    assert all(
        re.fullmatch(r"::(error|warning|notice) title=[^:,\n]*::[^\n]*", line)
        for line in commands.splitlines()
    )
    assert (names(report), count_nameless(report)) == ("", 2 + len(report.incidents[0].alike))
    tags = Tags()
    tags.feed(page_)
    assert set(tags.seen) <= PARTS
    assert tags.loads == []
    # Outside of code, each potential markup character is escaped, and no line begins with a heading from a
    # name.
    bare = re.sub(r"(`+) ?[^\n]*? ?(?<!`)\1(?!`)", "", re.sub(r"\\.", "", text))
    # Rows of the table have the bars between its columns, and no further one.
    table = re.findall(r"^\|.*\|$", bare, re.M)
    assert len(table) >= 3 and {row.count("|") for row in table} == {6}
    bare = re.sub(r"^\|.*\|$", lambda row: row[0].replace("|", ""), bare, flags=re.M)
    assert not re.findall(r"[<>|\[\]`_]", bare)
    assert not [row for row in text.splitlines() if row.startswith("# h")]


def test_a_code_span_holds_whatever_it_holds() -> None:
    assert quote_code("a`b``c") == "```a`b``c```"
    assert quote_code("`x") == "`` `x ``"
    assert escape_markdown("*a*\n_b_") == "\\*a\\* \\_b\\_"


def test_members_are_those_that_were_read_and_those_like_them() -> None:
    (one,) = page().incidents
    assert [m.name for m in one.members] == ["web", "web-0", "web-1", "web-2", "web-3"]
    assert one.reach == (("Pod", 5),)


@pytest.mark.parametrize(
    ("lang", "counted", "heading"),
    [("en", "(+4 alike)", "look alike, not read"), ("zh", "4 个相似", "看似相同，未读取")],
)
def test_what_only_looks_alike_is_not_among_what_was_read(lang: Lang, counted: str, heading: str) -> None:
    report = page()
    assert [m.name for m in report.incidents[0].alike] == ["web-0", "web-1", "web-2", "web-3"]
    for text in (
        scan(report, lang, 120, False, Manner(members=True)),
        plainly(write_markdown(report, lang, members=True)),
        write_html(report, lang, members=True),
    ):
        read, _, alike = text.partition(heading)
        assert counted in read and "shop/web" in read and "shop/web-0" not in read and "shop/web-3" in alike
    (incident,) = make_document(report, members=True)["incidents"]
    assert (incident["members"], incident["alike"], len(incident["alike_refs"])) == (5, 4, 4)
    assert "Pod 5" not in scan(report, lang, 120, False)


def plainly(text: str) -> str:
    return text.replace("\\", "")


def test_what_looks_the_same_is_one_group_and_another_exit_code_is_not() -> None:
    snap = make_snapshot(*crashed("a"), *crashed("b"))
    assert [
        [r.name for r in g] for g in group_alike([Ref("Pod", "shop", "a"), Ref("Pod", "shop", "b")], snap)
    ] == [["a", "b"]]


@pytest.mark.parametrize(
    "said", ["@org/team", "see https://evil.example/x", "WWW.evil.example", "mail a@b.example", "ftp://x"]
)
def test_markdown_pings_nobody_and_links_nowhere(said: str) -> None:
    text = escape_markdown(said)
    assert (
        not re.search(r"@\w|://|(?i:www)\.", text) and text.replace("<!-- -->", "").replace("\\", "") == said
    )


def test_a_span_of_code_keeps_every_blank_of_a_word() -> None:
    assert quote_code("umount '/a  b'") == "`umount '/a  b'`"


def test_what_is_run_on_a_node_that_nothing_names_is_run_where_the_text_came_from() -> None:
    line = (
        'E1121 03:00:01.000000    1234 kubelet.go:2855] "Container runtime network not ready" '
        'networkReady="NetworkReady=false '
        "reason:NetworkPluginNotReady message:docker: network plugin is not ready: cni config "
        'uninitialized"\n'
    )
    now = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
    snap = Snapshot(read_text(line, "kubelet.log", now).facts, now)
    (node,) = snap.subjects("Node")
    found = Answer(now, ("file:kubelet.log",), (diagnose(node, snap, discover()),))
    for told in (
        as_text(found, "en", 100, False),
        write_html(found, "en", survey=False),
        write_markdown(found, "en", survey=False),
    ):
        assert "on the node that this came from" in told
