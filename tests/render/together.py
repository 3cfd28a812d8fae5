"""All recorded incidents as one scan."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import unstuck.demo
from unstuck import api
from unstuck.diagnosis.answer import Answer, Diagnosis, Incident
from unstuck.engine.incidents import rank

RECORDS = sorted(Path(unstuck.demo.__path__[0]).glob("*.json.gz"))


@cache
def merge() -> Answer:
    """Merge the records as if recorded at one time in one cluster."""
    diagnoses: list[Diagnosis] = []
    incidents: list[Incident] = []
    reports = [api.replay(path) for path in RECORDS]
    for one in reports:
        incidents += [replace(i, representative=i.representative + len(diagnoses)) for i in one.incidents]
        diagnoses += one.diagnoses
    return Answer(
        max(r.at for r in reports), ("live:lab",), tuple(diagnoses), rank(incidents, diagnoses), "0"
    )
