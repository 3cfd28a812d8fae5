"""A Pod asks for 800 TiB of the nodes' own disks, which none has."""

from unstuck_lab.faults._wants import more_than_any_node

FAULT = more_than_any_node(
    "big-scratch",
    "wants-scratch",
    "ephemeral-storage",
    "800Ti",
    "scheduling.insufficient-ephemeral-storage",
    "ephemeral storage",
)
