"""A Snapshot without the names in it: each replaced by a pseudonym, the same one wherever it stands.

It fails closed. Names of objects, images and hosts are known from the facts' own fields; of everything else only those words stay that
this program knows itself (Kubernetes' words, messages' words), numbers, times, quantities, and identifiers that were made at random.
What an answer rests on are this program's words, and whether two things are the same: both are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from unstuck.collect.bundle.addresses import Addresses
from unstuck.facts.codec import Saved, load, save

# Fields that hold a name, or several, whatever word it is.
_NAMES = frozenset(
    (
        "name",
        "within",
        "namespace",
        "names",
        "claim",
        "volume",
        "container",
        "storage_class",
        "service",
        "host",
        "manager",
        "holder",
    )
)
_IMAGES = frozenset(("image", "images"))
# Whose names are made of a group's, so that a part of one stands in another's; or a Linux system's.
_BY_WORDS = frozenset(("APIService", "CustomResourceDefinition", "CSIDriver", "Unit", "Process", "File", "Mount"))
# Facts whose `name` is a word of Kubernetes, of this program or of a Linux system.
_NO_NAMES = frozenset(("HostLimits", "Clock", "KubeletMetrics", "Finalizers", "FinalizerOwner"))
# Of registries in a cloud the first label is the customer's.
_CLOUDS = (".amazonaws.com", ".azurecr.io", ".pkg.dev", ".gcr.io", ".aliyuncs.com")
# Everybody's names.
# fmt: off
_COMMON = frozenset((
    "default", "kube-system", "kube-public", "kube-node-lease", "kubernetes", "kube-root-ca.crt", "kube-dns", "coredns",
    "kube-proxy", "kube-scheduler", "kubelet", "etcd", "kube-controller-manager", "cloud-controller-manager", "kube-apiserver",
    "default-scheduler", "kubectl", "kubectl-client-side-apply", "containerd", "docker", "dockerd", "crio", "unknown",
    "node-controller", "unstuck-system", "localhost",
))
# fmt: on
# fmt: off
_REGISTRIES = frozenset((
    "docker.io", "index.docker.io", "registry-1.docker.io", "registry.k8s.io", "k8s.gcr.io", "gcr.io", "quay.io", "ghcr.io",
    "mcr.microsoft.com", "library", "pause",
))
# fmt: on
# A piece of a text between what can stand in no name.
_PIECE = re.compile(r"[^\s\"'`,;()\[\]{}<>=|]+")
_STAMP = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_UUID = r"(?:pod)?[0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}"
_HEX = r"(?<![A-Za-z0-9])(?=[0-9a-f]*[0-9])[0-9a-f]{8,64}(?![A-Za-z0-9])"
_IPV4 = r"(?<![\w.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\w]|\.\d)"
_IPV6 = r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){2,7}(?::?[0-9a-fA-F]{1,4})?(?::[0-9a-fA-F]{1,4})*(?![\w:])"
_JOINED = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?"
_WITHIN = re.compile(rf"(?P<keep>{_STAMP}|{_UUID}|{_HEX})|(?P<ip>{_IPV4}|{_IPV6})|(?P<token>{_JOINED}|[^\x00-\x7f]+)")
_LETTERS = re.compile(r"[A-Za-z]+|[^\x00-\x7f]+")
# What a controller puts behind a name: an ordinal, or letters of Kubernetes' own random alphabet.
_MADE = re.compile(r"(?:-(?:\d{1,3}|[bcdfghjklmnpqrstvwxz2456789]{5}|[bcdfghjklmnpqrstvwxz2456789]{8,10}))+$")
# A host as messages name it: in an address, or where it was looked up.
_HOST = re.compile(r"(?:://|\blookup )(?P<host>[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z0-9-]*[A-Za-z0-9])(?![\w.-])")
# A Service's own name is made of an object's and its Namespace's.
_WITHIN_CLUSTER = (".svc", ".cluster.local", ".k8s.io", ".kubernetes.io")
_DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
_API = re.compile(r"/apis?/(?:[^/]+/)?v\d\w*/")


@dataclass(slots=True)
class Redacted:
    """replaced: how many different things of each kind were. kept: names that stay in messages, for they are words that messages use."""

    saved: Saved
    replaced: Counter[str] = field(default_factory=Counter)
    kept: int = 0


def redact(asked: Saved, known: Collection[str], *, words_stay: bool = False) -> Redacted:
    """known: the vocabulary, in small letters. words_stay: a name that is also a word of messages is replaced where it is a name, and stays
    in messages, so that these keep their sense. Pure: the same facts give the same pseudonyms.
    """
    doc = save(asked, "")
    hide = _Hiding(known, words_stay)
    hide.learn(doc)
    return Redacted(load(hide.document(doc)), hide.replaced, len(hide.ambiguous))


class _Hiding:
    def __init__(self, known: Collection[str], words_stay: bool) -> None:
        self._known, self._words_stay = known, words_stay
        self.replaced: Counter[str] = Counter()
        self.ambiguous: set[str] = set()
        self._names: dict[str, str] = {}
        self._images: dict[str, str] = {}
        self._words: dict[str, str] = {}
        self._pieces: dict[str, str] = {}
        self._addresses = Addresses()

    # --- which names there are -----------------------------------------------------------------------------------------

    def learn(self, doc: Any) -> None:
        """Gives every name its pseudonym, in an order that depends on the names alone."""
        names: dict[str, str] = {}
        images: set[str] = set()
        facts = [fact for fact in doc["facts"] if fact["type"] not in _NO_NAMES]
        about = [fact["about"] for fact in doc["facts"]]
        for key, kind, value in _strings([facts, about, doc["asked"]], "", ""):
            if key in _IMAGES or (key == "name" and kind == "Image"):
                images.add(value)
            elif key in _NAMES and kind not in _BY_WORDS and value not in _COMMON and not value.startswith("system:"):
                for part in value.split("/") if key == "within" else (value,):
                    if re.search(r"[A-Za-z]", part) and part not in _COMMON and self._nameable(part):
                        names.setdefault(part, _sort(key, kind))
            for found in _HOST.finditer(value):
                host = found["host"]
                if not host.endswith((*_WITHIN_CLUSTER, *_CLOUDS)) and host not in _REGISTRIES and re.search("[A-Za-z]", host):
                    names.setdefault(host, "host")
        for name in sorted(names, key=lambda n: (len(n), n)):
            self._names[name] = self._new_name(name, names[name])
        for image in sorted(images):
            self._images[image] = self._image(image)

    @staticmethod
    def _nameable(value: str) -> bool:
        """Paths and sentences are no names of objects; one or two letters tell nothing, and stand in too many words."""
        return (
            not (len(value) < 3 and value.isalpha())
            and re.fullmatch(r"[A-Za-z0-9](?:[A-Za-z0-9._:@-]{0,251}[A-Za-z0-9])?", value) is not None
            and not re.fullmatch(_UUID, value)
        )

    def _new_name(self, name: str, sort: str) -> str:
        if self._addresses.is_address(name):
            return self._addresses.hidden(name)
        made = _MADE.search(name)
        base = name[: made.start()] if made else name
        if made and base:
            if base not in self._names:
                self._names[base] = self._fresh(sort)
            return self._names[base] + made[0]
        for prefix in _prefixes(name):
            if prefix in self._names and "." not in name:
                return f"{self._names[prefix]}-{self._token(name[len(prefix) + 1 :])}"
        return self._fresh(sort)

    def _fresh(self, sort: str) -> str:
        self.replaced[sort] += 1
        # By its dot an image's reference shows that its first part is a host.
        return f"{sort}-{self.replaced[sort]}" + (".example" if sort == "host" else "")

    def _image(self, image: str) -> str:
        digest = _DIGEST.search(image)
        bare = image[: digest.start()] if digest else image
        path, colon, tag = bare.rpartition(":")
        if not colon or "/" in tag:
            path, colon, tag = bare, "", ""
        scheme, sep, path = path.rpartition("://")
        parts = [self._image_part(part) for part in path.split("/")]
        self.replaced["image"] += 1
        hidden = f"@sha256:{self.replaced['image']:064x}" if digest else ""
        return f"{scheme}{sep}{'/'.join(parts)}{colon}{self._token(tag)}{hidden}"

    def _image_part(self, part: str) -> str:
        host, colon, port = part.partition(":")
        if (
            host in _REGISTRIES
            or host == "localhost"
            or not re.search("[A-Za-z0-9]", host)
            or re.fullmatch(r"[0-9a-f]{12,64}|sha256", host)
        ):
            return part
        if host.endswith(_CLOUDS):
            return self._token(host.partition(".")[0]) + "." + host.partition(".")[2] + colon + port
        if host not in self._names and not (len(host) < 3 and host.isalpha()):
            self._names[host] = (
                self._addresses.hidden(host) if self._addresses.is_address(host) else self._fresh("host" if "." in host else "repository")
            )
        return self._names.get(host, host) + colon + port

    # --- replacing -----------------------------------------------------------------------------------------------------

    def document(self, doc: dict[str, Any]) -> dict[str, Any]:
        """The same document with pseudonyms; what it is made of (types, times, kinds of questions) stays."""
        facts = [self._value(fact, "", "") for fact in doc["facts"]]
        asked = self._value(doc["asked"], "", "") if doc["asked"] else None
        # A source is `live:CONTEXT`, `node:NAME`, `file:PATH`.
        sources = ["live:cluster" if s.startswith("live:") else self.text(s) for s in doc["sources"]]
        self.replaced["word"] = len(self._words)
        self.replaced["address"] = self._addresses.count
        return {**doc, "facts": facts, "asked": asked, "sources": sources}

    def _value(self, value: Any, key: str, kind: str) -> Any:
        if isinstance(value, str):
            return self._string(value, key, kind)
        if isinstance(value, list):
            return [self._value(v, key, kind) for v in value]
        if isinstance(value, dict):
            own = value.get("kind")
            kind = own if isinstance(own, str) else ""
            lines = value.get("type") == "LastLines"
            if value.get("type") in _NO_NAMES:
                return {k: self._value(v, k, kind) if k == "about" else self._plain(v, k) for k, v in value.items()}
            return {
                k: v
                if k in ("type", "want", "why_open", "uid")
                else [_numberless(self.text(line)) for line in v]
                if lines and k == "lines"
                else self._value(v, k, kind)
                for k, v in value.items()
            }
        return value

    def _plain(self, value: Any, key: str) -> Any:
        """Of what holds no names."""
        if isinstance(value, str):
            return value if key == "type" else self.text(value)
        if isinstance(value, list):
            return [self._plain(v, "") for v in value]
        return {k: self._plain(v, k) for k, v in value.items()} if isinstance(value, dict) else value

    def _string(self, value: str, key: str, kind: str) -> str:
        if key in _IMAGES or (key == "name" and kind == "Image"):
            return self._images.get(value) or self.text(value)
        if key in _NAMES and kind not in _BY_WORDS:
            if value in self._names:
                return self._names[value]
            if key == "within" and "/" in value:
                return "/".join(self._names.get(part) or self.text(part) for part in value.split("/"))
            return value if value in _COMMON else self.text(value)
        if key == "where" and (found := _API.match(value)):
            rest = value[found.end() :].split("/")
            # Resource and name take turns; below a name there may be a part of it (`status`).
            told = [part if i % 2 == 0 else self._names.get(part) or self.text(part) for i, part in enumerate(rest)]
            return self.text(found[0][:-1]) + "/" + "/".join(self.text(p) if i % 2 == 0 else p for i, p in enumerate(told))
        return self.text(value)

    def text(self, text: str) -> str:
        """Any words."""
        return _PIECE.sub(lambda m: self._piece(m, text), text)

    def _piece(self, found: re.Match[str], text: str) -> str:
        piece = found[0]
        quoted = text[found.start() - 1 : found.start()] == text[found.end() : found.end() + 1] and text[found.end() : found.end() + 1] in (
            "'",
            '"',
            "`",
        )
        bare = piece.rstrip(".:")
        for table in (self._images, self._names):
            if bare in table and (quoted or not self._is_word(bare)):
                return table[bare] + piece[len(bare) :]
        if piece not in self._pieces:
            self._pieces[piece] = self._joined(piece)
        return self._pieces[piece]

    def _joined(self, piece: str) -> str:
        """`ns/name` of two names; else what stands between marks."""
        both = piece.split("/")
        if len(both) == 2 and all(part in self._names for part in both):
            return "/".join(self._names[part] for part in both)
        return _WITHIN.sub(self._part, piece)

    def _part(self, found: re.Match[str]) -> str:
        if found["keep"]:
            return found[0]
        if found["ip"]:
            return self._addresses.hidden(found[0])
        return self._token(found[0])

    def _token(self, token: str) -> str:
        """What may be a name, a host, a word, or several joined by dots and dashes."""
        if token in _COMMON or token in _REGISTRIES:
            return token
        if token in self._names:
            if not self._is_word(token):
                return self._names[token]
            if len(token) > 2:
                self.ambiguous.add(token)
            return token
        if "." in token:
            return ".".join(self._token(part) if part else "" for part in token.split("."))
        for prefix in _prefixes(token):
            if prefix in self._names and not self._is_word(prefix):
                return f"{self._names[prefix]}-{self._token(token[len(prefix) + 1 :])}"
        return _LETTERS.sub(self._word, token)

    def _is_word(self, name: str) -> bool:
        """Whether messages use it as a word: one that stands alone."""
        return name.isalpha() and (len(name) < 3 or (self._words_stay and name.lower() in self._known))

    def _word(self, found: re.Match[str]) -> str:
        word = found[0]
        small = word.lower()
        if (len(word) < 3 and word.isascii()) or small in self._known or self._made_of_known(word):
            return word
        stem = _singular(small)
        new = self._words.setdefault(stem, f"word{len(self._words) + 1}") + ("s" if stem != small else "")
        return new.capitalize() if word[0].isupper() else new

    def _made_of_known(self, word: str) -> bool:
        """KubeletHasSufficientMemory."""
        return not word.islower() and all(len(p) < 3 or p.lower() in self._known for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", word))


def _singular(word: str) -> str:
    """A resource is called by its kind's plural."""
    for end, instead in (("ies", "y"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("sses", "ss"), ("s", "")):
        if word.endswith(end) and not word.endswith("ss") and len(word) > len(end) + 2:
            return word.removesuffix(end) + instead
    return word


def _prefixes(name: str) -> Iterator[str]:
    """Up to each dash, the longest first."""
    at = name.rfind("-")
    while at > 0:
        yield name[:at]
        at = name.rfind("-", 0, at)


def _numberless(line: str) -> str:
    """A container's own words may hold anybody's numbers."""
    return re.sub(r"\d{5,}", lambda m: "0" * len(m[0]), line)


def _sort(key: str, kind: str) -> str:
    if key in ("within", "namespace") or kind == "Namespace":
        return "namespace"
    return {"Node": "node", "Pod": "pod"}.get(kind, "host" if key == "host" else "name")


def _strings(value: Any, key: str, kind: str) -> Iterator[tuple[str, str, str]]:
    """(field, kind of the object that it belongs to, value) of every string."""
    if isinstance(value, str):
        yield key, kind, value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item, key, kind)
    elif isinstance(value, Mapping):
        own = value.get("kind")
        for name, item in value.items():
            yield from _strings(item, name, own if isinstance(own, str) else "")


def words_of(text: str) -> set[str]:
    """The words of a text as `known` has them."""
    return {word.lower() for word in re.findall(r"[A-Za-z]{3,}", text)}
