"""The container's main process ends by itself

## How it happens

The process that the container starts comes to an end: it meets an error (a missing setting, a database that does not answer, a bug) and
exits, or it has simply done its work, exits with 0 and is started again because the Pod's restartPolicy says Always. The kubelet waits
longer before each new start, up to 5 minutes: CrashLoopBackOff.

## How to tell

The last run ended with exit code 0 to 128 (or one above the signals) and reason Error or Completed, and the kubelet did not end it: there
is no liveness or startup probe, or the run was too short for one to fail, or all events were seen and none says that one failed, and the
Pod was not evicted. The last lines of that run, quoted here, mostly say why. 1 and 2 are the usual errors of a program, 126 a command
that cannot be run, 127 a shell that found no such command.

## Known limits

129 to 192 is also how a signal reads (137 is 128 + SIGKILL), and a program may return these numbers itself: then this stays undecided.
The kubelet drops events of a Pod beyond 25 at once, so that in a long loop with a probe the events prove nothing: undecided as well.
Whoever stops a process in a way that it answers with an ordinary exit code (a signal handler, a command run inside) is not seen.

## References

- Kubernetes pkg/kubelet/kuberuntime/kuberuntime_manager.go (doBackOff), documentation "Pod Lifecycle", restart policy; field notes
"""

from __future__ import annotations

from typing import Any

from unstuck.causes.container._ends import (
    SIGNALS,
    STAGES,
    Run,
    container_ref,
    ended,
    ended_by_probe,
    how_often,
    judged,
    last_words,
    turned_out,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, all_of, negated
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Events, Failure, Phase
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Life
from unstuck.facts.core import Ref, Want
from unstuck.facts.snapshot import Snapshot

_BY_ITSELF = ("Error", "Completed", "")


def _rule(pod: Ref, snap: Snapshot) -> Signs:
    runs = ended(pod, snap)
    exits = (
        judged([(r, _exited(pod, snap, r)) for r in runs.hits], runs.seen)
        if runs.hits
        else Sign(runs.value, seen=runs.seen, wants=runs.wants)
    )

    def finding() -> Finding:
        return _finding(pod, exits.hits[0], snap)

    return Signs(
        decisive={"its process ended, and nobody ended it": exits},
        supporting={"its description shows no probe that could end it": _unprobed(exits)},
        finding=finding,
    )


def _unprobed(exits: Sign[Run]) -> Sign[Run]:
    """A description of a Pod shows the probes that there are, but is not the whole object: it makes an ordinary exit code likely."""
    seen = tuple(r for r in exits.hits if exits.value is None and r.spec and not r.spec.liveness and not r.spec.startup)
    plain = tuple(r for r in seen if r.end.code not in SIGNALS)
    return Sign(True, plain, exits.seen) if plain else Sign(None)


def _exited(pod: Ref, snap: Snapshot, run: Run) -> Sign[Any]:
    """No for a start that failed, a kill for memory, a failed probe; open for a code that may be a signal's."""
    if run.end.reason not in _BY_ITSELF or run.end.code < 0:
        return Sign(False)
    others: list[Sign[Any]] = [ended_by_probe(pod, snap, run, "liveness"), ended_by_probe(pod, snap, run, "startup"), turned_out(pod, snap)]
    left_alone = all_of([negated(other) for other in others])
    if left_alone.value is not False and run.end.code in SIGNALS:
        return Sign(None, (run,), left_alone.seen, (*left_alone.wants, Want(LastLines, container_ref(pod, run.name))))
    return left_alone


def _finding(pod: Ref, run: Run, snap: Snapshot) -> Finding:
    code = run.end.code
    done = code == 0
    says = (
        Text(
            f"container {run.name} ends with exit code 0, as if its work were done, and is started again each time",
            f"容器 {run.name} 以退出码 0 结束（仿佛工作已完成），每次都被重新启动",
        )
        if done
        else Text(f"container {run.name} exits by itself with code {code}", f"容器 {run.name} 自行退出，退出码为 {code}")
    )
    words, enrich = last_words(pod, snap, run)
    meaning = {
        126: Text(
            "126: a shell could not run the command (no permission, or not a program)", "126：shell 无法执行该命令（无权限或不是程序）"
        ),
        127: Text("127: a shell found no such command", "127：shell 找不到该命令"),
    }
    notes = (*how_often(run), *words, *((meaning[code],) if code in meaning else ()))
    logs = Step(
        Text("read what it wrote before it ended", "查看它结束前输出的日志"),
        command=("kubectl", "logs", "--previous", *(("-n", pod.within) if pod.within else ()), pod.name or "POD", "-c", run.name),
    )
    repair = Step(
        Text("repair what it complains of: its configuration, what it depends on, or its image", "修复它所报告的问题：配置、依赖或镜像"),
        where="source",
        verify=Text("the container stays up beyond its first minutes", "容器运行超过最初几分钟"),
    )
    if done:
        repair = Step(
            Text(
                "if its work is to be done once, make it a Job; if it is a service, keep its process in the foreground",
                "若工作只需完成一次，改用 Job；若是服务，让进程保持在前台运行",
            ),
            where="source",
            verify=Text("the Job completes, or the container stays up", "Job 完成，或容器保持运行"),
        )
    hide = DoNot(
        Text("wrap the command in a loop or a sleep to keep it up", "用循环或 sleep 包住命令让它不退出"),
        Text("the Pod would look well while nothing works in it", "Pod 看似正常，里面却没有任何东西在工作"),
    )
    return Finding(says, container_ref(pod, run.name), (pod,), notes, (logs, repair), (hide,), enrich)


CAUSE = Cause(
    id="container.exits-by-itself",
    title=Text("the container's main process ends by itself", "容器的主进程自行退出"),
    subjects=("Pod",),
    stages=STAGES,
    reads=frozenset({ContainerStatuses, Containers, Events, Failure, LastLines, Life, Phase}),
    rule=_rule,
)
