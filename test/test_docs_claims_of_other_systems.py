"""What pages on formats, engines and libraries say and a test of the room shows: each claim with that test."""

from __future__ import annotations

import pytest

from support.claims import require_shown

DASK = "frontend/dask/test_"
SHIPPED = "frontend/calls/test_shipped_code::"
TRACING = "frontend/tracing/test_"
PLAIN = "frontend/autograph/test_plain_modules::"
ONNX = "frontend/onnx/test_"
STABLEHLO = "frontend/stablehlo/test_"

SHOWN: dict[str, list[tuple[str, str]]] = {
    "onnx.md": [
        ("symbolic sizes are open then", ONNX + "load::declared_types"),
        ("of a file, of the bytes of one, or of an", ONNX + "load::files"),
        ("differentiated\n  by `weft.grad`", ONNX + "load::gradients"),
        ("inlined in other functions, saved by `weft.save`. `get_", ONNX + "load::saved_and_loaded"),
        ("an array, or a tuple of several", ONNX + "load::several_outputs"),
        ("each number in what `Shape` gives\n  is followed", ONNX + "load::open_sizes_stay_apart"),
        ("what is known is unrolled", ONNX + "control_flow::counted_loops"),
        ("are run so.\n* **dtypes**", ONNX + "backend::nodes"),
        ("are read by an entry of their own", ONNX + "backend::what_is_not_read_is_not"),
        ("of what a function is compiled from, `weft.onnx.save(path, function)`", ONNX + "to_onnx::save"),
        ("one that draws from NumPy's generators", ONNX + "to_onnx::all_that_cannot_be_said_is_told"),
        ("images\n  are turned to ONNX's layout", ONNX + "to_onnx::networks_are_written_as_such"),
        ("the newest that the package onnx knows", ONNX + "to_onnx::versions"),
        ("shifts by the width and more, powers", ONNX + "writers::special_numbers"),
        (
            "starts of slices that go backwards",
            ONNX + "writers::bounds_of_run_time_are_those_of_python",
        ),
        ("half precision that is\n  added up in float32", ONNX + "to_onnx::halves_are_added_up_as_in_numpy"),
        (
            "An op that has no form for a dtype computes in a wider one, or is refused",
            ONNX + "to_onnx::dtypes_that_an_op_does_not_take_are_told",
        ),
        (
            "all of it with its lines: Python, complex numbers",
            ONNX + "to_onnx::calls_of_python_and_complex_numbers_are_told",
        ),
        ("results that may be None", ONNX + "to_onnx::results_that_may_be_none_are_told"),
        ("The ops of weft that are written, as one op or as several", ONNX + "writers::ops"),
        ("`in.1` is `in_1`", ONNX + "load::names_that_python_has_not"),
        ("others\n  are refused", ONNX + "load::arguments_that_do_not_fit"),
        ("that nobody can write (`weft.constant`)", ONNX + "load::weights_are_replaced"),
        ("has to be known when the model is compiled", ONNX + "load::what_is_computed_has_to_be_known"),
        ("may be data", ONNX + "load::sizes_of_run_time"),
        (
            "what data decides is compiled as Python's `if` and `while` are",
            ONNX + "control_flow::loops_that_data_ends",
        ),
        ("recurrent layers and `Scan` are loops", ONNX + "control_flow::recurrent_layers"),
        (
            "one entry of the table reads attributes that became inputs",
            ONNX + "control_flow::attributes_that_became_inputs",
        ),
        ("Newer models are\n  refused", ONNX + "load::newer_models"),
        ("**Functions** of a model are run like nodes", ONNX + "control_flow::functions_of_the_model"),
        (
            "all ops without a form, by node, when the model is loaded",
            ONNX + "load::all_unknown_ops_are_named",
        ),
        ("damaged and newer models by `weft.ArtifactError`", ONNX + "load::damaged_models"),
        ("read from its directory, or below it, and from nowhere else", ONNX + "load::files_elsewhere"),
        ("pass compiled. The others are refused", ONNX + "backend::reasons"),
        (
            "Extents that a `TensorSpec` leaves open have names, too",
            ONNX + "to_onnx::arguments_results_and_unknown_extents_have_names",
        ),
        ("weights are initialisers", ONNX + "to_onnx::arrays_from_outside_are_initialisers"),
        (
            "that writes an argument or its state is refused",
            ONNX + "to_onnx::written_arguments_and_state_are_told",
        ),
        (
            "boolean masks and `np.nonzero` are as long as they turn out",
            ONNX + "to_onnx::masks_and_places_of_elements",
        ),
        ("turned to ONNX's layout once", ONNX + "to_onnx::what_lies_between_images_is_turned_with_them"),
        (
            "places outside of arrays are\n  moved inside",
            ONNX + "writers::reading_outside_takes_the_nearest_element",
        ),
        ("NaNs in extremes", ONNX + "writers::nan_along_axes"),
        ("which of several writes to one place stays", ONNX + "writers::the_last_write_to_a_place_stays"),
        (
            "is told by `weft.NotPortable`, all of it with its lines",
            ONNX + "to_onnx::all_that_cannot_be_said_is_told",
        ),
        ("with `.data` behind its name", ONNX + "to_onnx::large_weights_lie_in_a_file_of_their_own"),
    ],
    "stablehlo.md": [
        (
            "of a text, of the bytes of a portable artifact, or of a file with either",
            STABLEHLO + "from_stablehlo::bytes_and_files",
        ),
        ("inlined in other functions, saved by\n`weft.save`", STABLEHLO + "from_stablehlo::saved_again"),
        ("what `jax.export` writes, say", STABLEHLO + "programs::results_and_gradients"),
        ("differentiated by `weft.grad`", STABLEHLO + "from_stablehlo::gradients"),
        ("slices begin where they fit", STABLEHLO + "rules_of_places::slices_at_places"),
        ("gathers move parts inside", STABLEHLO + "rules_of_places::gathers"),
        (
            "integers are divided towards zero",
            STABLEHLO + "rules_of_elements::integers_are_divided_towards_zero",
        ),
        ("shifts by the width give 0", STABLEHLO + "rules_of_elements::arithmetic"),
        ("floats become the nearest integer", STABLEHLO + "rules_of_elements::conversions"),
        (
            "Comparators that compare one key after the other",
            STABLEHLO + "rules_of_places::sorting_by_several_keys",
        ),
        ("custom calls of libraries", STABLEHLO + "from_stablehlo::ops_that_are_refused"),
        ("elements that weft has not", STABLEHLO + "from_stablehlo::elements_that_weft_has_not"),
        ("The ops that are read, and what they become", STABLEHLO + "rules::every_rule_is_tested"),
        ("branches and loops are `if` and `while`", STABLEHLO + "to_stablehlo::programs"),
        ("Python, state that is changed", STABLEHLO + "to_stablehlo::state_is_told"),
        ("gives a portable artifact, or with", STABLEHLO + "round_trips::what_is_read_can_be_written"),
        ("The ops of weft that are written, as one op or as several", STABLEHLO + "writers::ops"),
        ("scatters skip what is\n  outside", STABLEHLO + "rules_of_places::scatters"),
        (
            "reductions, windows and scatters by any function",
            STABLEHLO + "rules_of_reductions::reductions_by_any_function",
        ),
        (
            "sort by `weft.argsort`; others compare all pairs",
            STABLEHLO + "rules_of_places::known_comparators_need_no_pairs",
        ),
        (
            "`get_concrete_function()` without arguments is for all of them",
            STABLEHLO + "from_stablehlo::unknown_sizes_stay_unknown",
        ),
        (
            "is named with the line of the program, or of the text",
            STABLEHLO + "from_stablehlo::all_ops_that_are_unknown_are_named",
        ),
        ("so it reads bytes in a process of its own", STABLEHLO + "from_stablehlo::damaged_bytes_are_errors"),
        ("are checked, with a `ValueError`", STABLEHLO + "from_stablehlo::sizes_that_do_not_fit"),
        (
            "then the arguments that the function writes",
            STABLEHLO + "to_stablehlo::results_that_are_arguments_and_views",
        ),
        ('`version="1.0.0"` writes for older readers', STABLEHLO + "to_stablehlo::versions"),
        ("with `checks=False` it does not", STABLEHLO + "to_stablehlo::checks_that_are_left_out"),
        (
            "is told by `weft.NotPortable`, all of it with its lines",
            STABLEHLO + "to_stablehlo::all_that_cannot_be_said_is_told",
        ),
    ],
    "engines.md": [
        (
            "lambdas, closures | yes | no: pickle finds no name for them | yes",
            "frontend/engines/test_callables::engine_runs_functions_of_all_kinds",
        ),
        (
            "A worker on another machine, in a container or without a home directory then\nloads its code",
            SHIPPED + "a_worker_with_an_empty_cache_compiles_nothing",
        ),
        ("Entries are found by keys with the processor", SHIPPED + "other_processors_and_sizes"),
        ("rank 0 compiles, the others get the code", SHIPPED + "ranks_get_the_code_of_the_first"),
        ("a piece takes only those blocks", DASK + "arrays::only_blocks_that_are_used_are_computed"),
        (
            "Reductions that are ready at the same time go together",
            DASK + "arrays::reductions_of_several_shapes_go_together",
        ),
        (
            "Results have the structure of what the function returns",
            DASK + "arrays::results_keep_their_structure",
        ),
        (
            "captured arrays and `weft.Variable`s count as they are at the call",
            DASK + "arrays::arrays_from_outside_count_as_they_are_at_each_call",
        ),
        (
            "`map_blocks`, `map_overlap`, `blockwise`,\n`apply_gufunc` and `dask.delayed` take it",
            "frontend/engines/test_dask_collections::collections_take_functions",
        ),
        (
            '`xarray.apply_ufunc(f, x, dask="parallelized")` does',
            "frontend/engines/test_dask_collections::xarray_takes_functions",
        ),
        (
            "a result of its shape has its dimensions and\ncoordinates",
            DASK + "labels::labels_are_kept",
        ),
        ("they have to be the same", DASK + "labels::labels_that_differ_are_refused"),
        (
            "the same of what a condition chooses",
            DASK + "arrays::what_a_condition_chooses_is_reduced_in_blocks",
        ),
        ("loops of known length", DASK + "arrays::loops_of_known_length_are_cut_in_pieces"),
        (
            "what is raised, as data decide | raised by `compute()` of any result",
            DASK + "arrays::what_is_raised_is_raised_whatever_is_returned",
        ),
        (
            "a function that returns none is refused",
            DASK + "refusals::what_would_be_raised_and_nobody_would_find_out",
        ),
        (
            "prints, `weft.py_call`, changes of variables, attributes, arguments | `weft.PartitionError`",
            DASK + "refusals::effects_and_unknown_sizes",
        ),
        ("arguments whose chunks do not match", DASK + "refusals::chunks_that_do_not_match"),
        ("chunks that Dask does not know", DASK + "refusals::chunks_that_nobody_knows"),
        ("blocks that are masked, sparse or on a GPU", DASK + "refusals::blocks_that_are_no_plain_arrays"),
    ],
    "libraries.md": [
        ("| `weft.is_traced(x)` | False |", TRACING + "questions::plain_python"),
        ("| `weft.is_recording()` | False | True | True |", TRACING + "questions::a_tape_in_plain_python"),
        (
            "A slice with run-time bounds has an unknown extent",
            TRACING + "questions::which_extents_are_known",
        ),
        (
            "A library that copies or compares shapes asks `weft.static_shape(x)`",
            TRACING + "questions::a_library_copies_shapes",
        ),
        ("also of modules that are imported later", PLAIN + "a_module_that_is_imported_later"),
        (
            "as it was when the function was traced",
            PLAIN + "what_it_reads_is_not_compared",
        ),
        (
            "compared, and compiled again when it has changed",
            PLAIN + "what_converted_code_reads_is_compared",
        ),
        (
            "So `layer.is_called`, which the first call changes, compiles nothing again",
            PLAIN + "its_notes_about_itself_compile_nothing_again",
        ),
        (
            "in a loop it is\nnothing that is carried from turn to turn",
            PLAIN + "what_a_library_notes_in_loops_and_branches_stays_and_is_not_carried",
        ),
        (
            "what compiled code computes (`layer.last = x * 2`), each call\nstores",
            PLAIN + "what_a_library_keeps_that_compiled_code_computes_is_stored_by_each_call",
        ),
        (
            "also in a branch that is not taken and in a loop of many turns",
            TRACING + "init_scope::it_runs_once_whichever_way_a_branch_goes",
        ),
        (
            "Variables and attributes are there as they were before the call",
            TRACING + "init_scope::variables_are_as_they_were_before_the_call",
        ),
        (
            "using\n  one raises a `ValueError`",
            TRACING + "init_scope::arrays_of_the_function_are_not_known_there",
        ),
        (
            "What is stored in attributes, globals and containers is state from then on",
            TRACING + "init_scope::containers_and_arrays_that_are_made_there_are_state",
        ),
        ("sets the trace aside, and an open tape", TRACING + "init_scope::a_tape_is_set_aside"),
        (
            "nothing is compiled or run, and\nstate stays as it was",
            "frontend/test_eval_shape::nothing_happens",
        ),
    ],
}


@pytest.mark.parametrize("page", SHOWN)
def test_what_a_page_says_is_shown_by_a_test(page: str) -> None:
    require_shown(page, SHOWN[page])
