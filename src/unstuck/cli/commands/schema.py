"""`unstuck schema`."""

from __future__ import annotations

from unstuck.cli.bilingual import command_of
from unstuck.facts.text import Text

HELP = Text(
    """The JSON Schema of what -o json and -o yaml print.

\b
  unstuck why pod/x -o json > answer.json
  check-jsonschema --schemafile <(unstuck schema) answer.json
""",
    """-o json 与 -o yaml 输出内容的 JSON Schema。

\b
  unstuck why pod/x -o json > answer.json
  check-jsonschema --schemafile <(unstuck schema) answer.json
""",
)


@command_of("schema", HELP)
def command() -> int:
    """Answer `unstuck schema`."""
    from unstuck.cli.terminal import emit
    from unstuck.render.json import dumped
    from unstuck.render.schema import schema

    emit(dumped(schema()))
    return 0
