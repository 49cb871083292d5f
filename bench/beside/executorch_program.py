"""What programs of ExecuTorch can do."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

import torch
from executorch.exir import to_edge
from trying import elsewhere, tried

LOAD = """
import sys, torch
from executorch.runtime import Runtime
program = Runtime.get().load_program(sys.argv[1] + "/m.pte")
m = program.load_method("forward")
x = torch.ones(4, 3)  # what is written comes first among the results
"""


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.arange(3.0))
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x):
        self.steps += 1
        y = torch.tanh(x @ self.w).sum()
        x.add_(1)
        return y, self.steps.clone()


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    rows = torch.export.Dim("rows", min=2, max=16)
    exported = torch.export.export(Model(), (torch.ones(4, 3),), dynamic_shapes={"x": {0: rows}})
    (folder / "m.pte").write_bytes(to_edge(exported).to_executorch().buffer)
    print(f"executorch {version('executorch')}, torch {torch.__version__}")
    tried("source not needed", lambda: elsewhere(LOAD + "print(m.execute([x])[1].item())", folder))
    gradient = "x.requires_grad_(); y = m.execute([x])[1]; print(torch.autograd.grad(y, x))"
    tried("gradients after loading", lambda: elsewhere(LOAD + gradient, folder))
    tried("dynamic sizes", lambda: elsewhere(LOAD + "print(m.execute([torch.ones(7, 3)])[1].item())", folder))
    tried(
        "outside of the sizes",
        lambda: elsewhere(LOAD + "print(m.execute([torch.ones(20, 3)])[1].item())", folder),
    )
    tried("in-place arguments", lambda: elsewhere(LOAD + "m.execute([x]); print(x[0].tolist())", folder))
    state = "m.execute([x]); print(m.execute([x])[2].item(), 'after two calls')"
    tried("state", lambda: elsewhere(LOAD + state, folder))


if __name__ == "__main__":
    main()
