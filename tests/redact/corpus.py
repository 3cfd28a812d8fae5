"""Secrets and identifiers in the formats of clouds, services and people, generated from a seed: none of them
is real.
"""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

_LETTERS, _UPPER, _LOWER, _DIGITS = (
    string.ascii_letters,
    string.ascii_uppercase,
    string.ascii_lowercase,
    string.digits,
)
_HEX = "0123456789abcdef"
_WORDS = _LETTERS + _DIGITS


@dataclass(frozen=True)
class Item:
    """text: the content of a field. secret: strings of which no eight consecutive characters may survive.
    gone: strings that may not survive whole.
    """

    kind: str
    text: str
    secret: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class _Maker:
    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311 - nothing here is to be secret

    def of(self, letters: str, length: int) -> str:
        return "".join(self._random.choice(letters) for _ in range(length))

    def name(self, length: int = 9) -> str:
        """Return letters that form no word in any language."""
        return "".join(
            self._random.choice("bcdfghjklmnpqrstvwxz" if i % 3 else "qxzj") for i in range(length)
        )

    def number(self, length: int) -> str:
        return self._random.choice("123456789") + self.of(_DIGITS, length - 1)

    def octets(self) -> list[str]:
        return [
            str(self._random.choice((11, 23, 10, 172, 192))),
            *(str(self._random.randint(20, 250)) for _ in range(3)),
        ]

    def b64(self, size: int) -> str:
        return base64.b64encode(self._random.randbytes(size)).decode()

    def groups(self, count: int) -> list[str]:
        return [f"{self._random.randint(0x1000, 0xFFFF):x}" for _ in range(count)]

    def hardware(self, by: str) -> str:
        return by.join(f"{self._random.randint(16, 255):02x}" for _ in range(6))

    def uuid(self) -> str:
        return "-".join(self.of(_HEX, n) for n in (8, 4, 4, 4, 12))


def make_corpus(seed: int) -> Iterator[Item]:
    """Yield every kind once; another seed gives others."""
    make = _Maker(seed)
    yield from _write_keys(make)
    yield from _write_labelled(make)
    yield from _write_numbers(make)
    yield from _write_addresses(make)
    yield from _write_hosts(make)
    yield from _write_images(make)
    yield from _write_people(make)


def _write_keys(make: _Maker) -> Iterator[Item]:
    b64url = _WORDS + "-_"
    for kind, text in (
        ("AWS access key", "AKIA" + make.of(_UPPER + "234567", 16)),
        ("AWS key of a session", "ASIA" + make.of(_UPPER + "234567", 16)),
        ("AWS secret key", make.of(_WORDS + "+/", 40)),
        ("Google API key", "AIza" + make.of(b64url, 35)),
        ("Google access token", "ya29." + make.of(b64url, 60)),
        ("Azure storage key", make.b64(64)),
        ("Azure client secret", make.of(_WORDS, 3) + "8Q~" + make.of(_WORDS + "~._-", 34)),
        ("Alibaba access key", "LTAI5t" + make.of(_WORDS, 18)),
        ("Alibaba secret", make.of(_WORDS, 30)),
        ("Tencent id", "AKID" + make.of(_WORDS, 32)),
        ("Tencent key", make.of(_WORDS, 32)),
        ("Huawei access key", make.of(_UPPER + _DIGITS, 20)),
        ("Huawei secret", make.of(_WORDS, 40)),
        ("GitHub token", "ghp_" + make.of(_WORDS, 36)),
        ("GitHub fine-grained token", "github_pat_" + make.of(_WORDS, 22) + "_" + make.of(_WORDS, 59)),
        ("GitLab token", "glpat-" + make.of(b64url, 20)),
        ("Slack token", f"xoxb-{make.number(12)}-{make.number(13)}-{make.of(_WORDS, 24)}"),
        ("Stripe key", "sk_live_" + make.of(_WORDS, 24)),
        ("SendGrid key", f"SG.{make.of(b64url, 22)}.{make.of(b64url, 43)}"),
        ("npm token", "npm_" + make.of(_WORDS, 36)),
        ("OpenAI key", "sk-proj-" + make.of(b64url, 48)),
        ("Vault token", "hvs." + make.of(b64url, 24)),
        ("hex key of 32", make.of(_HEX, 32)),
        ("hex key of 40", make.of(_HEX, 40)),
        ("hex key of 64", make.of(_HEX, 64)),
        ("hex key in capitals", make.of(_HEX, 32).upper()),
        ("short hex word", "c0" + make.of(_HEX, 6) + "42"),
        ("base64", make.b64(45)),
        ("base64 in two lines", make.b64(45) + "\n" + make.b64(45)),
        ("a licence", "-".join(make.of(_UPPER + _DIGITS, 4) for _ in range(6))),
        ("letters alone", make.of(_LETTERS, 40)),
        ("letters in base64's marks", "/".join(make.of(_LETTERS, 12) for _ in range(5))),
    ):
        # Public prefixes show only the type of a secret.
        bare = text.removeprefix("sk_live_").removeprefix("github_pat_").removeprefix("sk-proj-")
        yield Item(kind, text, tuple(part for part in bare.split("\n") if part))
    parts = [
        base64.urlsafe_b64encode(json.dumps(doc).encode()).rstrip(b"=").decode()
        for doc in ({"alg": "RS256"}, {"sub": make.name()})
    ]
    yield Item("JWT", ".".join([*parts, make.of(b64url, 86)]), (parts[1], make.of(b64url, 8)))
    body = "\n".join(make.b64(48) for _ in range(6))
    for kind in ("RSA PRIVATE KEY", "PRIVATE KEY", "CERTIFICATE", "OPENSSH PRIVATE KEY"):
        yield Item(
            f"PEM {kind}", f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----", tuple(body.split("\n"))
        )
    yield Item("PEM that is cut off", f"-----BEGIN PRIVATE KEY-----\n{body}", tuple(body.split("\n")))


def _write_labelled(make: _Maker) -> Iterator[Item]:
    """Yield secrets identified by the words before them."""
    for form in (
        "password {}",
        "password is {}",
        "--password {}",
        "--token {}",
        "DB_PASSWORD={}",
        "passwd: {}",
        '"api_key":"{}"',
        "api key {}",
        "X-Api-Key: {}",
        "Authorization: Bearer {}",
        "Authorization: Basic {}",
        "secret_access_key = {}",
        "client_secret={}&grant_type=x",
        "login failed for user with password '{}'",
    ):
        secret = make.of(_WORDS, 14)
        yield Item(f"after {form}", f"error: {form.format(secret)}", (secret,))
        short = f"{make.name(5).capitalize()}{make.number(3)}!"
        yield Item(f"short, after {form}", form.format(short), (), (short,))
    yield Item("a number as password", "password 48151623", (), ("48151623",))
    yield Item(
        "known words as password", "--password Secret-Admin-123 of it", (), ("Secret-Admin-123", "Admin-123")
    )


def _write_numbers(make: _Maker) -> Iterator[Item]:
    card = make.number(16)
    fours = [card[i : i + 4] for i in range(0, 16, 4)]
    for kind, text in (
        ("AWS account", make.number(12)),
        ("AWS account in dashes", f"{make.number(4)}-{make.number(4)}-{make.number(4)}"),
        ("Alibaba account", make.number(16)),
        ("Tencent account", make.number(12)),
        ("nine digits", make.number(9)),
        ("card", card),
        ("card in spaces", " ".join(fours)),
        ("card in dashes", "-".join(fours)),
        ("telephone", f"+49 151 {make.number(4)} {make.number(4)}"),
        ("telephone in dashes", f"{make.number(3)}-{make.number(3)}-{make.number(4)}"),
        (
            "IBAN",
            (
                f"DE{make.number(2)} {make.number(4)} {make.number(4)} {make.number(4)} {make.number(4)} "
                f"{make.number(2)}"
            ),
        ),
        ("a long number in a name", f"job-{make.number(12)}-x"),
    ):
        digits = text if len(text) < 13 else text[:13]
        yield Item(kind, text, (), (text, digits))
        yield Item(f"{kind} in a sentence", f"cannot find account {text} in it", (), (text,))
    account = make.number(12)
    name = make.name()
    for arn in (
        f"arn:aws:iam::{account}:role/{name}",
        f"arn:aws-cn:eks:cn-north-1:{account}:cluster/{name}",
        f"arn:aws:s3:::{name}/key",
    ):
        yield Item("ARN", f"not authorized to perform sts:AssumeRole on {arn}", (), (account, name))
    uid = make.uuid()
    yield Item(
        "Azure subscription",
        f"/subscriptions/{uid}/resourceGroups/{name}/providers/Microsoft.Compute/disks/{name}x",
        (uid,),
        (name,),
    )
    yield Item("Azure tenant", f"AADSTS90002: Tenant '{uid}' not found", (uid,))
    yield Item("Google project", f"projects/{name}-{make.number(6)}/zones/us-central1-a", (), (name,))
    yield Item("a project that is a word", "projects/shop-admin/zones/us-central1-a", (), ("shop-admin",))


def _write_addresses(make: _Maker) -> Iterator[Item]:
    for form in (
        "{}",
        "dial tcp {}:443: connect: connection refused",
        "from {}/24",
        "[{}]",
        "node {}.",
        "ip={}",
        "{}:10250->x",
        "/x/{}/y",
    ):
        address = ".".join(make.octets())
        yield Item(f"IPv4 in {form}", form.format(address), (), (address, address[address.index(".") + 1 :]))
    octets = [int(o) for o in make.octets()]
    padded, octal = ".".join(f"{o:03}" for o in octets), ".".join(f"{o:04o}" for o in octets)
    whole = int.from_bytes(bytes(octets), "big")
    parts_in_hex = ".".join(hex(o) for o in octets)
    mapped = f"::ffff:{whole >> 16:x}:{whole & 0xFFFF:x}"
    for kind, address in (
        ("IPv4 with zeros", padded),
        ("IPv4 in octal", octal),
        ("IPv4 in hex", hex(whole)),
        ("IPv4 in hex, capitals", f"0x{whole:08X}"),
        ("IPv4 as the kernel writes it", f"{whole:08X}"),
        ("IPv4 in hex, by octets", parts_in_hex),
        ("IPv4 as a number", str(whole)),
        ("IPv4 in IPv6, in hex", mapped),
        ("IPv4 in IPv6, in full", f"0:0:0:0:0:ffff:{'.'.join(map(str, octets))}"),
        ("IPv4 in IPv6, with zeros", f"::ffff:{padded}"),
        ("IPv4 behind NAT64", f"64:ff9b::{'.'.join(map(str, octets))}"),
    ):
        for form in ("{}", "dial tcp {}: refused", "http://{}/x", "ip={}", "from {}, to"):
            yield Item(
                f"{kind} in {form}", form.format(address), (), (address, address.removeprefix("::ffff:"))
            )
    two, eight = make.groups(2), make.groups(8)
    plain = ".".join(make.octets())
    for kind, address in (
        ("IPv6, one group first", f"fd{make.number(2)}::{two[0]}"),
        ("IPv6, short", "fd12::5"),
        ("IPv6, link local", f"fe80::{two[1]}"),
        ("IPv6, in full", ":".join(eight)),
        ("IPv6, in capitals", ":".join(eight).upper()),
        ("IPv6, in the middle", f"2001:db8::{eight[0]}:{eight[1]}"),
        ("IPv6, at the end", f"2001:db8:{eight[2]}::"),
        ("IPv6, at the beginning", f"::{eight[3]}:{eight[4]}"),
        ("IPv4 in IPv6", f"::ffff:{plain}"),
    ):
        for form in (
            "{}",
            "[{}]:8080",
            "dial tcp [{}]:443: connect: refused",
            "{}%eth0",
            "route to {}/64 is",
            "lookup on {}: no",
            "from {}, to",
        ):
            if not (address.endswith("::") and "%" in form):
                yield Item(f"{kind} in {form}", form.format(address), (), (address, plain))
    for by in (":", "-"):
        hardware = make.hardware(by)
        yield Item(
            f"hardware address by {by}",
            f"link/ether {hardware} brd ff:ff:ff:ff:ff:ff",
            (),
            (hardware, hardware[3:]),
        )
        yield Item(f"hardware address by {by}, capitals", hardware.upper(), (), (hardware.upper(),))
    infiniband = ":".join(make.of(_HEX, 2) for _ in range(20))
    yield Item("InfiniBand address", infiniband, (infiniband,))


def _write_hosts(make: _Maker) -> Iterator[Item]:
    octets = make.octets()
    dashed, name, other = "-".join(octets), make.name(), make.name()
    for kind, host, gone in (
        ("AWS, inside", f"ip-{dashed}.eu-west-1.compute.internal", dashed),
        ("AWS, inside, bare", f"ip-{dashed}", dashed),
        ("AWS, in us-east-1", f"ip-{dashed}.ec2.internal", dashed),
        ("AWS, outside", f"ec2-{dashed}.compute-1.amazonaws.com", dashed),
        ("AWS, in China", f"ip-{dashed}.cn-north-1.compute.internal", dashed),
        ("AWS instance", f"i-0{make.of(_HEX, 16)}", ""),
        ("Google", f"gke-{name}-default-pool-{make.of(_HEX, 8)}-x1y2", name),
        ("Google, inside", f"{name}.us-central1-a.c.{other}-{make.number(6)}.internal", other),
        (
            "Google, outside",
            f"{'.'.join(reversed(octets))}.bc.googleusercontent.com",
            ".".join(reversed(octets)),
        ),
        ("Azure", f"aks-{name}-{make.number(8)}-vmss000001", name),
        ("Azure, outside", f"{name}.westeurope.cloudapp.azure.com", name),
        ("Azure storage", f"{name}.blob.core.windows.net", name),
        ("Alibaba", f"cn-hangzhou.{'.'.join(octets)}", ".".join(octets)),
        ("Alibaba instance", f"cn-hangzhou.i-bp1{make.of(_LOWER + _DIGITS, 17)}", ""),
        ("Alibaba machine", f"iZbp1{make.of(_LOWER + _DIGITS, 15)}Z", ""),
        ("Tencent", f"VM-{octets[2]}-{octets[3]}-ubuntu", f"{octets[2]}-{octets[3]}"),
        ("Tencent storage", f"{name}-{make.number(10)}.cos.ap-guangzhou.myqcloud.com", name),
        ("Huawei", f"cce-{name}-{make.of(_LOWER + _DIGITS, 5)}-0001", name),
        ("Huawei storage", f"{name}.obs.cn-north-4.myhuaweicloud.com", name),
        ("S3", f"{name}.s3.eu-west-1.amazonaws.com", name),
        ("a company's", f"db.{name}.com", name),
        ("words of Kubernetes", "shop.acme.io", "acme"),
        ("a host inside", f"{name}.prod.corp", name),
    ):
        for form in (
            "{}",
            "node {} is not ready",
            'Get "https://{}/v1": no such host',
            "lookup {} on x: no such host",
            "dial tcp {}:443",
        ):
            yield Item(f"host: {kind} in {form}", form.format(host), (), tuple(filter(None, (host, gone))))


def _write_images(make: _Maker) -> Iterator[Item]:
    account, name, team = make.number(12), make.name(), make.name()
    for kind, image, gone in (
        ("ECR", f"{account}.dkr.ecr.eu-west-1.amazonaws.com/{team}/{name}:v1", (account, team, name)),
        (
            "ECR in China",
            f"{account}.dkr.ecr.cn-north-1.amazonaws.com.cn/{team}/{name}",
            (account, team, name),
        ),
        ("GCR", f"eu.gcr.io/{team}-{make.number(6)}/{name}:1.2", (team, name)),
        ("Artifact Registry", f"europe-docker.pkg.dev/{team}/{name}/{name}x", (team, name)),
        ("ACR", f"{name}.azurecr.io/{team}:latest", (team, name)),
        ("ACR of Alibaba", f"{name}-registry.cn-hangzhou.cr.aliyuncs.com/{team}/x:1", (team, name)),
        ("TCR", f"{name}.tencentcloudcr.com/{team}/x:1", (team, name)),
        ("TCR, for persons", f"ccr.ccs.tencentyun.com/{team}-{make.number(10)}/x", (team,)),
        ("SWR", f"swr.cn-north-4.myhuaweicloud.com/{team}/{name}", (team, name)),
        ("a company's", f"registry.{name}.com:5000/{team}/x@sha256:{make.of(_HEX, 64)}", (team, name)),
        ("Docker Hub", f"{team}/{name}:{make.name()}", (team, name)),
    ):
        for form in ("{}", 'Back-off pulling image "{}"', "failed to resolve reference {}: not found"):
            yield Item(f"image: {kind} in {form}", form.format(image), (), (image, *gone))


def _write_people(make: _Maker) -> Iterator[Item]:
    first, last, host = make.name(6), make.name(8), make.name()
    for mail in (f"{first}.{last}@{host}.com", f"{first}+x@mail.{host}.co.uk", "master.admin@acme.io"):
        yield Item("mail address", f"User {mail} cannot list", (), (mail,))
    for path in (
        f"/home/{first}/.kube/config",
        f"/Users/{first}/x",
        f"C:\\Users\\{first}\\x",
        f"/var/home/{first}",
        "/home/admin/x",
    ):
        owner = first if first in path else "/home/admin"
        yield Item("home directory", f"open {path}: permission denied", (), (owner,))
    yield Item(
        "login in an address",
        f"https://{first}:{make.of(_WORDS, 10)}@git.{host}.com/x.git",
        (),
        (first, host),
    )
    yield Item(
        "login of known words", "https://admin:master@git.example/x", (), ("admin:", "//admin", ":master")
    )
    token = make.of(_WORDS, 24)
    for key in ("token", "sig", "X-Amz-Signature", "key", "q"):
        yield Item(
            f"query by {key}", f'Get "https://x.{host}.com/a?y=1&{key}={token}&z=2"', (token,), (host,)
        )
    yield Item("query by a known word", "https://x.example/a?user=admin", (), ("user=admin",))
    yield Item(
        "a name",
        f"owner {first.capitalize()} {last.capitalize()}",
        (),
        (first, last, first.capitalize(), last.capitalize()),
    )
    yield Item("a name in Chinese", f"负责人 张伟{make.number(2)} 处理", (), ("张伟",))
    yield Item("ssh", f"ssh {first}@{host}", (), (first, host))
