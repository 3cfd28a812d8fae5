"""Words in a command that stand for what nobody told: which they are, and how to get them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.diagnosis.command import command as built
from unstuck.diagnosis.given import NOTHING, kind_of, namespace
from unstuck.diagnosis.text import Text

# Within an argument, so that `custom-columns=NAME:…` and `-o NAME,TYPE` are left alone.
_WORD = re.compile(r"(?:^|[/\"= ])(NODE|NAME|NAMESPACE|POD|PID|REGISTRY|PATH-OF-THE-OBJECT)(?=$|[\"?/:; ](?!\.metadata))")
_HOW = {
    "NODE": Text("the node's name, from `kubectl get nodes`", "节点名，见 `kubectl get nodes`"),
    "NAMESPACE": Text("its Namespace, from `kubectl get namespaces`", "其 Namespace，见 `kubectl get namespaces`"),
    "POD": Text("the Pod's name, from `kubectl get pods -A`", "该 Pod 的名称，见 `kubectl get pods -A`"),
    "PID": Text("the process id, from `ps -ef` there", "进程号，见该处的 `ps -ef`"),
    "REGISTRY": Text("the registry's host: what stands before the first / of the image", "镜像仓库的主机：镜像名中第一个 / 之前的部分"),
    "PATH-OF-THE-OBJECT": Text("the object's path, as the API server's log names it", "对象的路径，见 API server 的日志"),
}
_CHOSEN = Text("a name of your choice", "任取的名称")


def unknown(command: Sequence[str]) -> tuple[tuple[str, Text], ...]:
    """Return (word, how to get what belongs there) for each such word of a command, in its order."""
    found = dict.fromkeys(word for part in command for word in _WORD.findall(part))
    return tuple((word, _HOW.get(word) or _name(command)) for word in found)


def _name(command: Sequence[str]) -> Text:
    """Say what `NAME` stands for, by the words in front of it."""
    if "create" in command:
        return _CHOSEN
    space = next((command[i + 1] for i, word in enumerate(command[:-1]) if word == "-n"), None)
    kind = next((word.removesuffix("/NAME") for word in command if word.endswith("/NAME")), "secrets")
    ask = built("kubectl get {kind} {space}", kind=kind_of(kind), space=namespace(space) if space else NOTHING)
    return Text(f"its name, from `{ask.line}`", f"其名称，见 `{ask.line}`")
