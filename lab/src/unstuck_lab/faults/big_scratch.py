"""A Pod asks for 800 TiB of the nodes' own disks, which none has."""

from unstuck_lab.faults._wants import make_oversized_fault

FAULT = make_oversized_fault(
    "big-scratch",
    "wants-scratch",
    "ephemeral-storage",
    "800Ti",
    "scheduling.insufficient-ephemeral-storage",
    "ephemeral storage",
)
