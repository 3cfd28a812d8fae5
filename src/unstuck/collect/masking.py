"""Masks likely secrets in a foreign line before the line is kept. Always in time linear in the line."""

from __future__ import annotations

import re

from unstuck.facts.regex import regex

# Possessive quantifiers and starts at a word's beginning only: a line of `auth` five hundred times over must
# not take a minute. The quote in front of a value may be escaped, as in JSON inside a string.
_NAME = regex(r"(?<![\w.-])(?P<name>[\w.-]++)(?:\\?[\"'])?\s*+[=:]\s*+(?P<quote>(?:\\?[\"'])?)")
_SECRET = regex(
    r"passw|passphrase|(?:^|[_.-])pass$|requirepass|pwd|secret|token|credential|auth|cookie|signature"
    r"|(?:api|access|account|private|shared|signing|encryption|master|session|license|licence)[_-]?key",
    re.IGNORECASE,
)
# Words about a failure do not name a value: `AuthorizationFailed: The client`, `UnauthorizedOperation: You`.
_ERROR_CODE = regex(
    r"(?:[A-Z]\w{1,40}\.){0,6}[A-Z][A-Za-z]{2,60}?(?:Failed|Operation|Denied|Exception|Error)"
)
# The name of an object that refers to a secret: `triggerAuthRef.Name`.
_REFERENCE = regex(r"[\w.-]*?Ref(?:erence)?\.[Nn]ame")
# Shells' messages about a variable without a value (bash, busybox), Erlang's names of errors, Go's about a
# program that was to be run, and MySQL's `using password: NO`: no secrets.
_NO_VALUE = regex(
    r"(?:(?:unbound variable|parameter (?:null or )?not set|eacces|enoent|eexist|eperm|erofs|enospc"
    r"|exec(?=: )|executable file not found)(?![\w-])"
    r"|(?:NO|YES)\)"
    # What went wrong with a token: a request's method and address, an HTTP status.
    r"|[1-5]\d\d [A-Z][a-z]{2,20}(?![\w-])"
    r"|(?:GET|POST|PUT|PATCH|DELETE|HEAD|Get|Post|Put|Patch|Delete|Head) \\?\"?https?://)"
)
# A quoted value ends with its quote, or with the line; an escaped or doubled quote is a part of it.
_QUOTED = {
    '"': regex(r'(?:[^"\\]|\\.)*+'),
    "'": regex(r"(?:[^'\\]|\\.|'')*+"),
    '\\"': regex(r'(?:[^"\\]|\\\\(?:\\")?+|\\[^"\\])*+'),
    "\\'": regex(r"(?:[^'\\]|\\\\(?:\\')?+|\\[^'\\])*+"),
}
# A bare value ends with a blank. A separator or a quote in it is a part of it, unless another field or
# nothing comes after it: `a,b==` is one value, `a,user=b` is not.
_BARE = regex(
    r"(?:[^\s\"',;&]|[,;&](?!\s|$|[\"']|[A-Za-z_][\w.-]*+(?:=(?![=\s]|$)|:(?!$)))|[\"'](?![\s,;&)}\]]|$))*+"
)
_WORD = regex(r"\S++")
_LOGIN = regex(r"://[^\s:/@]*+:")
# The digest behind an image of a registry with a port: no login.
_DIGEST = regex(r"\d{1,5}/[^\s@]*+@sha\d{3}:")
# A server's name in front of its port may suggest a secret: `auth`, `token-issuer`.
_ASKED = regex(r"(?:://|\bdial (?:tcp|udp) )\Z")
_ASKED_LENGTH = len("dial tcp ") + 1
_CLUSTER_NAME = regex(r"\.svc(?:\.[a-z0-9.-]{1,200})?$")
_PORT = regex(r"\d{1,5}(?=[/?#\s\"'),;\]:]|$)(?!\S*@)")
_BEARER = regex(r"\b((?:bearer|basic)\s++)([\w.~+/=-]{8,}+)", re.IGNORECASE)
# `--db-password x`, but no path: that is the secret's location.
_FLAG = regex(r"(?<![\w-])(?P<name>-{1,2}+[\w-]++)\s++(?P<quote>(?:\\?[\"'])?)(?!/[^\s\"'\\]*+(?P=quote))")
_OF_FLAG = regex(
    r"passw|passphrase|-pass$|requirepass|masterauth|pwd|secret|token|credential"
    r"|(?:api|access|account|private|shared|signing|encryption|master|session|license|licence)[_-]?key",
    re.IGNORECASE,
)
# `--db-password=x`, `PGPASSWORD=x`: with a dash before it, or in capitals, a name is no word of a sentence.
_ASSIGNED = regex(r"(?<![\w.-])(?P<name>-{1,2}+[\w-]++|[A-Z][A-Z0-9_]*+)=(?P<quote>(?:\\?[\"'])?)")
# One-letter options hold secrets only in some programs; a user of digits is not a login.
_SHORT_FLAG = regex(
    r"(?<![\w-])((?:sshpass\s++-p\s*+|(?:mysql|mariadb)\w*+[^\n|;&]{0,200}?\s-p(?=\S)"
    r"|redis-cli\b[^\n|;&]{0,200}?\s-a\s*+"
    r"|(?:-u|--user|--userpwd|--proxy-user)[ =]*+[\"']?(?!\d++:\d++(?!\S))[^\s:\"'=/@]++:)"
    r"(?:\\?[\"'])?)[^\s\"']++"
)
_SETTING = regex(r"\b((?:requirepass|masterauth)\s++[\"']?)[^\s\"']++", re.IGNORECASE)
# An element of `env` in JSON.
_VARIABLE = regex(
    r"\\?\"name\\?\":\s*\\?\"(?P<name>[^\"\\]{1,253})\\?\",\s*\\?\"value\\?\":\s*(?P<quote>(?:\\?\")?)"
)
# Hex is a key if the word next to it names a key, with any separator.
_BESIDE = regex(
    r"(?<![\w.-])(?P<name>[\w.-]++)[\"']?\s*+(?:[:=]\s*+)?(?:(?:is|was|of)\s++)?"
    r"(?P<quote>[\"']?)(?=[0-9A-Fa-f]{16,}+(?![\w-]))"
)
_OF_HEX = regex(r"(?<!pub)key|token|secret|passw|pwd|credential|signature|licen[cs]e|auth", re.IGNORECASE)
_BEFORE = regex(
    r"(?<![\w.-])[0-9A-Fa-f]{16,}+(?=[\"']?\s++(?:(?:is|as)\s++)?(?:(?:the|a|an|your|my|this)\s++)?"
    r"(?:\w{1,20}\s++)?(?:api-?)?"
    r"(?:key|token|secret|password|passphrase)\b)",
    re.IGNORECASE,
)
# In a sentence only a word with a digit, which no sentence continues with. A Secret's own name, and a token's
# purpose, are not secrets.
_TOLD = regex(
    r"\b((?:passwords?|passwd|pwd|passphrase|(?:api|access|secret|private)[ _-]?key)\s++(?:(?:is|was)\s++)?)"
    r"(?:\"(?=[^\"\d]*+\d)[^\"]++\"|'(?=[^'\d]*+\d)[^']++'|(?=[^\s\"'\d]*+\d)[^\s\"']{3,}+)",
    re.IGNORECASE,
)
_TOKEN = regex(r"\b((?:token|secret)\s++[\"']?)(?=[A-Za-z+/=_]*+\d)([\w+/=]{12,}+)(?![-.:])", re.IGNORECASE)
_SHAPES = regex(
    r"(?<![\w-])eyJ[\w-]{8,}+\.[\w-]{8,}+\.[\w-]*+|^[A-Za-z0-9+/]{60,}+={0,2}$"
    # In one line, its ends written as `\\n`.
    r"|-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.++"
    # Amazon, Alibaba, Tencent, Google.
    r"|\b(?:AKIA|ASIA|AIDA|AROA)[0-9A-Z]{16}\b|\bLTAI[0-9A-Za-z]{12,}+|\bAKID[0-9A-Za-z]{13,}+"
    r"|\bAIza[\w-]{30,}+|\bya29\.[\w-]{20,}+"
    # GitHub, GitLab, Slack, Stripe, SendGrid, npm, OpenAI and Anthropic, Vault.
    r"|\bgh[pousr]_\w{20,}+|\bgithub_pat_\w{20,}+|\bglpat-[\w-]{16,}+|\bxox[abeprs]-[\w-]{10,}+|\b[rs]k_"
    r"(?:live|test)_\w{10,}+"
    r"|\bSG\.[\w-]{16,}+\.[\w-]{16,}+|\bnpm_\w{30,}+|\bsk-(?:proj-|ant-|svcacct-)?[A-Za-z0-9]{20}[\w-]*+"
    r"|\bhv[bs]\.[\w-]{20,}+"
    # Telegram; a webhook of Slack's; a password as crypt(3) keeps it.
    r"|\b\d{8,10}:AA[\w-]{30,}+|\bhooks\.slack\.com/services/[\w/-]++|\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}"
)

# One of these is in all that `_SHAPES` finds, but for a line that is nothing but base64.
_MARKS = (
    *(
        "eyJ",
        "PRIVATE KEY",
        "AKIA",
        "ASIA",
        "AIDA",
        "AROA",
        "LTAI",
        "AKID",
        "AIza",
        "ya29.",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
    ),
    *(
        "github_pat_",
        "glpat-",
        "xox",
        "k_live_",
        "k_test_",
        "SG.",
        "npm_",
        "sk-",
        "hvb.",
        "hvs.",
        ":AA",
        "hooks.slack.com",
        "$2",
    ),
)
_BASE64 = regex(r"[A-Za-z0-9+/]{60}")


# A line without any of these holds nothing that `mask_message` masks.
_MAY_HOLD = regex(
    r"-|://|=|bearer|basic|mysql|mariadb|redis-cli|sshpass|requirepass|masterauth|eyJ|AKIA|ASIA|AIDA|AROA"
    r"|LTAI|AKID|AIza|ya29|gh[pousr]_|_pat_"
    r"|xox|[rs]k_|SG\.|npm_|hv[bs]\.|:AA|\$2",
    re.IGNORECASE,
)


def mask(line: str) -> str:
    """Return the line with `***` for likely secrets; everything else, control characters included, is kept.

    Masked are: the value after a name that suggests a secret, after `=`, `:` or a space; hex beside such a
    name; credentials in an address, in options of programs, bearer tokens, JWTs, keys of clouds and services.
    """
    line = _mask_by_form(line)
    for said in (_TOLD, _TOKEN):
        line = said.sub(r"\1***", line)
    line = _mask_named(_mask_named(line, _NAME, _SECRET), _FLAG, _OF_FLAG)
    line = _mask_named(line, _VARIABLE, _SECRET) if '"value' in line else line
    return _BEFORE.sub("***", _mask_named(line, _BESIDE, _OF_HEX))


def mask_message(text: str) -> str:
    """Return a message of a component's without the secrets of a command line, an address or a header in it,
    and those known by their form.

    Its own words stay: `secret "db-token1" not found` names an object, and masks nothing.
    """
    return (
        _mask_named(_mask_named(_mask_by_form(text), _ASSIGNED, _OF_FLAG), _FLAG, _OF_FLAG)
        if _MAY_HOLD.search(text)
        else text
    )


def _mask_by_form(line: str) -> str:
    """Mask secrets that are recognised in any context: by their form, or as an option of a program."""
    line = _WORD.sub(_mask_login, line) if "://" in line and "@" in line else line
    for said in (_BEARER, _SHORT_FLAG, _SETTING):
        line = said.sub(r"\1***", line)
    # Tried at each character, it would be two thirds of the whole.
    return _SHAPES.sub("***", line) if _BASE64.match(line) or any(mark in line for mark in _MARKS) else line


def _mask_login(word: re.Match[str]) -> str:
    """Mask the password of an address: it may hold a `/` and an `@`, so that the word's last `@` ends it."""
    text = word[0]
    begin, end = _LOGIN.search(text), text.rfind("@")
    if begin is None or end <= begin.end() or _DIGEST.match(text, begin.end()):
        return text
    return f"{text[: begin.end()]}***{text[end:]}"


def _mask_named(line: str, names: re.Pattern[str], secret: re.Pattern[str]) -> str:
    """Mask the values of names that suggest a secret. names: matches a name, the separator, and the
    value's quote.
    """
    out, kept = list[str](), 0
    for found in names.finditer(line):
        if found.end() <= kept or not secret.search(found["name"]):
            continue
        if _ERROR_CODE.fullmatch(found["name"]) or _REFERENCE.fullmatch(found["name"]):
            continue
        if _NO_VALUE.match(line, found.end()) or _is_host(line, found):
            continue
        end = _end_of_value(line, found.end(), found["quote"])
        if end is not None:
            out += [line[kept : found.end()], "***"]
            kept = end
    return "".join([*out, line[kept:]])


def _is_host(line: str, found: re.Match[str]) -> bool:
    """Tell whether the name is a server's in an address, and what follows is its port:
    `http://auth.shop.svc:80/x`. The password of a login was masked before.
    """
    named = _ASKED.search(line, max(0, found.start() - _ASKED_LENGTH), found.start())
    port = _PORT.match(line, found.end())
    return bool(port and line[found.end() - 1] == ":" and (named or _CLUSTER_NAME.search(found["name"])))


def _end_of_value(line: str, at: int, quote: str) -> int | None:
    """Return the end of the value that begins there; None if it cannot be a secret."""
    value = (_QUOTED[quote] if quote else _BARE).match(line, at)
    return value.end() if value is not None and len(value[0]) >= (1 if quote else 3) else None
