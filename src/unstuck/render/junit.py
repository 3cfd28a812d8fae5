"""The report as JUnit XML, for a pipeline with a test view: a test case for each object, with its whole
answer as the failure.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.text import told_apart
from unstuck.facts.core import Ref
from unstuck.render.page import Page
from unstuck.render.scan_selection import name_hold
from unstuck.render.troubles import answer_text, list_members, list_troubles, list_unseen
from unstuck.render.visible import visible
from unstuck.render.words import Lang

WIDTH = 100
# Test outcomes by state; other states are intended, so they are skipped. A healthy or held object with a
# cause counts as failed.
_OUTCOMES = {"fine": "", "progressing": "", "stuck": "failure", "unknown": "error"}


def write_junit(report: Answer, lang: Lang, title: str = "unstuck") -> str:
    """Return one suite. A stuck object is a failure, an undecided or unseen object an error, an unasked
    question skipped.
    """
    page = Page(lang, WIDTH, report.at, printed=True)
    seen = {
        "timestamp": report.at.strftime("%Y-%m-%dT%H:%M:%S"),
        "hostname": visible(", ".join(report.sources)),
    }
    suite = ET.Element("testsuite", name=title, attrib=seen)
    suite.extend(_render_cases(report, page))
    counts = {"tests": str(len(suite)), **{f"{name}s": _count(suite, name) for name in ("failure", "error")}}
    counts["skipped"] = _count(suite, "skipped")
    suite.attrib.update(counts, time="0")
    suites = ET.Element("testsuites", name=title, attrib=counts)
    suites.append(suite)
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _count(suite: ET.Element, outcome: str) -> str:
    return str(sum(case.find(outcome) is not None for case in suite))


def _render_cases(report: Answer, page: Page) -> Iterator[ET.Element]:
    told = {t.diagnosis.subject: t for t in list_troubles(report)}
    for d in report.diagnoses:
        trouble = told.get(d.subject)
        yield _case(
            d.subject,
            _outcome(d, answer_text(d, page) + (list_members(trouble, page) if trouble else ""), page),
        )
    for trouble in told.values():
        for ref in trouble.alike:
            said = f"{page.word('alike')}{page.word('colon')}{visible(told_apart(trouble.diagnosis.subject))}"
            yield _case(
                ref, _outcome(trouble.diagnosis, f"{said}\n\n{answer_text(trouble.diagnosis, page)}", page)
            )
    for ref in report.held:
        yield _case(
            ref,
            ET.Element("skipped", message=f"{page.word('held')}{page.word('colon')}{name_hold(ref, page)}"),
        )
    for text in list_unseen(report, page):
        yield _case_element(page.word("unseen"), text, _part("error", page.word("unseen"), "not-seen", text))
    for left in report.left_out:
        yield _case_element(
            page.word("left_out"), page.text(left), ET.Element("skipped", message=page.text(left))
        )


def _case(ref: Ref, outcome: ET.Element | None) -> ET.Element:
    """Return a test case; a namespaced object has its Namespace as the class: most viewers group by it."""
    return _case_element(
        visible(ref.within or ref.kind),
        visible(told_apart(Ref(ref.kind, None, ref.name, ref.uid, ref.block))),
        outcome,
    )


def _case_element(classname: str, name: str, outcome: ET.Element | None) -> ET.Element:
    case = ET.Element("testcase", classname=classname, name=name, time="0")
    if outcome is not None:
        case.append(outcome)
    return case


def _outcome(d: Diagnosis, text: str, page: Page) -> ET.Element | None:
    name, headline = _OUTCOMES.get(d.state.name, "skipped"), page.text(d.state.headline)
    if d.state.name in ("fine", "held") and d.broken:
        name = "failure"
    if name == "skipped":
        return ET.Element("skipped", message=headline)
    if not name:
        return None
    root = next((t for t in d.causes if t.consequence_of is None), None)
    said = f"{headline}{page.word('semicolon')}{page.text(root.finding.says)}" if root else headline
    return _part(name, said, root.id if root else "undecided", text)


def _part(name: str, message: str, kind: str, text: str) -> ET.Element:
    part = ET.Element(name, message=message, type=kind)
    part.text = f"\n{text.rstrip()}\n"
    return part
