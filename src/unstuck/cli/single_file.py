"""`unstuck node --here` as one file for a bare Python: no click, no YAML, nothing but the standard
library. See scripts/zipapp.py.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from unstuck import __version__
from unstuck.api.this_machine import look_at_node
from unstuck.cli import terminal
from unstuck.cli.lang import Lang, language
from unstuck.cli.status import NOT_ASKED, status_of
from unstuck.errors import InputError
from unstuck.facts.codec import Saved, save
from unstuck.facts.duration import parse_duration
from unstuck.facts.text import Messages

say = Messages(__name__)

HELP = """What this node shows, passively, as one file: no cluster, no network. Needs root to see everything.
Give the output of -o json to `unstuck why … --facts FILE`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Look once; the exit status is that of `unstuck node`. argv: without the program's name; None for the
    process' own.
    """
    options = _parser().parse_args(argv)
    try:
        saved = look_at_node(options.root, options.pod, seconds=options.node_timeout)
    except InputError as e:
        line = say("error: {said}", said=e.said)
        sys.stderr.write(f"{line.zh if options.lang == 'zh' else line.en}\n")
        return NOT_ASKED
    if options.output == "json":
        terminal.emit(json.dumps(save(saved, __version__), ensure_ascii=False, indent=2) + "\n")
        return 0
    return _print_answer(saved, options.lang)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "unstuck-node", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--here", action="store_true", help="this machine (always so, where --root is not given)"
    )
    parser.add_argument(
        "--root",
        default="/",
        metavar="PATH",
        help="a mounted host, a recorded tree, what the shell collector printed",
    )
    parser.add_argument("--pod", metavar="UID", help="look closely at this Pod (its metadata.uid)")
    parser.add_argument(
        "--node-timeout",
        type=_seconds,
        metavar="D",
        help="at most D for the look (4.5s); a busy node may need 30s",
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")
    parser.add_argument("--lang", choices=("en", "zh"), default=language(os.environ))
    parser.add_argument("--version", action="version", version=f"unstuck {__version__}")
    return parser


def _seconds(text: str) -> float:
    if (seconds := parse_duration(text)) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration; write 90s, 5m or 1h30m")
    return seconds


def _print_answer(saved: Saved, lang: Lang) -> int:
    """Print the answer from this node alone, and the facts below it."""
    from unstuck.api.replaying import replay_saved
    from unstuck.render.facts import write_facts

    report, colour = replay_saved(saved), terminal.colour()
    text = report.to_text(lang, terminal.width(), colour=colour)
    terminal.emit(text + "\n" + write_facts(saved.snapshot.facts, lang, colour))
    return status_of(report.answer)
