"""The program ends because its configuration cannot be parsed

## How it happens

The program reads its configuration and does not understand it: a wrong indentation or a missing quote in YAML, a comma too many in JSON,
a directive that this version does not know, a placeholder that nobody filled in, or a Windows line ending.

## How to tell

The run ended with an error, nobody ended it, and its last lines say so in the words of the parser, mostly with the line and the file.

## Known limits

The file itself is never read: it stays likely. The line is where the parser noticed, which may be below the mistake.

## References

- gopkg.in/yaml; encoding/json; nginx ngx_conf_file.c; Redis src/config.c
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_mounts, mend, plain
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import NO_TEXT, Messages, same_in_both
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return plain(pod, snap, ("config-unparsable",), lambda one: _finding(pod, one))


def _finding(pod: Ref, one: ProgramMessage) -> Finding:
    path, at = one.complaint.path, one.complaint.at
    where = same_in_both(f" {path}") if path else NO_TEXT
    line = say(", line {at}", at=at) if at else NO_TEXT
    means = say("its configuration cannot be parsed:") + where + line if path or at else say("its configuration cannot be parsed")
    if one.complaint.name:
        means += say("; it knows no field {field}", field=one.complaint.name)
    step = mend(say("correct the file in its source, such as the ConfigMap that is mounted there"))
    return finding(pod, one, means, (look_at_mounts(pod), step))


CAUSE = Cause(
    id="program.config-unparsable",
    title=say("the program ends because its configuration cannot be parsed"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    reads=READS,
    rule=_rule,
)
