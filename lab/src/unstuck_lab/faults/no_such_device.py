"""A Pod asks for a device that no node offers: its device plugin does not run."""

from unstuck_lab.faults._wants import make_oversized_fault

FAULT = make_oversized_fault(
    "no-such-device",
    "wants-a-gpu",
    "gpu.example.com/card",
    "1",
    "scheduling.insufficient-extended-resource",
    "cards of a device plugin",
)
