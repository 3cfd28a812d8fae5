"""A Pod asks for 8 TiB of memory, which no node has."""

from unstuck_lab.faults._wants import make_oversized_fault

FAULT = make_oversized_fault(
    "big-memory", "wants-8-tebibytes", "memory", "8Ti", "scheduling.insufficient-memory", "memory"
)
