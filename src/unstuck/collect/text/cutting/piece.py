"""The input of every format: a piece of a text with its place and context."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.runtime import RuntimeWord
from unstuck.facts.core import Fact, Ref, Source, shorten

# Names of kubectl: its own, its substitutes', and its usual aliases.
KUBECTL = ("kubectl", "oc", "k", "kc", "kctl", "kubecolor", "microk8s.kubectl", "kubectl.exe")


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """A command that a prompt shows. host: the machine's name in the prompt, else None."""

    text: str
    host: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The words up to the first pipe or redirection; of `k3s kubectl …` and `watch kubectl …` those of
        the called program.
        """
        words = re.split(r"\||>|&&|;", self.text, maxsplit=1)[0].split()[:64]
        at = next((i for i, w in enumerate(words[:4]) if w in _WRAPS), None)
        if at is not None and (inner := words[at + 1 :]) and (inner[0] == "--" or inner[0] in _WRAPPED):
            return tuple(w for w in inner if w != "--")
        if (
            words
            and words[0] in _REPEATS
            and (called := next((i for i, w in enumerate(words) if w in _WRAPPED), None)) is not None
        ):
            return tuple(words[called:])
        return tuple(words)

    @property
    def is_filtered(self) -> bool:
        """Whether a pipe or `--tail` may have removed lines of its output."""
        return "|" in self.text or " --tail" in self.text

    @property
    def program(self) -> str:
        """`kubectl`, also for its usual short forms; `sudo` is passed over."""
        words = [w for w in self.words if w not in ("sudo", "-E") and "=" not in w]
        name = words[0].rpartition("/")[2] if words else ""
        return "kubectl" if name in KUBECTL else name

    def option(self, *names: str) -> str | None:
        """Return the value of `-n x`, `-nx`, `--namespace x` or `--namespace=x`."""
        words = self.words
        for i, word in enumerate(words):
            for name in names:
                if word == name and i + 1 < len(words):
                    return words[i + 1]
                if name.startswith("--") and word.startswith(name + "="):
                    return word[len(name) + 1 :]
                if (
                    not name.startswith("--")
                    and word.startswith(name)
                    and len(word) > len(name)
                    and name == "-n"
                ):
                    return word[len(name) :]
        return None

    @property
    def namespace(self) -> str | None:
        """The Namespace that the command names."""
        return self.option("-n", "--namespace")

    @property
    def all_namespaces(self) -> bool:
        """`-A` or `--all-namespaces`."""
        return any(w in ("-A", "--all-namespaces") for w in self.words)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Words after the program that are neither options nor their values."""
        out = list[str]()
        skip = False
        for word in self.words:
            if skip:
                skip = False
            elif word.startswith("-"):
                skip = word in _TAKES_VALUE
            else:
                out.append(word)
        if out and out[0] == "sudo":
            out = out[1:]
        return tuple(out[1:])


# Programs whose `-n` names a Namespace.
_OF_A_NAMESPACE = frozenset({"kubectl", "helm", "flux", "istioctl", "velero", "linkerd"})
_WRAPS = frozenset({"k3s", "rke2", "microk8s", "k0s", "minikube"})
# They run another command, and have their own options: `watch -n 1 kubectl …`.
_REPEATS = frozenset({"watch", "time", "timeout"})
_WRAPPED = frozenset({"kubectl", "crictl", "ctr"})
_TAKES_VALUE = frozenset(
    {
        "-n",
        "--namespace",
        "-o",
        "--output",
        "-l",
        "--selector",
        "--context",
        "--kubeconfig",
        "--field-selector",
        "-c",
        "--container",
        "-s",
        "-u",
    }
)


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Lines between two prompts. start: number of the first line in the text, 1-based. command: the command
    that printed them, if it is shown.
    """

    start: int
    lines: tuple[str, ...]
    command: TypedCommand | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a text's lines that were taken from a file with gaps. numbers: each line's number in the
    file.

    times: for a line (of the text, 1-based) that begins a record, the number of equal records of the file, if
    more than one. ends: for each joined line, the number of its last part.
    """

    numbers: Sequence[int] = ()
    times: Mapping[int, int] = field(default_factory=dict)
    ends: Mapping[int, int] = field(default_factory=dict)


WHOLE = Origin()


@dataclass(frozen=True, slots=True)
class TextContext:
    """Properties of the whole text. name: of the text. now: its time. namespace: the default for commands
    that name none, if the text shows it.

    short: a paste: every line is here, and each one counts.
    """

    name: str
    now: datetime
    namespace: str | None = None
    origin: Origin = WHOLE
    short: bool = False

    def line(self, number: int) -> int:
        """Return the number of a line of the text in its file."""
        numbers = self.origin.numbers
        return numbers[number - 1] if 0 < number <= len(numbers) else number

    def last(self, number: int) -> int:
        """Return the number in its file of the last line that a line of the text was made of."""
        return self.origin.ends.get(number, self.line(number))


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of lines in one format. closes: nothing follows it in its block."""

    lines: tuple[str, ...]
    start: int
    command: TypedCommand | None
    context: TextContext
    closes: bool = True

    @property
    def end(self) -> int:
        """Number of the last line."""
        return self.start + len(self.lines) - 1

    @property
    def namespace(self) -> str | None:
        """Of objects that the piece shows without one."""
        if self.command is None or self.command.program not in _OF_A_NAMESPACE:
            return None
        return None if self.command.all_namespaces else self.command.namespace or self.context.namespace

    @property
    def node(self) -> Ref | None:
        """The machine on which the command ran, if the prompt names it."""
        return Ref("Node", None, self.command.host) if self.command and self.command.host else None

    def src(self, index: int, quote: str | None = None, at: datetime | None = None) -> Source:
        """Return the place of line `index` (0-based within the piece)."""
        text = self.lines[index].strip() if quote is None else quote
        return Source(f"{self.context.name}:{self.context.line(self.start + index)}", shorten(text), at)

    def block(self, kind: str) -> Ref:
        """Return a reference to an unnamed object: "the Pod of paste.txt:3-9"."""
        return Ref(
            kind, block=f"{self.context.name}:{self.context.line(self.start)}-{self.context.last(self.end)}"
        )


@dataclass(frozen=True, slots=True)
class Gone:
    """The objects that a tool no longer found, and the places of these messages: a process, or a container's
    task. container: the id as the tool has it.
    """

    src: Source
    pid: int = 0
    container: str = ""


@dataclass(slots=True)
class Reading:
    """The result of reading a piece. understood: whether the format recognised it, even without any fact.

    containers: the first 12 characters of a container's id → its Pod. processes: by pid. words: a container's
    state in a runtime's listing: its id, the word, the place. gone: things that tools no longer found.
    """

    facts: list[Fact] = field(default_factory=list)
    understood: bool = True
    containers: dict[str, Ref] = field(default_factory=dict)
    processes: dict[int, Proc] = field(default_factory=dict)
    words: list[tuple[str, RuntimeWord, Source]] = field(default_factory=list)
    gone: list[Gone] = field(default_factory=list)
