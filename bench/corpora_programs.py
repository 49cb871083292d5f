"""Functions of public repositories, by name, with arguments of the size that their own examples or papers have.

What is listed is where a function is and how it is called; none of it is stored here. Arguments are made from fixed
seeds, so every candidate gets equal ones. A name that ends in a number is the same function at another size.
"""

from __future__ import annotations

import importlib
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A function of a repository, and what makes its arguments."""

    repository: str
    module: str
    function: str
    arguments: Callable[[], tuple[Any, ...]]
    size: str
    folder: str = ""
    """What is on the path of an import, inside the repository."""

    @property
    def name(self) -> str:
        return f"{self.module.rpartition('.')[2]}.{self.function}"


def normal(*shape: int) -> Any:
    """Normal draws of this shape."""
    return np.random.default_rng(sum(shape)).normal(size=shape)


def uniform(*shape: int) -> Any:
    """Draws from 0 to 1 of this shape."""
    return np.random.default_rng(sum(shape)).uniform(size=shape)


def whole(limit: int, *shape: int) -> Any:
    """Whole numbers below a limit."""
    return np.random.default_rng(sum(shape)).integers(0, limit, size=shape)


def pixels(*shape: int) -> Any:
    """An image of bytes."""
    return whole(256, *shape).astype(np.uint8)


def listed(limit: int, *shape: int) -> list[Any]:
    """Whole numbers as (nested) lists."""
    numbers: list[Any] = whole(limit, *shape).tolist()
    return numbers


def fractions(*shape: int) -> list[Any]:
    """Floats as (nested) lists."""
    numbers: list[Any] = uniform(*shape).tolist()
    return numbers


def letters(count: int, alphabet: str = "abcd") -> str:
    """A word."""
    return "".join(random.Random(count).choices(alphabet, k=count))


def diagonally_dominant(size: int) -> Any:
    """A matrix on which elimination and relaxation work without pivots."""
    return normal(size, size) + 3 * size * np.eye(size)


def shares(rows: int, columns: int) -> Any:
    """Rows that sum to 1."""
    table = uniform(rows, columns)
    return table / table.sum(axis=1, keepdims=True)


def one_hot(rows: int, columns: int) -> Any:
    """A one in each row."""
    return np.eye(columns)[whole(columns, rows)]


def inputs(module: str, size: int) -> Callable[[], tuple[Any, ...]]:
    """The arguments that a benchmark makes for itself."""
    return lambda: importlib.import_module(module).generate_inputs(size)


def algorithms(module: str, function: str, size: str, arguments: Callable[[], tuple[Any, ...]]) -> Program:
    return Program("TheAlgorithms/Python", module, function, arguments, size)


def keon(module: str, function: str, size: str, arguments: Callable[[], tuple[Any, ...]]) -> Program:
    return Program("keon/algorithms", f"algorithms.{module}", function, arguments, size)


def numpy_ml(module: str, function: str, size: str, arguments: Callable[[], tuple[Any, ...]]) -> Program:
    return Program("ddbourgin/numpy-ml", f"numpy_ml.{module}", function, arguments, size)


def scratch(module: str, function: str, size: str, arguments: Callable[[], tuple[Any, ...]]) -> Program:
    return Program("eriklindernoren/ML-From-Scratch", f"mlfromscratch.{module}", function, arguments, size)


def rougier(module: str, function: str, size: str, arguments: Callable[[], tuple[Any, ...]]) -> Program:
    return Program("rougier/from-python-to-numpy", module, function, arguments, size, "code")


def robotics(
    folder: str, module: str, function: str, size: str, arguments: Callable[[], tuple[Any, ...]]
) -> Program:
    return Program("AtsushiSakai/PythonRobotics", module, function, arguments, size, folder)


def mocz(module: str, function: str, size: str, arguments: Callable[[], tuple[Any, ...]]) -> Program:
    return Program(f"pmocz/{module}-python", module, function, arguments, size)


def hpc(module: str, short: str, size: int) -> Program:
    repository, package = "dionhaefner/pyhpc-benchmarks", f"benchmarks.{module}"
    return Program(repository, f"{package}.{short}_numpy", "run", inputs(package, size), f"{size:,}")


def matrix(size: int) -> tuple[Any, ...]:
    return (listed(9, size, size),)


PROGRAMS: tuple[Program, ...] = (
    # Plain Python on lists and numbers
    algorithms(
        "maths.average_absolute_deviation", "average_absolute_deviation", "100", lambda: (listed(99, 100),)
    ),
    algorithms(
        "maths.euclidean_distance", "euclidean_distance", "50", lambda: (fractions(50), fractions(50))
    ),
    algorithms(
        "maths.manhattan_distance", "manhattan_distance", "50", lambda: (fractions(50), fractions(50))
    ),
    algorithms("maths.find_max", "find_max_iterative", "1,000", lambda: (listed(9999, 1000),)),
    algorithms("maths.max_sum_sliding_window", "max_sum_in_array", "1,000", lambda: (listed(99, 1000), 20)),
    algorithms("maths.polynomial_evaluation", "horner", "40", lambda: (tuple(fractions(40)), 0.7)),
    algorithms("maths.maclaurin_series", "maclaurin_sin", "30 terms", lambda: (1.3, 30)),
    algorithms("maths.prime_check", "is_prime", "1e9", lambda: (1_000_000_007,)),
    algorithms("maths.prime_factors", "prime_factors", "1e9", lambda: (2**10 * 999_983,)),
    algorithms("maths.sieve_of_eratosthenes", "prime_sieve", "10,000", lambda: (10_000,)),
    algorithms("maths.odd_sieve", "odd_sieve", "10,000", lambda: (10_000,)),
    algorithms("maths.perfect_number", "perfect", "8,128", lambda: (8128,)),
    algorithms("maths.aliquot_sum", "aliquot_sum", "10,000", lambda: (10_000,)),
    algorithms("maths.sum_of_digits", "sum_of_digits", "18 digits", lambda: (123_456_789_123_456_789,)),
    algorithms(
        "maths.greatest_common_divisor",
        "gcd_by_iterative",
        "2 numbers",
        lambda: (1_836_311_903, 1_134_903_170),
    ),
    algorithms("maths.fast_inverse_sqrt", "fast_inverse_sqrt", "a number", lambda: (10.0,)),
    algorithms(
        "maths.binary_exponentiation", "binary_exp_mod_iterative", "1,000", lambda: (3, 1000, 10**9 + 7)
    ),
    algorithms("maths.trapezoidal_rule", "trapezoidal_rule", "1,000 steps", lambda: ([0.0, 1.0], 1000.0)),
    algorithms("maths.numerical_analysis.newton_forward_interpolation", "ucal", "a number", lambda: (1.5, 3)),
    algorithms("maths.monte_carlo_dice", "throw_dice", "10,000", lambda: (10_000, 2)),
    algorithms("maths.pi_monte_carlo_estimation", "estimate_pi", "10,000", lambda: (10_000,)),
    algorithms(
        "dynamic_programming.longest_common_subsequence",
        "longest_common_subsequence",
        "80",
        lambda: (letters(80), letters(81)),
    ),
    algorithms(
        "dynamic_programming.matrix_chain_order",
        "matrix_chain_order",
        "30",
        lambda: ([n + 1 for n in listed(50, 30)],),
    ),
    algorithms("dynamic_programming.catalan_numbers", "catalan_numbers", "30", lambda: (30,)),
    algorithms(
        "dynamic_programming.max_subarray_sum",
        "max_subarray_sum",
        "1,000",
        lambda: ([n - 50 for n in listed(99, 1000)],),
    ),
    algorithms("dynamic_programming.minimum_cost_path", "minimum_cost_path", "40 x 40", lambda: matrix(40)),
    algorithms("dynamic_programming.minimum_partition", "find_min", "15", lambda: (listed(50, 15),)),
    algorithms("dynamic_programming.sum_of_subset", "is_sum_subset", "20", lambda: (listed(50, 20), 260)),
    algorithms("dynamic_programming.integer_partition", "partition", "60", lambda: (60,)),
    algorithms(
        "dynamic_programming.trapped_water", "trapped_rainwater", "500", lambda: (tuple(listed(50, 500)),)
    ),
    algorithms("matrix.matrix_operation", "multiply", "20 x 20", lambda: matrix(20) + matrix(20)),
    algorithms("matrix.pascal_triangle", "generate_pascal_triangle", "20", lambda: (20,)),
    algorithms(
        "matrix.largest_square_area_in_matrix",
        "largest_square_area_in_matrix_bottom_up",
        "40 x 40",
        lambda: (40, 40, listed(2, 40, 40)),
    ),
    algorithms("sorts.bubble_sort", "bubble_sort_iterative", "200", lambda: (listed(999, 200),)),
    algorithms("sorts.shell_sort", "shell_sort", "500", lambda: (listed(999, 500),)),
    algorithms("sorts.heap_sort", "heap_sort", "300", lambda: (listed(999, 300),)),
    algorithms("sorts.comb_sort", "comb_sort", "500", lambda: (listed(999, 500),)),
    algorithms(
        "searches.binary_search", "binary_search", "1,000", lambda: (sorted(listed(9999, 1000)), 5000)
    ),
    algorithms("divide_and_conquer.inversions", "count_inversions_bf", "200", lambda: (listed(999, 200),)),
    algorithms("knapsack.knapsack", "knapsack", "10", lambda: (40, listed(9, 10), listed(9, 10), 10)),
    keon("math.gcd", "gcd", "2 numbers", lambda: (1_836_311_903, 1_134_903_170)),
    keon("math.primes_sieve_of_eratosthenes", "get_primes", "10,000", lambda: (10_000,)),
    keon("math.cosine_similarity", "cosine_similarity", "100", lambda: (fractions(100), fractions(100))),
    keon("math.linear_regression", "linear_regression", "100", lambda: (fractions(100), fractions(100))),
    keon("math.euler_totient", "euler_totient", "1e6", lambda: (999_983,)),
    keon("dynamic_programming.edit_distance", "edit_distance", "60", lambda: (letters(60), letters(61))),
    keon("dynamic_programming.coin_change", "count", "2,000", lambda: ([1, 2, 5, 10, 20, 50], 2000)),
    keon("dynamic_programming.egg_drop", "egg_drop", "4, 60", lambda: (4, 60)),
    keon(
        "dynamic_programming.max_subarray",
        "max_subarray",
        "1,000",
        lambda: ([n - 50 for n in listed(99, 1000)],),
    ),
    keon(
        "dynamic_programming.longest_increasing",
        "longest_increasing_subsequence",
        "150",
        lambda: (listed(999, 150),),
    ),
    keon("dynamic_programming.min_cost_path", "min_cost", "40 x 40", lambda: matrix(40)),
    keon("sorting.cocktail_shaker_sort", "cocktail_shaker_sort", "200", lambda: (listed(999, 200),)),
    keon("sorting.insertion_sort", "insertion_sort", "200", lambda: (listed(999, 200),)),
    keon("matrix.multiply", "multiply", "20 x 20", lambda: matrix(20) + matrix(20)),
    keon("bit_manipulation.count_ones", "count_ones_iter", "a number", lambda: (2**60 - 12345,)),
    rougier("game_of_life_python", "iterate", "40 x 40", lambda: (listed(2, 40, 40),)),
    rougier("mandelbrot_python", "mandelbrot", "40 x 40", lambda: (-2.25, 0.75, -1.25, 1.25, 40, 40, 50)),
    # NumPy on small arrays
    algorithms("maths.softmax", "softmax", "1,000", lambda: (normal(1000),)),
    algorithms("maths.sigmoid", "sigmoid", "100", lambda: (normal(100),)),
    algorithms("maths.gaussian", "gaussian", "100", lambda: (normal(100),)),
    algorithms("maths.qr_decomposition", "qr_householder", "20 x 20", lambda: (normal(20, 20),)),
    algorithms(
        "linear_algebra.lu_decomposition",
        "lower_upper_decomposition",
        "20 x 20",
        lambda: (diagonally_dominant(20),),
    ),
    algorithms(
        "linear_algebra.gaussian_elimination",
        "retroactive_resolution",
        "20 x 20",
        lambda: (np.triu(diagonally_dominant(20)), normal(20, 1)),
    ),
    algorithms(
        "linear_algebra.src.gaussian_elimination_pivoting",
        "solve_linear_system",
        "20 x 21",
        lambda: (normal(20, 21),),
    ),
    algorithms(
        "linear_algebra.src.power_iteration",
        "power_iteration",
        "20 x 20",
        lambda: (uniform(20, 20) + uniform(20, 20).T, uniform(20)),
    ),
    algorithms(
        "machine_learning.loss_functions",
        "binary_cross_entropy",
        "1,000",
        lambda: (whole(2, 1000), uniform(1000)),
    ),
    algorithms(
        "machine_learning.loss_functions", "huber_loss", "1,000", lambda: (normal(1000), uniform(1000), 1.0)
    ),
    algorithms("machine_learning.scoring_functions", "rmse", "1,000", lambda: (normal(1000), uniform(1000))),
    algorithms(
        "machine_learning.similarity_search",
        "similarity_search",
        "20 of 50",
        lambda: (normal(50, 3), normal(20, 3)),
    ),
    algorithms(
        "machine_learning.k_means_clust",
        "assign_clusters",
        "1,000 x 4",
        lambda: (normal(1000, 4), normal(5, 4)),
    ),
    algorithms(
        "machine_learning.t_stochastic_neighbour_embedding",
        "compute_pairwise_affinities",
        "100 x 4",
        lambda: (normal(100, 4),),
    ),
    algorithms("machine_learning.mfcc", "mel_spaced_filterbank", "10 of 1,024", lambda: (16000, 10, 1024)),
    algorithms(
        "neural_network.two_hidden_layers_neural_network",
        "sigmoid_derivative",
        "100",
        lambda: (uniform(100),),
    ),
    algorithms("computer_vision.pooling_functions", "maxpooling", "32 x 32", lambda: (uniform(32, 32), 2, 2)),
    algorithms(
        "digital_image_processing.filters.gaussian_filter",
        "gaussian_filter",
        "64 x 64",
        lambda: (pixels(64, 64), 3, 1),
    ),
    algorithms(
        "digital_image_processing.filters.median_filter",
        "median_filter",
        "40 x 40",
        lambda: (pixels(40, 40), 3),
    ),
    algorithms(
        "digital_image_processing.morphological_operations.dilation_operation",
        "dilation",
        "40 x 40",
        lambda: (pixels(40, 40) > 128, np.ones((3, 3))),
    ),
    numpy_ml("utils.distance_metrics", "euclidean", "50", lambda: (normal(50), uniform(50))),
    numpy_ml("utils.misc", "logsumexp", "50", lambda: (normal(50),)),
    numpy_ml("utils.misc", "log_gaussian_pdf", "5", lambda: (normal(5), uniform(5), np.cov(normal(5, 40)))),
    numpy_ml("utils.kernels", "pairwise_l2_distances", "100 x 5", lambda: (normal(100, 5), normal(80, 5))),
    numpy_ml("utils.windows", "hann", "512", lambda: (512,)),
    numpy_ml("preprocessing.dsp", "DFT", "64", lambda: (normal(64),)),
    numpy_ml("preprocessing.dsp", "DCT", "64", lambda: (normal(64),)),
    numpy_ml(
        "neural_nets.utils.utils",
        "im2col",
        "4 x 12 x 12 x 3",
        lambda: (normal(4, 12, 12, 3), (3, 3, 3, 8), 0, 1),
    ),
    numpy_ml(
        "neural_nets.utils.utils",
        "conv2D_naive",
        "2 x 8 x 8 x 3",
        lambda: (normal(2, 8, 8, 3), normal(3, 3, 3, 4), 1, "same"),
    ),
    numpy_ml(
        "neural_nets.utils.utils",
        "conv1D",
        "4 x 40 x 3",
        lambda: (normal(4, 40, 3), normal(3, 3, 4), 1, "same"),
    ),
    numpy_ml("trees.dt", "entropy", "200", lambda: (whole(4, 200),)),
    numpy_ml("trees.dt", "gini", "200", lambda: (whole(4, 200),)),
    scratch("utils.data_operation", "calculate_covariance_matrix", "200 x 8", lambda: (normal(200, 8),)),
    scratch("utils.data_operation", "euclidean_distance", "50", lambda: (normal(50), uniform(50))),
    scratch("utils.data_operation", "calculate_entropy", "200", lambda: (whole(4, 200),)),
    scratch("utils.data_manipulation", "normalize", "200 x 8", lambda: (normal(200, 8),)),
    scratch("utils.data_manipulation", "standardize", "200 x 8", lambda: (normal(200, 8),)),
    scratch("utils.data_manipulation", "to_categorical", "200", lambda: (whole(4, 200),)),
    scratch("utils.data_manipulation", "polynomial_features", "100 x 4", lambda: (normal(100, 4), 2)),
    rougier("random_walk", "find_crossing_2", "1,000", lambda: (whole(3, 1000).tolist(), [1, 2, 1])),
    rougier("fractal_dimension", "fractal_dimension", "128 x 128", lambda: (uniform(128, 128),)),
    rougier(
        "mandelbrot_numpy_1", "mandelbrot", "100 x 100", lambda: (-2.25, 0.75, -1.25, 1.25, 100, 100, 50)
    ),
    robotics("PathPlanning/DubinsPath", "dubins_path_planner", "_LSL", "a path", lambda: (0.4, 1.1, 3.0)),
    robotics(
        "PathPlanning/DynamicWindowApproach",
        "dynamic_window_approach",
        "motion",
        "5",
        lambda: (np.array([0.0, 0.0, math.pi / 8, 0.0, 0.0]), [1.0, 0.1], 0.1),
    ),
    robotics(
        "PathPlanning/ReedsSheppPath",
        "reeds_shepp_path_planning",
        "left_straight_left",
        "a path",
        lambda: (1.0, 2.0, 0.5),
    ),
    robotics(
        "PathPlanning/PotentialFieldPlanning",
        "potential_field_planning",
        "calc_repulsive_potential",
        "4",
        lambda: (1.0, 2.0, [15.0, 5.0, 20.0, 25.0], [25.0, 15.0, 26.0, 25.0], 5.0),
    ),
    robotics(
        "Localization/particle_filter",
        "particle_filter",
        "calc_covariance",
        "100",
        lambda: (normal(4, 1), normal(4, 100), shares(1, 100)),
    ),
    robotics(
        "Mapping/gaussian_grid_map",
        "gaussian_grid_map",
        "generate_gaussian_grid_map",
        "4",
        lambda: (fractions(4), fractions(4), 0.5, 3.0),
    ),
    robotics(
        "SLAM/EKFSLAM", "ekf_slam", "motion_model", "3", lambda: (normal(3, 1), np.array([[1.0, 0.1]]).T)
    ),
    # Simulations of some size
    mocz("nbody", "getAcc", "100", lambda: (normal(100, 3), uniform(100, 1), 1.0, 0.1)),
    mocz("nbody", "getEnergy", "100", lambda: (normal(100, 3), normal(100, 3), uniform(100, 1), 1.0)),
    mocz("sph", "getDensity", "400", lambda: (normal(400, 3), normal(400, 3), 0.005, 0.1)),
    mocz("sph", "getAcc", "400", lambda: (normal(400, 3), uniform(400, 3), 0.005, 0.1, 0.1, 1, 2.0, 1.0)),
    mocz("finitevolume", "getGradient", "128 x 128", lambda: (normal(128, 128), 1 / 128)),
    mocz(
        "finitevolume",
        "slopeLimit",
        "128 x 128",
        lambda: (normal(128, 128), 1 / 128, normal(128, 128), uniform(128, 128)),
    ),
    mocz(
        "finitevolume", "getFlux", "128 x 128", lambda: (*(uniform(128, 128) + 0.1 for _ in range(8)), 5 / 3)
    ),
    hpc("equation_of_state", "eos", 4096),
    hpc("equation_of_state", "eos", 131_072),
    hpc("isoneutral_mixing", "isoneutral", 16_384),
    hpc("turbulent_kinetic_energy", "tke", 16_384),
    rougier("maze_numpy", "build_graph", "25 x 25", lambda: (whole(2, 25, 25),)),
    rougier("game_of_life_python", "compute_neighbours", "100 x 100", lambda: (listed(2, 100, 100),)),
)
