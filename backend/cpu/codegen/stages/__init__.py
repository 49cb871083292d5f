"""Stages of a stencil: elementwise nests that read shifted parts of what others compute, tile by tile."""
