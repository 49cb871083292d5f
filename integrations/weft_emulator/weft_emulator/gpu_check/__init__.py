"""The check on a GPU: `python3 integrations/weft_emulator build/gpu`, from the root of the sources (docs/gpu.md)."""
