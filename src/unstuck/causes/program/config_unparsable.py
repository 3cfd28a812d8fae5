"""The program ends because its configuration cannot be parsed

## How it happens

The program reads its configuration and does not understand it: a wrong indentation or a missing quote in
YAML, an extra comma in JSON, a directive that this version does not know, an unfilled placeholder, or a
Windows line ending.

## How to tell

The run ended with an error and was not ended from outside, and its last lines have the parser's message,
usually with the line and the file.

## Known limits

The file itself is never read: it stays likely. The line is where the parser noticed, which may be below the
mistake.

## References

- gopkg.in/yaml; encoding/json; nginx ngx_conf_file.c; Redis src/config.c
"""

from __future__ import annotations

from unstuck.causes.program._plain import look_at_mounts, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, same_in_both
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

# ingress-nginx internal/ingress/controller (NewNginxCommand, testTemplate): it tests its configuration
# in a temporary file.
_GENERATED = regex(
    r"\[emerg\] (?:\d{1,9}#\d{1,9}: )?(?P<why>\S.{0,300}) in /tmp/(?:nginx/)?nginx-cfg\d{1,20}:\d{1,7}"
)
_UNKNOWN = regex(r"\bfield ([\w.-]{1,80}) not found in type ")
_UPSTREAM = regex(r"^invalid port in upstream \"[^\"]{1,253}:(?P<port>[^\":]{1,63})\"")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("config-unparsable",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    path, at = one.complaint.path, one.complaint.at
    if path and (said := _GENERATED.search(one.complaint.line)):
        return _make_generated_finding(pod, one, said["why"])
    where = same_in_both(f" {path}") if path else NO_TEXT
    line = say(", line {at}", at=at) if at else NO_TEXT
    means = (
        say("its configuration cannot be parsed:") + where + line
        if path or at
        else say("its configuration cannot be parsed")
    )
    fields = unique((*_UNKNOWN.findall(one.complaint.line), *filter(None, (one.complaint.name,))))
    if len(fields) > 1:
        means += say("; it does not know these fields: {fields}", fields=", ".join(fields))
    elif fields:
        means += say("; it does not know the field {field}", field=fields[0])
    step = mend(
        say("take these fields out, or move them to the section that has them, in the file's source")
        if fields
        else say("correct the file at its source, such as the mounted ConfigMap")
    )
    return make_finding(pod, one, means, (look_at_mounts(pod), step))


def _make_generated_finding(pod: Ref, one: ProgramMessage, why: str) -> Finding:
    """Return the finding of a file that an ingress controller writes from its objects, and nginx refuses."""
    means = say(
        "nginx refuses the configuration that its controller writes from the Ingresses: {why}", why=why
    )
    if port := _UPSTREAM.search(why):
        means += say(
            ": the backend port {port} is not a number: usually it is the name of a Service port",
            port=port["port"],
        )
    look = Step(
        say(
            "see which Ingress has this in its backend, host, path or annotations; the controller's "
            "ConfigMap has the rest"
        ),
        command=command("kubectl get ingress -A -o yaml"),
    )
    step = mend(
        say(
            "correct that Ingress, usually the newest one: until then nginx keeps its previous "
            "configuration, and no change of any Ingress takes effect"
        )
    )
    return make_finding(pod, one, means, (look, step))


CAUSE = Cause(
    id="program.config-unparsable",
    title=say("the program ends because its configuration cannot be parsed"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
