"""HTTP statuses of refusal, as any client reports them. The server that answers is known by the URL alone."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, Naming, words

# Go's transport returns nothing but the status text of a proxy that refuses to connect it.
_OF_PROXIES = r"(?:Forbidden|Proxy Authentication Required|Bad Gateway|Service Unavailable|Gateway Time-?out)"
_URL = r"https?://[^\s\"'<>\\|]{3,300}[\w/]"
_TRIPPERS = Seen(
    "client-go",
    "1.5–1.34",
    "staging/src/k8s.io/client-go/transport/round_trippers.go (debuggingRoundTripper)",
)

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "request-refused",
        words(
            rf"(?:\bUnable to connect to the server|\b(?P<verb>Get|Post|Put|Patch|Delete|Head) \"?(?P<path>https://[^\s\"\\]{{3,300}})\"?): (?P<reason>{_OF_PROXIES})(?=[\"'.,;)\s]*$)"
        ),
        ("Unable to connect to the server: ", "et ", "ost ", "ut ", "atch ", "elete ", "ead "),
        (Seen("Go", "1.0–1.25", "src/net/http/transport.go (dialConn)"),),
        (
            Example(
                "Unable to connect to the server: Forbidden",
                "request-refused reason=Forbidden",
            ),
            Example(
                'Get "https://charts.example.com/index.yaml": Proxy Authentication Required',
                "request-refused path=https://charts.example.com/index.yaml reason=Proxy Authentication Required verb=Get",
            ),
        ),
        own=True,
    ),
    LastWord(
        "request-refused",
        words(
            rf"\b(?P<verb>GET|POST|PUT|PATCH|DELETE|HEAD) (?P<path>{_URL}) (?P<at>403) Forbidden in \d{{1,9}} milliseconds"
            r"|\bResponse Status: (?P<at_2>403) Forbidden in \d{1,9} milliseconds"
            rf"|\"Response\" verb=\"(?P<verb_3>[A-Z]{{3,6}})\" url=\"(?P<path_3>{_URL})\" status=\"(?P<at_3>403) Forbidden\""
            rf"|(?<!: )\bbad status from (?P<path_4>{_URL}): (?P<at_4>40[0345])\b"
        ),
        (" Forbidden in ", "403 Forbidden", "bad status from "),
        (
            _TRIPPERS,
            Seen(
                "kube-apiserver",
                "1.12–1.34",
                "staging/src/k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go",
            ),
        ),
        (
            Example(
                "bad status from https://10.8.0.7:8443/apis/metrics.k8s.io/v1beta1: 403",
                "request-refused at=403 path=https://10.8.0.7:8443/apis/metrics.k8s.io/v1beta1",
            ),
            Example(
                "I1121 03:00:00.1 1 round_trippers.go:405] GET https://10.96.0.1:443/api/v1/namespaces/shop/pods 403 Forbidden in 3 milliseconds",
                "request-refused at=403 path=https://10.96.0.1:443/api/v1/namespaces/shop/pods verb=GET",
            ),
            Example(
                "round_trippers.go:574] Response Status: 403 Forbidden in 1 milliseconds",
                "request-refused at=403",
            ),
            Example(
                '"Response" verb="GET" url="https://10.96.0.1:443/api/v1/nodes" status="403 Forbidden" milliseconds=2',
                "request-refused at=403 path=https://10.96.0.1:443/api/v1/nodes verb=GET",
            ),
        ),
        own=True,
    ),
    LastWord(
        "request-refused",
        words(
            rf"\b(?P<verb>GET|POST|PUT|PATCH|DELETE|HEAD) (?P<path>{_URL}): (?P<at>40[0345]|409|422) (?P<reason>[A-Za-z{{][^\n\[\]]{{2,200}}\w)"
        ),
        ("GET http", "POST http", "PUT http", "PATCH http", "DELETE http", "HEAD http"),
        (
            Seen("go-github", "15–75", "github/github.go (ErrorResponse)"),
            Seen("GitLab client-go", "0.20–1", "gitlab.go (ErrorResponse)"),
        ),
        (
            Example(
                "failed to create registration token: POST https://api.github.com/orgs/till/actions/runners/registration-token: 403 Resource not accessible by integration []",
                "request-refused at=403 path=https://api.github.com/orgs/till/actions/runners/registration-token reason=Resource not accessible by integration verb=POST",
            ),
            Example(
                "GET https://git.example.com/api/v4/projects/shop%2Ftill: 404 {message: 404 Project Not Found}",
                "request-refused at=404 path=https://git.example.com/api/v4/projects/shop%2Ftill reason={message: 404 Project Not Found verb=GET",
            ),
        ),
        own=True,
    ),
    LastWord(
        "request-refused",
        words(
            r"\b(?:[Uu]nexpected|[Bb]ad|[Ii]nvalid|[Gg]ot|[Rr]eturned|[Rr]eceived|[Rr]esponded with|[Ff]ailed with|[Rr]esponse|[Ss]erver returned)"
            r"(?: an?)?(?: HTTP)?(?: response)?(?: status)?(?: code)?[:=]? ?\(?\"?(?P<at>40[0345]|409|422)\b(?!\.\d)"
            r"|(?<![\w.])(?P<at_2>400|403|404|405|409|422) (?:Bad Request|Forbidden|Not Found|Method Not Allowed|Conflict|Unprocessable (?:Entity|Content))\b"
            r"|\b(?:[Ss]tatus(?: ?[Cc]ode)?|(?:client|http|HTTP)(?: status)?(?: error)?)[:=]? ?\"?(?P<at_3>40[0345]|409|422)(?= ?\(|[\"',;)\]]|\s*$)"
        ),
        (" 40", " 409", " 422", "(40", '"40', "=40", ":40", "(422"),
        (
            Seen("Go", "1.0–1.25", "src/net/http/status.go"),
            Seen("requests", "2", "models.py (raise_for_status)"),
            Seen("Helm", "3–4", "pkg/getter/httpgetter.go"),
            Seen("prometheus/client_golang", "1", "api/prometheus/v1/api.go (client_error)"),
        ),
        (
            Example(
                "Error: failed to fetch https://charts.example.com/web/index.yaml : 404 Not Found",
                "request-refused at=404 path=https://charts.example.com/web/index.yaml",
            ),
            Example(
                'level=error msg="upload failed" error="unexpected status code 403"',
                "request-refused at=403",
            ),
            Example(
                "Failed to create it (reconciliation phase): Status: 405 (Method Not Allowed)",
                "request-refused at=405",
            ),
            Example(
                "Failed to collect metrics: client_error: client error: 403",
                "request-refused at=403",
            ),
        ),
        unless=("robe failed", "api/v1/nodes", "throttl", "ImagePull", "/manifests/", "/blobs/"),
        marked=True,
    ),
    LastWord(
        "credentials-refused",
        words(
            r"\b(?:[Ss]tatus(?: ?[Cc]ode)?|(?:client|http|HTTP)(?: status)?(?: error)?)[:=]? ?\"?401(?= ?\(|[\"',;)\]]|\s*$)"
        ),
        (" 401", "=401", ":401", '"401'),
        (Seen("Go", "1.0–1.25", "src/net/http/status.go"),),
        (
            Example("Failed to collect metrics: client_error: client error: 401", "credentials-refused"),
            Example(
                "error: cannot push to https://push.example.com/api: status code: 401",
                "credentials-refused",
            ),
        ),
        unless=("robe failed", "ImagePull", "/manifests/", "/blobs/"),
        marked=True,
    ),
)
NAMINGS: tuple[Naming, ...] = (Naming(words(rf"(?P<path>{_URL})"), ("request-refused",)),)
