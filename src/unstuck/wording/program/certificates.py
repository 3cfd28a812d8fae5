"""Certificates that one side of a connection does not accept: the server's or the client's, by either side's
words.
"""

from __future__ import annotations

from unstuck.facts.derive.certificates import ALERT_WORDS
from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import HOST, LastWord, words

_GO = Seen("Go", "1.3–1.25", "src/crypto/tls/alert.go, src/net/http/server.go")
_NEED_ALERT = ("remote error: ", "alert ", "fatal alert: ")
# A server's words for a connection whose handshake did not complete.
_SERVED = (
    rf"(?:TLS handshake error from|error reading preface from client|rejected connection (?:from|on client endpoint)) \"?(?P<name>{HOST}):\d{{1,5}}"
    rf"|\"?remote-addr\"?[:=] ?\"?(?P<name_2>{HOST}):\d{{1,5}}"
)
# A client names the far side.
_CONNECTS = (
    r"(?:\b(?:Get|Head|Post|Put|Patch|Delete)\b \"?https://|\bdial tcp|authentication handshake failed|[Ff]ailed to connect"
    r"|[Uu]nable to connect|SSL_connect|handshaking to upstream|[Cc]ould ?n[o']t connect|[Cc]onnecting to)"
)

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "serving-certificate-refused",
        words(
            rf"(?:{_SERVED}).{{0,200}}?(?:{ALERT_WORDS})|(?:{ALERT_WORDS}).{{0,120}}while SSL handshaking, client: (?P<name_3>{HOST})"
        ),
        _NEED_ALERT,
        (
            _GO,
            Seen("etcd", "3.0–3.6", "embed/config_logging.go"),
            Seen("nginx", "1", "src/event/ngx_event_openssl.c"),
        ),
        (
            Example(
                "2026/11/21 03:00:00 http: TLS handshake error from 10.244.0.1:34746: remote error: tls: bad certificate",
                "serving-certificate-refused name=10.244.0.1",
            ),
            Example(
                'rejected connection from "192.0.2.7:54810" (error "remote error: tls: bad certificate", ServerName "")',
                "serving-certificate-refused name=192.0.2.7",
            ),
            Example(
                '{"level":"warn","msg":"rejected connection","remote-addr":"192.0.2.7:54810","server-name":"","error":"remote error: tls: bad certificate"}',
                "serving-certificate-refused name=192.0.2.7",
            ),
            Example(
                "2026/11/21 03:00:00 [info] 29#29: *1 SSL_do_handshake() failed (SSL: error:0A000418:SSL routines::tlsv1 alert unknown ca:SSL alert "
                "number 48) while SSL handshaking, client: 10.244.0.1, server: 0.0.0.0:443",
                "serving-certificate-refused name=10.244.0.1",
            ),
        ),
    ),
    LastWord(
        "caller-certificate-refused",
        words(
            rf"(?:{_SERVED}).{{0,200}}?(?:x509: |tls: client didn't provide a certificate)"
            r"|failed to verify client(?:'s|’s)? certificate|client didn't provide a certificate"
            r"|[Uu]nable to authenticate the request.{0,60}?x509: "
        ),
        ("x509: ", "client didn't provide a certificate", "verify client"),
        (
            _GO,
            Seen(
                "kube-apiserver",
                "1.2–1.34",
                "staging/src/k8s.io/apiserver/pkg/endpoints/filters/authentication.go",
            ),
        ),
        (
            Example(
                "2026/11/21 03:00:00 http: TLS handshake error from 10.0.0.7:42424: tls: failed to verify certificate: x509: certificate signed by unknown authority",
                "caller-certificate-refused name=10.0.0.7",
            ),
            Example(
                "http: TLS handshake error from 10.0.0.7:42424: tls: client didn't provide a certificate",
                "caller-certificate-refused name=10.0.0.7",
            ),
            Example(
                '"Unable to authenticate the request" err="[x509: certificate has expired or is not yet valid: current time 2026-11-21T03:00:00Z is after '
                '2026-11-20T00:00:00Z, verifying certificate SN=1]"',
                "caller-certificate-refused",
            ),
        ),
    ),
    LastWord(
        "client-certificate-refused",
        words(rf"{_CONNECTS}.{{0,400}}?(?:{ALERT_WORDS})"),
        _NEED_ALERT,
        (_GO, Seen("OpenSSL", "1–3", "ssl/ssl_stat.c")),
        (
            Example(
                'Err :connection error: desc = "transport: authentication handshake failed: remote error: tls: bad certificate". Reconnecting...',
                "client-certificate-refused",
            ),
            Example(
                'Get "https://192.0.2.2:2379/health": remote error: tls: certificate required',
                "client-certificate-refused name=192.0.2.2 port=2379",
            ),
            Example(
                "OpenSSL::SSL::SSLError: SSL_connect returned=1 errno=0 state=error: tlsv1 alert unknown ca",
                "client-certificate-refused",
            ),
        ),
    ),
    LastWord(
        "certificate-expired",
        words(
            r"certificate has expired(?: or is not yet valid)?|[Cc]ertificate (?:is )?not yet valid|CertificateExpiredException|CERT_HAS_EXPIRED|certificate expired"
            r"|CertificateNotYetValidException"
        ),
        (
            "certificate has expired",
            "not yet valid",
            "CertificateExpired",
            "CERT_HAS_EXPIRED",
            "certificate expired",
            "CertificateNotYetValid",
        ),
        (
            Seen("Go", "1.0–1.25", "src/crypto/x509/verify.go"),
            Seen("OpenSSL", "1–3", "crypto/x509/x509_txt.c"),
            Seen("Java", "8–25", "sun/security/x509/CertificateValidity.java"),
        ),
        (
            Example(
                'Get "https://vault.sec:8200/v1/sys/health": x509: certificate has expired or is not yet valid: current time 2026-11-21T03:00:00Z is after 2026-11-20T00:00:00Z',
                "certificate-expired name=vault.sec port=8200",
            ),
            Example(
                "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired (_ssl.c:1007)",
                "certificate-expired",
            ),
        ),
    ),
    LastWord(
        "certificate-misnamed",
        words(
            r"certificate is valid for (?P<reason>[^\n\"]{1,300}?), not (?P<resource>[\w.:*-]{1,253})|certificate is not valid for any names, but wanted to match (?P<resource_2>[\w.:-]{1,253})"
            r"|does not match certificate's altnames: Host: (?P<resource_3>[\w.:-]{1,253}?)\. is not in the cert's altnames: "
            r"|No subject alternative (?:DNS )?name matching (?P<resource_4>[\w.:-]{1,253}) found"
            r"|[Hh]ostname mismatch, certificate is not valid for '(?P<resource_5>[\w.:-]{1,253})'"
            r"|doesn't contain any IP SANs|certificate relies on legacy Common Name|cannot validate certificate for (?P<resource_6>[\w.:-]{1,253}) because"
        ),
        (
            *(
                "certificate is valid for",
                "certificate is not valid for",
                "altnames",
                "subject alternative",
                "IP SANs",
            ),
            *("cannot validate certificate for", "legacy Common Name"),
        ),
        (
            Seen("Go", "1.0–1.25", "src/crypto/x509/verify.go (HostnameError)"),
            Seen("Node.js", "8–24", "lib/tls.js (checkServerIdentity)"),
            Seen("Python", "3.7–3.13", "Lib/ssl.py"),
            Seen("Java", "8–25", "sun/security/util/HostnameChecker.java"),
        ),
        (
            Example(
                "tls: failed to verify certificate: x509: certificate is valid for payments.legacy.svc, not payments.pay.svc",
                "certificate-misnamed reason=payments.legacy.svc resource=payments.pay.svc",
            ),
            Example(
                "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames: Host: a.example. is not in the cert's altnames: DNS:b.example",
                "certificate-misnamed resource=a.example",
            ),
            Example(
                "Caused by: java.security.cert.CertificateException: No subject alternative DNS name matching db.shop.svc found.",
                "certificate-misnamed resource=db.shop.svc",
            ),
            Example(
                "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: Hostname mismatch, certificate is not valid for 'db.shop.svc'. (_ssl.c:1000)",
                "certificate-misnamed resource=db.shop.svc",
            ),
            Example(
                "x509: cannot validate certificate for 10.0.0.5 because it doesn't contain any IP SANs",
                "certificate-misnamed resource=10.0.0.5",
            ),
            Example(
                'Get "https://vault.sec:8200/": x509: certificate relies on legacy Common Name field, use SANs instead',
                "certificate-misnamed name=vault.sec port=8200",
            ),
        ),
    ),
    LastWord(
        "certificate-untrusted",
        words(
            r"certificate signed by unknown authority|self.signed certificate\b|unable to get local issuer certificate|PKIX path building failed"
            r"|CERTIFICATE_VERIFY_FAILED|UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|certificate verify failed"
            r"|invalid peer certificate|UntrustedRoot"
        ),
        (
            *(
                "unknown authority",
                "signed certificate",
                "local issuer",
                "PKIX path",
                "CERTIFICATE_VERIFY_FAILED",
                "UNABLE_TO_VERIFY",
            ),
            *("SELF_SIGNED", "certificate verify failed", "invalid peer certificate", "UntrustedRoot"),
        ),
        (
            Seen("Go", "1.0–1.25", "src/crypto/x509/verify.go"),
            Seen("OpenSSL", "1–3", "crypto/x509/x509_txt.c"),
            Seen("Java", "8–25", "sun/security/validator/PKIXValidator.java"),
        ),
        (
            Example(
                'Get "https://registry.corp/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
                "certificate-untrusted name=registry.corp",
            ),
            Example(
                "Caused by: sun.security.validator.ValidatorException: PKIX path building failed: unable to find valid certification path to requested target",
                "certificate-untrusted",
            ),
        ),
    ),
)
