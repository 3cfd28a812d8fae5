"""A registry sends half of a layer as if it were complete."""

from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-cut-short",
    "a layer arrives shorter than the image promises",
    has="cut",
    port=5707,
    says="unexpected EOF",
    accepts="image.layer-corrupt",
)
