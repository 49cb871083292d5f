"""ONNX's own tests of backends: models of one node each, and small models that lie in the package.

`python -m support.onnx_backend` runs all of them compiled, and says which do not pass, by reason.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
from onnx import numpy_helper

import weft

OPS_NOT_READ = {
    "texts": "LabelEncoder RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer",
    "random numbers": "Bernoulli Multinomial RandomNormal RandomNormalLike RandomUniform RandomUniformLike",
    "trees and tables of ai.onnx.ml": "ArrayFeatureExtractor Binarizer TreeEnsemble",
    "training by ops of a preview": "Adagrad Adam Gradient Momentum",
    "files of images": "ImageDecoder",
    "detection of objects": "DeformConv MaxRoiPool RoiAlign",
    "tables of frequencies": "MelWeightMatrix",
}
"""The ops that weft does not read, by reason."""

OTHER_REASONS = {
    r"has elements that weft has not: (float8|float4|u?int4|u?int2)": "elements of eight bits and less",
    r"makes elements of float8": "elements of eight bits and less",
    r"has elements that weft has not: string|has dtype object|not object\[": "texts",
    r"drops elements at random": "random numbers",
    r"\(Unique\) compares parts along an axis": "Unique along an axis",
    r"\(Scan\): Scan, version 8": "Scan of version 8, which no exporter writes any more",
}
"""Why others are not read, by what is said of them."""

KNOWN = ("depth", "roi", "scales", "trip_count")
"""Inputs of floats that say what is computed, too."""


class Case(NamedTuple):
    """A model with inputs, and what it is to give for them."""

    name: str
    model: Any
    data: list[tuple[list[Any], list[Any]]]
    rtol: float
    atol: float

    @property
    def op(self) -> str:
        """The op that it is about."""
        return str(self.model.graph.node[0].op_type)


def node_cases() -> list[Case]:
    """The models of one node each."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            Case(c.name, c.model, [(_arrays(i), _arrays(o)) for i, o in c.data_sets], c.rtol, c.atol)
            for c in collect_testcases(None)
        ]


def model_cases() -> Iterator[Case]:
    """The small models that lie in the package."""
    data = Path(onnx.__file__).parent / "backend" / "test" / "data"
    for kind in ("simple", "pytorch-converted", "pytorch-operator"):
        for path in sorted((data / kind).glob("*/model.onnx")):
            model = onnx.load(path)
            sets = [
                (_stored(folder, "input", model.graph.input), _stored(folder, "output", model.graph.output))
                for folder in sorted(path.parent.glob("test_data_set_*"))
            ]
            yield Case(path.parent.name, model, sets, 1e-3, 1e-5)


def _arrays(values: Any) -> list[Any]:
    return [_array(value) for value in values]


def _array(value: Any) -> Any:
    if isinstance(value, onnx.TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, onnx.SequenceProto):
        return numpy_helper.to_list(value)
    return value


def _stored(folder: Path, kind: str, values: Any) -> list[Any]:
    found = []
    for number, value in enumerate(values):
        path = folder / f"{kind}_{number}.pb"
        if path.exists():
            is_sequence = value.type.WhichOneof("value") == "sequence_type"
            message = onnx.SequenceProto() if is_sequence else onnx.TensorProto()
            message.ParseFromString(path.read_bytes())
            found.append(_array(message))
    return found


def check(case: Case, *, eager: bool = False) -> None:
    """Run a case; raises `AssertionError` for wrong results, and weft's errors."""
    for inputs, expected in case.data:
        if eager:
            with weft.eager(), np.errstate(all="ignore"):
                found = weft.onnx.load(case.model)(*inputs)
        else:
            found = _compiled(case.model, inputs)
        require_equal([found] if len(expected) == 1 else found, expected, case)


def _compiled(model: Any, inputs: list[Any]) -> Any:
    """What the model computes; with inputs that have to be known as constants, where it needs that."""
    try:
        return weft.onnx.load(model)(*inputs)
    except weft.WeftError:
        names = [value.name for value in model.graph.input]
        known = {
            name: value
            for name, value in zip(names, inputs, strict=False)
            if isinstance(value, (np.ndarray, np.generic)) and (value.dtype.kind in "iub" or name in KNOWN)
        }
        known = {name: value for name, value in known.items() if np.ndim(value) < 2}
        if not known:
            raise
        rest = [value for name, value in zip(names, inputs, strict=False) if name not in known]
        return weft.onnx.load(model, constants=known)(*rest)


def require_equal(found: Any, expected: Any, case: Case) -> None:
    """Raise `AssertionError` where values differ by more than a case allows, or have another dtype or shape."""
    if expected is None:
        assert found is None
        return
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            require_equal(one, other, case)
        return
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    if found.dtype.name == "bfloat16":  # of which sums are rounded in another order
        np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=2.0**-6, atol=case.atol)
    elif case.op == "DFT":  # where cases have been computed in float32
        np.testing.assert_allclose(found, expected, rtol=case.rtol, atol=1e-6)
    elif found.dtype.kind in "fc":
        np.testing.assert_allclose(found, expected, rtol=case.rtol, atol=case.atol)
    else:
        np.testing.assert_array_equal(found, expected)


def reason(error: Exception) -> str | None:
    """Why weft does not read something, if that is known and meant."""
    text = str(error)
    unread = set(re.findall(r"(?:^|\s)(?:[a-z.]+\.)?(\w+), version \d+ of the domain", text))
    for why, ops in OPS_NOT_READ.items():
        if unread and unread <= set(ops.split()):
            return why
    return next((why for pattern, why in OTHER_REASONS.items() if re.search(pattern, text)), None)


def outcome(case: Case, *, eager: bool = False) -> str:
    """ "passes", why it is not read, or what went wrong."""
    try:
        check(case, eager=eager)
    except AssertionError as error:
        return f"WRONG {' '.join(str(error).split())[:300]}"
    except Exception as error:
        known = reason(error) if isinstance(error, weft.WeftError) else None
        return known or f"FAILS {type(error).__name__}: {' '.join(str(error).split())[:300]}"
    return "passes"


def main() -> int:
    """Run all cases compiled."""
    counts: Counter[str] = Counter()
    failed = 0
    for case in [*node_cases(), *model_cases()]:
        found = outcome(case)
        if found.startswith(("WRONG", "FAILS")):
            failed += 1
            print(f"{case.name}: {found}")
            found = found[:5]
        counts[found] += 1
    for why, count in counts.most_common():
        print(f"{count:5} {why}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
