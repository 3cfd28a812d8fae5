"""`unstuck schema`."""

from __future__ import annotations

from unstuck.cli.bilingual_help import bilingual_command, paragraphs, verbatim
from unstuck.facts.text import Messages, same_in_both

say = Messages(__name__)

HELP = paragraphs(
    say("The JSON Schema of what -o json and -o yaml print."),
    verbatim(
        same_in_both("""  unstuck why pod/x -o json > answer.json
  check-jsonschema --schemafile <(unstuck schema) answer.json""")
    ),
)


@bilingual_command("schema", HELP)
def command() -> int:
    """Answer `unstuck schema`."""
    from unstuck.cli.terminal import emit
    from unstuck.render.json import dump
    from unstuck.render.schema import make_schema

    emit(dump(make_schema()))
    return 0
