"""A kubelet's log of any size: mostly information, some repeated failures, multi-line messages."""

from __future__ import annotations

from random import Random

UID = "9e964fdf-0000-4000-8000-{n:012}"
_INFO = (
    'I1121 00:{m:02}:{s:02}.{u:06}    4242 kubelet.go:2453] "SyncLoop (PLEG): event for pod" pod="shop/web-{n}" event={{"Data":"{h}"}}',
    'I1121 00:{m:02}:{s:02}.{u:06}    4242 scope.go:117] "RemoveContainer" containerID="{h}"',
    'I1121 00:{m:02}:{s:02}.{u:06}    4242 prober.go:107] "Probe succeeded" pod="shop/web-{n}"',
    'time="2026-11-21T00:{m:02}:{s:02}.{u:06}Z" level=info msg="RemoveContainer for \\"{h}\\""',
)
# Rare in a real log, and costly: the next line may belong to an omitted one.
_LONG = "I1121 00:{m:02}:{s:02}.{u:06}    4242 x.go:1] Diff of the status:\n  - Running\n  + Failed {h}"
_TOLD = (
    'I1121 00:{m:02}:{s:02}.{u:06}    4242 cgroup.go:1] Failed to delete cgroup paths for pod "' + UID + '"',
    'E1121 00:{m:02}:{s:02}.{u:06}    4242 nestedpendingoperations.go:348] UnmountVolume.TearDown failed for volume "d" (UniqueName: '
    f'"kubernetes.io/empty-dir/{UID}-d") pod "{UID}" (UID: "{UID}") : unlinkat /var/lib/kubelet/pods/{UID}/volumes/x/d/x: operation not permitted',
    "E1121 00:{m:02}:{s:02}.{u:06}    4242 mount.go:1] Unmount failed: exit status 32\nOutput: umount: /x: target is busy\n",
)


def log(size: int, seed: int = 1, told: float = 0.03, prefix: str = "") -> str:
    """Return a log of at least this many characters, with a message every hundredth of a second. prefix: a
    journal's prefix of each line.
    """
    random = Random(seed)  # noqa: S311 - not for secrets
    out: list[str] = []
    length = 0
    while length < size:
        kind = random.random()
        form = random.choice(_TOLD) if kind < told else _LONG if kind > 0.99 else random.choice(_INFO)
        second, hundredth = divmod(len(out), 100)
        words = {"m": second // 60 % 60, "s": second % 60, "u": hundredth * 10_000, "n": random.randint(0, 9)}
        out.append(prefix + form.format(**words, h=f"{random.getrandbits(256):064x}"))
        length += len(out[-1]) + 1
    return "\n".join(out) + "\n"
