"""Models of ONNX as trainers export them: a convolutional network and an encoder of a transformer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper


class Builder:
    """Makes a model, node by node; results are named by numbers."""

    def __init__(self, seed: int = 0) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.random = np.random.default_rng(seed)

    def array(self, value: Any, name: str = "") -> str:
        """An initialiser."""
        name = name or f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weights(self, name: str, *shape: int) -> str:
        """An initialiser of random floats."""
        scale = np.prod(shape[1:] or (4,)) ** -0.5
        return self.array((self.random.normal(size=shape) * scale).astype("float32"), name)

    def add(self, op: str, *inputs: str, outputs: int = 1, **attributes: Any) -> Any:
        """A node; the name of its result, or of all of several."""
        number = len(self.nodes)
        names = [f"v{number}_{place}" for place in range(outputs)]
        self.nodes.append(
            helper.make_node(op, list(inputs), names, name=f"{op.lower()}_{number}", **attributes)
        )
        return names[0] if outputs == 1 else names

    def model(
        self, name: str, inputs: Sequence[Any], output: str, shape: Sequence[Any], opset: int = 21
    ) -> ModelProto:
        """The model."""
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)
        graph = helper.make_graph(self.nodes, name, inputs, [result], self.initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def convolutional_network() -> ModelProto:
    """Residual blocks over images (N, 3, 16, 16), as torchvision exports them."""
    b = Builder()

    def normalized(x: str, name: str, channels: int) -> str:
        given = [
            b.array(b.random.uniform(0.5, 1.5, channels).astype("float32"), f"{name}.{k}") for k in "sbmv"
        ]
        return b.add("BatchNormalization", x, *given, epsilon=1e-5)

    def block(x: str, name: str, inner: int, channels: int, stride: int) -> str:
        y = b.add(
            "Conv",
            x,
            b.weights(f"{name}.conv1", channels, inner, 3, 3),
            pads=[1] * 4,
            strides=[stride] * 2,
            kernel_shape=[3, 3],
        )
        y = b.add("Relu", normalized(y, f"{name}.norm1", channels))
        y = b.add(
            "Conv", y, b.weights(f"{name}.conv2", channels, channels, 3, 3), pads=[1] * 4, kernel_shape=[3, 3]
        )
        y = normalized(y, f"{name}.norm2", channels)
        if stride != 1 or inner != channels:
            x = b.add("Conv", x, b.weights(f"{name}.down", channels, inner, 1, 1), strides=[stride] * 2)
        return b.add("Relu", b.add("Add", x, y))

    x = b.add(
        "Conv", "images", b.weights("stem", 8, 3, 5, 5), b.weights("stem.bias", 8), auto_pad="SAME_UPPER"
    )
    x = b.add("MaxPool", b.add("Relu", x), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    x = block(block(x, "one", 8, 8, 1), "two", 8, 16, 2)
    x = b.add("Conv", x, b.weights("depthwise", 16, 1, 3, 3), group=16, pads=[2] * 4, dilations=[2, 2])
    x = b.add("HardSwish", x)
    x = b.add("Flatten", b.add("GlobalAveragePool", x), axis=1)
    x = b.add("Gemm", x, b.weights("head", 10, 16), b.weights("head.bias", 10), transB=1)
    x = b.add("Softmax", x, axis=1)
    images = helper.make_tensor_value_info("images", TensorProto.FLOAT, ["N", 3, 16, 16])
    return b.model("network", [images], x, ["N", 10])


def transformer_encoder(layers: int = 2, width: int = 16, heads: int = 4, words: int = 30) -> ModelProto:
    """An encoder over token numbers with a mask, with the chains of Shape, Gather and Reshape that exporters write."""
    b = Builder()
    one, zero, axis_0 = b.array(np.int64(1)), b.array(np.int64(0)), b.array(np.array([0]))
    head, each = b.array(np.array([heads])), b.array(np.array([width // heads]))

    def extent(x: str, which: str) -> str:
        return b.add("Unsqueeze", b.add("Gather", b.add("Shape", x), which, axis=0), axis_0)

    def dense(x: str, name: str, rows: int, columns: int) -> str:
        return b.add(
            "Add", b.add("MatMul", x, b.weights(name, rows, columns)), b.weights(f"{name}.bias", columns)
        )

    def split(x: str) -> str:
        shape = b.add("Concat", extent(x, zero), extent(x, one), head, each, axis=0)
        return b.add("Transpose", b.add("Reshape", x, shape), perm=[0, 2, 1, 3])

    def normalized(x: str, name: str) -> str:
        scale = b.array(b.random.uniform(0.5, 1.5, width).astype("float32"), f"{name}.scale")
        return b.add("LayerNormalization", x, scale, b.weights(f"{name}.bias", width), axis=-1)

    x = b.add("Gather", b.weights("words", words, width), "tokens", axis=0)
    place = b.add("Range", zero, b.add("Gather", b.add("Shape", "tokens"), one, axis=0), one)
    x = b.add("Add", x, b.add("Gather", b.weights("places", 64, width), place, axis=0))
    absent = b.add("Sub", b.array(np.float32(1)), b.add("Cast", "mask", to=TensorProto.FLOAT))
    bias = b.add("Mul", b.add("Unsqueeze", absent, b.array(np.array([1, 2]))), b.array(np.float32(-1e4)))
    for layer in range(layers):
        name = f"layer{layer}"
        y = normalized(x, f"{name}.norm1")
        q, k, v = (split(dense(y, f"{name}.{which}", width, width)) for which in "qkv")
        scores = b.add("MatMul", q, b.add("Transpose", k, perm=[0, 1, 3, 2]))
        scores = b.add("Div", scores, b.array(np.float32((width // heads) ** 0.5)))
        found = b.add("MatMul", b.add("Softmax", b.add("Add", scores, bias), axis=-1), v)
        found = b.add("Transpose", found, perm=[0, 2, 1, 3])
        flat = b.add("Concat", extent(x, zero), extent(x, one), b.array(np.array([-1])), axis=0)
        x = b.add("Add", x, dense(b.add("Reshape", found, flat), f"{name}.out", width, width))
        y = b.add("Gelu", dense(normalized(x, f"{name}.norm2"), f"{name}.up", width, 4 * width))
        x = b.add("Add", x, dense(y, f"{name}.down", 4 * width, width))
    x = normalized(x, "norm")
    inputs = [
        helper.make_tensor_value_info("tokens", TensorProto.INT64, ["N", "T"]),
        helper.make_tensor_value_info("mask", TensorProto.BOOL, ["N", "T"]),
    ]
    return b.model("encoder", inputs, x, ["N", "T", width])


__all__ = ["Builder", "convolutional_network", "transformer_encoder"]
