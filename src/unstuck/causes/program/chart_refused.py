"""Helm cannot render a chart

## How it happens

Helm renders a chart with the given values before it contacts the cluster. It stops if a template uses a value
that is missing or of another type than expected, if the values do not fit the chart's schema, and if a chart
dependency has not been fetched, or if what it downloads as a chart is a web page. The cluster has no part in
it.

## How to tell

`template: CHART/templates/FILE:LINE:COLUMN: … at <.Values.…>: …`, `values don't meet the specifications of
the schema(s)`, `found in Chart.yaml, but missing in charts/ directory: …`, `YAML parse error on
CHART/templates/FILE`, `does not appear to be a gzipped archive; got 'text/html'`.

## Known limits

Its evidence is the message alone: it is never more than likely. They do not show whether the values or the
chart are wrong.

## References

- Helm pkg/engine/engine.go, pkg/chartutil/jsonschema.go, pkg/action/dependency.go; Go text/template exec.go
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_signs_in_text, mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


# pkg/chart/loader/archive.go (ensureArchive).
_ARCHIVE = "gzipped archive"


def _rule(text: Ref, snap: Facts) -> Signs:
    return make_signs_in_text(text, snap, "chart-refused", lambda one: _make_finding(text, one))


def _make_finding(text: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    if c.verb == _ARCHIVE:
        means = say(
            "what Helm downloaded is not a chart but {what}: the address is that of a web page, or a proxy "
            "or a login page answers in its place",
            what=c.reason,
        )
        step = mend(
            say(
                "give the address of the chart's .tgz file, or add its repository (`helm repo add`) and use "
                "REPO/CHART"
            )
        )
        return make_finding(text, one, means, (step,))
    if c.verb:
        means = say("the chart needs {name}, which is not in its charts directory", name=c.name)
        fetch = Step(
            say("fetch what the chart depends on, in the chart's directory"),
            command=command("helm dependency build"),
        )
        return make_finding(text, one, means, (fetch,))
    render = Step(
        say("in the chart's directory, render it with the same values"),
        command=command("helm template . -f values.yaml --debug"),
    )
    if c.path and not c.name:
        means = say(
            "the chart's {path} becomes invalid YAML when it is rendered: {reason}",
            path=c.path,
            reason=c.reason,
        )
        fix = mend(
            say(
                "correct the template so that this line of its output is valid: usually its indentation "
                "(nindent), or missing quotes"
            )
        )
        return make_finding(text, one, means, (render, fix))
    if c.path:
        means = say(
            "the chart cannot be rendered: {path} fails at line {at}: {reason}",
            path=c.path,
            at=c.at,
            reason=c.reason,
        )
        if c.name:
            means += say("; it uses {name} there", name=c.name)
        give = mend(
            say("set that value in the form that the template expects, or use another version of the chart")
        )
        return make_finding(text, one, means, (render, give))
    means = say("the values do not fit the chart's schema: {reason}", reason=c.reason)
    return make_finding(
        text, one, means, (render, mend(say("correct these values as the chart's values.schema.json says")))
    )


CAUSE = Cause(
    id="program.chart-refused",
    title=say("Helm cannot render a chart"),
    subjects=("Text",),
    reads=frozenset({ToldErrors}),
    rule=_rule,
)
