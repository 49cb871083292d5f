"""What the pages on pages, sentences, timelines, TensorBoard and weft-opt say, and the tests that show it."""

from __future__ import annotations

import pytest

from support.claims import require_shown

BROWSER = "frontend/pages/test_in_browser::"
PAGE = "frontend/pages/test_page::"
MACHINE = "frontend/pages/test_machine_text::"
EXPLAIN = "tools/test_explain_command::"
PROFILE = "frontend/profiling/test_profile::"
PLANES = "frontend/profiling/test_planes::"
GRAPHS = "frontend/summary/test_graphs::"
SUMMARIES = "frontend/summary/test_summaries::"
NOTEBOOKS = "frontend/notebooks/test_notebooks::"
OPTIONS = "tools/test_mlir_opt_options::"
BISECT = "tools/test_bisect::"
REDUCE = "tools/test_reduce::"
PLUGINS = "tools/test_plugins::"

SHOWN: dict[str, list[tuple[str, str]]] = {
    "page.md": [
        ("It needs no network and no server", PAGE + "small_pages_can_be_read_and_hold_no_markup"),
        (
            "the function and those that it calls, whatever files they are in",
            PAGE + "code_of_helpers_is_marked_at_the_helper_and_at_the_call",
        ),
        ("counts the sentences of `explain()` about it", PAGE + "sentences_stand_at_their_lines"),
        ("what one call costs, kernel by kernel", PAGE + "costs_memory_and_times_are_there"),
        ("drawn and as a table", BROWSER + "memory_is_drawn_over_time"),
        ("For GPUs `placed`, `gpu` and `nvvm`", PAGE + "gpu_kernels_are_shown_as_ptx"),
        (
            "says in words what it does when the pointer rests on it",
            BROWSER + "instructions_say_what_they_do",
        ),
        ("how wide its vectors are, what it spills", MACHINE + "functions_with_their_loops_spills_and_lines"),
        ("bytes an iteration reads and writes", PAGE + "loops_of_machine_code_are_told"),
        (
            "with the registers and the spills of each kernel",
            PAGE + "registers_and_instructions_of_gpus_where_the_tools_are",
        ),
        ("Where one of them is missing the page says so", PAGE + "tools_of_gpus_that_are_missing_are_told"),
        ("becomes blocks with the jumps between them", BROWSER + "machine_code_is_drawn_as_blocks"),
        (
            "become ops with the values that they hand on",
            BROWSER + "ops_are_drawn_with_the_values_that_they_hand_on",
        ),
        ("What can be clicked as text can be clicked there", BROWSER + "jumps_and_values_are_edges"),
        (
            "those that changed something, each with its time",
            PAGE + "passes_that_changed_something_are_shown_with_what_changed",
        ),
        (
            "a rule of algebra by its name (`undo_twice`)",
            PAGE + "rewrites_of_a_pass_are_told_by_name_and_at_their_lines",
        ),
        ("each of which is shown alone by a click", BROWSER + "a_click_on_a_rewrite_shows_it_alone"),
        (
            "from the choice of instructions to registers and their order",
            PAGE + "passes_of_llvm_are_there_with_their_lines",
        ),
        (
            "for GPUs likewise, on the way to `ptx`",
            PAGE + "passes_of_llvm_for_gpus_are_there_with_their_lines",
        ),
        ("the list of passes says so", PAGE + "what_was_not_watched_is_said"),
        ("How long each takes in a run without prints", BROWSER + "times_of_llvms_passes_are_told"),
        (
            "A click on a line of Python marks what it became",
            BROWSER + "a_line_of_python_marks_what_it_became",
        ),
        (
            "a click anywhere else marks where that comes from",
            BROWSER + "a_line_of_a_stage_marks_the_python_that_it_comes_from",
        ),
        ("the line of Python before, or after", BROWSER + "keys_walk_through_lines_stages_and_passes"),
        ("light or dark", BROWSER + "light_and_dark"),
        ("The address keeps what is chosen", BROWSER + "an_address_chooses_line_and_stages"),
        ("A training step has less than 1 MB", PAGE + "a_training_step_has_less_than_a_megabyte"),
        ("a page has 120,000 lines", PAGE + "a_page_has_so_many_lines_of_what_passes_change"),
        ("the page is compressed", PAGE + "packed_code_is_what_it_was"),
        ("A page of more than 4 MiB is not written", PAGE + "a_page_that_would_be_too_large_is_not_written"),
        ("leave out passes (`passes=False`)", PAGE + "stages_and_passes_are_left_out_on_demand"),
        ("# in a browser at once", EXPLAIN + "a_page_is_opened"),
        ("the same of one line of the program", EXPLAIN + "one_line_is_asked_for"),
    ],
    "explain.md": [
        (
            "when and why the function was compiled",
            "frontend/calls/test_explain::traces_are_told_with_reasons",
        ),
        (
            "whether the disk cache had the function",
            "frontend/calls/test_explain::the_disk_cache_says_what_it_did",
        ),
        (
            "prints it after each compilation",
            "frontend/test_logs::explanations_are_printed_after_each_compilation",
        ),
        ("to the loggers `weft.trace`", "frontend/test_logs::categories_go_to_their_loggers"),
        ("on stderr", "frontend/test_logs::logs_come_on_stderr_where_logging_is_not_configured"),
        ("tints its lines by what they became", NOTEBOOKS + "a_cell_is_compiled_and_shown"),
        ("Errors name the cell that they are in, with a caret", NOTEBOOKS + "errors_have_carets_in_cells"),
        ("`examples/notebooks/` has three notebooks", NOTEBOOKS + "example_notebooks_run"),
    ],
    "profiling.md": [
        (
            "compilations with their passes, calls, and every kernel",
            PROFILE + "compilations_have_reasons_and_passes_in_them",
        ),
        (
            "with the line that it comes from and the thread that it ran in",
            PROFILE + "pieces_of_shared_loops_are_noted_in_their_threads",
        ),
        (
            "the profile tells the lines that took most of the time",
            PROFILE + "the_summary_tells_lines_by_time",
        ),
        ("A script is profiled as it is", "tools/test_profile_command::a_script_is_run_and_told_of"),
        ("each with a link to [its page]", PROFILE + "a_run_as_pages"),
        ("each profile as a session of its own", PLANES + "each_profile_is_a_run_of_its_own"),
        ("a table of the kernels by function and line", PLANES + "the_plugin_counts_kernels_by_lines"),
        ("what the disk cache found, missed, stored", PROFILE + "the_disk_cache_is_noted"),
        ("what is more is counted", PROFILE + "too_many_kernels_are_counted"),
        (
            "written, too, where the block raises",
            PROFILE + "what_was_noted_is_written_where_the_block_raises",
        ),
        ("A profile inside of another one raises", PROFILE + "a_profile_inside_of_a_profile_is_refused"),
    ],
    "summary.md": [
        (
            "in order with prints, exceptions and writes to arrays",
            SUMMARIES + "a_loop_writes_what_python_would",
        ),
        ("Gradients pass by", SUMMARIES + "gradients_and_results_stay_as_they_are"),
        ("The writer is that of the call", SUMMARIES + "the_writer_is_that_of_the_call_or_of_a_with_inside"),
        ("images, rows, columns, 1 to 4 channels", SUMMARIES + "pictures"),
        (
            "a scope for each function of the program and each line",
            GRAPHS + "scopes_are_functions_lines_and_regions",
        ),
        ("Edges bear shapes", GRAPHS + "edges_have_types"),
        (
            "The tab *Graphs* then shows the function",
            "frontend/summary/test_in_browser::the_graph_is_drawn_and_opens",
        ),
    ],
    "weft_opt.md": [
        ("looks for the first after which a script fails", BISECT + "the_first_of_many_is_found"),
        (
            "MLIR lets one limit, with the name of MLIR's pattern",
            BISECT + "rewrites_of_upstreams_canonicalizer",
        ),
        (
            "a pass that does its work in one piece shows all of it",
            BISECT + "a_pass_without_counts_shows_all_that_it_did",
        ),
        ("`-o file` gets the IR before the pass", BISECT + "the_ir_before_the_pass_is_written"),
        ("extents 1 or 2", REDUCE + "types_become_smaller_together"),
        ("keeps the search from ending at another fault", REDUCE + "another_message_is_another_fault"),
        ("counts as failing if it did so on the input", REDUCE + "a_script_that_takes_too_long_is_a_fault"),
        ("ends the search with a message", REDUCE + "scripts_that_do_not_fit"),
        ("in 73 lines, and its tests", PLUGINS + "the_example_has_less_than_a_hundred_lines"),
        ("of installed packages it finds by entry points", PLUGINS + "installed_packages_are_found"),
        ("is refused with what to do about it", PLUGINS + "wrong_plugins"),
        (
            "an installed package whose modules fail is named",
            PLUGINS + "a_package_that_cannot_be_loaded_is_named",
        ),
        ("in a process of its own", "tools/test_weft_opt::a_crash_is_a_message"),
        ("check that the input is read again as it is printed", OPTIONS + "what_is_printed_is_read_again"),
        (
            "counts the rewrites of weft's passes by their rules",
            "passes/algebra/weft_simplify.mlir::identities",
        ),
        ("of upstream's passes, too", BISECT + "rewrites_of_upstreams_canonicalizer"),
    ],
    "shown_beside.md": [
        (
            "lines of Python beside every stage, linked both ways",
            PAGE + "each_line_marks_the_ops_that_it_became",
        ),
        ("all that a run compiled, with reasons and times", PROFILE + "a_run_as_pages"),
        (
            "why something was compiled again",
            PROFILE + "reasons_are_those_that_are_explained_and_branches_hide_no_bytes",
        ),
        ("what each pass changed", PAGE + "passes_that_changed_something_are_shown_with_what_changed"),
        (
            "each rewrite with the rule that did it",
            PAGE + "rewrites_of_a_pass_are_told_by_name_and_at_their_lines",
        ),
        ("LLVM's passes, one by one", PAGE + "passes_of_llvm_are_there_with_their_lines"),
        ("which pass, and which rewrite in it", BISECT + "the_pass_and_its_rewrite_are_named"),
        ("lines tinted by what they became", NOTEBOOKS + "a_cell_is_compiled_and_shown"),
        ("width of vectors, spills, bytes", MACHINE + "bytes_that_instructions_move"),
        ("what an instruction does, in words", BROWSER + "instructions_say_what_they_do"),
        ("cycles of a loop, and the port", "backend/cpu/machine/test_throughput::the_busiest_port_limits"),
        ("spills and instructions of GPUs", PAGE + "registers_and_instructions_of_gpus_where_the_tools_are"),
        ("in formulas where sizes are open", PAGE + "costs_of_unknown_sizes_are_formulas"),
        ("where memory is, from when to when", BROWSER + "memory_is_drawn_over_time"),
        ("the program as a graph", BROWSER + "ops_are_drawn_with_the_values_that_they_hand_on"),
        ("basic blocks of machine code", BROWSER + "machine_code_is_drawn_as_blocks"),
    ],
}


@pytest.mark.parametrize("page", SHOWN)
def test_what_a_page_says_is_shown_by_a_test(page: str) -> None:
    require_shown(page, SHOWN[page])
