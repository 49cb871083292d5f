"""The check on a GPU, with nothing installed but NumPy: `python3 integrations/weft_emulator build/gpu`."""

import runpy

runpy.run_module("weft_emulator.gpu_check", run_name="__main__")
