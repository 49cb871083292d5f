"""The IR as weft-opt prints it: at the end, and around passes, under the banners of mlir-opt."""

from __future__ import annotations

import contextlib
import re
import sys
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from ..dialect.errors import WeftValueError
from ..dialect.mlir import Module, Operation, PassManager, ir
from ..dialect.records import dataclass
from ..passes.base import Statistics
from ..passes.pipeline import Code, Observer, Step, pipeline_text
from ..passes.registry import load_pass
from .catalogue import all_passes
from .native_output import captured_stderr
from .options import Options
from .requested import pass_names

_BANNER = re.compile(r"IR Dump Before (.*?) //----- //")


def print_module(module: Module, options: Options, name: str = "-") -> str:
    """The text of a module in the form that the options ask for."""
    return print_op(module.operation, options, name)


def print_op(operation: Operation, options: Options, name: str = "-", *, local: bool = False) -> str:
    """The text of an op in the form that the options ask for; `local` ones need no aliases from around them."""
    has_locations = options.mlir_print_debuginfo or options.mlir_pretty_debuginfo
    text: str = operation.get_asm(
        print_generic_op_form=options.mlir_print_op_generic,
        enable_debug_info=has_locations,
        pretty_debug_info=options.mlir_pretty_debuginfo,
        large_elements_limit=options.mlir_elide_elementsattrs_if_larger,
        large_resource_limit=options.mlir_elide_resource_strings_if_larger,
        use_local_scope=local or options.mlir_print_local_scope,
        use_name_loc_as_prefix=options.mlir_use_nameloc_as_prefix,
        assume_verified=options.mlir_print_assume_verified,
        skip_regions=options.mlir_print_skip_regions,
    )
    text = text.rstrip("\n") + "\n"
    # Texts are parsed from memory, so their locations are named "-".
    if has_locations:
        text = text.replace('loc("-":', f'loc("{name}":').replace("(-:", f"({name}:")
    return text


@cache
def title(step: Step) -> str:
    """What a pass is called in a banner: its class and how it is written in a pipeline, as MLIR has it.

    Only MLIR knows the classes of upstream's passes, and tells them when it prints around a pass.
    """
    written = Step(step.name, step.options).text
    if step.name in all_passes():
        return f"{load_pass(step.name, all_passes()).__name__}: {written}"
    try:
        manager = PassManager.parse(pipeline_text([step]))
    except ValueError:  # a pass on LLVM assembly
        return written
    manager.enable_ir_printing(print_before_all=True, print_after_all=False)
    module = ir.Module.parse("func.func @f() {\n  return\n}")
    with captured_stderr() as captured:
        with contextlib.suppress(ir.MLIRError):  # it has been named before it failed
            manager.run(module.operation)
        found = _BANNER.search(captured())
    return found[1].partition(": ")[0] + f": {written}" if found else written


def targets(module: Module, step: Step) -> list[Operation]:
    """The ops that a pass runs on: the module, or those that it is nested in."""
    found = [module.operation]
    for anchor in step.anchors:
        found = [
            view.operation
            for outer in found
            for region in outer.regions
            for block in region.blocks
            for view in block.operations
            if anchor in (view.operation.name, "any")
        ]
    return found


def symbol(operation: Operation) -> str | None:
    """The name that an op has in a symbol table."""
    attributes = operation.attributes
    return str(ir.StringAttr(attributes["sym_name"]).value) if "sym_name" in attributes else None


@dataclass
class PrintIR(Observer):
    """Prints ops, or the text that LLVM reads, around passes, to stderr or into a tree of files."""

    options: Options
    texts_before: dict[str, str] = field(default_factory=dict)
    anchors: tuple[str, ...] | None = None
    """Those of the last pass."""
    numbers: list[int] = field(default_factory=list)
    """The number of the pass among those of its pipeline, behind those of the pipelines around it in theirs."""

    def __post_init__(self) -> None:
        tree = self.options.mlir_print_ir_tree_dir
        if tree:
            try:
                Path(tree).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise WeftValueError(f"--mlir-print-ir-tree-dir={tree}: {error.strerror}") from None

    def before(self, step: Step, code: Code) -> None:
        """Print when asked to, and remember the texts when only changes are of interest."""
        options = self.options
        self._count(step.anchors)
        if options.mlir_print_ir_before_all or step.name in pass_names(options.mlir_print_ir_before):
            self._print("Before", step, code)
        if options.mlir_print_ir_after_change:
            self.texts_before = self._texts(step, code)

    def _count(self, anchors: tuple[str, ...]) -> None:
        """Passes that are nested in the same ops, one after the other, are of one pipeline."""
        shared = 0
        while self.anchors and self.anchors[shared : shared + 1] == anchors[shared : shared + 1] != ():
            shared += 1
        if self.anchors is not None:
            self.numbers = [*self.numbers[:shared], self.numbers[shared] + 1]
        self.numbers += [0] * (len(anchors) + 1 - len(self.numbers))
        self.anchors = anchors

    def after(self, step: Step, code: Code, seconds: float, statistics: Statistics) -> None:
        """Print when asked to."""
        options = self.options
        if options.mlir_print_ir_after_change:
            self._print("After", step, code, changed_since=self.texts_before)
        elif options.mlir_print_ir_after_all or step.name in pass_names(options.mlir_print_ir_after):
            self._print("After", step, code)

    def failed(self, step: Step, code: Code) -> None:
        """Print when asked to; the module may be invalid, so in the generic form."""
        if self.options.mlir_print_ir_after_failure or self.options.mlir_print_ir_after_all:
            self._print("After Failed", step, code)

    def _texts(self, step: Step, code: Code) -> dict[str, str]:
        if isinstance(code, str):
            return {"": code}
        found = enumerate(targets(code, step))
        return {symbol(each) or str(number): str(each) for number, each in found}

    def _print(self, when: str, step: Step, code: Code, changed_since: dict[str, str] | None = None) -> None:
        if isinstance(code, str):
            if changed_since is None or changed_since.get("") != code:
                self._write(f"; -----// IR Dump {when} {step.name} //----- //\n{code}", step, [])
            return
        for number, each in enumerate(targets(code, step)):
            key = symbol(each) or str(number)
            if changed_since is None or changed_since.get(key) != str(each):
                banner = f"// -----// IR Dump {when} {title(step)}"
                self._write(f"{banner}{self._text(code, each)}\n", step, _path_to(each))

    def _text(self, module: Module, target: Operation) -> str:
        """The rest of the banner behind the name of the pass, and the op or the module that it is in."""
        if not self.options.mlir_print_ir_module_scope:
            is_inside = target != module.operation
            return f" //----- //\n{print_op(target, self.options, local=is_inside)}"
        name = symbol(target)
        at = f": @{name}" if name else ""
        return f" ('{target.name}' operation{at}) //----- //\n{print_module(module, self.options)}"

    def _write(self, text: str, step: Step, folders: list[str]) -> None:
        if not self.options.mlir_print_ir_tree_dir:
            sys.stderr.write(text)
            return
        folder = Path(self.options.mlir_print_ir_tree_dir, *folders)
        folder.mkdir(parents=True, exist_ok=True)
        numbers = "_".join(map(str, self.numbers))
        (folder / f"{numbers}_{step.name}.mlir").write_text(text, encoding="utf-8")


def _path_to(operation: Operation) -> list[str]:
    """The folders that stand for the ops around an op, as mlir-opt names them: `builtin_module_no-symbol-name`."""
    folders: list[str] = []
    around: Any = operation
    while around is not None:
        name = symbol(around.operation) or "no-symbol-name"
        folders.insert(0, f"{around.operation.name.replace('.', '_')}_{name}")
        try:
            around = around.operation.parent
        except ValueError:  # it has none, and MLIR has no other word for that
            around = None
    return folders
