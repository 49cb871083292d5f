"""`weft.from_stablehlo`: what it takes, and what it says of what it does not take."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weft
from weft.frontend.stablehlo.context import stablehlo
from weft.frontend.stablehlo.rules.table import RULES

ADDED = """\
func.func @main(%x: tensor<?x3xf32> loc("weights"), %y: tensor<3xf32>) -> tensor<?x3xf32> {
  %n = "stablehlo.get_dimension_size"(%x) {dimension = 0 : i64} : (tensor<?x3xf32>) -> tensor<i32>
  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %m, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %wide = "stablehlo.dynamic_broadcast_in_dim"(%y, %shape) {broadcast_dimensions = array<i64: 1>}
    : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  %z = stablehlo.multiply %x, %wide : tensor<?x3xf32>
  return %z : tensor<?x3xf32>
}
"""
X, Y = np.arange(6, dtype="f4").reshape(2, 3), np.array([1, 2, 3], "f4")


def artifact(text: str, version: str = "1.0.0") -> bytes:
    """What StableHLO writes."""
    written: bytes = stablehlo().serialize_portable_artifact_str(text, version)
    return written


@pytest.fixture(scope="module")
def added() -> Any:
    return weft.from_stablehlo(ADDED)


def test_text(added: Any) -> None:
    np.testing.assert_array_equal(added(X, Y), X * Y)
    np.testing.assert_array_equal(added(X[:1], Y), X[:1] * Y)
    assert repr(added) == "<weft.function main(f32[?,3], f32[3]) of a file>"
    assert list(added._parameters.signature.parameters) == ["weights", "x1"]


def test_unknown_sizes_stay_unknown(added: Any) -> None:
    concrete = added.get_concrete_function()
    assert concrete.result_types == "f32[?,3]"
    np.testing.assert_array_equal(concrete(X, Y), X * Y)


def test_gradients(added: Any) -> None:
    np.testing.assert_array_equal(weft.grad(lambda x, y: added(x, y).sum(), argnums=1)(X, Y), X.sum(0))


def test_inside_of_functions(added: Any) -> None:
    doubled = weft.function(lambda x, y: added(x, y) * 2)
    np.testing.assert_array_equal(doubled(X, Y), X * Y * 2)


def test_bytes_and_files(tmp_path: Path) -> None:
    data = artifact(ADDED)
    for source in (data, bytearray(data), memoryview(data)):
        np.testing.assert_array_equal(weft.from_stablehlo(source)(X, Y), X * Y)
    for name, contents in (
        ("a.bc", data),
        ("b.mlir", ADDED.encode()),
        ("c.bin", data),
        ("d.txt", ADDED.encode()),
    ):
        path = tmp_path / name
        path.write_bytes(contents)
        np.testing.assert_array_equal(weft.from_stablehlo(path)(X, Y), X * Y)
        np.testing.assert_array_equal(weft.from_stablehlo(str(path))(X, Y), X * Y)


def test_saved_again(tmp_path: Path, added: Any) -> None:
    path = tmp_path / "model.weft"
    weft.save(path, added=added)
    np.testing.assert_array_equal(weft.load(path).added(X, Y), X * Y)


def test_a_function_by_name() -> None:
    text = ADDED.replace("@main", "@first") + ADDED.replace("@main", "@second").replace("multiply", "add")
    np.testing.assert_array_equal(weft.from_stablehlo(text, "second")(X, Y), X + Y)
    with pytest.raises(ValueError, match="has the functions first, second: say which by name="):
        weft.from_stablehlo(text)
    with pytest.raises(ValueError, match="has no function 'third'; it has: first, second"):
        weft.from_stablehlo(text, "third")


def test_mistakes_in_texts() -> None:
    with pytest.raises(
        ValueError, match=r"^text:8:22: use of value '%x' .*\n +%z = stablehlo.add .*\n +\^$"
    ) as caught:
        weft.from_stablehlo(ADDED.replace("multiply %x, %wide : tensor<?x3", "add %x, %wide : tensor<?x4"))
    assert isinstance(caught.value, weft.WeftError)
    with pytest.raises(TypeError, match="takes bytes, a text or a path, not 3"):
        weft.from_stablehlo(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        weft.from_stablehlo("nothing.mlir")


def refused(body: str, types: str = "tensor<3xf32>") -> str:
    """What is said of a function of one argument and result of a type."""
    with pytest.raises(weft.UnsupportedError) as caught:
        weft.from_stablehlo(f"func.func @main(%x: {types}) -> {types} {{\n{body}\nreturn %y : {types}\n}}")
    return str(caught.value)


def test_all_ops_that_are_unknown_are_named() -> None:
    text = refused("""
      %a = stablehlo.partition_id : tensor<ui32>
      %b = stablehlo.replica_id : tensor<ui32>
      %c = stablehlo.replica_id : tensor<ui32>
      %y = stablehlo.add %x, %x : tensor<3xf32>""")
    assert text == (
        "weft has no form of these ops:\n"
        "  line 3 of the text: stablehlo.partition_id\n"
        "  line 4 of the text: stablehlo.replica_id"
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            '%y = stablehlo.custom_call @lapack_sgetrf(%x) : (tensor<3xf32>) -> tensor<3xf32>',
            "line 2 of the text: stablehlo.custom_call calls 'lapack_sgetrf', a function of the program that wrote it",
        ),
        (
            '%y = "stablehlo.map"(%x) ({ ^bb0(%a: tensor<f32>): '
            "%b = stablehlo.reshape %a : (tensor<f32>) -> tensor<f32> "
            '"stablehlo.return"(%b) : (tensor<f32>) -> () }) {dimensions = array<i64: 0>} '
            ": (tensor<3xf32>) -> tensor<3xf32>",
            "line 2 of the text: stablehlo.reshape is in a function of scalars, and none of elements",
        ),
        (
            "%y = func.call @main(%x) : (tensor<3xf32>) -> tensor<3xf32>",
            "line 2 of the text: func.call calls main, which calls itself",
        ),
    ],
)  # fmt: skip
def test_ops_that_are_refused(body: str, message: str) -> None:
    assert refused(body) == message


def test_elements_that_weft_has_not() -> None:
    with pytest.raises(ValueError, match="argument 0 of main is no array: tensor<3xf8E4M3FN> is not a type"):
        weft.from_stablehlo(
            "func.func @main(%x: tensor<3xf8E4M3FN>) -> tensor<3xf8E4M3FN> {\n return %x : tensor<3xf8E4M3FN> }"
        )


def test_bytes_that_are_no_module() -> None:
    with pytest.raises(weft.ArtifactError, match="begins with 'ML', this with b'PK"):
        weft.from_stablehlo(b"PK\x03\x04 something else")
    with pytest.raises(weft.ArtifactError, match=r"pass Exported\.mlir_module_serialized"):
        weft.from_stablehlo(b"\x20\x00\x00\x00 flat buffers" + artifact(ADDED))
    with pytest.raises(weft.ArtifactError, match=r"this with b'.*; pass a text as a str"):
        weft.from_stablehlo(ADDED.encode())


def test_files_that_are_no_module(tmp_path: Path) -> None:
    path = tmp_path / "exported.bin"
    path.write_bytes(b"\x20\x00\x00\x00 flat buffers" + artifact(ADDED))
    with pytest.raises(
        weft.ArtifactError, match=r"exported\.bin is no module: .*pass Exported\.mlir_module_serialized"
    ):
        weft.from_stablehlo(str(path))
    with pytest.raises(IsADirectoryError):
        weft.from_stablehlo(str(tmp_path))


def test_newer_versions() -> None:
    data = artifact(ADDED, "1.9.0").replace(b"StableHLO_v1.9.0", b"StableHLO_v9.9.0")
    np.testing.assert_array_equal(
        weft.from_stablehlo(data)(X, Y), X * Y
    )  # its ops have versions that are known
    assert b"multiply_v1" in data
    data = data.replace(b"multiply_v1", b"multiply_v9")
    with pytest.raises(
        weft.ArtifactError, match=r"written by StableHLO 9\.9\.0, and this reads up to 1\.\d+\.\d+"
    ):
        weft.from_stablehlo(data)


@pytest.mark.slow
def test_damaged_bytes_are_errors() -> None:
    """MLIR's reader ends its process at some of them; that is another one."""
    data, draw = artifact(ADDED), random.Random(3)
    for _ in range(12):
        changed = bytearray(data)
        for _ in range(3):
            changed[draw.randrange(4, len(changed))] = draw.randrange(256)
        try:
            found = weft.from_stablehlo(
                bytes(changed[: draw.choice([len(data), draw.randrange(8, len(data))])])
            )
        except (ValueError, weft.UnsupportedError):
            continue
        assert "f32" in repr(found)


UNKNOWN = "tensor<?xf32>, %y: tensor<?xf32>"
SIZES = [
    (
        UNKNOWN,
        "%z = stablehlo.add %x, %y : tensor<?xf32>",
        "?xf32",
        "3.*4",
    ),
    (
        "tensor<?xf32>, %y: tensor<?xf32>",
        """%z = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0]
          : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>""",
        "f32",
        "3.*4",
    ),
    (
        UNKNOWN,
        """%five = stablehlo.constant dense<5> : tensor<1xi32>
        %z = stablehlo.dynamic_reshape %x, %five : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>""",
        "?xf32",
        "3.*5|5.*3",
    ),
    (
        UNKNOWN,
        """%five = stablehlo.constant dense<5> : tensor<1xi32>
        %z = "stablehlo.dynamic_broadcast_in_dim"(%x, %five) {broadcast_dimensions = array<i64: 0>}
          : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf32>""",
        "?xf32",
        "3.*5|5.*3",
    ),
    (
        UNKNOWN,
        """%i = stablehlo.constant dense<0> : tensor<i32>
        %z = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<?xf32>, tensor<i32>) -> tensor<4xf32>""",
        "4xf32",
        "3.*4|4.*3",
    ),
    (
        UNKNOWN,
        """%i = stablehlo.constant dense<0> : tensor<i32>
        %z = stablehlo.dynamic_update_slice %x, %y, %i
          : (tensor<?xf32>, tensor<?xf32>, tensor<i32>) -> tensor<?xf32>""",
        "?xf32",
        "3.*4|4.*3",
    ),
]


@pytest.mark.parametrize(("arguments", "body", "result", "message"), SIZES)
def test_sizes_that_do_not_fit(arguments: str, body: str, result: str, message: str) -> None:
    """What a module takes for granted of sizes that it does not know is checked."""
    text = (
        f"func.func @main(%x: {arguments}) -> tensor<{result}> {{\n{body}\nreturn %z : tensor<{result}>\n}}"
    )
    function = weft.from_stablehlo(text)
    concrete = function.get_concrete_function()
    for call in (concrete, function):
        with pytest.raises(ValueError, match=message):
            call(np.ones(3, "f4"), np.ones(4, "f4"))


def test_mistakes_at_places_of_a_program() -> None:
    """What a text says of a line of the program that it comes from is no line of the text."""
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = "stablehlo.iota"() {iota_dimension = 4 : i64} : () -> tensor<3xf32> loc("program.py":1:1)
      return %y : tensor<3xf32>
    }"""
    with pytest.raises(ValueError, match=r"^text: .*iota.*dimension") as caught:
        weft.from_stablehlo(text)
    assert "\n" not in str(caught.value)
    unknown = text.replace('"program.py":1:1', "unknown")
    with pytest.raises(ValueError, match=r"^text: .*iota.*dimension"):
        weft.from_stablehlo(unknown)


def test_texts_that_nest_too_deep() -> None:
    with pytest.raises(weft.ArtifactError, match="the module is nested too deep"):
        weft.from_stablehlo("(" * 100_000)


def test_forms_of_ops_that_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def rule(*_: Any) -> Any:
        raise KeyError("axis")

    monkeypatch.setitem(RULES, "dynamic_reshape", RULES["dynamic_reshape"]._replace(rule=rule))
    with pytest.raises(
        weft.UnsupportedError, match=r"dynamic_reshape has a form that is not read .KeyError 'axis'"
    ):
        weft.from_stablehlo(
            f"func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {{\n{SIZES[2][1]}\nreturn %z : tensor<?xf32>\n}}"
        )


def test_sharding_in_texts() -> None:
    text = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      %y = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<3xf32>
      return %y : tensor<3xf32>
    }"""
    np.testing.assert_array_equal(weft.from_stablehlo(text)(np.ones(3, "f4")), np.full(3, 2, "f4"))
