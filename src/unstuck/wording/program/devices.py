"""The kernel's messages about a GPU that has failed: NVIDIA's numbered events (Xid), and a driver that cannot start
its device.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.facts.regex import regex
from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

_PCI = r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-9a-fA-F])?"
# NVIDIA's probe names the device in the first of several lines: kernel-open/nvidia/nv-pci.c.
_NAMED = regex(rf"\bNVRM: (?:The NVIDIA )?GPU (?P<name>{_PCI})")

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "device-failed",
        words(
            rf"\bNVRM: Xid \((?:PCI:)?(?P<name>{_PCI})\): (?P<at>\d{{1,3}})(?=,|:| |$)(?:, (?:pid=[^,]{{1,40}}, )?(?:name=[^,]{{1,40}}, )?(?P<reason>[A-Za-z][^\n]{{2,200}}))?"
            rf"|\bNVRM: GPU (?P<name_2>{_PCI}): (?P<reason_2>RmInitAdapter failed!|GPU has fallen off the bus|GPU is lost)"
            r"|\bNVRM: (?P<reason_3>(?:has )?fallen off the bus and is not responding to commands)"
            r"|(?P<reason_6>Failed to initialize NVML: (?:Unknown Error|Insufficient Permissions))"
            rf"|\bamdgpu (?P<name_4>{_PCI}): amdgpu: (?P<reason_4>ring \S{{1,40}} timeout|GPU reset\(\d{{1,4}}\) failed|Fatal error during GPU init)"
        ),
        ("NVRM: ", "amdgpu: ", "to initialize NVML: "),
        (
            Seen("NVIDIA driver", "340–580", "XID Errors (deployment guide); kernel-open/nvidia/nv.c"),
            Seen("libnvidia-container", "1.0–1.17", "src/nvc.c, src/cli/common.c; NVML: nvmlErrorString"),
            Seen("Linux", "4.15–6.12", "drivers/gpu/drm/amd/amdgpu/amdgpu_device.c, amdgpu_job.c"),
        ),
        (
            Example(
                "[ 99.1] NVRM: Xid (PCI:0000:2a:00): 79, pid=812, name=train, GPU has fallen off the bus.",
                "device-failed at=79 name=0000:2a:00 reason=GPU has fallen off the bus.",
            ),
            Example(
                "kernel: NVRM: Xid (PCI:0000:2a:00): 48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected",
                "device-failed at=48 name=0000:2a:00 reason=An uncorrectable double bit error (DBE) has been detected",
            ),
            Example(
                "NVRM: GPU 0000:2a:00.0: RmInitAdapter failed! (0x26:0x56:1482)",
                "device-failed name=0000:2a:00.0 reason=RmInitAdapter failed!",
            ),
            Example(
                "               NVRM: fallen off the bus and is not responding to commands.",
                "device-failed reason=fallen off the bus and is not responding to commands",
            ),
            Example(
                "Failed to initialize NVML: Insufficient Permissions",
                "device-failed reason=Failed to initialize NVML: Insufficient Permissions",
            ),
            Example(
                "Failed to initialize NVML: Unknown Error",
                "device-failed reason=Failed to initialize NVML: Unknown Error",
            ),
            Example(
                "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14",
                "device-failed name=0000:03:00.0 reason=ring gfx_0.0.0 timeout",
            ),
        ),
        own=True,
    ),
)


def find_device(above: Sequence[str]) -> str:
    """Return the device that the lines above name, "" for none."""
    return next((m["name"] for line in reversed(above) if (m := _NAMED.search(line))), "")
