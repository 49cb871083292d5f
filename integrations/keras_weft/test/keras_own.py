"""Runs Keras's own tests, which lie in its wheel, on weft: `python keras_own.py [part of a name ...] [-- options]`.

`FILES` names the files, and `--all` in front of the parts takes all others, too; the options are pytest's. What is
known not to pass is in `EXCLUDED`, with the reason, and has to fail: a test that passes again is told, so that the list
does not go stale. Tests that want TensorFlow, JAX or torch beside Keras are skipped.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import types
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

FILES = (
    "backend/common/compute_output_spec",
    "backend/common/remat",
    "backend/common/stateless_scope",
    "backend/common/variables",
    "callbacks/early_stopping",
    "callbacks/model_checkpoint",
    "layers/attention/multi_head_attention",
    "layers/convolutional/conv",
    "layers/convolutional/conv_transpose",
    "layers/core/dense",
    "layers/core/einsum_dense",
    "layers/core/embedding",
    "layers/layer",
    "layers/normalization/batch_normalization",
    "layers/normalization/layer_normalization",
    "layers/pooling/average_pooling",
    "layers/pooling/max_pooling",
    "layers/regularization/dropout",
    "layers/rnn/bidirectional",
    "layers/rnn/gru",
    "layers/rnn/lstm",
    "layers/rnn/rnn",
    "losses/losses",
    "metrics/accuracy_metrics",
    "models/functional",
    "models/model",
    "models/sequential",
    "ops/core",
    "ops/image",
    "ops/linalg",
    "ops/math",
    "ops/nn",
    "ops/numpy",
    "optimizers/adam",
    "optimizers/loss_scale_optimizer",
    "optimizers/sgd",
    "random/random",
    "saving/saving_lib",
    "trainers/epoch_iterator",
    "trainers/trainer",
)
"""The files, under `keras/src` and without `_test.py`."""

QUICK = (
    "backend/common/compute_output_spec",
    "backend/common/stateless_scope",
    "metrics/accuracy_metrics",
    "optimizers/sgd",
)
"""Those that run whenever our own tests do."""

_EDGES = "compares the edges, too, which only backends leave out that are named; ours are those of the signal"

_EFFECTS = "counts traces by what `train_step` does to a list: with weft, that happens at each call"
_NUMPY_ARRAYS = "NumPy's arrays are what weft computes with, and the test wants them not to be"
_FLOAT8 = "weft has no float8"
_ATTRIBUTE = "sets an attribute of an array, which NumPy's have not"
_GFILE = "asks for a path of another machine, which needs TensorFlow's gfile"
_NOT_IN_WHEEL = "reads a file that the wheel does not have"

_OF_FLOAT8 = dict.fromkeys(
    (
        "test_quantize_dtype_argument_float8",
        "test_quantize_float8",
        "test_quantize_float8_fitting",
    ),
    _FLOAT8,
)

EXCLUDED: dict[str, dict[str, str]] = {
    "layers/regularization/dropout": {
        "test_dropout_rescaling": "the mean of what is drawn for this seed is 2.7 standard deviations off, and 2 pass"
    },
    "layers/core/dense": _OF_FLOAT8,
    "layers/core/einsum_dense": _OF_FLOAT8,
    "layers/core/embedding": {
        "test_int4_block_size_with_lora_grouped_block_64": _ATTRIBUTE,
        "test_int4_block_size_with_lora_per_channel": _ATTRIBUTE,
        "test_quantize_lora_integration_int4": _ATTRIBUTE,
    },
    "ops/core": {"CoreOpsCorrectnessTest::test_is_tensor": _NUMPY_ARRAYS},
    "saving/saving_lib": {
        "test_legacy_load_skips_missing_nested_containers": _NOT_IN_WHEEL,
        "test_remove_weights_only_saving_and_loading": _GFILE,
        "test_disk_io_store_remote_working_dir_is_preserved": _GFILE,
    },
    "callbacks/tensorboard": {"TestTensorBoardV2::test_TensorBoard_non_blocking": _ATTRIBUTE},
    "trainers/trainer": {"test_retracing": _EFFECTS, "test_retracing_predict": _EFFECTS},
    "ops/math": {f"MathOpsCorrectnessTest::test_istft{number}": _EDGES for number in (0, 3, 4, 5, 6)},
}
"""For each file the tests that do not pass, by how their names end, and why."""

OTHERS = tuple(
    name
    for name in ("grain", "jax", "orbax", "tensorflow", "torch")
    if importlib.util.find_spec(name) is None
)
"""What tests of Keras import, and is not installed."""

LEFT_OUT = {
    "backend/jax": "is of another backend",
    "backend/tensorflow": "is of another backend",
    "backend/torch": "is of another backend",
    "distribution": "is of models on several devices",
    "export/litert": "is of a format that TensorFlow or torch writes",
    "export/onnx": "runs what it has written by onnxruntime",
    "export/openvino": "is of a format of another backend",
    "export/saved_model": "is of a format that TensorFlow writes",
    "export/tfsm_layer": "is of a format that TensorFlow writes",
    "export/torch": "is of a format that torch writes",
    "quantizers/gptq_core": "gives numbers below 0 to an Embedding, which refuses them",
    "utils/jax_layer": "is of layers of another library",
    "utils/torch_utils": "is of layers of another library",
}
"""What `--all` does not run, by how names begin, and why."""


def source_folder() -> Path:
    """Where the sources of Keras are installed."""
    spec = importlib.util.find_spec("keras")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "src"


def all_files() -> list[str]:
    """The files of tests that Keras has, but for those left out."""
    root = source_folder()
    names = sorted(
        path.relative_to(root).as_posix().removesuffix("_test.py") for path in root.rglob("*_test.py")
    )
    return [name for name in names if not name.startswith(tuple(LEFT_OUT))]


def command(*files: str, options: Sequence[str] = ()) -> list[str]:
    """The command line that runs files."""
    paths = [str(source_folder() / f"{file}_test.py") for file in files]
    ours = [
        "-p",
        Path(__file__).stem,
        "-p",
        "no:cacheprovider",
        "-c",
        str(Path(__file__).parent.parent / "pyproject.toml"),  # which sets nothing
        "--rootdir",
        str(source_folder().parent),
    ]
    return [sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=short", *ours, *paths, *options]


def environment() -> dict[str, str]:
    """The variables in which the tests run."""
    here = Path(__file__).parent
    paths = [str(here), str(here.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    added = {"PYTHONPATH": os.pathsep.join(paths), "KERAS_BACKEND": "weft", "KERAS_HOME": os.devnull}
    return {"WEFT_CACHE": "0"} | os.environ | added


def main(arguments: Sequence[str]) -> int:
    """Run the files that are asked for, and end with a table."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parts, options = arguments[:split], arguments[split + 1 :]
    files = all_files() if "--all" in parts else FILES
    parts = [part for part in parts if part != "--all"]
    rows = []
    for file in files:
        if not parts or any(part in file for part in parts):
            print(f"== {file}", flush=True)
            done = subprocess.run(
                command(file, options=options), env=environment(), stdout=subprocess.PIPE, text=True
            )
            print(done.stdout, end="", flush=True)
            rows.append((file, done.returncode, (done.stdout.strip().splitlines() or ["no output"])[-1]))
    print("== summary")
    for file, status, summary in rows:
        print(f"{file:45} {'ok' if status == 0 else 'FAILED':7} {summary}")
    return int(any(status for _, status, _ in rows))


# The plugin of pytest that the processes of single files load


class _MissingClass(type):
    """What a package has that is not installed: it has all names, and to call it skips the test."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _MissingClass(name, (), {"__module__": f"{cls.__module__}.{cls.__name__}"})

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        pytest.skip(f"uses {cls.__module__}.{cls.__name__}")


class _Missing(types.ModuleType):
    """Stands for a package that is not installed, or a module of it."""

    __path__: Sequence[str] = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _MissingClass(name, (), {"__module__": self.__name__})


class _MissingFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds all modules of packages that are not installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module, if it is of such a package."""
        missing = fullname.partition(".")[0] in OTHERS
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if missing else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """What stands for it."""
        return _Missing(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


def pytest_configure(config: pytest.Config) -> None:
    """Let Keras's test files be imported: what they import lies in its repository, or is not installed."""
    for marker in ("multi_device", "requires_trainable_backend"):
        config.addinivalue_line("markers", f"{marker}: of Keras")
    helpers: Any = types.ModuleType("conftest")
    helpers.skip_if_backend = lambda name, reason: pytest.mark.skipif(name == "weft", reason=reason)
    sys.modules["conftest"] = helpers
    finder = importlib.import_module("keras_weft.finder")
    finder.MODULES |= {"keras.src.trainers.trainer_test"}  # asks which class is the Trainer
    ours = [one for one in sys.meta_path if one.__class__.__module__ == finder.__name__]
    sys.meta_path[:] = [*ours, *(one for one in sys.meta_path if one not in ours)]  # before pytest's own

    class AddDevice(finder._AddBranch):  # type: ignore[misc, name-defined]
        """Adds weft to tables of the devices of backends, too."""

        def visit_Dict(self, node: ast.Dict) -> ast.AST:
            keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
            if "jax" in keys and "torch" in keys:
                node.keys.append(ast.Constant("weft"))
                node.values.append(node.values[keys.index("jax")])
            return node

    finder._AddBranch = AddDevice


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[Any]:
    """While files are imported, let there be what only other backends need."""
    finder = _MissingFinder()
    sys.meta_path.append(finder)
    try:
        return (yield)
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.partition(".")[0] in OTHERS]:
            del sys.modules[name]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Expect those to fail that are in the list."""
    for item in items:
        file = item.path.relative_to(source_folder()).as_posix().removesuffix("_test.py")
        if "multi_device" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="there is one device"))
        for part, reason in EXCLUDED.get(file, {}).items():
            if item.nodeid.endswith(f"::{part}"):  # and not those whose names go on
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def _missing_for(error: BaseException) -> str | None:
    """What an error says is not installed."""
    if isinstance(error, ModuleNotFoundError):
        return error.name if error.name in OTHERS else None
    is_tensorflow = isinstance(error, ImportError) and "requires TensorFlow" in str(error)
    return "tensorflow" if is_tensorflow and "tensorflow" in OTHERS else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[pytest.TestReport]:
    """A test that imports what is not installed is skipped."""
    report: pytest.TestReport = yield
    error = None if call.excinfo is None else call.excinfo.value
    while error is not None:
        missing = _missing_for(error)
        if missing is not None:
            report.outcome = "skipped"
            report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: imports {missing}")
        error = error.__context__
    return report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
