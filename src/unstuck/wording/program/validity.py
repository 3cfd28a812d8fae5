"""Words of programs about a licence, a clock, a checksum or a signature that is not valid."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import ANY_PROGRAM, LastWord, words

_LICENCE = r"(?:[A-Za-z][\w-]{0,30} )?[Ll]icen[cs]e(?: key| file| token)?"
_SUM = r"(?:[Cc]hecksums?|[Dd]igests?|(?:SHA|sha|MD|md)-?\d{1,3}(?:sum)?(?: (?:checksum|hash|sum|digest)s?)?|shasum)"

# Before the words of clouds and logins, which report the refusal and not its reason.
CLOCKS: tuple[LastWord, ...] = (
    LastWord(
        "clock-off",
        words(
            r"(?P<reason>RequestTimeTooSkewed|difference between the request time and the (?:current|server's) time is too large"
            r"|Signature (?:expired|not yet current): (?P<name>\d{8}T\d{6}Z) is (?:now earlier than|still later than) \d{8}T\d{6}Z"
            r"|clock difference against peer (?P<name_2>[0-9a-f]{1,16}) is too high \[[^\]]{2,40}\]|prober found high clock drift"
            r"|[Tt]oken used before issued|token is not valid yet|[Cc]lient assertion is not within its valid time range"
            r"|[Cc]lock skew (?:is )?(?:too (?:great|large|high)|detected)\b[^\"\n]{0,80}|clocks? (?:are|is) (?:not synchroni[sz]ed|out of sync)\b[^\"\n]{0,80})"
        ),
        (
            *(
                "RequestTimeTooSkewed",
                "difference between the request",
                "Signature ",
                "clock ",
                "Clock ",
                "clocks ",
            ),
            *("used before issued", "not valid yet", "within its valid time"),
        ),
        (
            Seen("Amazon S3", "all", "API reference, Error responses"),
            Seen("AWS", "all", "Signature Version 4: SignatureDoesNotMatch"),
            Seen("etcd", "3.1–3.6", "server/etcdserver/api/rafthttp/probing_status.go"),
            Seen("golang-jwt", "3–5", "errors.go"),
            Seen("Kerberos", "5", "lib/krb5/error_tables/krb5_err.et (KRB5KRB_AP_ERR_SKEW)"),
            Seen("Microsoft Entra", "all", "AADSTS700024"),
        ),
        (
            Example(
                "AccessDenied: RequestTimeTooSkewed: The difference between the request time and the server's time is too large.",
                "clock-off reason=RequestTimeTooSkewed",
            ),
            Example(
                "SignatureDoesNotMatch: Signature expired: 20261121T030000Z is now earlier than 20261121T031500Z",
                "clock-off name=20261121T030000Z reason=Signature expired: 20261121T030000Z is now earlier than 20261121T031500Z",
            ),
            Example(
                "the clock difference against peer 7c2e11 is too high [4.2s > 1s]",
                "clock-off name=7c2e11 reason=clock difference against peer 7c2e11 is too high [4.2s > 1s]",
            ),
            Example(
                "failed to verify token: Token used before issued",
                "clock-off reason=Token used before issued",
            ),
        ),
        own=True,
    ),
)
WORDS: tuple[LastWord, ...] = (
    LastWord(
        "licence-refused",
        words(
            rf"(?P<reason>\b{_LICENCE} (?:has |is |was |check |validation )?(?:been )?(?P<verb>expired|invalid|not valid|revoked|missing|failed|not found|exceeded|required)\b[^\"\n]{{0,80}}"
            rf"|\b(?P<verb_2>[Ii]nvalid|[Ee]xpired|[Mm]issing|[Nn]o(?: valid)?) {_LICENCE}\b(?! (?:header|agreement|text|comment)s?\b)[^\"\n]{{0,60}}"
            rf"|\bcurrent license is (?P<verb_3>non-compliant) for \[[\w,. -]{{1,80}}\]|due to (?P<verb_4>expired) license\b"
            rf"|\b(?:requires|needs) (?:an? )?(?:valid )?(?:[A-Z]\w{{2,20}} )?(?:(?P<verb_5>Enterprise)|[Pp]latinum|[Gg]old|[Tt]rial) licen[cs]e\b)"
        ),
        ("icense", "icence"),
        (
            Seen("Elasticsearch", "5–9", "x-pack/plugin/core: LicenseUtils.java, SecurityActionFilter.java"),
            Seen("ECK", "1–3", "pkg/controller/common/license"),
            Seen("Vault Enterprise, Consul Enterprise", "1", "go-licensing"),
            ANY_PROGRAM,
        ),
        (
            Example(
                "current license is non-compliant for [ccr]",
                "licence-refused reason=current license is non-compliant for [ccr] verb=non-compliant",
            ),
            Example(
                'level=fatal msg="license expired on 2026-10-01"',
                "licence-refused reason=license expired on 2026-10-01 verb=expired",
            ),
            Example(
                "Error: no valid license found",
                "licence-refused reason=no valid license found verb=no valid",
            ),
        ),
        unless=("LICENSE.txt", "license-header", "icense agreement", "accept the "),
        own=True,
    ),
    LastWord(
        "integrity-failed",
        words(
            r"(?P<reason>\b\d{1,6} computed checksums? did NOT match|public key is not available: (?P<verb>NO_PUBKEY) (?P<name>[0-9A-F]{8,40})"
            r"|\bno (?:matching|valid) signatures\b(?: found)?)"
        ),
        ("did NOT match", "NO_PUBKEY", "signatures"),
        (
            Seen("coreutils", "8–9", "src/cksum.c (digest_check)"),
            Seen("apt", "1–3", "methods/gpgv.cc"),
            Seen("cosign", "1–3", "pkg/cosign/verify.go"),
        ),
        (
            Example(
                "sha256sum: WARNING: 1 computed checksum did NOT match",
                "integrity-failed reason=1 computed checksum did NOT match",
            ),
            Example(
                "W: GPG error: https://apt.example.com stable InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 1A2B3C4D5E6F7081",
                "integrity-failed name=1A2B3C4D5E6F7081 reason=public key is not available: NO_PUBKEY 1A2B3C4D5E6F7081 verb=NO_PUBKEY",
            ),
            Example(
                "Error: no matching signatures found", "integrity-failed reason=no matching signatures found"
            ),
        ),
        own=True,
    ),
    LastWord(
        "integrity-failed",
        words(
            rf"(?P<reason>\b{_SUM}(?: of| for)? ?[\w./:@\"'-]{{0,120}} ?(?:did not match|does not match|mismatch(?:ed)?|verification failed)\b[^\"\n]{{0,100}}"
            rf"|\b(?:[Mm]ismatch(?:ed|ing)?|[Ww]rong|[Uu]nexpected|[Ii]nvalid) {_SUM}\b[^\"\n]{{0,100}}"
            r"|(?:[Ff]ailed to verify|[Vv]erification (?:of|failed for)|[Cc]ould not verify|[Ii]nvalid) (?:the )?(?:image |GPG |PGP |cosign |package )?signatures?\b[^\"\n]{0,80})"
        ),
        (
            *(
                "did not match",
                "does not match",
                "ismatch",
                "erification failed",
                "rong ",
                "nexpected ",
                "nvalid ",
            ),
            "signature",
        ),
        (
            Seen("Helm", "3–4", "pkg/provenance, internal/resolver"),
            Seen("Go", "1.13–1.25", "src/cmd/go/internal/modfetch"),
            ANY_PROGRAM,
        ),
        (
            Example(
                "Error: checksum mismatch: expected 4f1c got 9a02",
                "integrity-failed reason=checksum mismatch: expected 4f1c got 9a02",
            ),
            Example(
                "Error: failed to verify signature of the chart",
                "integrity-failed reason=failed to verify signature of the chart",
            ),
        ),
        unless=(
            "igration checksum",
            "hecksum mismatch for migration",
            "SignatureDoesNotMatch",
            "x509",
            "token",
            "JWT",
            "checksum/config",
        ),
        marked=True,
    ),
)
