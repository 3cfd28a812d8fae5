"""`unstuck schema`."""

from __future__ import annotations

import click


@click.command("schema")
def command() -> int:
    """The JSON Schema of what -o json and -o yaml print.

    \b
      unstuck why pod/x -o json > answer.json
      check-jsonschema --schemafile <(unstuck schema) answer.json
    """
    from unstuck.cli.terminal import emit
    from unstuck.render.json import dumped
    from unstuck.render.schema import schema

    emit(dumped(schema()))
    return 0
