"""A value in a Secret or ConfigMap does not have the required format

## How it happens

`echo token | base64` encodes the newline, too, and an HTTP header or an address takes none; text already in
base64 is encoded once more for `data`, and a certificate is unreadable; quotation marks of a shell or of YAML
become a part of the value.

## How to tell

The program complains of a value's form in its last lines, and the key behind its variable, or behind the file
that the line names, has that very flaw. Only the form of a value is looked at, and no part of it is shown.

## Known limits

Values that a container takes whole (`envFrom`) are not compared with the message. A value in base64 may be
intended: it is reported only if the program complains that it cannot read it.

## References

- Kubernetes documentation "Secrets", data and stringData; RFC 9110 §5.5 (field values)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.causes.program._plain import mend
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.aspects.objects import Keys
from unstuck.facts.aspects.pod import Volumes
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, find_key_object
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex

say = Messages(__name__)

_LINE_END = regex(
    r"invalid header field (?:value|name)|unexpected char 0x0[ad]\b|"
    r"illegal header value|invalid header value|invalid control character|newline|line ?feed|line ?break|"
    r"return character|leading whitespace|trailing (?:space|whitespace|characters?)|%0A|\\n['\"`)]|\\r|"
    r"invalid character ['\"`]\\n|invalid character .{0,10} in (?:host|header)|must not contain .{0,30}"
    r"(?:control|whitespace)",
    re.IGNORECASE,
)
_UNDECODED = regex(
    r"\bPEM\b|no start line|base64|looking for beginning of value|malformed (?:key|certificate)|not a valid "
    r"(?:key|certificate|json)|"
    r"invalid (?:key|certificate|license|credentials?|connection string|url|uri|dsn|token)|unsupported "
    r"(?:scheme|protocol)|"
    r"missing protocol scheme|could not parse|cannot parse|failed to (?:parse|decode|load)|cannot (?:load"
    r"|decode)|ASN\.?1",
    re.IGNORECASE,
)
# Quotation marks within quotation marks, as a program shows a value that has its own.
_QUOTED = regex(r"['\"`]\\?['\"][\w/]")


_UNPARSED = regex(
    r"invalid (?:port|userinfo|host|url|uri|dsn|connection string)|parse .{0,60}://|(?:could not|cannot"
    r"|failed to|unable to) parse|"
    r"ERR_INVALID_URL|bad URI|URISyntax|port could not be cast|first path segment|malformed (?:url|uri)",
    re.IGNORECASE,
)
# The remaining text is an unknown host, or a password that is too short: the message may mean any other
# address as well.
_MISREAD = regex(
    r"translate host name|no such host|getaddrinfo|ENOTFOUND|unknown host|name or service not known|name "
    r"resolution|"
    r"authentication failed|access denied|invalid (?:username|user name|password)|login failed|WRONGPASS",
    re.IGNORECASE,
)
_IN_URL: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "url-#": ("#", "%23"),
        "url-/": ("/", "%2F"),
        "url-?": ("?", "%3F"),
        "url-@": ("@", "%40"),
        "url-%": ("%", "%25"),
        "url-blank": (" ", "%20"),
    }
)


def _match_unparsed(
    pod: Ref, word: ContainerLine, _: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    named = any(
        name in word.line for name in (*(s.key for s in one.values), *(v.name for v in one.variables))
    )
    return (
        _find_url(pod, word, one, snap)
        if _UNPARSED.search(word.line) or (named and _MISREAD.search(word.line))
        else None
    )


def _match_misread(
    pod: Ref, word: ContainerLine, _: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    return _find_url(pod, word, one, snap) if _MISREAD.search(word.line) else None


def _find_url(pod: Ref, word: ContainerLine, one: ContainerSettings, snap: Facts) -> Sign[Misfit] | None:
    if own := next((s for s in one.values if s.shape in _IN_URL), None):
        return Sign(
            True,
            (_find_misfit_of_url(word, pod, f"containers[{one.name}].env[{own.key}]", own.key, own.shape),),
        )
    signs = [_hold_url(word, ref, key, name, snap) for name, ref, key in _read_from(one)]
    found = any_of(signs) if signs else None
    return found if found and (found.value or found.wants) else None


def _hold_url(word: ContainerLine, ref: Ref, key: str, name: str, snap: Facts) -> Sign[Misfit]:
    def broken(f: Keys) -> list[Misfit]:
        return [
            _find_misfit_of_url(word, ref, f"data[{key}]", name, s.shape)
            for s in f.shapes
            if s.key == key and s.shape in _IN_URL
        ]

    return some(snap, Keys, ref, broken)


def _find_misfit_of_url(word: ContainerLine, of: Ref, field: str, variable: str, shape: str) -> Misfit:
    char, escaped = _IN_URL[shape]
    where: Text = say(" ({field} of {object})", field=field, object=who(of)) if of.kind != "Pod" else NO_TEXT
    return Misfit(
        of=of,
        field=field,
        says=say(
            "{who} wrote “{line}”: its variable {name}{where} is a URL whose user or password has “{char}” "
            "as it is, and in a URL that character ends or divides this part",
            who=word.title,
            line=word.quote,
            name=variable,
            where=where,
            char=char,
        ),
        help=(
            mend(
                say(
                    "write {escaped} for {char} in that part of {field}",
                    escaped=escaped,
                    char=char,
                    field=field,
                )
            ),
        ),
        do_not=(
            DoNot(
                say("look for the host that the error names"),
                say("it is a part of the password, cut off at that character"),
            ),
        ),
    )


def _match_form(
    pod: Ref, word: ContainerLine, _: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    for shape, complains in (
        ("newline", _LINE_END),
        ("blanks", _LINE_END),
        ("base64", _UNDECODED),
        ("quoted", _QUOTED),
    ):
        if not complains.search(word.line):
            continue
        in_file = _find_file(pod, word, snap) if shape == "base64" else None
        # A value may be unreadable for many reasons: the line has to name the variable.
        read = [v for v in _read_from(one) if shape != "base64" or _is_named(v, word.line)]
        signs = [
            _hold_form(word, ref, key, shape, name, snap)
            for name, ref, key in ([in_file] if in_file else read)
        ]
        found = any_of(signs) if signs else None
        if found and (found.value or found.wants):
            return found
    return None


def _is_named(value: tuple[str, Ref, str], line: str) -> bool:
    variable, _, key = value
    return any(name.lower() in line.lower() for name in (variable, key) if name)


def _read_from(one: ContainerSettings) -> list[tuple[str, Ref, str]]:
    return [(v.name, v.object, v.key) for v in one.variables]


def _find_file(pod: Ref, word: ContainerLine, snap: Facts) -> tuple[str, Ref, str] | None:
    """Return the key behind a file that the line names, in a volume of a whole Secret or ConfigMap."""
    spec = find_container_spec(pod, word.container, snap)
    volumes = {v.name: v for f in snap.of(Volumes, pod) for v in f.items}
    for at, name in spec.mounts if spec else ():
        volume, place = volumes.get(name), word.line.find(at)
        ref = find_key_object(pod, volume) if volume else None
        if ref is None or place < 0:
            continue
        rest = re.match(r"/?([\w.-]+)", word.line[place + len(at) :])
        key = rest[1] if rest else ""
        if key and is_at_or_below(f"{at}/{key}", at):
            return "", ref, key
    return None


def _hold_form(
    word: ContainerLine, ref: Ref, key: str, shape: str, variable: str, snap: Facts
) -> Sign[Misfit]:
    return some(
        snap,
        Keys,
        ref,
        lambda f: [
            _find_misformed(word, ref, key, shape, variable)
            for s in f.shapes
            if s.key == key and s.shape == shape
        ],
    )


def _find_misformed(word: ContainerLine, ref: Ref, key: str, shape: str, variable: str) -> Misfit:
    what: dict[str, Text] = {
        "newline": say("ends with a newline"),
        "blanks": say("begins or ends with blanks"),
        "base64": say("is base64 of the value that is meant: it was encoded twice"),
        "quoted": say("holds the quotation marks around it as part of it"),
    }
    right: dict[str, Text] = {
        "newline": say(
            "replace {key} of {object} by the value without the newline at its end (printf, or echo -n)",
            key=key,
            object=who(ref),
        ),
        "blanks": say("replace {key} of {object} by the value without the blanks", key=key, object=who(ref)),
        "base64": say(
            (
                "replace {key} of {object} with the value encoded once: `data` takes base64, `stringData` "
                "and --from-file the plain value"
            ),
            key=key,
            object=who(ref),
        ),
        "quoted": say(
            "replace {key} of {object} by the value without the quotation marks", key=key, object=who(ref)
        ),
    }
    use = say(", which is its variable {name},", name=variable) if variable else NO_TEXT
    again = (
        say(
            "; its variables are read when it starts: restart the rollout",
        )
        if variable
        else NO_TEXT
    )
    return Misfit(
        of=ref,
        field=f"data[{key}]",
        says=say(
            "{who} wrote “{line}”: key {key} of {object}{use} {flaw}",
            who=word.title,
            line=word.quote,
            key=key,
            object=who(ref),
            use=use,
            flaw=what[shape],
        ),
        help=(mend(right[shape] + again),),
    )


PAIRS = (
    Pair(
        "a value that it is given has not the form that its place takes",
        "well-formed",
        ("Pod",),
        make_words_check(_match_form),
        READS | {Keys, Volumes},
    ),
    Pair(
        "a character in a URL's password is not escaped",
        "well-formed",
        ("Pod",),
        make_words_check(_match_unparsed),
        READS | {Keys},
    ),
    Pair(
        "a URL that it is given is cut off where it is read",
        "well-formed",
        ("Pod",),
        make_words_check(_match_misread),
        READS | {Keys},
        proves=False,
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.value-malformed",
    title=say("a value in a Secret or ConfigMap does not have the required format"),
    subjects=("Pod",),
    stages=STAGES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
