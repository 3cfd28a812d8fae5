"""Every format has the same content: each step with its host, risk, undo and effect, each tempting action,
each member, the proof.
"""

from __future__ import annotations

import html as html_
import json
import re
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
import yaml

from tests.contract.support import load_all
from tests.contract.test_commands import snapshots
from tests.examples import FEW
from unstuck.diagnosis.answer import Answer, CauseMatch, Diagnosis
from unstuck.diagnosis.text import who
from unstuck.diagnosis.verdict import Step
from unstuck.engine import diagnose, discover, group_incidents
from unstuck.facts.aspects.objects import Phase, Presence
from unstuck.facts.aspects.pod import Containers, Placement
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.render.evidence import shorten_longest_paths, shorten_paths
from unstuck.render.github import write_github
from unstuck.render.html import write_html
from unstuck.render.json import write_json
from unstuck.render.junit import write_junit
from unstuck.render.markdown import write_markdown
from unstuck.render.page import Page
from unstuck.render.scan import Manner, scan
from unstuck.render.scan_selection import list_examined, select_incidents
from unstuck.render.text import write_text
from unstuck.render.words import Lang
from unstuck.render.yaml import write_yaml

# The sampling rate of Snapshots per format; lower for YAML, the slowest one.
EACH, EACH_YAML = (29, 290) if FEW else (1, 37)
QUOTED = 24
LANGS: tuple[Lang, ...] = ("en", "zh")
# The faster reader gives the same result.
YAML = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Their quotes show only the existence or absence of an object, which the answer's own sentence already
# reports.
SILENT = (Containers, Phase, Placement, Presence)


def reports() -> Iterator[tuple[int, Answer]]:
    """Yield answers about single objects."""
    causes, cases = discover(), {loaded.snapshot: loaded for loaded in load_all()}
    for n, (snap, subject) in enumerate(snapshots()):
        if n % EACH == 0:
            case = cases.get(snap)
            yield n, report(snap, case.diagnosis if case else diagnose(subject, snap, causes))


def report(snap: Snapshot, *found: Diagnosis) -> Answer:
    return Answer(snap.now, ("test",), found, group_incidents(found, snap), "0")


def bare(told: str) -> str:
    """Return the text without blanks: lines may be broken anywhere allowed by the language."""
    return "".join(told.split())


def of_junit(told: str) -> str:
    return "\n".join(
        [part for case in ET.fromstring(told).iter() for part in (*case.attrib.values(), case.text or "")]  # noqa: S314 - ours
    )


def of_github(told: str) -> str:
    for line in told.splitlines():
        assert re.fullmatch(r"::(error|warning|notice) title=[^:,]*::[^\n]*", line), line
    return urllib.parse.unquote(told)


def of_html(told: str) -> str:
    return html_.unescape(re.sub(r"<[^>]*>", "", told))


def of_markdown(told: str) -> str:
    """Return the visible text: without escapes of markup, and code spans without their ticks."""
    spans = re.split(r"(?<!`)(`+)(?!`)( ?)([^\n]*?)\2\1(?!`)", told.replace("\\`", "\0"))
    # An escaped mark is text, any other is markup.
    plain = [re.sub(r"\\(.)|\*\*", lambda m: m[1] or "", text).replace("<!-- -->", "") for text in spans[::4]]
    return "".join(text for pair in zip(plain, [*spans[3::4], ""], strict=True) for text in pair).replace(
        "\0", "`"
    )


FORMS: dict[str, Callable[[Answer, Lang], str]] = {
    "html": lambda r, lang: of_html(write_html(r, lang, survey=len(r.diagnoses) > 1)),
    "markdown": lambda r, lang: of_markdown(
        write_markdown(r, lang, members=True, survey=len(r.diagnoses) > 1)
    ),
    "text": lambda r, lang: write_text(r, lang, 100, colour=False, detail="page"),
    "junit": lambda r, lang: of_junit(write_junit(r, lang)),
    "github": lambda r, lang: of_github(write_github(r, lang)),
}


# Every case in every format and both languages: ten minutes on a busy machine.
@pytest.mark.timeout(1800)
def test_each_says_what_to_do_and_what_not(record_property: pytest.RecordProperty) -> None:
    """In both languages of one answer: what is asked of the rules, and the document, are the same in each."""
    looked_at: Counter[Lang] = Counter()
    for n, one in reports():
        (d,) = one.diagnoses
        if d.state.name not in ("stuck", "unknown"):
            continue
        doc = json.loads(write_json(one))
        if n % EACH_YAML == 0:
            assert doc == yaml.load(write_yaml(one), YAML)  # noqa: S506 - a safe loader
        for lang in LANGS:
            told = {name: bare(form(one, lang)) for name, form in FORMS.items()}
            for needle in map(bare, needles(d, Page(lang, 100, one.at))):
                looked_at[lang] += 1
                for name, whole in told.items():
                    assert needle in whole, (n, str(d.subject), lang, name, needle)
            documented(d, doc["diagnoses"][0], lang)
    record_property("looked at", looked_at.total())
    assert all(looked_at[lang] > (100 if FEW else 3000) for lang in LANGS)


def needles(d: Diagnosis, page: Page) -> Iterator[str]:
    """Yield the required parts of one answer, as written in the format."""
    yield d.state.word
    if d.node and d.node.name:
        yield d.node.name
    if not d.causes:
        yield from (name for holder in d.held_by for name in (holder.finalizer, holder.owner))
    for told in [t for t in d.causes if t.consequence_of is None]:
        yield told.id
        yield page.word(told.confidence)
        yield shorten_longest_paths(page.text(told.finding.says))
        yield decisive(told)
        for step in told.finding.help:
            yield from of_step(step, page)
        yield from (
            page.text(a.says) + page.word("colon") + page.text(a.because) for a in told.finding.do_not
        )
    yield from (lead for lead in d.leads)
    yield from (one.command.line for one in d.next)
    open_ = {o.id: o for o in d.undecided}
    if not d.causes:
        yield from (
            page.text(a.says) + page.word("colon") + page.text(a.because)
            for i in d.leads
            if i in open_
            for a in open_[i].do_not
        )


def of_step(step: Step, page: Page) -> Iterator[str]:
    """Yield a step's instruction, host, risk, undo and effect."""
    kind, _, node = step.where.partition(":")
    yield page.text(step.says)
    yield step.command.line
    yield step.undo.line if step.command else ""
    yield page.text(step.verify) if step.verify else ""
    if step.risk != "none":
        yield page.word(step.risk)
    if kind == "node" and step.command:
        yield page.node_prefix(node).rstrip(":： ")


def decisive(told: CauseMatch) -> str:
    """Return the beginning of the first evidence, as far as no format truncates it."""
    quoted = [e for e in told.evidence if e.fact.src.quote and not isinstance(e.fact, SILENT)]
    quotes = (e.fact.src.quote for e in sorted(quoted, key=lambda e: e.weight != "decisive"))
    quote = next(quotes, "")
    return shorten_paths(quote)[:QUOTED] if quote.isprintable() else ""


def documented(d: Diagnosis, doc: dict[str, object], lang: str) -> None:
    """Check that the document has all parts verbatim."""
    assert doc.get("word", "") == d.state.word
    assert [doc.get(key, {}).get("name") for key in ("node", "owner")] == [
        r.name if r else None for r in (d.node, d.owner)
    ]
    assert [(h["finalizer"], h["owner"] or "") for h in doc.get("held_by", ())] == [
        (h.finalizer, h.owner) for h in d.held_by
    ]
    for told, cause in zip(d.causes, doc["causes"], strict=True):
        assert (told.id, told.confidence) == (cause["id"], cause["confidence"])
        for step, written in zip(told.finding.help, cause["help"], strict=True):
            assert written["says"][lang] == getattr(step.says, lang)
            assert (step.where, step.risk, [*step.command.argv], [*step.undo.argv]) == tuple(
                written[key] for key in ("where", "risk", "command", "undo")
            )
            assert (written["verify"] or {"en": None, "zh": None})[lang] == (
                getattr(step.verify, lang) if step.verify else None
            )
        assert [(a.says.en, a.because.en) for a in told.finding.do_not] == [
            (a["says"]["en"], a["because"]["en"]) for a in cause["do_not"]
        ]
        weights = [e.weight for e in told.evidence]
        assert {doc["evidence"][i]["weight"] for i in cause["evidence"]} == set(weights)
        assert all(
            e.fact.src.quote in [doc["evidence"][i]["quote"] for i in cause["evidence"]]
            for e in told.evidence
        )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_names_every_member_of_an_incident(lang: Lang) -> None:
    """Of a scan of the demo's records, one of them with others like it."""
    one = many()
    shown = select_incidents(one)
    assert len(shown.urgent) > 5 and any(len(i.members) > 2 for i in shown.urgent)
    names = {who(Ref(m.kind, None, m.name)) for i in shown.urgent for m in list_examined(i)}
    forms = {**FORMS, "text": lambda r, lang: scan(r, lang, 100, False, Manner(members=True))}
    for name, form in forms.items():
        told = form(one, lang)
        assert not [member for member in names if member.split()[-1] not in told], name
    doc = json.loads(write_json(one, members=True))
    assert {ref.get("name") for i in doc["incidents"] for ref in i["member_refs"]} >= {
        n.split()[-1] for n in names
    }


def many() -> Answer:
    """Return the demo's records as one scan, with one object repeated under further names."""
    found, facts = [], set()
    for snap, subject in snapshots()[:30]:
        d = diagnose(subject, snap, discover())
        if d.state.name == "stuck" and d.subject.name:
            found.append(d)
            facts |= snap.facts
    first = next(d for d in found if d.causes and d.subject.kind == "Pod")
    more = [replaced(first, f"{first.subject.name}-{n}") for n in range(3)]
    return report(Snapshot(facts, found[0].state.since or snap.now), *found, *more)


def replaced(d: Diagnosis, name: str) -> Diagnosis:
    return replace(d, subject=Ref(d.subject.kind, d.subject.within, name, f"uid-{name}"))
