"""Helm's errors about a chart before and during an installation: templates, schemas, dependencies, hooks."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

_ENGINE = Seen("Helm", "2–4", "pkg/engine/engine.go, pkg/chartutil/jsonschema.go, pkg/action/dependency.go")
_HOOKS = Seen("Helm", "2–4", "pkg/action/hooks.go, pkg/kube/client.go")
_HOOK = r"(?:pre|post)-(?:install|upgrade|rollback|delete)"
_UNPARSED = r"(?:error converting YAML to JSON: )?(?P<reason_{0}>yaml: \S.{{1,300}})"
_JOB = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "chart-refused",
        words(
            r"\btemplate: (?P<path>[\w./-]{3,300}):(?P<at>\d{1,6}):\d{1,6}: executing \"[^\"]{1,300}\" at <(?P<name>[^<>]{1,300})>: (?P<reason>\S.{1,400})"
            r"|\bvalues don't meet the specifications of the schema\(s\) in the following chart\(s\): ?(?P<reason_2>\S.{1,400})"
            r"|found in (?:Chart|requirements)\.yaml, but (?P<verb>missing) in charts/ directory: (?P<name_2>[\w./, -]{1,300})"
            r"|file '(?P<path_5>/[^']{1,300})' does not appear to be a (?P<verb_2>gzipped archive); got '(?P<reason_5>[\w/;=. -]{1,80})'"
            # The result of a template is no YAML: the line is that of the rendered file.
            rf"|\bYAML parse error on (?P<path_2>[\w./-]{{3,300}}): {_UNPARSED.format(3)}"
            rf"|(?<![\w/.-])(?P<path_3>(?:[\w.-]{{1,80}}/){{0,6}}templates/[\w./-]{{1,200}}): unable to parse YAML:?\s{{1,12}}{_UNPARSED.format(4)}"
        ),
        (
            *("executing ", "values don't meet the specifications", "missing in charts/ directory"),
            *("YAML parse error on ", "unable to parse YAML", "gzipped archive"),
        ),
        (_ENGINE, Seen("Go", "1.0–1.25", "src/text/template/exec.go")),
        (
            Example(
                'Error: template: shop/templates/web.yaml:7:3: executing "shop/templates/web.yaml" at <.Values.a.b>: nil pointer evaluating interface {}.b',
                "chart-refused at=7 name=.Values.a.b path=shop/templates/web.yaml reason=nil pointer evaluating interface {}.b",
            ),
            Example(
                "Error: file '/root/.cache/helm/repository/web' does not appear to be a gzipped archive; got 'text/html; charset=utf-8'",
                "chart-refused path=/root/.cache/helm/repository/web reason=text/html; charset=utf-8 verb=gzipped archive",
            ),
            Example(
                "Error: values don't meet the specifications of the schema(s) in the following chart(s): web: - replicas: Invalid type.",
                "chart-refused reason=web: - replicas: Invalid type.",
            ),
            Example(
                "Error: YAML parse error on shop/templates/web.yaml: error converting YAML to JSON: yaml: line 9: did not find expected key",
                "chart-refused path=shop/templates/web.yaml reason=yaml: line 9: did not find expected key",
            ),
            Example(
                "[ERROR] templates/job.yaml: unable to parse YAML: error converting YAML to JSON: yaml: line 4: mapping values are not allowed",
                "chart-refused path=templates/job.yaml reason=yaml: line 4: mapping values are not allowed",
            ),
        ),
    ),
    LastWord(
        "hook-failed",
        words(
            rf"(?:failed (?P<verb>{_HOOK})|(?P<verb_2>{_HOOK}) hooks? failed): (?:warning: Hook \S{{1,40}} \S{{1,300}} failed: )?"
            rf"(?:1 error occurred: ?\*? ?)?(?P<reason>(?:job(?: (?P<name>{_JOB}))? failed: \w{{3,60}})|timed out waiting for the condition|context deadline exceeded)"
        ),
        ("failed pre-", "failed post-", " failed: "),
        (_HOOKS,),
        (
            Example(
                "Error: UPGRADE FAILED: pre-upgrade hooks failed: job shop-migrate failed: BackoffLimitExceeded",
                "hook-failed name=shop-migrate reason=job shop-migrate failed: BackoffLimitExceeded verb=pre-upgrade",
            ),
            Example(
                "Error: failed post-install: timed out waiting for the condition",
                "hook-failed reason=timed out waiting for the condition verb=post-install",
            ),
        ),
        own=True,
    ),
)
