"""Files of the node with relevant contents: logs, and the configuration of daemons."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from unstuck.facts.aspects.host import NodeFact
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.record import Record, record


@record(kw_only=True)
class FileLines(NodeFact):
    """The last lines of a log file of the node, secrets masked. about: a `File`: the log itself, or a
    directory, which means its most recently written log; a name without a leading slash is in the kubelet's
    own directory. Never whole: a log holds more.

    path: the file read. written: the time of the last write, None if unknown. complaint: as in `LastLines`.
    """

    path: str
    lines: tuple[str, ...]
    written: datetime | None = None
    complaint: Complaint | None = None
    ask: ClassVar[str] = "ls -lt {name}; tail -n 20 {name}"


@record()
class ConfigLine(Record):
    """One line of a configuration file. number: from 1. text: without surrounding blanks, secrets masked."""

    path: str
    number: int
    text: str


@record(kw_only=True)
class ConfigMentions(NodeFact):
    """The lines of the node's own configuration that contain a word. about: a `ConfigWord`, the word its
    name.

    items: without comments; the kubelet's and the runtime's first. Whole if every file of the usual places
    was read. The places: the kubelet, the container runtimes and their registries, the network plugins,
    static Pods, units of systemd with their drop-ins, names and resolvers, settings of the kernel.
    """

    items: tuple[ConfigLine, ...]
    ask: ClassVar[str] = (
        "grep -rsnIF -e {name} /etc/containerd /etc/crio /etc/containers /etc/docker /etc/cni "
        "/etc/kubernetes /etc/systemd/system /etc/sysctl.d /etc/sysctl.conf /etc/hosts /etc/resolv.conf"
    )


@record(kw_only=True)
class SeccompRules(NodeFact):
    """A seccomp profile of the node. about: a `File`: a name without a leading slash is in the kubelet's own
    directory, such as `seccomp/tight.json`.

    default: the action for calls without a rule, such as `SCMP_ACT_ALLOW`. denied: the calls that a rule
    answers with an error or a kill, for any arguments. allowed: the calls that a rule allows, at least for
    some arguments. readable: whether it is a profile; False also for invalid JSON. Source:
    opencontainers/runtime-spec config-linux.md (seccomp).
    """

    readable: bool
    default: str = ""
    denied: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    ask: ClassVar[str] = "cat {name}"


@record()
class TextLine(Record):
    """One line of a file. number: from 1. text: cut, secrets masked; bytes that are no UTF-8 are escaped."""

    number: int
    text: str


@record(kw_only=True)
class PathContent(NodeFact):
    """The content of a path of the node, in a few words. about: a `File`, or a `FileLine` with the name
    `PATH:NUMBER`, which also asks for that line; a name without a leading slash is in the kubelet's own
    directory.

    path: without links. form: what the first bytes are, such as `gzip`, `ELF`, `HTML`, `text`, `zeros`;
    `directory`; "" if unknown. processor: an ELF file's, in Go's words. expected: the size that the file's
    own header wants, if it is larger than the file. size: in bytes. lines: the number of lines of a text
    that was read whole. marks: lines of an unsolved merge. foreign: the first line that is no UTF-8.
    broken: the line at which a JSON or TOML file stops being valid. returns: whether its lines end with a
    carriage return. value: the text of a file of one short line; "" if its name or form may be a secret's.
    line: the line asked for; None if the file has no such line. names: of a directory, the first entries,
    directories with a slash; count: of all; beside: if it is empty, the names in the directory above that
    are most like its own. Whole if it was read to its end. Sources: magic(5), elf(5), gitattributes(5).
    """

    path: str
    form: str = ""
    size: int = 0
    processor: str = ""
    expected: int = 0
    lines: int | None = None
    marks: tuple[TextLine, ...] = ()
    foreign: TextLine | None = None
    broken: TextLine | None = None
    returns: bool = False
    value: str = ""
    line: TextLine | None = None
    names: tuple[str, ...] = ()
    count: int = 0
    beside: tuple[str, ...] = ()
    ask: ClassVar[str] = "ls -la {name}; file {name}; head -c 400 {name}"
