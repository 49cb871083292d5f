"""The check on a GPU: `python3 -m tools.gpu_check build/gpu`, from the root of the sources (docs/gpu.md)."""
