"""What the pages on the pipeline and on one function in it say: each claim with the test that shows it."""

from __future__ import annotations

import importlib
import re
from typing import Any

import numpy as np
import pytest

import weft
from support.claims import require, require_shown
from support.package import ROOT

PAGE = "pipeline.md"
CELLS = "passes/cells/"
CONTROL_FLOW = "passes/control_flow/"
RAISING = "passes/raising/"
FUSION = "passes/fusion/"
CODEGEN = "backend/cpu/codegen/"
LOWERING = "backend/cpu/lowering/"
PLANNING = "backend/planning/"
CALLS = "frontend/calls/native_calls/"
COMPILING = "frontend/compiling/"
EXECUTABLE = "backend/cpu/execution/test_executable::"
SCHEDULES = CODEGEN + "test_vector_schedules::"
REDUCTIONS = CODEGEN + "test_reduction_values::"
PRODUCTS = CODEGEN + "test_contraction_values::"
FACTORS = CODEGEN + "test_small_factorizations::"

SHOWN: dict[str, list[tuple[str, str]]] = {
    "Tracing": [
        (
            "so that every other view sees it, as in NumPy",
            "frontend/tracing/test_in_place::views_see_writes_to_their_base",
        ),
        (
            "compared at each\ncall, larger ones are hidden arguments",
            "frontend/test_function::small_ones_are_compared_at_each_call",
        ),
        (
            "hidden arguments that are read at each call",
            "frontend/test_function::large_ones_are_read_at_each_call",
        ),
    ],
    "Passes": [
        (
            "What branches\nand loops write becomes a result of them",
            CELLS + "promote_refs_control_flow.mlir::both_sides",
        ),
        (
            "so that\nan error leaves what was written before it",
            CELLS + "promote_refs_control_flow.mlir::checked_loop",
        ),
        (
            "algebraic patterns, all exact\nin IEEE terms",
            "passes/algebra/test_simplify_patterns::pattern_is_exact",
        ),
        (
            "repeats the pipeline `weft-control-flow` while",
            CONTROL_FLOW + "optimize_control_flow.mlir::chain",
        ),
        ("only if they are safe with any operands", CONTROL_FLOW + "hoist_invariants.mlir::unsure"),
        (
            "A check moves only where nothing that can be seen happens before it",
            CONTROL_FLOW + "hoist_checks.mlir::later",
        ),
        ("which proves most checks of indices", CONTROL_FLOW + "prove_bounds.mlir::triangle"),
        ("nothing in the loop looks whether they are full", CONTROL_FLOW + "make_room_first.mlir::appended"),
        (
            "Loops whose iterations do not need each other run as ops on whole arrays",
            RAISING + "raise_loops.mlir::rows",
        ),
        ("contractions get a label", RAISING + "raise_loops.mlir::products"),
        ("are a product of matrices in\nwhichever order", RAISING + "test_sums_of_products::as_numpy"),
        ("Sums of other floats keep their order", RAISING + "raise_loops.mlir::kept"),
        ("take theirs from one product of matrices before them", RAISING + "hoist_products.mlir::triangle"),
        (
            "run in blocks of four iterations, or eight columns",
            RAISING + "block_dot_products.mlir::many_columns",
        ),
        ("are kept transposed (`transpose-columns`)", RAISING + "transpose_columns.mlir::sweeps"),
        ("A copy of the loops without checks runs then", CONTROL_FLOW + "check_loops_first.mlir::rows"),
        (
            "arrays of indices that\ndo not change, as of rows of a sparse matrix",
            CONTROL_FLOW + "test_check_loops_first::values_and_errors",
        ),
        ("are not filled (`skip-fills`)", FUSION + "test_skip_fills::sweeps_fill_and_copy_nothing"),
    ],
    "The CPU backend": [
        ("says so with a diagnostic at the op", "tools/test_corpus::what_a_pass_does_not_take"),
        ("MLIR's bytecode, which is read as input, too", "tools/test_corpus::it_is_written_and_read"),
        ("reports the crash and ends with status 1", "tools/test_weft_opt::a_crash_is_a_message"),
        ("equal kernels are compiled once", EXECUTABLE + "equal_ops_are_compiled_once"),
        (
            "arguments are\nwritten only where the program writes them",
            PLANNING + "plan_buffers.mlir::in_place",
        ),
        ("intermediates share one workspace", EXECUTABLE + "workspace_is_reused"),
        ("in vectors, without calls", "backend/cpu/test_targets::kernels_are_vector_code_without_calls"),
        (
            "as it has no gamma functions and the like",
            "backend/functions/test_special_functions::is_right_to_two_ulps",
        ),
        (
            "knows the levels of x86-64, Arm's NEON, and the processors of LLVM",
            "backend/cpu/test_targets::every_name_can_be_compiled_for",
        ),
        ("run side by side in\nthe lanes of vectors", CODEGEN + "vectorize_outer_loops.mlir::halvings"),
        (
            "lanes\nthat are done keep their numbers",
            CODEGEN + "test_outer_loop_vectorization::points_that_escape",
        ),
        (
            "what an inner\nloop stores where it breaks off is stored behind it",
            CONTROL_FLOW + "sink_exits.mlir::found",
        ),
        ("complex numbers are two numbers each", CODEGEN + "test_outer_loop_vectorization::complex_numbers"),
        (
            "Nests over the same rows share the loop over rows",
            SCHEDULES + "rows_of_unknown_size_share_their_loop_too",
        ),
        ("asks for the next row while it writes this one", SCHEDULES + "the_next_row_is_read_ahead"),
        ("row is computed once, on numbers", SCHEDULES + "what_is_the_same_along_a_row_is_computed_once"),
        (
            "multiplying by its reciprocal with two corrections",
            SCHEDULES + "a_divisor_that_is_the_same_along_vectors_has_a_reciprocal",
        ),
        ("same quotient to the last bit", REDUCTIONS + "quotients_by_one_divisor_are_rounded_once"),
        ("if that is proved to give all quotients", "backend/functions/test_split_reciprocal::divisors"),
        ("where each division of a loop waits for the one before", CODEGEN + "shorten_divisions.mlir::chain"),
        ("four neighbours are added in f32", SCHEDULES + "rounded_sums_add_neighbours_in_f32"),
        ("are asked for in f64 are in f64 all the way", SCHEDULES + "other_sums_in_f64_add_in_f64"),
        ("sums of f64 are added up in blocks", SCHEDULES + "sums_of_f64_are_added_up_block_by_block"),
        (
            "not on threads, so that its result does too",
            LOWERING + "test_shared_loops::the_number_of_threads_changes_no_bit",
        ),
        (
            "one loop with\nseveral results (`join-sums`)",
            "backend/nests/test_joined_sums::one_kernel_reads_an_array_once",
        ),
        (
            "Columns are reduced four rows at a time",
            SCHEDULES + "many_columns_are_summed_four_rows_at_a_time",
        ),
        (
            "under a mask: a branch on the length",
            CODEGEN + "test_gathered_reductions::lanes_off_the_mask_read_nothing_that_counts",
        ),
        ("Rows are sorted by\nNumPy's own functions", "backend/cpu/sorting/test_row_sorts::what_is_called"),
        ("sorts byte by byte where\nnumbers differ in few bytes", "backend/cpu/sorting/test_digits::sorts"),
        ("which go on until all matrices of a vector are settled", FACTORS + "odd_matrices_among_others"),
        ("elimination and reflections in registers", FACTORS + "factors_of_stacks_of_any_length"),
        (
            "by the loops that NumPy has (`write-loop-calls`)",
            CODEGEN + "test_fourier_transforms::axes_and_layouts",
        ),
        ("they are computed tile by tile", CODEGEN + "join_stages.mlir::kernel_0"),
        ("what the next tile reads", CODEGEN + "read_ahead.mlir::stages"),
        ("take several steps on some rows before the\nnext rows", CODEGEN + "tile_steps.mlir::half_steps"),
        (
            "where arrays are beyond the last-level cache",
            CODEGEN + "test_tile_steps::bands_are_for_arrays_beyond_the_caches",
        ),
        (
            "Long parallel loops become functions of a range of iterations",
            CODEGEN + "split_parallel_loops.mlir::long",
        ),
        ("scratch memory is\nallocated per thread", CODEGEN + "split_parallel_loops.mlir::scratch"),
        (
            "are kernels themselves: numbers stay in registers",
            PLANNING + "outlining/outline_element_loops.mlir::table",
        ),
        ("`u, v = v, u` nor", PLANNING + "rotate_buffers.mlir::swap"),
        (
            "then memory is laid out before anything runs",
            PLANNING + "plan_dynamic_sizes.mlir::products_sizes",
        ),
        ("lies in a heap\nblock: it grows by half", "backend/cpu/test_growth::append"),
        (
            "none is lost when the call ends\nwith an error",
            "backend/cpu/test_growth::error_while_an_array_grows",
        ),
        ("memory that cannot be had is a `MemoryError`", "backend/cpu/test_growth::too_much_memory"),
        (
            "so that calls cause\nno page faults",
            "backend/cpu/memory/test_result_pool::calls_cause_no_page_faults_after_the_first_few",
        ),
        ("Each has a plan of its own", PLANNING + "test_functions::workspace_of_every_call_is_its_own"),
        (
            "nested deeper than `sys.getrecursionlimit()`",
            PLANNING + "test_functions::recursion_that_is_too_deep",
        ),
        (
            "or than half the stack of the thread allows",
            PLANNING + "test_functions::recursion_that_the_stack_is_too_small_for",
        ),
        ("`KeyboardInterrupt` for Ctrl-C, ends the call", LOWERING + "test_interrupts::interrupt"),
        ("A single kernel is not\ninterrupted", LOWERING + "test_interrupts::only_loops_of_the_program_look"),
        (
            "While a program is compiled, Ctrl-C is raised between",
            COMPILING + "test_interrupted::interrupts_are_raised",
        ),
        ("pressed twice, it is raised wherever it comes", COMPILING + "test_interrupted::what_waits"),
        (
            "indices are kept inside of their arrays",
            "backend/ranges/test_indices::loops_stay_inside_of_arrays",
        ),
        ("what cannot fail is not compared", "backend/ranges/test_soundness::decided_comparisons_are_right"),
        ("every external symbol is checked against a list", EXECUTABLE + "unknown_function_is_refused"),
        ("modules are checked to be fully lowered", EXECUTABLE + "op_that_cannot_be_translated_is_named"),
        (
            "after the effects that come before it and before those that come after",
            EXECUTABLE + "effects_before_an_error_are_kept_and_none_after_it_happen",
        ),
        (
            "is a call of a declared\nfunction, `func.call @host.3`",
            PLANNING + "plan_host_calls.mlir::straight",
        ),
    ],
    "A call": [
        (
            "A second call\nwith the same result of the search",
            CALLS + "test_arguments::every_dtype_as_array_and_scalar",
        ),
        (
            "called through CPython's vectorcall",
            "backend/cpu/dispatch/test_objects::calls_go_to_the_native_function",
        ),
        (
            "Methods are called without being bound",
            "backend/cpu/dispatch/test_objects::methods_are_called_without_binding",
        ),
        ("with names and defaults", CALLS + "test_arguments::keywords_defaults_and_further_arguments"),
        ("an operation asks Python", CALLS + "test_containers::what_python_compares"),
        ("No array may be there twice where the trace had\n   two", CALLS + "test_arrays::same_array_twice"),
        (
            "without the interpreter's lock, if it may take long",
            EXECUTABLE + "calls_on_large_arrays_release_the_interpreter_lock",
        ),
        (
            "If the error record tells of an error, Python makes the exception",
            CALLS + "test_life::the_line_is_shown",
        ),
        (
            "are copied where these are small",
            "backend/cpu/memory/test_result_pool::small_results_are_copied_out_of_memory_that_stays",
        ),
        ("and so do all calls while functions run eagerly", CALLS + "test_state::eager"),
        (
            "Arrays that are not contiguous are copied",
            CALLS + "test_arrays::layouts_that_machine_code_does_not_take",
        ),
        (
            "objects that are compared by identity only weakly",
            CALLS + "test_containers::objects_are_compared_by_identity_and_not_kept",
        ),
        ("frees nothing that runs", CALLS + "test_life::cache_is_cleared_while_it_runs"),
        (
            "so that the disk cache can\nkeep the object file",
            "backend/cpu/dispatch/test_library::no_address_of_this_process_is_in_the_code",
        ),
        ("Without the cache it is compiled", "backend/cpu/dispatch/test_library::without_a_cache"),
    ],
    "The disk cache": [
        (
            "Before a function is traced it is looked up",
            "frontend/disk_cache/test_stored_functions::a_function_that_is_found_was_not_traced",
        ),
        (
            "the machine and all\nversions are part of it anyway",
            "backend/cache/test_objects::code_of_another_machine_or_version_is_not_used",
        ),
    ],
    "Compile time": [
        (
            "passes stand below\nthe pipeline or the pass that runs them",
            COMPILING + "test_compile_times::phases",
        ),
        (
            "as no op of theirs is in the program, are left out",
            "passes/test_pipeline::passes_are_left_out_where_none_of_their_ops_is_there",
        ),
        (
            "has the time of linking only",
            "frontend/disk_cache/test_stored_functions::results_are_the_same_and_nothing_is_compiled",
        ),
        (
            "Steps take a time that grows as the program does",
            COMPILING + "test_compile_scaling::work_grows_with_the_program",
        ),
        (
            "is one layer and a hundred calls",
            COMPILING + "test_compile_scaling::equal_layers_are_compiled_once",
        ),
        (
            "looked at once, however deep it nests",
            COMPILING + "test_compile_scaling::work_grows_with_the_depth",
        ),
        (
            "that may\n  be one of several knows these",
            COMPILING + "test_compile_scaling::arrays_have_few_sources",
        ),
        ("split before these become jumps", LOWERING + "test_split_blocks::blocks_of_many_branches_are_cut"),
        ("Functions take pointers where types tell the rest", LOWERING + "pass_pointers.mlir::known"),
        ("look up each where they use it", LOWERING + "test_argument_table::what_is_passed"),
        ("What is inlined is inlined before LLVM optimises", LOWERING + "choose_inlining.mlir::few"),
        (
            "vector code is as fast with the branches\n  tidied up alone",
            "backend/cpu/machine/test_partition::each_part_declares_what_it_calls_of_the_other",
        ),
        ("Loops around long loops are not unrolled", LOWERING + "keep_rolled.mlir::long"),
        (
            "it works on eight vectors at a time",
            LOWERING + "test_interleaved_searches::several_vectors_are_under_way",
        ),
        (
            "Passes on the way to LLVM run where there are ops for them",
            "backend/cpu/test_needed_steps::passes_for_some_ops",
        ),
        ("and a signature is compiled once", "frontend/test_function::concurrent_first_calls_compile_once"),
    ],
    "Debuggers and profilers": [
        (
            "gdb stops at\n`break program.py:6`",
            "backend/cpu/machine/test_debuggers::gdb_stops_at_a_line_of_the_program",
        ),
        (
            "`perf report` finds names and lines",
            "backend/cpu/machine/test_debuggers::the_map_of_perf_names_functions_with_their_lines",
        ),
        (
            "out of\n`jit-<process>.dump`",
            "backend/cpu/machine/test_debuggers::the_dump_of_perf_holds_code_and_lines",
        ),
        (
            "The texts of stages have locations then",
            "backend/cpu/machine/test_debuggers::texts_have_the_lines_of_the_program",
        ),
        (
            "Functions that are compiled for it are others in",
            "frontend/disk_cache/test_loaded::settings_that_compiled_code_depends_on_are_told_apart",
        ),
    ],
    "Contractions": [
        (
            "one vector of the right operand times one broadcast element",
            CODEGEN + "schedule_contractions_avx2.mlir::fills_registers",
        ),
        ("one pass over the right operand in memory order", PRODUCTS + "some_rows_times_a_large_matrix"),
        ("blocks of its rows in memory order", CODEGEN + "schedule_contractions.mlir::streamed"),
        ("vectors along the sum, lanes added up at the end", CODEGEN + "schedule_contractions.mlir::vectors"),
        (
            "transposed result is computed in a buffer and copied",
            CODEGEN + "test_transposed_products::two_matrices",
        ),
        (
            "stacks of matrices times vectors need no copy",
            CODEGEN + "test_transposed_products::stacks_of_vectors",
        ),
        ("`A @ x` and `A.T @ y`, are one kernel", CODEGEN + "join_products.mlir::both_sides"),
        (
            "`y` may be `A @ x`, or what is\n  computed from it",
            CODEGEN + "test_one_pass::what_is_made_between_is_made_along",
        ),
        (
            "so that the result does not depend on threads (`one_pass.py`)",
            CODEGEN + "test_one_pass::sizes_and_threads_do_not_change_the_sums",
        ),
        (
            "are convolutions (`passes/algebra/gather_convolutions.py`)",
            "passes/algebra/test_gather_convolutions::values",
        ),
        (
            "are one nest with several results (`fuse-siblings`)",
            FUSION + "test_fuse_siblings::one_kernel_writes_two_arrays",
        ),
        (
            "so that a row is computed of another one where it belongs",
            CODEGEN + "separate_updates.mlir::rows",
        ),
        (
            "so that nothing is copied\n  (`read-inserted`)",
            FUSION + "test_read_inserted::half_steps_copy_nothing",
        ),
        ("is a convolution or a\n  pooling", RAISING + "test_gather_windows::poolings"),
        (
            "with\n  the same bits (`symmetric_product.py`)",
            CODEGEN + "test_transposed_products::symmetric_products_have_the_same_bits",
        ),
        (
            "Columns and rows may be known at run time only",
            CODEGEN + "test_transposed_operands::sizes_known_at_run_time",
        ),
        (
            "by pieces of its rows that are transposed in registers",
            CODEGEN + "test_transposed_operands::products_with_transposed_operands",
        ),
        ("is used in blocks of rows, but for short sums", CODEGEN + "schedule_contractions.mlir::short_sums"),
        (
            "long sums are made in blocks whose sums are added\n  in memory",
            CODEGEN + "schedule_contractions.mlir::long_sums",
        ),
        ("is used row by row with all panels", CODEGEN + "schedule_contractions.mlir::image"),
        (
            "computed on the finished vectors before they are stored",
            PRODUCTS + "a_long_table_times_another_one_with_what_follows",
        ),
        ("with twice the columns", CODEGEN + "schedule_contractions.mlir::complex"),
        ("bytes are added up in words of 16 bits", CODEGEN + "schedule_contractions.mlir::bytes"),
        (
            "and bfloat16 in float32",
            "passes/lowering/test_contraction_values::half_precision_is_added_up_in_single_precision",
        ),
        (
            "booleans are joined by `and` and `or`",
            "passes/lowering/test_contraction_values::booleans_are_joined_by_and_then_or",
        ),
        ("keep the results of some pixels in registers", CODEGEN + "schedule_windows.mlir::maxima"),
        (
            "in front\nof the loop, a constant when the function is compiled",
            CODEGEN + "pack_operands.mlir::invariant",
        ),
    ],
}
"""By section of the page."""

WALKTHROUGH = [
    (
        "the product is `f32`) and records `weft.multiply` at the user's line and column",
        "frontend/disk_cache/test_loaded::errors_are_at_the_users_line",
    ),
    ("would become a select", CONTROL_FLOW + "if_to_select.mlir::scalars"),
    ("this branch works on 64 elements, and stays", CONTROL_FLOW + "if_to_select.mlir::large"),
    ("multiplication and addition are one loop", FUSION + "fuse_elementwise.mlir::chain"),
    ("sums in `f64` (rounded once)", SCHEDULES + "rounded_sums_add_neighbours_in_f32"),
    ("equal kernels are compiled once", EXECUTABLE + "equal_ops_are_compiled_once"),
    ("intermediates at offsets of one *workspace*", EXECUTABLE + "workspace_is_reused"),
    ("where checks that fail say so", LOWERING + "lower_exits.mlir::f"),
    ("an elementwise loop in vectors of\nthe target", CODEGEN + "schedule_kernels.mlir::elementwise"),
    ("mends what llvmlite's LLVM reads otherwise", "backend/llvm_compatibility/test_literals::rewriting"),
    ("The first call goes through Python", CALLS + "test_arguments::every_dtype_as_array_and_scalar"),
]

NUMBERS = [
    ("run in blocks of four iterations", "passes.raising.block_dot_products.BLOCK", 4),
    ("or eight columns", "passes.raising.block_dot_products.WIDE_BLOCK", 8),
    ("it works on eight vectors at a time", "backend.cpu.lowering.interleaved_searches.VECTORS", 8),
]


@pytest.mark.parametrize("section", SHOWN)
def test_what_a_section_says_is_shown_by_a_test(section: str) -> None:
    require(PAGE, f"## {section}")
    require_shown(PAGE, SHOWN[section])


@pytest.mark.parametrize(("words", "name", "number"), NUMBERS)
def test_numbers_are_those_of_the_sources(words: str, name: str, number: int) -> None:
    require(PAGE, words)
    module, _, constant = name.rpartition(".")
    assert getattr(importlib.import_module(f"weft.{module}"), constant) == number


def test_what_one_function_shows_is_shown_by_a_test() -> None:
    require_shown("walkthrough.md", WALKTHROUGH)


def test_words_in_italics_are_in_the_glossary() -> None:
    text = (ROOT / "docs" / "walkthrough.md").read_text(encoding="utf-8")
    words = re.findall(
        r"(?<![\w*])\*([a-z][a-z ]+)\*(?![\w*])", re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    )
    known = re.findall(
        r"^\| ([\w ,-]+) \|", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(words) > 8
    assert [word for word in words if not any(word.rstrip("s") in entry for entry in known)] == []


def test_where_a_number_decides_the_trace_has_one_path() -> None:
    require("walkthrough.md", "and the trace would hold one path only")

    def limited(x: Any, limit: Any) -> Any:
        y = x * 2 + 1
        if limit > 0:
            y = np.minimum(y, limit)
        return y.sum()

    x = weft.TensorSpec([64], "float32")
    staged, decided = (
        weft.function(limited).get_concrete_function(x, limit).as_text("weft")
        for limit in (weft.TensorSpec([], "float32"), 3.0)
    )
    assert ("scf.if" in staged, "scf.if" in decided) == (True, False)
    assert "weft.minimum" in decided
