"""Forms that are recognised anywhere in a text, and replaced before it is divided into words.

Every pattern takes time in proportion to the text: it begins at the beginning of a word, and does not
backtrack.
"""

from __future__ import annotations

import re

STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"
# With `pod` before it in a cgroup's name, whose last letter is a hex digit, too.
_UUID = (
    r"(?:(?<![0-9A-Fa-f])|(?<=pod))[0-9A-Fa-f]{8}"
    r"(?P<joint>[-_])[0-9A-Fa-f]{4}(?P=joint)[0-9A-Fa-f]{4}(?P=joint)[0-9A-Fa-f]{4}(?P=joint)[0-9A-Fa-f]{12}"
    r"(?![0-9A-Fa-f])"
)
# Grouped digits: of cards, accounts, telephones. At least nine of them.
_GROUPS = r"(?<![\w.])\+?\d{1,6}(?:[ -]\d{2,6}){1,6}(?![\w.])"

# Decimal, octal, or hex.
_OCTET = r"(?:0[xX][0-9A-Fa-f]{1,8}|0[0-7]{3}|\d{1,3})"

# Of a whole text. `before` is kept.
IN_TEXT = re.compile(
    rf"(?P<stamp>(?<![\w-]){STAMP}(?!\d))"
    # Left to the words, and looked for here only so that no groups of digits are found in it.
    rf"|(?P<uuid>{_UUID})"
    r"|(?P<pem>-----BEGIN [A-Z0-9 ]+-----(?:(?!-----END )[\s\S])*+(?:-----END [A-Z0-9 ]+-----)?)"
    r"|(?P<login>(?<=://)[^\s/@\"'<>]++@)"
    r"|(?P<key>(?<=[?&])[\w.~%-]++=)(?P<value>[^\s&\"'#]++)"
    rf"|(?P<groups>{_GROUPS})"
)
# Words that precede the name of an account, a project, or something that belongs to one.
_ACCOUNTS = (
    r"projects?|resource[gG]roups?|subscriptions?|tenants?|accounts?|storageAccounts|vaults|buckets?"
    r"|virtualMachines|virtualMachineScaleSets|organizations?|folders?|customers?"
)
_OWNED = r"[^\s/\\\"',;:()\[\]{}<>]++"
# A private value that is also replaced wherever else it occurs. sure: even if it is a common word; a person's
# name may be one.
OWNERS = re.compile(
    rf"(?<![\w-])(?:(?:{_ACCOUNTS})[/\\](?P<sure>{_OWNED})|(?:home|Users)[/\\](?P<home>{_OWNED})"
    r"|arn:[a-z-]{3,20}:[^\s\"',;()\[\]{}<>/]{0,300}+/(?P<arn>[^\s\"',;()\[\]{}<>]++)"
    r"|(?<![.+%])(?P<mail>[\w.+%-]++)@(?:(?P<project>[A-Za-z0-9-]++)\.iam\.gserviceaccount\.com"
    r"|[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++))"
)
# Of a word between spaces, quotes and brackets. Other words that look like an address are left to the words.
IN_WORD = re.compile(
    r"(?P<mail>(?<![\w.+%-])(?:[\w.+%-]++:)?+[\w.+%-]++@[A-Za-z0-9-]++(?:\.[A-Za-z0-9-]++)++)"
    r"|(?P<arn>\barn:[a-z-]{3,20}:[^\s\"',;()\[\]{}<>]++)"
    r"|(?P<vm>(?<![\w-])VM-\d{1,3}-\d{1,3}(?:-\w++)?)"
    rf"|(?P<before>(?<![\w-])(?:home|Users|{_ACCOUNTS})[/\\])(?P<owned>{_OWNED})"
    rf"|(?P<uuid>{_UUID})"
    r"|(?P<hardware>(?<![0-9A-Za-z:])[0-9A-Fa-f]{2}(?:(?P<by>[:-])[0-9A-Fa-f]{2})"
    r"(?:(?P=by)[0-9A-Fa-f]{2}){4,18}(?![0-9A-Za-z]|:\w)"
    r"|(?<![\w.])[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}(?![\w.]))"
    rf"|(?P<v4>(?<!\d){_OCTET}(?P<sep>[.-]){_OCTET}(?P=sep){_OCTET}(?P=sep){_OCTET}(?!\d))"
    r"|(?P<v6>(?<![0-9A-Za-z:.])[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,8}(?:(?<=:)\d{1,3}"
    r"(?:\.\d{1,3}){3})?(?![0-9A-Za-z]|\.\d))"
)
HEX = re.compile(r"[0-9a-f]{8,}|[0-9A-F]{8,}")
# Amounts, durations, versions of an API, small numbers in hex, an ordinal: they give an amount, and identify
# no one.
MEASURE = re.compile(
    r"\d{1,15}(?:[KMGTPE]i|[mnu])B?|\d{1,8}[kKMGTPEB]B?|(?:\d{1,8}(?:h|m|s|ms|us|ns|d))+|v\d{1,4}(?:(?:alpha"
    r"|beta)\d{1,2})?"
    r"|0x[0-9a-fA-F]{1,6}|\d{1,4}(?:st|nd|rd|th|x)"
)
# Endings of names of hosts and groups. Without endings that are also words of a text.
# fmt: off
TOP_LEVEL = frozenset((
    "com", "net", "org", "io", "dev", "cn", "eu", "uk", "fr", "ch", "nl", "jp", "kr", "ru", "br", "au", "ca",
    "edu", "gov", "local", "internal", "corp", "lan", "intra", "localdomain", "private", "cloud",
))
# fmt: on
