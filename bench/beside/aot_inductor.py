"""What packages of AOTInductor can do."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from trying import elsewhere, tried

LOAD = """
import sys, torch
m = torch._inductor.aoti_load_package(sys.argv[1] + "/m.pt2")
x = torch.ones(4, 3)
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
    rows = torch.export.Dim("rows", min=2, max=1024)
    exported = torch.export.export(Model(), (torch.ones(4, 3),), dynamic_shapes={"x": {0: rows}})
    torch._inductor.aoti_compile_and_package(exported, package_path=str(folder / "m.pt2"))
    print(f"torch {torch.__version__}")
    tried("source not needed", lambda: elsewhere(LOAD + "print(m(x)[0].item())", folder))
    gradient = "x.requires_grad_(); y = m(x.clone())[0]; print(torch.autograd.grad(y, x))"
    tried("gradients after loading", lambda: elsewhere(LOAD + gradient, folder))
    tried("dynamic sizes", lambda: elsewhere(LOAD + "print(m(torch.ones(7, 3))[0].item())", folder))
    tried("outside of the sizes", lambda: elsewhere(LOAD + "print(m(torch.ones(2000, 3))[0].item())", folder))
    tried("in-place arguments", lambda: elsewhere(LOAD + "m(x); print(x[0].tolist())", folder))
    tried("state", lambda: elsewhere(LOAD + "m(x); print(m(x)[1].item(), 'after two calls')", folder))


if __name__ == "__main__":
    main()
