"""Every setting of weft in one place: typed, from the environment, from Python, or for a scope."""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from ..backend.cache.store import Configuration, configure
from ..backend.cpu.dispatch.switches import switches
from ..backend.cpu.memory.limit import DEFAULT_LIMIT, set_limit
from ..backend.gpu.devices.deferral import defer_errors
from ..backend.gpu.devices.libraries import choose_library, multiply_float32_as, use_cublas
from ..backend.gpu.devices.names import device_number
from ..dialect.errors import WeftValueError, WeftWarning, no_attribute
from ..dialect.records import dataclass, defaults
from ..passes.differentiation.memory import DEFAULT_MEMORY
from ..passes.notes import CATEGORIES


def _setting(default: Any, help: str, shown: str = "") -> Any:
    """A setting; `shown` says in words what a default is that machines differ in."""
    return field(default=default, metadata={"help": help, "shown": shown})


def variable_of(name: str) -> str:
    """The variable of the environment that a setting has.

    >>> variable_of("cache_dir")
    'WEFT_CACHE_DIR'
    """
    return f"WEFT_{name.upper()}"


_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def _parse(variable: str, text: str, default: Any) -> Any:
    """Read an environment variable as the type of its default."""
    if isinstance(default, bool):
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        folder = "; a folder is for WEFT_CACHE_DIR" if variable == "WEFT_CACHE" and os.sep in text else ""
        raise WeftValueError(f"{variable}={text!r}: expected 0 or 1{folder}")
    if isinstance(default, int):
        if text.isdecimal():
            return int(text)
        raise WeftValueError(f"{variable}={text!r}: expected a whole number")
    return text


@dataclass
class Settings:
    """The settings; assign to an attribute, or use `with weft.settings.scope(name=value):`.

    >>> weft.settings.max_trace_ops
    100000
    """

    cache: bool = _setting(True, "Keep compiled functions on disk, for other processes.")
    cache_dir: str = _setting(
        "", "Where they are kept; without it the user's cache directory, ~/.cache/weft on Linux."
    )
    cache_megabytes: int = _setting(
        512, "How large the cache may become before the oldest files are removed."
    )
    collective_timeout: int = _setting(
        0, "Raise in a rank that waits for others for more than so many seconds, with its line (0: never)."
    )
    cublas: bool = _setting(
        False,
        "Multiply large matrices on a GPU by cuBLAS, where it is, in functions that are compiled from then on.",
    )
    cuda: str = _setting(
        "driver",
        "How GPUs are reached: driver, emulator (kernels run on the CPU, slowly, and are checked), or off.",
    )
    debug_info: bool = _setting(
        False, "Tell gdb and perf the lines of compiled code, and show locations in texts of stages."
    )
    deferred_errors: bool = _setting(
        False,
        "Let calls whose results stay on a GPU return before their checks are done; errors come at the next wait.",
    )
    device: str = _setting(
        "cpu", "Where functions run that do not say it by their device: cpu, cuda, cuda:1."
    )
    disable_jit: bool = _setting(False, "Run decorated functions eagerly, without compiling.")
    explain: bool = _setting(
        False, "Print on stderr what became of each function that is compiled or loaded."
    )
    fallback: bool = _setting(
        True,
        "Call NumPy, with a warning, for those of its functions that are not compiled, instead of refusing them.",
    )
    float32_products: str = _setting(
        "float32",
        "What a GPU multiplies in products of float32: float32, tf32 or bf16; in functions compiled from then on.",
    )
    full_traceback: bool = _setting(False, "Keep weft's own frames in tracebacks.")
    gradient_memory: int = _setting(
        DEFAULT_MEMORY,
        "How many bytes a loop may keep for its gradient before it is cut in pieces that run again.",
    )
    log: str = _setting(
        "",
        f"What to log, with commas between: {', '.join(CATEGORIES)}; to the loggers weft.trace and so on, or stderr.",
    )
    # A call takes 5 to 10 ms to record, and one in a branch 10 to 100.
    max_recursion: int = _setting(
        512,
        "Refuse functions that call themselves more often than this while they are recorded call by call; a call with "
        "run-time values under a run-time condition counts as eight, and one in front of which nothing was computed, "
        "in a walk over what is known while tracing, does not count.",
    )
    # Recording takes 30 us an op and compiling 0.1 to 0.7 ms: the limit is met after 3 s, and a program just below
    # it compiles in 10 s (elementwise chains) to a minute (many small kernels).
    max_trace_ops: int = _setting(100_000, "Refuse traces with more operations than this.")
    result_pool_bytes: int = _setting(
        DEFAULT_LIMIT,
        "Keep so much memory of results that are gone, for the next ones (0: NumPy allocates all results).",
        shown="an eighth of memory",
    )
    # A function that is called for the sixth time in a row with something new will not stop at six.
    retracing_warning: int = _setting(
        6, "Warn when so many calls of a function in a row had to compile (0: never)."
    )
    ship_compiled: bool = _setting(
        True, "Let pickled functions take their compiled code along, for processes that have none."
    )
    strict_conversion: bool = _setting(
        False, "Refuse functions that cannot be converted, instead of tracing them as they are."
    )
    target: str = _setting(
        "native",
        "The machine to compile for: native, a level of x86-64 (x86-64-v3), aarch64, or a processor as LLVM calls it.",
    )
    unroll_limit: int = _setting(
        16,
        "Unroll loops over Python's range and over arrays of known length up to this number of iterations.",
    )
    unrolled_ops_warning: int = _setting(
        4_000, "Warn when an unrolled loop or recursion records more operations than this (0: never)."
    )
    unroll_ops: int = _setting(
        512,
        "Do not unroll a loop, however short, that would record more operations than this; in nests, a quarter of it.",
    )
    verify: bool = _setting(False, "Run MLIR's verifier after the passes.")

    def __getattr__(self, name: str) -> Any:
        """Say what there is in place of a name that no setting has."""
        if name.startswith("__"):
            raise AttributeError(name)  # Python asks for those; the words take an import
        raise _no_setting(name)

    def __setattr__(self, name: str, value: Any) -> None:
        """Change a setting; what follows it is told."""
        if name not in self.__dict__:
            raise _no_setting(name)
        if name == "disable_jit" and self is globals().get("settings"):
            switches.add_reason(bool(value) - bool(self.disable_jit))
        if name == "cublas":
            use_cublas(bool(value))
        if name == "cuda":
            choose_library(value)
        if name == "deferred_errors":
            defer_errors(value)
        if name == "device":
            device_number(value)
        if name == "float32_products":
            multiply_float32_as(value)
        if name == "log":
            _require_categories(value)
        if name == "target" and value != "native":  # to know this machine takes LLVM
            from ..backend.target import named

            named(value)
        if name == "result_pool_bytes":
            if value < 0:
                raise WeftValueError(f"result_pool_bytes must not be negative: {value}")
            set_limit(value)
        object.__setattr__(self, name, value)

    @contextlib.contextmanager
    def scope(self, **values: Any) -> Iterator[Settings]:
        """Set some settings, of the whole process, for the duration of a `with` block.

        Raises `ValueError` for a name that no setting has.

        >>> with weft.settings.scope(max_trace_ops=10):
        ...     weft.settings.max_trace_ops
        10
        """
        names = defaults(Settings)
        for name in values:
            if name not in names:
                raise WeftValueError(f"{_no_setting(name)}; the settings are: {', '.join(sorted(names))}")
        before = {name: getattr(self, name) for name in values}
        for name, value in values.items():
            setattr(self, name, value)
        try:
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)


def _from_environment() -> Settings:
    made = Settings()
    for name, f in defaults(Settings).items():
        text = os.environ.get(variable_of(name))
        if text is not None:
            setattr(made, name, _parse(variable_of(name), text, f.default))
    return made


_PREFIX = "WEFT_"
_OTHERS = ("WEFT_NUM_THREADS",)
"""What is read elsewhere."""

_OF_TESTS = ("WEFT_TEST_", "WEFT_STRESS")
"""How the variables begin that the tests read."""


def _no_setting(name: str) -> AttributeError:
    others = {"num_threads": "weft.set_num_threads", "threads": "weft.set_num_threads"}
    elsewhere = f"; that is said by {others[name]}" if name in others else ""
    return no_attribute(f"there is no setting {name!r}{elsewhere}", name, defaults(Settings))


def _require_categories(value: str) -> None:
    """Raise for a log that there is not."""
    for category in value.replace(" ", "").split(","):
        if value and category not in CATEGORIES:
            import difflib  # for messages only

            close = difflib.get_close_matches(category, CATEGORIES, 1)
            hint = f"did you mean {close[0]}? " if close else ""
            raise WeftValueError(
                f"WEFT_LOG={value!r}: there is no log {category!r}; {hint}There are {', '.join(CATEGORIES)}, with "
                "commas between them"
            )


def _warn_of_unknown_variables() -> None:
    """Say which variables of the environment mean nothing, as they may be misspelt."""
    known = [*map(variable_of, defaults(Settings)), *_OTHERS]
    for variable in sorted(os.environ):
        if variable.startswith(_PREFIX) and variable not in known and not variable.startswith(_OF_TESTS):
            import difflib  # for messages only

            close = difflib.get_close_matches(variable, known, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(sorted(known))}"
            warnings.warn(f"{variable} is no setting of weft{hint}", WeftWarning, stacklevel=2)


settings = _from_environment()
_warn_of_unknown_variables()
switches.add_reason(bool(settings.disable_jit))
configure(lambda: Configuration(settings.cache, settings.cache_dir, settings.cache_megabytes))
