"""What pages say in sentences and a test of the room shows: each claim in the words of its page, with that test."""

from __future__ import annotations

import pytest

from support.claims import require_shown

ARTIFACTS = "frontend/artifacts/test_"
DATA = "frontend/data/test_"
GRADIENTS = "frontend/gradients/test_"
RANDOM = "frontend/random/test_"
RANKS = "frontend/distributed/test_"

SHOWN: dict[str, list[tuple[str, str]]] = {
    "files.md": [
        (
            "in a process that has neither\ntheir source",
            ARTIFACTS + "save_and_load::a_process_without_the_source",
        ),
        ("is all that was compiled of it so far", ARTIFACTS + "save_and_load::all_specialisations_are_saved"),
        (
            "or what its `input_signature` says",
            ARTIFACTS + "save_and_load::a_signature_is_compiled_for_each_object_that_is_saved",
        ),
        (
            "differentiated by `weft.grad`, inlined in other compiled functions",
            ARTIFACTS + "save_and_load::loaded_functions_are_differentiated_and_part_of_others",
        ),
        (
            "Such a tape sees its state, as it\n  sees variables",
            ARTIFACTS + "eager_calls::a_tape_sees_arguments_and_state",
        ),
        (
            "whose derivatives, of any order, are compiled, too",
            ARTIFACTS + "eager_calls::derivatives_of_derivatives",
        ),
        (
            "`pickle`, `copy.deepcopy` and processes take it",
            ARTIFACTS + "loaded_functions::copies_for_other_processes_share_their_state",
        ),
        (
            "compiles for\n  [another machine](machine.md)",
            ARTIFACTS + "loaded_functions::targets_and_devices",
        ),
        (
            "`weft.save(path, loaded)` writes the file again",
            ARTIFACTS + "loaded_functions::all_of_a_file_is_saved_again",
        ),
        (
            "does not take what a function of a file raises",
            ARTIFACTS + "loaded_functions::exceptions_of_files_are_not_taken_by_compiled_code",
        ),
        (
            "has to\n  be what it was, unless",
            ARTIFACTS + "loaded_functions::constants_that_differ_are_explained",
        ),
        (
            "when the function is compiled, or a `weft.TensorSpec([])`",
            ARTIFACTS + "code_in_files::numbers_are_data",
        ),
        (
            "Functions that shared an array share it again, and write it in place",
            ARTIFACTS + "save_and_load::functions_share_the_state_of_their_object",
        ),
        (
            'state={"w": mine})` takes other arrays',
            ARTIFACTS + "save_and_load::other_arrays_take_the_places_of_the_state",
        ),
        (
            "and arguments and views of them (the caller's arrays, no copies)",
            ARTIFACTS + "save_and_load::results_are_arguments_and_their_views",
        ),
        (
            "Where paths leave several types, a result has that of\n  its path",
            ARTIFACTS + "results::results_keep_the_types_that_a_condition_gives_them",
        ),
        ("Classes of named tuples are NumPy's, or are made again", ARTIFACTS + "results::named_tuples"),
        ("**Signatures without a compiler**", ARTIFACTS + "save_and_load::looking_loads_no_compiler"),
        (
            "lists all of it with lines, and nothing is written",
            ARTIFACTS + "save_and_load::calls_of_python_are_all_named_with_their_lines",
        ),
        (
            "found in [the disk cache](cache.md) by the next",
            ARTIFACTS + "files_in_the_cache::what_was_compiled_once_is_found",
        ),
        (
            "so that a first call needs no compiler anywhere",
            ARTIFACTS + "code_in_files::a_process_needs_no_compiler",
        ),
        ("else the first that fits", ARTIFACTS + "code_in_files::the_first_target_that_fits_is_taken"),
        (
            "without it no byte of the code is read",
            ARTIFACTS + "code_in_files::it_is_not_taken_without_trust",
        ),
        (
            "`weft.ArtifactWarning` says why",
            ARTIFACTS + "code_in_files::what_does_not_fit_is_told_and_compiled",
        ),
        (
            "rather those of a size that it was saved for, too",
            ARTIFACTS + "code_in_files::code_for_one_size_goes_before_that_for_all",
        ),
        ("nothing is unpickled.\n\n## IR", ARTIFACTS + "code_in_files::fields_are_of_their_types"),
        ("`weft-opt` calls one itself", ARTIFACTS + "from_mlir::weft_opt_runs_functions"),
        ("at stage `weft` or `optimized`", ARTIFACTS + "from_mlir::printed_stages_run"),
        (
            "Saving the same twice gives the same bytes",
            ARTIFACTS + "save_and_load::saving_again_gives_the_same_bytes",
        ),
        ("Each later version reads and runs them", ARTIFACTS + "golden_files::golden_files_run_as_they_did"),
        (
            "and a test fails until it has",
            ARTIFACTS + "golden_files::every_op_has_a_golden_file_of_the_present_version",
        ),
        (
            "Sizes are bounded before they are read",
            ARTIFACTS + "hostile_files::archives_that_are_made_to_do_harm",
        ),
        (
            "only ops that weft itself records are taken",
            ARTIFACTS + "hostile_files::modules_that_are_made_to_do_harm",
        ),
        ("each index that reads\nan element", ARTIFACTS + "hostile_files::no_module_reads_outside_of_arrays"),
    ],
    "data.md": [
        (
            "Both give the same elements, in the same order",
            DATA + "random_pipelines::compiled_code_agrees_with_plain_python",
        ),
        ("a table of Arrow is a dict of its columns", DATA + "documented::columns_of_others"),
        ("tuple, dict, namedtuple or dataclass", DATA + "documented::records"),
        ("Elements are copies: what a loop writes to them", DATA + "documented::elements_are_copies"),
        ("each gives a new data set, and their order is kept", DATA + "documented::order_of_steps_is_kept"),
        ("`reduce`, `cardinality`, `len` and\n`element_spec` are as in tf", DATA + "documented::cardinality"),
        (
            "each element comes from a place",
            DATA + "documented::a_buffer_bounds_how_far_elements_come_forward",
        ),
        ("Each walk is another epoch with another order", DATA + "documented::orders_are_drawn"),
        ("it is a second copy of the body of\n  the loop", DATA + "compiled::batches_have_known_sizes"),
        ("`padded_batch`** pads to the longest element", DATA + "documented::elements"),
        ("`batch` of elements of several shapes is an error", DATA + "errors::mistakes_are_named"),
        ("what is in front of it does not run again", DATA + "documented::what_is_cached_is_made_once"),
        (
            "lets a thread make elements while others are used",
            DATA + "documented::a_thread_makes_elements_ahead",
        ),
        ("does not compile again; other functions", DATA + "compiled::one_trace_for_a_structure"),
        (
            "lie side by side and take turns\nin compiled code, too",
            DATA + "side_by_side::the_same_as_in_plain_python",
        ),
        ("needs an\n`output_signature`", DATA + "side_by_side::refused"),
        (
            "the walks behind that are the epochs that would",
            DATA + "compiled::a_loop_goes_on_where_a_saved_one_was",
        ),
    ],
    "random.md": [
        ("the same numbers, to the bit", RANDOM + "older_functions::numbers_and_states_to_the_bit"),
        (
            "**Another generator** of the same algorithm",
            RANDOM + "generators::another_generator_does_not_compile_again",
        ),
        (
            "written when the call ends, also with an exception",
            RANDOM + "generators::the_state_is_written_when_the_call_raises",
        ),
        (
            "**Branches and loops** draw where they run",
            RANDOM + "generators::attributes_and_items_in_branches_of_loops",
        ),
        (
            "numbers do not depend on how many threads compute",
            RANDOM + "threads::numbers_do_not_depend_on_the_number_of_threads",
        ),
        (
            "threads that use one generator draw different numbers",
            RANDOM + "threads::threads_draw_different_numbers",
        ),
        ("Reverse loops draw large masks again", RANDOM + "gradients::masks_are_drawn_again_and_not_kept"),
        ("The algorithms PCG64", RANDOM + "methods::methods_give_what_numpy_gives"),
        (
            "with NumPy's checks of their arguments",
            RANDOM + "methods::wrong_arguments_raise_what_numpy_raises",
        ),
        (
            "give it to other threads some twenty times a second",
            RANDOM + "older_functions::other_threads_run_while_a_long_loop_draws",
        ),
        (
            "their last place may differ",
            RANDOM + "older_functions::distributions_that_python_writes_in_python",
        ),
        ("**All else is called by Python", RANDOM + "called_by_python::same_numbers_in_the_same_order"),
        (
            "without a seed each call has\nanother one",
            RANDOM + "made_inside::without_a_seed_each_call_has_another_one",
        ),
        (
            "compiled code makes the state itself",
            RANDOM + "made_inside::words_of_a_seed_are_made_into_a_state_by_compiled_code",
        ),
        (
            "returned or stored is a generator of NumPy's",
            RANDOM + "made_inside::a_generator_that_is_returned_goes_on",
        ),
        (
            "`weft.py_call`** does not take generators",
            RANDOM + "identity::a_function_of_python_gets_no_generator",
        ),
        ("are drawn on the host, and copied", RANDOM + "threads::on_a_gpu_numbers_are_drawn_on_the_host"),
    ],
    "gradients.md": [
        ('`{"w": ..., "layers[0].b": ...}`', GRADIENTS + "grad::objects_are_differentiated_by_their_arrays"),
        (
            "`weft.jvp` takes such a dict for its tangent",
            GRADIENTS + "grad::products_and_jacobians_by_objects",
        ),
        ("is a `TypeError` that names it", GRADIENTS + "grad::misuse_is_explained"),
        (
            "have the structures, shapes and dtypes of what they belong to",
            GRADIENTS + "vjp::cotangents_that_do_not_fit_are_refused",
        ),
        (
            "raises happens once, as in a call of `f` itself",
            GRADIENTS + "grad::writes_to_arguments_happen_once",
        ),
        ("A tape knows the arrays from outside", GRADIENTS + "tape::arrays_of_objects_are_seen"),
        (
            "or with `output_gradients` of a weighted sum",
            GRADIENTS + "tape::globals_numbers_weights_and_structures",
        ),
        ("those of each item along the first axis", GRADIENTS + "tape_sources::items_by_items"),
        (
            'zeros with `unconnected_gradients="zero"`',
            GRADIENTS + "tape_sources::in_one_program_with_what_is_not_connected",
        ),
        (
            "by its value when the tape was entered",
            GRADIENTS + "tape::what_is_written_and_copied_in_the_block",
        ),
        (
            "is a constant for tapes that do not `watch` it",
            GRADIENTS + "tape_sources::those_that_are_not_trained_are_constants",
        ),
        (
            "`tape.watched_variables()`\n  are those that were read",
            GRADIENTS + "tape_sources::which_were_read",
        ),
        ("Tapes nest", GRADIENTS + "tape::tapes_nest"),
        ("`with tape.stop_recording():`", GRADIENTS + "tape::a_tape_that_does_not_record"),
        ("`tape.reset()`\n  begins the block anew", GRADIENTS + "tape::what_was_before_a_reset_is_constant"),
        (
            "A tape that is entered in a branch or loop is asked there",
            GRADIENTS + "tape::a_tape_ends_with_the_branch_that_entered_it",
        ),
        ("is differentiated itself for second derivatives", GRADIENTS + "custom::rules_are_differentiated"),
        (
            "so it neither prints nor writes to what is outside",
            GRADIENTS + "custom::effects_and_tangents_are_refused",
        ),
        ("for\nthe reverse, it runs again", GRADIENTS + "custom::what_is_checkpointed_runs_again"),
        (
            "Python runs it, on arrays that remember how they were computed",
            GRADIENTS + "eager::all_functions_work_where_nothing_is_compiled",
        ),
        (
            "What would lose a gradient without a word is an error",
            GRADIENTS + "eager::no_gradient_is_lost_silently",
        ),
        (
            "while such a tape is open run as Python, too",
            ARTIFACTS + "eager_calls::compiled_functions_are_seen_that_read_what_a_tape_watches",
        ),
        (
            "All of the array namespace; views, writes to parts of arrays",
            GRADIENTS + "random::random_programs_agree_with_differences",
        ),
        (
            "`weft.DifferentiationError` at its line",
            GRADIENTS + "grad::a_missing_derivative_is_shown_at_its_line",
        ),
        ("no gradient is silently zero", GRADIENTS + "loops::no_gradient_is_silently_zero"),
        (
            "the old parts are, and the reverse puts them back",
            GRADIENTS + "growth::twice_the_length_is_twice_the_work",
        ),
        ("it is cut in pieces", GRADIENTS + "pieces::a_million_steps_in_little_memory"),
        (
            "without its effects, before it goes back through it",
            GRADIENTS + "pieces::effects_of_pieces_happen_once",
        ),
        (
            "A function that calls itself runs again",
            GRADIENTS + "recursion::recursion_agrees_with_differences",
        ),
        (
            "read by the second, which calls nobody",
            GRADIENTS + "exits::what_python_returned_in_a_loop_is_replayed",
        ),
    ],
    "distributed.md": [
        (
            "one compiled function serves meshes of any size",
            RANKS + "simulated::loops_and_one_program_for_all_sizes",
        ),
        ("lets only those ranks work together that differ in these", RANKS + "simulated::axes"),
        (
            '`"sum"`, `"prod"`, `"min"`, `"max"`, `"any"`, `"all"`',
            RANKS + "simulated::collectives_are_numpys",
        ),
        ("are rounded once", RANKS + "native_meetings::all_dtypes"),
        ("says of arrays, or of a dictionary or list of them", RANKS + "gradients::by_what_all_have"),
        (
            "one message for each array of parameters",
            RANKS + "gradients::one_message_for_each_parameter_in_loops",
        ),
        ("refuses to sum a second time what is summed", RANKS + "gradients::what_is_refused"),
        (
            "ranks that have the same extreme share it",
            RANKS + "gradients::gradients_of_other_reductions_are_those_of_the_whole",
        ),
        ("are made in compiled functions\nonly", RANKS + "gradients::eager_gradients_are_refused"),
        (
            "Libraries that `weft.export` makes have no ranks",
            RANKS + "simulated::libraries_without_python_have_no_ranks",
        ),
        ("ends all processes, with its traceback", RANKS + "processes::a_rank_that_fails_ends_all"),
        (
            "Where one has raised, the others raise `weft.RemoteError`",
            RANKS + "simulated::a_rank_that_raises_ends_all",
        ),
        ("where one has returned, `weft.DeadlockError`", RANKS + "simulated::a_rank_that_returned_is_told"),
        (
            "`weft.CommunicationError`, with what each does and its line",
            RANKS + "simulated::ranks_that_differ_are_told",
        ),
        ("is how many seconds a rank waits", RANKS + "native_meetings::the_time_that_ranks_wait_is_limited"),
        ("give the same on one rank and on many", RANKS + "examples_of_ranks::training"),
    ],
    "partition.md": [
        ("as `jax.sharding.PartitionSpec` does", RANKS + "sharded::specs_are_as_those_of_jax"),
        (
            "the array whose block each rank has; blocks may have any lengths",
            RANKS + "sharded::blocks_are_given",
        ),
        (
            "the array of a `.npy` file, of which each rank reads its block",
            RANKS + "sharded::blocks_are_read",
        ),
        (
            "or of a dask array",
            RANKS + "sharded::arrays_that_are_computed_later_are_computed_whole_by_nobody",
        ),
        ("ranks send each other what both have", RANKS + "sharded::blocks_go_from_rank_to_rank_into_others"),
        ("gathers, too, with a `weft.GatherWarning`", RANKS + "sharded::whole_arrays_are_announced"),
        ("or a list, tuple or dict of specs like the argument", RANKS + "sharded::arguments_are_nested"),
        (
            "`ShardedArray` that the function writes to is written",
            RANKS + "sharded::what_is_written_is_the_array_of_the_caller",
        ),
        ("gives the same for such arrays", RANKS + "sharded::programs_are_shown"),
        (
            "triangles, diagonals, `searchsorted` in a whole array",
            RANKS + "partitioned_ops::triangles_diagonals_and_searches_send_nothing",
        ),
        (
            "blocks, between pairs of ranks that merge them",
            RANKS + "chosen_elements::long_arrays_are_sorted_by_pairs_of_ranks",
        ),
        (
            "nothing; sums, means and extremes of them one `all_reduce`",
            RANKS + "chosen_elements::what_is_chosen_stays_with_the_ranks",
        ),
        (
            "They are NumPy's, whatever the split is",
            RANKS + "partitioned_ops::functions_give_what_numpy_gives",
        ),
        (
            "Random numbers are those of the generator by their place",
            RANKS + "sharded::generators_are_drawn_from",
        ),
        ("Derivatives are those of the whole function", RANKS + "sharded::gradients_come_before_and_after"),
        (
            "find out at the first call, by a `weft.CommunicationError`",
            RANKS + "bad_input::compiled_programs_that_differ_are_told",
        ),
        ("Reading variables is fine", RANKS + "sharded::variables_are_read"),
        (
            "but for `scatter(x, spec)` of it, which is in equal blocks",
            RANKS + "sharded::what_was_chosen_is_put_into_equal_blocks",
        ),
    ],
}


@pytest.mark.parametrize("page", SHOWN)
def test_what_a_page_says_is_shown_by_a_test(page: str) -> None:
    require_shown(page, SHOWN[page])
