"""What files of `jax.export` can do."""

from __future__ import annotations

import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import export
from trying import elsewhere, tried

LOAD = """
import sys, jax, numpy as np
from jax import export
f = export.deserialize(open(sys.argv[1] + "/f.bin", "rb").read())
x = np.ones((4, 3), "float32")
"""


def f(x):
    return jnp.tanh(x @ jnp.arange(3.0)).sum()


def main() -> None:
    folder = Path(tempfile.mkdtemp())
    (rows,) = export.symbolic_shape("n")
    spec = jax.ShapeDtypeStruct((rows, 3), jnp.float32)
    made = export.export(jax.jit(f), platforms=["cpu", "cuda", "tpu"])(spec)
    (folder / "f.bin").write_bytes(made.serialize(vjp_order=2))
    print(f"jax {jax.__version__}")
    tried("source not needed", lambda: elsewhere(LOAD + "print(f.call(x))", folder))
    tried("gradients after loading", lambda: elsewhere(LOAD + "print(jax.grad(f.call)(x).shape)", folder))
    tried(
        "second gradients",
        lambda: elsewhere(
            LOAD + "print(jax.grad(lambda x: (jax.grad(f.call)(x)**2).sum())(x).shape)", folder
        ),
    )
    tried("dynamic sizes", lambda: elsewhere(LOAD + "print(f.call(np.ones((7, 3), 'float32')))", folder))
    tried("other targets", lambda: made.platforms)

    def in_place() -> str:
        x = np.zeros(3, "float32")
        jax.jit(lambda x: x.at[0].set(1), donate_argnums=0)(x)
        return f"no: the argument is {x.tolist()} after x.at[0].set(1)"

    tried("in-place arguments", in_place)

    def state() -> str:
        counter = {"steps": jnp.zeros(())}

        def count(x):
            counter["steps"] = counter["steps"] + 1
            return x

        loaded = export.deserialize(export.export(jax.jit(count))(jnp.ones(())).serialize())
        loaded.call(jnp.ones(()))
        return f"no: functions are pure; an attribute that the function changed is {type(counter['steps']).__name__}"

    tried("state", state)


if __name__ == "__main__":
    main()
