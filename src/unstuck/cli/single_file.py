"""`unstuck node --here` as one file for a bare Python: no click, no YAML, nothing but the standard library. See scripts/zipapp.py."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unstuck import __version__
from unstuck.cli import terminal
from unstuck.cli.status import NOT_ASKED, status_of
from unstuck.collect.node import NodeCollector
from unstuck.facts.codec import Saved, save
from unstuck.facts.core import Ref, Refused
from unstuck.facts.text import Messages, Text

say = Messages(__name__)

HELP = """What this node shows, passively, as one file: no cluster, no network. Needs root to see everything.
Give the output of -o json to `unstuck why … --facts FILE`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one look; the exit status is that of `unstuck node`. argv: without the program's name, else the process' own."""
    asked = _parser().parse_args(argv)
    reader = NodeCollector(Path(asked.root))
    snap = reader.snapshot(asked.pod)
    if not any(not isinstance(f, Refused) for f in snap.facts):
        said = say("nothing of node {node} could be read; run it as root", node=reader.node)
        return _error(said, asked.lang)
    if reader.is_node is False:
        said = say("no kubelet and no kubelet's directory below {root}; run it on the node, as root", root=asked.root)
        return _error(said, asked.lang)
    subject = snap.canon(Ref("Pod", uid=asked.pod) if asked.pod else Ref("Node", None, reader.node))
    saved = Saved(snap, subject)
    if asked.output == "json":
        terminal.emit(json.dumps(save(saved, __version__), ensure_ascii=False, indent=2) + "\n")
        return 0
    return _text(saved, subject, asked)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("unstuck-node", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--here", action="store_true", help="this machine (always so, where --root is not given)")
    parser.add_argument("--root", default="/", metavar="PATH", help="a mounted host, a recorded tree, what the shell collector printed")
    parser.add_argument("--pod", metavar="UID", help="look closely at this Pod (its metadata.uid)")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")
    parser.add_argument("--lang", choices=("en", "zh"), default=_language())
    parser.add_argument("--version", action="version", version=f"unstuck {__version__}")
    return parser


def _language() -> str:
    said = next((v for k in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(k))), "")
    return "zh" if said.startswith("zh") else "en"


def _text(saved: Saved, subject: Ref, asked: Any) -> int:
    """Return the answer from this node alone, and the facts below it."""
    from unstuck.diagnosis.answer import Answer
    from unstuck.engine import diagnose, discover
    from unstuck.render.facts import facts_text
    from unstuck.render.text import text

    snap = saved.snapshot
    report = Answer(snap.now, snap.sources, (diagnose(subject, snap, discover()),), (), __version__)
    colour = terminal.colour()
    terminal.emit(text(report, asked.lang, terminal.width(), colour) + "\n" + facts_text(snap.facts, asked.lang, colour))
    return status_of(report)


def _error(said: Text, lang: str) -> int:
    line = say("error: {said}", said=said)
    sys.stderr.write(f"{line.zh if lang == 'zh' else line.en}\n")
    return NOT_ASKED
