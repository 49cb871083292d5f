"""The passes that a command line asks for: found, checked, and what is said of those that there are not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ..dialect.errors import WeftValueError
from ..passes.pipeline import Step, check_steps, parse_pipeline, pipeline_text
from .catalogue import all_passes, all_pipelines, all_text_passes, upstream_passes
from .native_output import captured_stderr
from .options import NOT_HERE, OPTIONS, Options
from .plugins import OUTSIDE, add_installed_passes, loaded_pass

_UNKNOWN = re.compile(r"'([^']*)' does not refer to a registered pass")
_RESTRICTED = re.compile(r"restricted to '([\w.]+)'")


def requested_steps(options: Options) -> list[Step]:
    """The steps that the command line asks for, checked: `--pass-pipeline` or one flag per pass.

    Raises `WeftValueError` for passes and options that there are not.
    """
    if options.pass_pipeline and options.steps:
        raise WeftValueError(f"--{options.steps[0].name} and --pass-pipeline exclude each other")
    text = options.pass_pipeline or pipeline_text(options.steps)
    flags = {} if options.pass_pipeline else {step.name: step for step in options.steps}
    add_installed_passes(text, {*all_passes(), *all_pipelines()})
    for name in OUTSIDE:
        if name in text:
            loaded_pass(name, all_passes())
    steps = parse_pipeline(text, passes=all_passes(), pipelines=all_pipelines())
    return [_checked(step, is_flag=step.name in flags) for step in steps]


def _checked(step: Step, *, is_flag: bool) -> Step:
    """A step whose pass and options there are; a flag is nested in the ops that its pass is for, as mlir-opt does."""
    with captured_stderr() as captured:
        try:
            check_steps([step], all_passes())
        except WeftValueError as error:
            restricted = _RESTRICTED.search(str(error))
            if is_flag and restricted is not None and not step.anchors:
                return _checked(Step(step.name, step.options, (restricted[1],)), is_flag=False)
            unknown = _UNKNOWN.search(str(error))
            if unknown is not None:
                raise WeftValueError(_of_unknown(unknown[1], str(error), is_flag)) from error
            # What is wrong with the value of an option, MLIR prints itself.
            detail = captured().strip().removeprefix(": ")
            raise WeftValueError(f"{error}{': ' if detail else ''}{detail}") from error
    return step


def _of_unknown(name: str, said: str, is_flag: bool) -> str:
    if name in NOT_HERE:
        return (
            f"--{name} is an option of mlir-opt that weft-opt has not: the bindings of MLIR do not reach it"
        )
    if is_flag:
        close = similar(name, [*OPTIONS, *_names()])
        return f"--{name} is no option and no pass" + (f"; did you mean --{close}?" if close else "")
    close = similar(name, _names())
    return said + (f"; did you mean {close}?" if close else "")


def _names() -> Iterator[str]:
    yield from all_passes()
    yield from all_pipelines()
    yield from upstream_passes()


def similar(name: str, names: Iterable[str]) -> str | None:
    """The one of some names that is most like one that there is not."""
    import difflib  # which a command line that is right does not need

    return next(iter(difflib.get_close_matches(name, list(names), n=1)), None)


def pass_names(values: Sequence[str]) -> set[str]:
    """The names in the values of an option, several of which may be separated by commas."""
    return {name for value in values for name in value.split(",")}


def require_known_passes(options: Options) -> None:
    """Raise `WeftValueError` unless the passes to print around are passes."""
    for option in ("mlir-print-ir-before", "mlir-print-ir-after"):
        named = pass_names(getattr(options, option.replace("-", "_")))
        for name in named - all_text_passes().keys() if named else ():
            try:
                check_steps([Step(name)], all_passes())
            except WeftValueError as error:
                if _RESTRICTED.search(str(error)):
                    continue  # a pass on functions is one, too
                close = similar(name, _names())
                hint = f"; did you mean {close}?" if close else ""
                raise WeftValueError(f"--{option}: {name!r} is no pass{hint}") from None
