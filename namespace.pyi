# Generated from the array namespace by `make docs`: what type checkers know of `weft.name`.

import builtins as _builtins
from collections.abc import Callable as _Callable
from collections.abc import Sequence as _Sequence
from typing import Any as _Any
from .frontend.signature.traced_value import ArrayHolder as ArrayHolder
from .dialect.errors import ArtifactError as ArtifactError
from .dialect.errors import ArtifactWarning as ArtifactWarning
from .dialect.errors import AxisError as AxisError
from .dialect.errors import BatchingError as BatchingError
from .dialect.errors import CacheWarning as CacheWarning
from .dialect.errors import CommunicationError as CommunicationError
from .dialect.errors import ConcreteValueError as ConcreteValueError
from .dialect.errors import ControlFlowError as ControlFlowError
from .dialect.errors import ConversionError as ConversionError
from .dialect.errors import ConversionWarning as ConversionWarning
from .dialect.errors import DeadlockError as DeadlockError
from .frontend.devices import DeviceArray as DeviceArray
from .dialect.errors import DeviceError as DeviceError
from .dialect.errors import DeviceMemoryError as DeviceMemoryError
from .dialect.errors import DifferentiationError as DifferentiationError
from .dialect.errors import DivergenceError as DivergenceError
from .dialect.errors import FallbackWarning as FallbackWarning
from .frontend.function import Function as Function
from .dialect.errors import GatherWarning as GatherWarning
from .frontend.gradients.tape import GradientTape as GradientTape
from .dialect.errors import InternalError as InternalError
from .dialect.errors import LayoutError as LayoutError
from .dialect.errors import LeakedArrayError as LeakedArrayError
from .dialect.errors import LinkError as LinkError
from .dialect.errors import MissingPackageError as MissingPackageError
from .frontend.artifacts.loading import Model as Model
from .dialect.errors import NotPortable as NotPortable
from .dialect.errors import OverlapError as OverlapError
from .dialect.errors import PartitionError as PartitionError
from .dialect.errors import PassError as PassError
from .dialect.errors import ProfileError as ProfileError
from .dialect.errors import PythonNumberError as PythonNumberError
from .dialect.errors import RefusedOperation as RefusedOperation
from .dialect.errors import RemoteError as RemoteError
from .dialect.errors import RetracingWarning as RetracingWarning
from .frontend.autograph.tensor_array import TensorArray as TensorArray
from .frontend.signature.signature import TensorSpec as TensorSpec
from .dialect.errors import TraceRecursionError as TraceRecursionError
from .dialect.errors import TraceSizeError as TraceSizeError
from .dialect.errors import TransferWarning as TransferWarning
from .dialect.errors import UnrollingWarning as UnrollingWarning
from .dialect.errors import UnsupportedAttributeError as UnsupportedAttributeError
from .dialect.errors import UnsupportedDtypeError as UnsupportedDtypeError
from .dialect.errors import UnsupportedError as UnsupportedError
from .frontend.variables.variable import Variable as Variable
from .dialect.errors import WeftError as WeftError
from .dialect.errors import WeftIndexError as WeftIndexError
from .dialect.errors import WeftTypeError as WeftTypeError
from .dialect.errors import WeftValueError as WeftValueError
from .dialect.errors import WeftWarning as WeftWarning
from .frontend.autograph.api import autograph as autograph
from .frontend.artifacts.export import build as build
from .frontend.gradients.custom import checkpoint as checkpoint
from .frontend.control_flow.branches import cond as cond
from .frontend.numpy_api.constants import constant as constant
from .frontend.gradients.custom import custom_gradient as custom_gradient
from .frontend import dask as dask
from .frontend import data as data
from .frontend.devices import device_put as device_put
from .frontend.devices import devices as devices
from .frontend import distributed as distributed
from .frontend.autograph.marks import do_not_convert as do_not_convert
from .frontend.calls.eager_calls import eager as eager
from .frontend.eval_shape import eval_shape as eval_shape
from .frontend.artifacts.export.exporting import export as export
from .frontend.control_flow.loops import fori_loop as fori_loop
from .frontend.artifacts.from_text import from_mlir as from_mlir
from .frontend.artifacts.from_stablehlo import from_stablehlo as from_stablehlo
from .frontend.function import function as function
from .backend.cpu.threads.count import get_num_threads as get_num_threads
from .frontend.gradients.transforms import grad as grad
from .frontend.gradients.jacobians import hessian as hessian
from .frontend.tracing.init_scope import init_scope as init_scope
from .frontend.tracing.questions import is_recording as is_recording
from .frontend.tracing.questions import is_traced as is_traced
from .frontend.tracing.questions import is_tracing as is_tracing
from .frontend.gradients.jacobians import jacobian as jacobian
from .frontend.gradients.products import jvp as jvp
from .frontend.artifacts.loading import load as load
from .frontend.notebooks.extension import load_ipython_extension as load_ipython_extension
from .frontend.variables.state import load_state as load_state
from .frontend.control_flow.scans import map as map
from .frontend import onnx as onnx
from .frontend.runtime_values.effects import print as print
from .frontend.profiling.profile import profile as profile
from .frontend.runtime_values.effects import py_call as py_call
from .frontend.autograph.loop_hints import range as range
from .backend.cpu.memory.result_pool import release_memory as release_memory
from .frontend.calls.eager_calls import run_functions_eagerly as run_functions_eagerly
from .frontend.artifacts.saving import save as save
from .frontend.variables.state import save_state as save_state
from .frontend.control_flow.scans import scan as scan
from .backend.cpu.threads.count import set_num_threads as set_num_threads
from .frontend.settings import settings as settings
from .frontend.variables.state import state as state
from .frontend.tracing.questions import static_shape as static_shape
from .frontend.gradients.transforms import stop_gradient as stop_gradient
from .frontend.devices import stream as stream
from .frontend import summary as summary
from .frontend.control_flow.branches import switch as switch
from .frontend.devices import synchronize as synchronize
from .frontend.runtime_values.effects import trace_print as trace_print
from .frontend.autograph.loop_hints import unroll as unroll
from .frontend.gradients.transforms import value_and_grad as value_and_grad
from .frontend.gradients.products import vjp as vjp
from .frontend.batching.vmap import vmap as vmap
from .frontend.control_flow.loops import while_loop as while_loop
from ml_dtypes import bfloat16 as bfloat16
from numpy import bool as bool
from numpy import complex128 as complex128
from numpy import complex64 as complex64
from .frontend.numpy_api import fft as fft
from numpy import float16 as float16
from numpy import float32 as float32
from numpy import float64 as float64
from numpy import int16 as int16
from numpy import int32 as int32
from numpy import int64 as int64
from numpy import int8 as int8
from .frontend.numpy_api import linalg as linalg
from numpy import uint16 as uint16
from numpy import uint32 as uint32
from numpy import uint64 as uint64
from numpy import uint8 as uint8

__array_api_version__: _builtins.str

def __array_namespace_info__() -> _Any:
    """The standard's inspection object, as `numpy.__array_namespace_info__`."""

def abs(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Absolute value; of complex numbers, the magnitude. The smallest integer stays. As `numpy.absolute`, with its arguments."""

def absolute(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Absolute value; of complex numbers, the magnitude. The smallest integer stays. As `numpy.absolute`, with its arguments."""

def acos(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse cosine, NaN outside [-1, 1]. As `numpy.arccos`, with its arguments."""

def acosh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse hyperbolic cosine, NaN below 1. As `numpy.arccosh`, with its arguments."""

def add(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Sum of two tensors; logical or of booleans. As `numpy.add`, with its arguments."""

def all(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ..., *, where: _Any = ...) -> _Any:
    """Whether all elements over axes are not zero, as `numpy.all`."""

def allclose(a: _Any, b: _Any, rtol: _builtins.float = 1e-05, atol: _builtins.float = 1e-08, equal_nan: _builtins.bool = False) -> _Any:
    """Whether all elements agree within tolerances, as `numpy.allclose`."""

def amax(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The largest element over axes, NaN if there is one, as `numpy.max`."""

def amin(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The smallest element over axes, NaN if there is one, as `numpy.min`."""

def angle(z: _Any, deg: _builtins.bool = False) -> _Any:
    """The angle of complex numbers in radians, or in degrees, as `numpy.angle`."""

def any(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ..., *, where: _Any = ...) -> _Any:
    """Whether any element over axes is not zero, as `numpy.any`."""

def append(arr: _Any, values: _Any, axis: _builtins.int | None = None) -> _Any:
    """Values joined to the end of an array, both flattened without an axis, as `numpy.append`."""

def arange(start: _Any, stop: _Any = None, step: _Any = 1, dtype: _Any = None, *, device: _Any = None, like: _Any = None) -> _Any:
    """Evenly spaced numbers from start up to but not including stop, as `numpy.arange`."""

def arccos(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse cosine, NaN outside [-1, 1]. As `numpy.arccos`, with its arguments."""

def arccosh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse hyperbolic cosine, NaN below 1. As `numpy.arccosh`, with its arguments."""

def arcsin(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse sine, NaN outside [-1, 1]. As `numpy.arcsin`, with its arguments."""

def arcsinh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse hyperbolic sine. As `numpy.arcsinh`, with its arguments."""

def arctan(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse tangent. As `numpy.arctan`, with its arguments."""

def arctan2(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Angle of the point with ordinate x and abscissa y, in the right quadrant. As `numpy.arctan2`, with its arguments."""

def arctanh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse hyperbolic tangent, NaN outside [-1, 1]. As `numpy.arctanh`, with its arguments."""

def argmax(a: _Any, axis: _Any = None, out: _Any = None, *, keepdims: _Any = ...) -> _Any:
    """The position of the first largest element along an axis, or in the flattened array, as `numpy.argmax`."""

def argmin(a: _Any, axis: _Any = None, out: _Any = None, *, keepdims: _Any = ...) -> _Any:
    """The position of the first smallest element along an axis, or in the flattened array, as `numpy.argmin`."""

def argpartition(a: _Any, kth: _Any, axis: _builtins.int | None = -1, kind: _builtins.str = 'introselect', order: _Any = None) -> _Any:
    """The places that partition an array, as `numpy.argpartition`: here those that sort it."""

def argsort(a: _Any, /, axis: _builtins.int | None = -1, kind: _Any = None, order: _Any = None, *, stable: _builtins.bool | None = None, descending: _builtins.bool = False) -> _Any:
    """The places that sort along an axis, those of equal elements in their order, as `numpy.argsort`."""

def argwhere(a: _Any) -> _Any:
    """The indices of the elements that are not zero, a row for each, as `numpy.argwhere`."""

def around(a: _Any, decimals: _builtins.int = 0, out: _Any = None) -> _Any:
    """The elements rounded to a number of decimals, another name of `round`, as `numpy.around`."""

def array(object: _Any, dtype: _Any = None, *, copy: _builtins.bool | None = True, order: _builtins.str = 'K', subok: _builtins.bool = False, ndmin: _builtins.int = 0, like: _Any = None) -> _Any:
    """A new array of what NumPy would take as one, as `numpy.array`."""

def array_equal(a1: _Any, a2: _Any, equal_nan: _builtins.bool = False) -> _Any:
    """Whether two arrays have the same shape and elements, as `numpy.array_equal`."""

def array_equiv(a1: _Any, a2: _Any) -> _Any:
    """Whether two arrays broadcast to each other and are equal then, as `numpy.array_equiv`."""

def array_split(ary: _Any, indices_or_sections: _Any, axis: _builtins.int = 0) -> _Any:
    """Views of nearly equal parts along an axis, or of the parts between indices, as `numpy.array_split`."""

def as_strided(x: _Any, shape: _Any = None, strides: _Any = None, subok: _builtins.bool = False, writeable: _builtins.bool = True) -> _Any:
    """The elements that strides lead to, as `numpy.lib.stride_tricks.as_strided`; in compiled code an array of its own."""

def asanyarray(a: _Any, dtype: _Any = None, order: _builtins.str | None = None, *, like: _Any = None) -> _Any:
    """The array itself, or what is no array as one, as `numpy.asanyarray`; there are no subclasses here."""

def asarray(a: _Any, dtype: _Any = None, order: _Any = None, *, device: _Any = None, copy: _builtins.bool | None = None, like: _Any = None) -> _Any:
    """An array of what NumPy would take as one, as `numpy.asarray`; `copy` as in the Array API."""

def asarray_chkfinite(a: _Any, dtype: _Any = None, order: _builtins.str | None = None) -> _Any:
    """The array itself, all of whose numbers must be finite, as `numpy.asarray_chkfinite`."""

def ascontiguousarray(a: _Any, dtype: _Any = None, *, like: _Any = None) -> _Any:
    """The array itself if its elements lie in row-major order, else a copy, as `numpy.ascontiguousarray`."""

def asfortranarray(a: _Any, dtype: _Any = None, *, like: _Any = None) -> _Any:
    """The array itself if its elements lie in column-major order, else a copy, as `numpy.asfortranarray`."""

def asin(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse sine, NaN outside [-1, 1]. As `numpy.arcsin`, with its arguments."""

def asinh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse hyperbolic sine. As `numpy.arcsinh`, with its arguments."""

def astype(x: _Any, dtype: _Any, /, order: _builtins.str = 'K', casting: _builtins.str = 'unsafe', *, copy: _builtins.bool = True, device: _Any = None) -> _Any:
    """The array in another dtype, as `numpy.astype`; a copy unless `copy` is false and nothing changes."""

def atan(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse tangent. As `numpy.arctan`, with its arguments."""

def atan2(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Angle of the point with ordinate x and abscissa y, in the right quadrant. As `numpy.arctan2`, with its arguments."""

def atanh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Inverse hyperbolic tangent, NaN outside [-1, 1]. As `numpy.arctanh`, with its arguments."""

def atleast_1d(*arys: _Any) -> _Any:
    """The arrays with at least one axis, as `numpy.atleast_1d`; views."""

def atleast_2d(*arys: _Any) -> _Any:
    """The arrays with at least two axes, new ones in front, as `numpy.atleast_2d`; views."""

def atleast_3d(*arys: _Any) -> _Any:
    """The arrays with at least three axes, as `numpy.atleast_3d`; views."""

def average(a: _Any, axis: _Any = None, weights: _Any = None, returned: _builtins.bool = False, *, keepdims: _Any = ...) -> _Any:
    """The mean over axes, weighted where weights are given, as `numpy.average`."""

def avg_pool(x: _Any, /, window: _Any, *, strides: _Any = None, padding: _Any = 'valid', dilations: _Any = 1) -> _Any:
    """The mean of every window of images, in which the border does not count; the stride is the window unless given."""

def bincount(x: _Any, /, weights: _Any = None, minlength: _builtins.int = 0) -> _Any:
    """How often each number from 0 to the largest occurs, or the sum of its weights, as `numpy.bincount`."""

def bitwise_and(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """And of the bits of integers or booleans. As `numpy.bitwise_and`, with its arguments."""

def bitwise_count(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The number of bits set in the absolute value, as uint8. As `numpy.bitwise_count`, with its arguments."""

def bitwise_invert(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """All bits flipped; logical not of booleans. As `numpy.invert`, with its arguments."""

def bitwise_left_shift(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Bits moved up; by the width or more, or by a negative count, 0. As `numpy.left_shift`, with its arguments."""

def bitwise_not(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """All bits flipped; logical not of booleans. As `numpy.invert`, with its arguments."""

def bitwise_or(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Or of the bits of integers or booleans. As `numpy.bitwise_or`, with its arguments."""

def bitwise_right_shift(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Bits moved down, filled with the sign; by the width or more, or by a negative count, all sign. As `numpy.right_shift`, with its arguments."""

def bitwise_xor(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Exclusive or of the bits of integers or booleans. As `numpy.bitwise_xor`, with its arguments."""

def block(arrays: _Any) -> _Any:
    """An array assembled from nested lists of blocks, as `numpy.block`."""

def broadcast_arrays(*args: _Any, subok: _builtins.bool = False) -> _Any:
    """The arrays, each broadcast to the shape that they have together, as `numpy.broadcast_arrays`."""

def broadcast_shapes(*shapes: _Any) -> _builtins.tuple[_builtins.int, ...]:
    """The shape to which shapes broadcast together, as `numpy.broadcast_shapes`."""

def broadcast_to(array: _Any, /, shape: _Any, subok: _builtins.bool = False) -> _Any:
    """A read-only view with axes of extent 1 repeated, and axes added in front, as `numpy.broadcast_to`."""

def can_cast(from_: _Any, to: _Any, /, casting: _builtins.str = 'safe') -> _builtins.bool:
    """Whether a casting rule lets a dtype, or that of an array, into another, as `numpy.can_cast`."""

def cbrt(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Cube root. As `numpy.cbrt`, with its arguments."""

def ceil(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The smallest whole number that is not smaller. As `numpy.ceil`, with its arguments."""

def choose(a: _Any, choices: _Any, out: _Any = None, mode: _builtins.str = 'raise') -> _Any:
    """Elements of one of several arrays, by index, as `numpy.choose`."""

def clip(a: _Any, min: _Any = ..., max: _Any = ..., out: _Any = None, *, a_min: _Any = ..., a_max: _Any = ..., dtype: _Any = None, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', subok: _builtins.bool = True) -> _Any:
    """The elements limited to an interval, as `numpy.clip`; a bound that is None does not limit."""

def column_stack(tup: _Any) -> _Any:
    """Vectors joined as the columns of a matrix, as `numpy.column_stack`."""

def common_type(*arrays: _Any) -> _Any:
    """The floating-point type that arrays of numbers have together, as `numpy.common_type`."""

def complex_of(real_part: _Any, imaginary_part: _Any) -> _Any:
    """Complex numbers of arrays of real and imaginary parts."""

def compress(condition: _Any, a: _Any, axis: _builtins.int | None = None, out: _Any = None) -> _Any:
    """The slices along an axis, or the elements of the flattened array, where a condition holds, as `numpy.compress`."""

def concat(arrays: _Any, /, *, axis: _builtins.int | None = 0) -> _Any:
    """Arrays joined along an axis: `concatenate` in the Array API, `numpy.concat`."""

def concatenate(arrays: _Any, /, axis: _builtins.int | None = 0, out: _Any = None, *, dtype: _Any = None, casting: _builtins.str = 'same_kind') -> _Any:
    """Arrays joined along an axis, or flattened when the axis is None, as `numpy.concatenate`."""

def conj(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Complex conjugate; of real numbers, the operand itself. As `numpy.conjugate`, with its arguments."""

def conjugate(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Complex conjugate; of real numbers, the operand itself. As `numpy.conjugate`, with its arguments."""

def conv(x: _Any, kernel: _Any, /, *, strides: _Any = 1, padding: _Any = 'valid', dilations: _Any = 1, input_dilations: _Any = 1, groups: _builtins.int = 1) -> _Any:
    """The cross-correlation of arrays with kernels: convolutions of one, two, three and more dimensions."""

def conv_transpose(x: _Any, kernel: _Any, /, *, strides: _Any = 1, padding: _Any = 'valid', output_padding: _Any = 0, dilations: _Any = 1, groups: _builtins.int = 1) -> _Any:
    """The transpose of `conv`, by the kernel of which it takes results back to what they may have been made of."""

def convolve(a: _Any, v: _Any, mode: _builtins.str = 'full') -> _Any:
    """The discrete convolution of two vectors, as `numpy.convolve`."""

def copy(a: _Any, order: _builtins.str = 'K', subok: _builtins.bool = False) -> _Any:
    """A copy of an array, as `numpy.copy`."""

def copysign(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The first operand with the sign bit of the second. As `numpy.copysign`, with its arguments."""

def copyto(dst: _Any, src: _Any, casting: _builtins.str = 'same_kind', where: _Any = True) -> None:
    """Write an array into another, in place, where a mask holds, as `numpy.copyto`."""

def corrcoef(x: _Any, y: _Any = None, rowvar: _builtins.bool = True, *, dtype: _Any = None) -> _Any:
    """The correlations of variables, which are rows unless `rowvar` is false, as `numpy.corrcoef`."""

def correlate(a: _Any, v: _Any, mode: _builtins.str = 'valid') -> _Any:
    """The cross-correlation of two vectors, of which the second is conjugated, as `numpy.correlate`."""

def cos(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Cosine of an angle in radians. As `numpy.cos`, with its arguments."""

def cosh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Hyperbolic cosine. As `numpy.cosh`, with its arguments."""

def count_nonzero(a: _Any, axis: _Any = None, *, keepdims: _builtins.bool = False) -> _Any:
    """The number of elements over axes that are not zero, as `numpy.count_nonzero`."""

def cov(m: _Any, y: _Any = None, rowvar: _builtins.bool = True, bias: _builtins.bool = False, ddof: _builtins.int | None = None, *, dtype: _Any = None) -> _Any:
    """The covariances of variables, which are rows unless `rowvar` is false, as `numpy.cov` without its weights."""

def cross(a: _Any, b: _Any, axisa: _builtins.int = -1, axisb: _builtins.int = -1, axisc: _builtins.int = -1, axis: _builtins.int | None = None) -> _Any:
    """The cross product of vectors of three elements, as `numpy.cross`."""

def cumprod(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None) -> _Any:
    """The running product along an axis, or of the flattened array, as `numpy.cumprod`."""

def cumsum(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None) -> _Any:
    """The running sum along an axis, or of the flattened array, as `numpy.cumsum`."""

def cumulative_prod(x: _Any, /, *, axis: _builtins.int | None = None, dtype: _Any = None, out: _Any = None, include_initial: _builtins.bool = False) -> _Any:
    """The running product along an axis, from one if asked for, as `numpy.cumulative_prod`."""

def cumulative_sum(x: _Any, /, *, axis: _builtins.int | None = None, dtype: _Any = None, out: _Any = None, include_initial: _builtins.bool = False) -> _Any:
    """The running sum along an axis, from zero if asked for, as `numpy.cumulative_sum`."""

def deg2rad(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Degrees to radians. As `numpy.deg2rad`, with its arguments."""

def degrees(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Radians to degrees. As `numpy.degrees`, with its arguments."""

def delete(arr: _Any, obj: _Any, axis: _builtins.int | None = None) -> _Any:
    """The array without the elements at indices of an axis, as `numpy.delete`."""

def diag(v: _Any, k: _builtins.int = 0) -> _Any:
    """The diagonal of a matrix, or the matrix with a vector on its diagonal, as `numpy.diag`."""

def diagflat(v: _Any, k: _builtins.int = 0) -> _Any:
    """The matrix with all elements of an array on its diagonal, as `numpy.diagflat`."""

def diagonal(a: _Any, offset: _builtins.int = 0, axis1: _builtins.int = 0, axis2: _builtins.int = 1) -> _Any:
    """A read-only view of the diagonals of the matrices that two axes span, as `numpy.diagonal`."""

def diff(a: _Any, n: _builtins.int = 1, axis: _builtins.int = -1, prepend: _Any = ..., append: _Any = ...) -> _Any:
    """The differences of neighbours along an axis, n times, as `numpy.diff`."""

def digitize(x: _Any, bins: _Any, right: _builtins.bool = False) -> _Any:
    """The bins that values belong to, as `numpy.digitize`."""

def divide(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """True quotient of two floating or complex tensors. As `numpy.divide`, with its arguments."""

def divmod(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The results of floor_divide and remainder together. As `numpy.divmod`, with its arguments."""

def dot(a: _Any, b: _Any, out: _Any = None) -> _Any:
    """The sum of products over the last axis of a and the last but one of b, as `numpy.dot`."""

def dsplit(ary: _Any, indices_or_sections: _Any) -> _Any:
    """Views of the parts along the third axis, as `numpy.dsplit`."""

def dstack(tup: _Any) -> _Any:
    """Arrays joined along the third axis, as `numpy.dstack`."""
e: _builtins.float

def ediff1d(ary: _Any, to_end: _Any = None, to_begin: _Any = None) -> _Any:
    """The differences of neighbours of the flattened array, as `numpy.ediff1d`."""

def einsum(*operands: _Any, out: _Any = None, optimize: _Any = False, dtype: _Any = None, **kwargs: _Any) -> _Any:
    """Sums of products over labelled axes, as `numpy.einsum`."""

def einsum_path(*operands: _Any, optimize: _Any = 'greedy') -> _builtins.tuple[_Any, _Any]:
    """The order in which `einsum` may contract its operands, and a text about that, as `numpy.einsum_path`."""

def empty(shape: _Any, dtype: _Any = None, order: _builtins.str = 'C', *, device: _Any = None, like: _Any = None) -> _Any:
    """A new array to write to, as `numpy.empty`; it holds zeros, so that programs behave the same each time."""

def empty_like(prototype: _Any, dtype: _Any = None, order: _builtins.str = 'K', subok: _builtins.bool = True, shape: _Any = None, *, device: _Any = None) -> _Any:
    """A new array to write to in the shape and dtype of another, as `numpy.empty_like`; it holds zeros."""

def equal(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the operands are equal. As `numpy.equal`, with its arguments."""

def erf(x: _Any, /) -> _Any:
    """Error function of real floating-point numbers. As `math.erf` of every element."""

def erfc(x: _Any, /) -> _Any:
    """Complement of the error function, 1 - erf(x), of real floating-point numbers; exact where erf(x) is nearly 1. As `math.erfc` of every element."""
euler_gamma: _builtins.float

def exp(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Exponential. As `numpy.exp`, with its arguments."""

def exp2(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """2 to the power of the operand. As `numpy.exp2`, with its arguments."""

def expand_dims(a: _Any, axis: _Any = 0) -> _Any:
    """A view with axes of extent 1 at the given places of the result, as `numpy.expand_dims`."""

def expm1(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """exp(x) - 1, exact near zero. As `numpy.expm1`, with its arguments."""

def extract(condition: _Any, arr: _Any) -> _Any:
    """The elements of the flattened array where the flattened condition is not zero, as `numpy.extract`."""

def eye(N: _Any, M: _Any = None, k: _builtins.int = 0, dtype: _Any = None, order: _builtins.str = 'C', *, device: _Any = None, like: _Any = None) -> _Any:
    """The matrix with ones on diagonal k and zeros elsewhere, as `numpy.eye`."""

def fabs(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Absolute value of floating-point numbers. As `numpy.fabs`, with its arguments."""

def fill_diagonal(a: _Any, val: _Any, wrap: _builtins.bool = False) -> None:
    """Write a number on the diagonal of a matrix, in place, as `numpy.fill_diagonal`."""

def finfo(type: _Any, /) -> _Any:
    """The limits of a floating-point dtype, or of the parts of a complex one, as `numpy.finfo`."""

def fix(x: _Any, out: _Any = None) -> _Any:
    """The elements rounded towards zero, as `numpy.fix`."""

def flatnonzero(a: _Any) -> _Any:
    """The places of the elements of the flattened array that are not zero, as `numpy.flatnonzero`."""

def flatten(a: _Any, order: _builtins.str = 'C') -> _Any:
    """The elements in one axis, as a copy: `numpy.ndarray.flatten`."""

def flip(m: _Any, axis: _Any = None) -> _Any:
    """A view with the order along axes reversed, along all unless given, as `numpy.flip`."""

def fliplr(m: _Any) -> _Any:
    """A view with the second axis reversed, as `numpy.fliplr`."""

def flipud(m: _Any) -> _Any:
    """A view with the first axis reversed, as `numpy.flipud`."""

def float_power(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The first operand to the power of the second, in float64 or complex128. As `numpy.float_power`, with its arguments."""

def floor(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The largest whole number that is not larger. As `numpy.floor`, with its arguments."""

def floor_divide(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Quotient rounded down; an integer divided by zero is 0. As `numpy.floor_divide`, with its arguments."""

def fmax(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The larger operand; a NaN gives way to a number. As `numpy.fmax`, with its arguments."""

def fmin(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The smaller operand; a NaN gives way to a number. As `numpy.fmin`, with its arguments."""

def fmod(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """What division rounded towards zero leaves, with the sign of the dividend (C's fmod). As `numpy.fmod`, with its arguments."""

def frexp(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Mantissa in [0.5, 1) and int32 exponent of 2. As `numpy.frexp`, with its arguments."""

def from_dlpack(x: _Any, /, *, device: _Any = None, copy: _builtins.bool | None = None) -> _Any:
    """A NumPy array that shares memory with an object of the DLPack protocol, as `numpy.from_dlpack`."""

def full(shape: _Any, fill_value: _Any, dtype: _Any = None, order: _builtins.str = 'C', *, device: _Any = None, like: _Any = None) -> _Any:
    """A new array of a shape, filled with a value, as `numpy.full`."""

def full_like(a: _Any, fill_value: _Any, dtype: _Any = None, order: _builtins.str = 'K', subok: _builtins.bool = True, shape: _Any = None, *, device: _Any = None) -> _Any:
    """A new filled array in the shape and dtype of another, as `numpy.full_like`."""

def gcd(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Greatest common divisor of the absolute values. As `numpy.gcd`, with its arguments."""

def gradient(f: _Any, *varargs: _Any, axis: _Any = None, edge_order: _builtins.int = 1) -> _Any:
    """The slope along axes by central differences on an even grid, as `numpy.gradient`."""

def greater(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the first operand is larger. As `numpy.greater`, with its arguments."""

def greater_equal(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the first operand is larger or equal. As `numpy.greater_equal`, with its arguments."""

def heaviside(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """0 below zero, 1 above, and the second operand at zero. As `numpy.heaviside`, with its arguments."""

def histogram(a: _Any, bins: _Any = 10, range: _Any = None, density: _Any = None, weights: _Any = None) -> _Any:
    """Counts of elements in bins, and the edges of these, as `numpy.histogram`."""

def hsplit(ary: _Any, indices_or_sections: _Any) -> _Any:
    """Views of the parts along the second axis, or along the first of a vector, as `numpy.hsplit`."""

def hstack(tup: _Any, *, dtype: _Any = None, casting: _builtins.str = 'same_kind') -> _Any:
    """Arrays joined along the second axis, or along the first of vectors, as `numpy.hstack`."""

def hypot(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Length of the hypotenuse, without overflow on the way. As `numpy.hypot`, with its arguments."""

def i0(x: _Any) -> _Any:
    """Modified Bessel function of the first kind of order 0, as `numpy.i0`; infinite at infinities."""

def identity(n: _Any, dtype: _Any = None, *, like: _Any = None) -> _Any:
    """The square matrix with ones on its diagonal, as `numpy.identity`."""

def iinfo(type: _Any, /) -> _Any:
    """The limits of an integer dtype, as `numpy.iinfo`."""

def imag(val: _Any) -> _Any:
    """The imaginary part, as `numpy.imag`: a view; of real numbers zeros."""

def indices(dimensions: _Any, dtype: _Any = ..., sparse: _builtins.bool = False) -> _Any:
    """The coordinates of every element of a grid, as `numpy.indices`."""
inf: _builtins.float

def inner(a: _Any, b: _Any, /) -> _Any:
    """The sum of products over the last axes, as `numpy.inner`."""

def insert(arr: _Any, obj: _Any, values: _Any, axis: _builtins.int | None = None) -> _Any:
    """The array with values inserted in front of one index of an axis, as `numpy.insert`."""

def interp(x: _Any, xp: _Any, fp: _Any, left: _Any = None, right: _Any = None) -> _Any:
    """Piecewise linear interpolation of points with increasing abscissas, as `numpy.interp`."""

def intersect1d(ar1: _Any, ar2: _Any, assume_unique: _builtins.bool = False, return_indices: _builtins.bool = False) -> _Any:
    """The different elements that are in both arrays, in ascending order, as `numpy.intersect1d`."""

def invert(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """All bits flipped; logical not of booleans. As `numpy.invert`, with its arguments."""

def isclose(a: _Any, b: _Any, rtol: _builtins.float = 1e-05, atol: _builtins.float = 1e-08, equal_nan: _builtins.bool = False) -> _Any:
    """Whether elements agree within tolerances, as `numpy.isclose`."""

def iscomplex(x: _Any) -> _Any:
    """Whether imaginary parts are not zero, as `numpy.iscomplex`."""

def iscomplexobj(x: _Any) -> _builtins.bool:
    """Whether an array is of a complex dtype, as `numpy.iscomplexobj`."""

def isdtype(dtype: _Any, kind: _Any) -> _builtins.bool:
    """Whether a dtype is another, of a kind such as "real floating", or one of a tuple of these, as `numpy.isdtype`."""

def isfinite(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the operand is neither infinite nor NaN. As `numpy.isfinite`, with its arguments."""

def isfortran(a: _Any) -> _builtins.bool:
    """Whether elements lie in column-major order, and not in row-major order, as `numpy.isfortran`."""

def isin(element: _Any, test_elements: _Any, assume_unique: _builtins.bool = False, invert: _builtins.bool = False, *, kind: _Any = None) -> _Any:
    """Whether elements are among those of another array, as `numpy.isin`."""

def isinf(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the operand, or a part of it, is infinite. As `numpy.isinf`, with its arguments."""

def isnan(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the operand, or a part of it, is NaN. As `numpy.isnan`, with its arguments."""

def isneginf(x: _Any, out: _Any = None) -> _Any:
    """Whether elements are minus infinity, as `numpy.isneginf`."""

def isposinf(x: _Any, out: _Any = None) -> _Any:
    """Whether elements are plus infinity, as `numpy.isposinf`."""

def isreal(x: _Any) -> _Any:
    """Whether imaginary parts are zero, as `numpy.isreal`."""

def isrealobj(x: _Any) -> _builtins.bool:
    """Whether an array is not of a complex dtype, as `numpy.isrealobj`."""

def isscalar(element: _Any) -> _builtins.bool:
    """Whether a value is a number or text and no array, as `numpy.isscalar`: one of rank 0 is an array."""

def iterable(y: _Any) -> _builtins.bool:
    """Whether a value can be walked, as `numpy.iterable`."""

def ix_(*args: _Any) -> _Any:
    """Vectors as indices of a grid: each with an axis of its own, as `numpy.ix_`."""

def kron(a: _Any, b: _Any) -> _Any:
    """The Kronecker product: blocks of b scaled by the elements of a, as `numpy.kron`."""

def lcm(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Least common multiple of the absolute values; 0 if one is 0. As `numpy.lcm`, with its arguments."""

def ldexp(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The first operand times 2 to the power of the second, an int32 or int64. As `numpy.ldexp`, with its arguments."""

def left_shift(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Bits moved up; by the width or more, or by a negative count, 0. As `numpy.left_shift`, with its arguments."""

def less(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the first operand is smaller. As `numpy.less`, with its arguments."""

def less_equal(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the first operand is smaller or equal. As `numpy.less_equal`, with its arguments."""

def lexsort(keys: _Any, axis: _builtins.int = -1) -> _Any:
    """The places that sort by several keys, of which the last counts most, as `numpy.lexsort`."""

def linspace(start: _Any, stop: _Any, /, num: _builtins.int = 50, endpoint: _builtins.bool = True, retstep: _builtins.bool = False, dtype: _Any = None, axis: _builtins.int = 0, *, device: _Any = None) -> _Any:
    """Evenly spaced numbers between two bounds, as `numpy.linspace`."""

def log(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Natural logarithm. As `numpy.log`, with its arguments."""

def log10(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Logarithm to base 10. As `numpy.log10`, with its arguments."""

def log1p(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """log(1 + x), exact near zero. As `numpy.log1p`, with its arguments."""

def log2(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Logarithm to base 2. As `numpy.log2`, with its arguments."""

def logaddexp(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """log(exp(x) + exp(y)), without overflow. As `numpy.logaddexp`, with its arguments."""

def logaddexp2(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """log2(2**x + 2**y), without overflow. As `numpy.logaddexp2`, with its arguments."""

def logical_and(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether both operands are nonzero. As `numpy.logical_and`, with its arguments."""

def logical_not(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the operand is zero. As `numpy.logical_not`, with its arguments."""

def logical_or(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether one of the operands is nonzero. As `numpy.logical_or`, with its arguments."""

def logical_xor(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether exactly one of the operands is nonzero. As `numpy.logical_xor`, with its arguments."""

def logspace(start: _Any, stop: _Any, num: _builtins.int = 50, endpoint: _builtins.bool = True, base: _Any = 10.0, dtype: _Any = None, axis: _builtins.int = 0) -> _Any:
    """Powers of a base with evenly spaced exponents, as `numpy.logspace`."""

def logsumexp(a: _Any, axis: _Any = None, keepdims: _builtins.bool = False) -> _Any:
    """log(sum(exp(a))) over axes, without overflow, as `scipy.special.logsumexp`."""

def matmul(x1: _Any, x2: _Any, /, out: _Any = None, *, dtype: _Any = None, casting: _builtins.str = 'same_kind') -> _Any:
    """The matrix product of the last two axes, as `numpy.matmul`; vectors count as a row or column."""

def matrix_transpose(x: _Any, /) -> _Any:
    """A view with the last two axes exchanged, as `numpy.matrix_transpose`."""

def matvec(x1: _Any, x2: _Any, /, out: _Any = None) -> _Any:
    """The product of matrices with vectors, as `numpy.matvec`."""

def max(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The largest element over axes, NaN if there is one, as `numpy.max`."""

def max_pool(x: _Any, /, window: _Any, *, strides: _Any = None, padding: _Any = 'valid', dilations: _Any = 1) -> _Any:
    """The largest element in every window of images; the stride is the window unless given."""

def maximum(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The larger operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part. As `numpy.maximum`, with its arguments."""

def may_share_memory(a: _Any, b: _Any, /, max_work: _Any = None) -> _builtins.bool:
    """Whether arrays may have elements in one place, as `numpy.may_share_memory`."""

def mean(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, keepdims: _Any = ..., *, where: _Any = ...) -> _Any:
    """The arithmetic mean over axes, as `numpy.mean`."""

def median(a: _Any, axis: _Any = None, out: _Any = None, overwrite_input: _builtins.bool = False, keepdims: _builtins.bool = False) -> _Any:
    """The middle element over axes, or the mean of the two in the middle, as `numpy.median`."""

def meshgrid(*xi: _Any, copy: _builtins.bool = True, sparse: _builtins.bool = False, indexing: _builtins.str = 'xy') -> _Any:
    """The coordinates of a grid, an array for each vector, as `numpy.meshgrid`."""

def min(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The smallest element over axes, NaN if there is one, as `numpy.min`."""

def minimum(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The smaller operand; NaN if one is NaN. Complex numbers are ordered by real, then imaginary part. As `numpy.minimum`, with its arguments."""

def mod(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """What floor division leaves, with the sign of the divisor (Python's %). As `numpy.remainder`, with its arguments."""

def modf(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Fraction and whole part, both with the sign of the operand. As `numpy.modf`, with its arguments."""

def moveaxis(a: _Any, source: _Any, destination: _Any) -> _Any:
    """A view with axes moved to new places, the others in their order, as `numpy.moveaxis`."""

def multiply(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Product of two tensors; logical and of booleans. As `numpy.multiply`, with its arguments."""
nan: _builtins.float

def nan_to_num(x: _Any, copy: _builtins.bool = True, nan: _Any = 0.0, posinf: _Any = None, neginf: _Any = None) -> _Any:
    """The elements with numbers for NaN and infinities, as `numpy.nan_to_num`."""

def nancumprod(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None) -> _Any:
    """The running product with NaN counted as one, as `numpy.nancumprod`."""

def nancumsum(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None) -> _Any:
    """The running sum with NaN counted as zero, as `numpy.nancumsum`."""

def nanmax(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The largest element over axes that is not NaN, NaN where all are, as `numpy.nanmax`."""

def nanmean(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, keepdims: _Any = ..., *, where: _Any = ...) -> _Any:
    """The arithmetic mean over axes of what is not NaN, as `numpy.nanmean`."""

def nanmedian(a: _Any, axis: _Any = None, out: _Any = None, overwrite_input: _builtins.bool = False, keepdims: _builtins.bool = False) -> _Any:
    """The median over axes of what is not NaN, as `numpy.nanmedian`."""

def nanmin(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The smallest element over axes that is not NaN, NaN where all are, as `numpy.nanmin`."""

def nanpercentile(a: _Any, q: _Any, axis: _Any = None, out: _Any = None, overwrite_input: _builtins.bool = False, method: _builtins.str = 'linear', keepdims: _builtins.bool = False) -> _Any:
    """Quantiles in percent of what is not NaN, as `numpy.nanpercentile`."""

def nanprod(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The product over axes with NaN counted as one, as `numpy.nanprod`."""

def nanquantile(a: _Any, q: _Any, axis: _Any = None, out: _Any = None, overwrite_input: _builtins.bool = False, method: _builtins.str = 'linear', keepdims: _builtins.bool = False) -> _Any:
    """Quantiles over axes of what is not NaN, as `numpy.nanquantile`."""

def nanstd(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, ddof: _Any = 0, keepdims: _Any = ..., *, where: _Any = ..., mean: _Any = ..., correction: _Any = ...) -> _Any:
    """The standard deviation over axes of what is not NaN, as `numpy.nanstd`."""

def nansum(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The sum over axes with NaN counted as zero, as `numpy.nansum`."""

def nanvar(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, ddof: _Any = 0, keepdims: _Any = ..., *, where: _Any = ..., mean: _Any = ..., correction: _Any = ...) -> _Any:
    """The variance over axes of what is not NaN, as `numpy.nanvar`."""

def ndim(a: _Any) -> _builtins.int:
    """The number of axes, as `numpy.ndim`."""

def negative(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Numerical negation; unsigned integers wrap. As `numpy.negative`, with its arguments."""
newaxis: None

def nextafter(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The neighbour of the first operand in the direction of the second. As `numpy.nextafter`, with its arguments."""

def nonzero(a: _Any, /) -> _Any:
    """The places of the elements that are not zero, an array for each axis, as `numpy.nonzero`."""

def not_equal(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the operands differ; a NaN differs from everything. As `numpy.not_equal`, with its arguments."""

def ones(shape: _Any, dtype: _Any = None, order: _builtins.str = 'C', *, device: _Any = None, like: _Any = None) -> _Any:
    """A new array of ones, as `numpy.ones`."""

def ones_like(a: _Any, dtype: _Any = None, order: _builtins.str = 'K', subok: _builtins.bool = True, shape: _Any = None, *, device: _Any = None) -> _Any:
    """A new array of ones in the shape and dtype of another, as `numpy.ones_like`."""

def outer(a: _Any, b: _Any, out: _Any = None) -> _Any:
    """The products of all pairs of elements of two flattened arrays, as `numpy.outer`."""

def pad(array: _Any, pad_width: _Any, mode: _Any = 'constant', **kwargs: _Any) -> _Any:
    """The array with a border, as `numpy.pad`: in mode constant, edge, empty, reflect, symmetric or wrap."""

def partition(a: _Any, kth: _Any, axis: _builtins.int | None = -1, kind: _builtins.str = 'introselect', order: _Any = None) -> _Any:
    """The array with the elements that belong at places `kth` there, smaller ones in front, as `numpy.partition`."""

def percentile(a: _Any, q: _Any, axis: _Any = None, out: _Any = None, overwrite_input: _builtins.bool = False, method: _builtins.str = 'linear', keepdims: _builtins.bool = False) -> _Any:
    """Quantiles in percent, as `numpy.percentile`."""

def permute_dims(x: _Any, /, axes: _Any = None) -> _Any:
    """A view with the axes permuted: `transpose` in the Array API, `numpy.permute_dims`."""
pi: _builtins.float

def place(arr: _Any, mask: _Any, vals: _Any) -> None:
    """Write values one after the other, in place, where a mask holds, as `numpy.place`; the first follow the last."""

def polyval(p: _Any, x: _Any) -> _Any:
    """The value of a polynomial, highest coefficient first, by Horner's rule, as `numpy.polyval`."""

def positive(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The operand itself. As `numpy.positive`, with its arguments."""

def pow(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The first operand to the power of the second; a negative exponent of an integer counts as 0. As `numpy.power`, with its arguments."""

def power(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The first operand to the power of the second; a negative exponent of an integer counts as 0. As `numpy.power`, with its arguments."""

def prod(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The product over axes, as `numpy.prod`."""

def promote_types(type1: _Any, type2: _Any) -> _Any:
    """The smallest dtype into which both can be cast, as `numpy.promote_types`."""

def ptp(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = ...) -> _Any:
    """The difference of the largest and the smallest element over axes, as `numpy.ptp`."""

def put(a: _Any, ind: _Any, v: _Any, mode: _builtins.str = 'raise') -> None:
    """Write values, in place, at indices of the flattened array, as `numpy.put`."""

def put_along_axis(arr: _Any, indices: _Any, values: _Any, axis: _builtins.int | None) -> None:
    """Write values, in place, where an array of indices says along an axis, as `numpy.put_along_axis`."""

def putmask(a: _Any, mask: _Any, values: _Any) -> None:
    """Write values, in place, where a mask holds, as `numpy.putmask`."""

def quantile(a: _Any, q: _Any, axis: _Any = None, out: _Any = None, overwrite_input: _builtins.bool = False, method: _builtins.str = 'linear', keepdims: _builtins.bool = False) -> _Any:
    """Quantiles over axes, by linear interpolation or another method, as `numpy.quantile`."""

def rad2deg(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Radians to degrees. As `numpy.rad2deg`, with its arguments."""

def radians(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Degrees to radians. As `numpy.radians`, with its arguments."""

def ravel(a: _Any, order: _builtins.str = 'C') -> _Any:
    """The elements in one axis, as `numpy.ravel`; a view where NumPy makes one."""

def ravel_multi_index(multi_index: _Any, dims: _Any, mode: _Any = 'raise', order: _builtins.str = 'C') -> _Any:
    """The numbers in a flattened array of an index, an array for each axis, as `numpy.ravel_multi_index`."""

def real(val: _Any) -> _Any:
    """The real part, as `numpy.real`: a view; of real numbers the array itself."""

def reciprocal(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """One divided by the operand; of integers, rounded towards zero. As `numpy.reciprocal`, with its arguments."""

def reduce_window(x: _Any, reduction: _builtins.str, /, window: _Any, *, strides: _Any = 1, padding: _Any = 'valid', dilations: _Any = 1) -> _Any:
    """The largest ("max") or smallest ("min") element, "sum" or "mean" of every window that slides over an array."""

def remainder(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """What floor division leaves, with the sign of the divisor (Python's %). As `numpy.remainder`, with its arguments."""

def repeat(a: _Any, repeats: _Any, axis: _builtins.int | None = None) -> _Any:
    """Every element repeated along an axis, as `numpy.repeat`."""

def require(a: _Any, dtype: _Any = None, requirements: _Any = None, *, like: _Any = None) -> _Any:
    """The array itself if it meets requirements, else a copy, as `numpy.require`."""

def reshape(a: _Any, /, shape: _Any = None, order: _builtins.str = 'C', *, newshape: _Any = None, copy: _builtins.bool | None = None) -> _Any:
    """The elements, in row-major order, in another shape, as `numpy.reshape`; a view where NumPy makes one."""

def result_type(*arrays_and_dtypes: _Any) -> _Any:
    """The dtype that promotion gives arrays, dtypes and Python scalars together, as `numpy.result_type`."""

def right_shift(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Bits moved down, filled with the sign; by the width or more, or by a negative count, all sign. As `numpy.right_shift`, with its arguments."""

def rint(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The nearest whole number, halves to even; of complex numbers, by parts. As `numpy.rint`, with its arguments."""

def roll(a: _Any, shift: _Any, axis: _Any = None) -> _Any:
    """The elements shifted along axes, those that leave at the end in front again, as `numpy.roll`."""

def rollaxis(a: _Any, axis: _builtins.int, start: _builtins.int = 0) -> _Any:
    """A view with an axis moved in front of the axis `start`, as `numpy.rollaxis`."""

def rot90(m: _Any, k: _builtins.int = 1, axes: _builtins.tuple[_builtins.int, _builtins.int] = ...) -> _Any:
    """A view turned by 90 degrees, k times, in the plane of two axes, as `numpy.rot90`."""

def round(a: _Any, decimals: _builtins.int = 0, out: _Any = None) -> _Any:
    """The elements rounded to a number of decimals, halves to even, as `numpy.round`."""

def searchsorted(a: _Any, v: _Any, side: _builtins.str = 'left', sorter: _Any = None) -> _Any:
    """The places at which values can be inserted into a sorted vector that stays sorted, as `numpy.searchsorted`."""

def select(condlist: _Any, choicelist: _Any, default: _Any = 0) -> _Any:
    """Elements of the first choice whose condition holds, else the default, as `numpy.select`."""

def setdiff1d(ar1: _Any, ar2: _Any, assume_unique: _builtins.bool = False) -> _Any:
    """The different elements of the first array that are not in the second, as `numpy.setdiff1d`."""

def setxor1d(ar1: _Any, ar2: _Any, assume_unique: _builtins.bool = False) -> _Any:
    """The different elements that are in one of the arrays only, in ascending order, as `numpy.setxor1d`."""

def shape(a: _Any) -> _builtins.tuple[_Any, ...]:
    """The shape, as `numpy.shape`; extents known only when the function runs are traced scalars."""

def shares_memory(a: _Any, b: _Any, /, max_work: _Any = None) -> _builtins.bool:
    """Whether arrays have elements in one place, as `numpy.shares_memory`."""

def sign(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """-1, 0 or 1 by the sign, NaN of NaN; of complex numbers, x / abs(x). As `numpy.sign`, with its arguments."""

def signbit(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Whether the sign bit is set: also of -0.0 and of NaNs. As `numpy.signbit`, with its arguments."""

def sin(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Sine of an angle in radians. As `numpy.sin`, with its arguments."""

def sinc(x: _Any) -> _Any:
    """sin(pi x) / (pi x), which is 1 at 0, as `numpy.sinc`."""

def sinh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Hyperbolic sine. As `numpy.sinh`, with its arguments."""

def size(a: _Any, axis: _builtins.int | None = None) -> _Any:
    """The number of elements, in all or along an axis, as `numpy.size`."""

def sliding_window_view(x: _Any, window_shape: _Any, axis: _Any = None, *, subok: _builtins.bool = False, writeable: _builtins.bool = False) -> _Any:
    """All windows of an array, as `numpy.lib.stride_tricks.sliding_window_view`; in compiled code an array of its own."""

def sort(a: _Any, /, axis: _builtins.int | None = -1, kind: _Any = None, order: _Any = None, *, stable: _builtins.bool | None = None, descending: _builtins.bool = False) -> _Any:
    """The elements sorted along an axis, NaN last, as `numpy.sort`; `descending` as in the Array API."""

def spacing(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The distance to the neighbour away from zero. As `numpy.spacing`, with its arguments."""

def split(ary: _Any, indices_or_sections: _Any, axis: _builtins.int = 0) -> _Any:
    """Views of equal parts along an axis, or of the parts between indices, as `numpy.split`."""

def sqrt(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Square root, NaN of negative numbers; of complex numbers, the principal one. As `numpy.sqrt`, with its arguments."""

def square(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The operand times itself. As `numpy.square`, with its arguments."""

def squeeze(a: _Any, axis: _Any = None) -> _Any:
    """A view without axes of extent 1, all or those given, as `numpy.squeeze`."""

def stack(arrays: _Any, /, axis: _builtins.int = 0, out: _Any = None, *, dtype: _Any = None, casting: _builtins.str = 'same_kind') -> _Any:
    """Arrays of one shape joined along a new axis, as `numpy.stack`."""

def std(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, ddof: _Any = 0, keepdims: _Any = ..., *, where: _Any = ..., mean: _Any = ..., correction: _Any = ...) -> _Any:
    """The standard deviation over axes, as `numpy.std`."""

def subtract(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Difference of two tensors. As `numpy.subtract`, with its arguments."""

def sum(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, keepdims: _Any = ..., initial: _Any = ..., where: _Any = ...) -> _Any:
    """The sum over axes, as `numpy.sum`."""

def swapaxes(a: _Any, axis1: _builtins.int, axis2: _builtins.int) -> _Any:
    """A view with two axes exchanged, as `numpy.swapaxes`."""

def take(a: _Any, indices: _Any, axis: _builtins.int | None = None, out: _Any = None, mode: _builtins.str = 'raise') -> _Any:
    """The elements at indices along an axis, or of the flattened array, as `numpy.take`."""

def take_along_axis(arr: _Any, indices: _Any, /, axis: _builtins.int | None = -1) -> _Any:
    """The elements that an array of indices names along an axis, as `numpy.take_along_axis`."""

def tan(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Tangent of an angle in radians. As `numpy.tan`, with its arguments."""

def tanh(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """Hyperbolic tangent. As `numpy.tanh`, with its arguments."""

def tensordot(a: _Any, b: _Any, /, axes: _Any = 2) -> _Any:
    """The sum of products over pairs of axes, given as a count or as two sequences, as `numpy.tensordot`."""

def tile(A: _Any, reps: _Any) -> _Any:
    """Copies of an array side by side, as `numpy.tile`."""

def trace(a: _Any, offset: _builtins.int = 0, axis1: _builtins.int = 0, axis2: _builtins.int = 1, dtype: _Any = None, out: _Any = None) -> _Any:
    """The sums along diagonals, as `numpy.trace`."""

def transpose(a: _Any, axes: _Any = None) -> _Any:
    """A view with the axes permuted, or reversed, as `numpy.transpose`."""

def trapezoid(y: _Any, x: _Any = None, dx: _Any = 1.0, axis: _builtins.int = -1) -> _Any:
    """The integral along an axis by the trapezoidal rule, as `numpy.trapezoid`."""

def tri(N: _Any, M: _Any = None, k: _builtins.int = 0, dtype: _Any = ..., *, like: _Any = None) -> _Any:
    """The matrix with ones at and below diagonal k and zeros above, as `numpy.tri`."""

def tril(m: _Any, /, k: _builtins.int = 0) -> _Any:
    """The matrices with zeros above diagonal k, as `numpy.tril`."""

def trim_zeros(filt: _Any, trim: _Any = 'fb') -> _Any:
    """A vector without the zeros in front ("f") and at the back ("b"), as `numpy.trim_zeros`."""

def triu(m: _Any, /, k: _builtins.int = 0) -> _Any:
    """The matrices with zeros below diagonal k, as `numpy.triu`."""

def true_divide(x1: _Any, x2: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """True quotient of two floating or complex tensors. As `numpy.divide`, with its arguments."""

def trunc(x: _Any, /, out: _Any = None, *, where: _Any = True, casting: _builtins.str = 'same_kind', order: _builtins.str = 'K', dtype: _Any = None, subok: _builtins.bool = True) -> _Any:
    """The nearest whole number towards zero. As `numpy.trunc`, with its arguments."""

def union1d(ar1: _Any, ar2: _Any) -> _Any:
    """The different elements of both arrays, in ascending order, as `numpy.union1d`."""

def unique(ar: _Any, return_index: _builtins.bool = False, return_inverse: _builtins.bool = False, return_counts: _builtins.bool = False, axis: _builtins.int | None = None, *, equal_nan: _builtins.bool = True, sorted: _builtins.bool = True) -> _Any:
    """The different elements in ascending order, as `numpy.unique`."""

def unique_all(x: _Any, /) -> _Any:
    """The different elements, where each is first, which is where, and how often, as `numpy.unique_all`."""

def unique_counts(x: _Any, /) -> _Any:
    """The different elements, and how often each occurs, as `numpy.unique_counts`."""

def unique_inverse(x: _Any, /) -> _Any:
    """The different elements, and which is where, as `numpy.unique_inverse`."""

def unique_values(x: _Any, /) -> _Any:
    """The different elements, as `numpy.unique_values`."""

def unravel_index(indices: _Any, shape: _Any, order: _builtins.str = 'C') -> _Any:
    """The index, an array for each axis, that a number in a flattened array has, as `numpy.unravel_index`."""

def unstack(x: _Any, /, *, axis: _builtins.int = 0) -> _Any:
    """Views of the arrays along an axis, as `numpy.unstack`."""

def unwrap(p: _Any, discont: _Any = None, axis: _builtins.int = -1, *, period: _builtins.float = 6.283185307179586) -> _Any:
    """The angles without jumps of more than half a period along an axis, as `numpy.unwrap`."""

def vander(x: _Any, N: _builtins.int | None = None, increasing: _builtins.bool = False) -> _Any:
    """The matrix of powers of a vector, highest first unless `increasing`, as `numpy.vander`."""

def var(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, ddof: _Any = 0, keepdims: _Any = ..., *, where: _Any = ..., mean: _Any = ..., correction: _Any = ...) -> _Any:
    """The variance over axes, as `numpy.var`."""

def vdot(a: _Any, b: _Any, /) -> _Any:
    """The sum of products of all elements, those of a conjugated, as `numpy.vdot`."""

def vecdot(x1: _Any, x2: _Any, /, out: _Any = None, *, axis: _builtins.int = -1) -> _Any:
    """The sum of products along an axis, those of x1 conjugated, as `numpy.vecdot`."""

def vecmat(x1: _Any, x2: _Any, /, out: _Any = None) -> _Any:
    """The product of vectors, conjugated, with matrices, as `numpy.vecmat`."""

def vsplit(ary: _Any, indices_or_sections: _Any) -> _Any:
    """Views of the parts along the first axis, as `numpy.vsplit`."""

def vstack(tup: _Any, *, dtype: _Any = None, casting: _builtins.str = 'same_kind') -> _Any:
    """Arrays joined along the first axis, vectors as rows, as `numpy.vstack`."""

def where(condition: _Any, x: _Any = ..., y: _Any = ..., /) -> _Any:
    """Elements of x where the condition is not zero, of y elsewhere; without these `nonzero`; as `numpy.where`."""

def zeros(shape: _Any, dtype: _Any = None, order: _builtins.str = 'C', *, device: _Any = None, like: _Any = None) -> _Any:
    """A new array of zeros, as `numpy.zeros`."""

def zeros_like(a: _Any, dtype: _Any = None, order: _builtins.str = 'K', subok: _builtins.bool = True, shape: _Any = None, *, device: _Any = None) -> _Any:
    """A new array of zeros in the shape and dtype of another, as `numpy.zeros_like`."""

__all__ = [
    "ArrayHolder",
    "ArtifactError",
    "ArtifactWarning",
    "AxisError",
    "BatchingError",
    "CacheWarning",
    "CommunicationError",
    "ConcreteValueError",
    "ControlFlowError",
    "ConversionError",
    "ConversionWarning",
    "DeadlockError",
    "DeviceArray",
    "DeviceError",
    "DeviceMemoryError",
    "DifferentiationError",
    "DivergenceError",
    "FallbackWarning",
    "Function",
    "GatherWarning",
    "GradientTape",
    "InternalError",
    "LayoutError",
    "LeakedArrayError",
    "LinkError",
    "MissingPackageError",
    "Model",
    "NotPortable",
    "OverlapError",
    "PartitionError",
    "PassError",
    "ProfileError",
    "PythonNumberError",
    "RefusedOperation",
    "RemoteError",
    "RetracingWarning",
    "TensorArray",
    "TensorSpec",
    "TraceRecursionError",
    "TraceSizeError",
    "TransferWarning",
    "UnrollingWarning",
    "UnsupportedAttributeError",
    "UnsupportedDtypeError",
    "UnsupportedError",
    "Variable",
    "WeftError",
    "WeftIndexError",
    "WeftTypeError",
    "WeftValueError",
    "WeftWarning",
    "__array_api_version__",
    "__array_namespace_info__",
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "all",
    "allclose",
    "amax",
    "amin",
    "angle",
    "any",
    "append",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argpartition",
    "argsort",
    "argwhere",
    "around",
    "array",
    "array_equal",
    "array_equiv",
    "array_split",
    "as_strided",
    "asanyarray",
    "asarray",
    "asarray_chkfinite",
    "ascontiguousarray",
    "asfortranarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "autograph",
    "average",
    "avg_pool",
    "bfloat16",
    "bincount",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "block",
    "bool",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "build",
    "can_cast",
    "cbrt",
    "ceil",
    "checkpoint",
    "choose",
    "clip",
    "column_stack",
    "common_type",
    "complex128",
    "complex64",
    "complex_of",
    "compress",
    "concat",
    "concatenate",
    "cond",
    "conj",
    "conjugate",
    "constant",
    "conv",
    "conv_transpose",
    "convolve",
    "copy",
    "copysign",
    "copyto",
    "corrcoef",
    "correlate",
    "cos",
    "cosh",
    "count_nonzero",
    "cov",
    "cross",
    "cumprod",
    "cumsum",
    "cumulative_prod",
    "cumulative_sum",
    "custom_gradient",
    "dask",
    "data",
    "deg2rad",
    "degrees",
    "delete",
    "device_put",
    "devices",
    "diag",
    "diagflat",
    "diagonal",
    "diff",
    "digitize",
    "distributed",
    "divide",
    "divmod",
    "do_not_convert",
    "dot",
    "dsplit",
    "dstack",
    "e",
    "eager",
    "ediff1d",
    "einsum",
    "einsum_path",
    "empty",
    "empty_like",
    "equal",
    "erf",
    "erfc",
    "euler_gamma",
    "eval_shape",
    "exp",
    "exp2",
    "expand_dims",
    "expm1",
    "export",
    "extract",
    "eye",
    "fabs",
    "fft",
    "fill_diagonal",
    "finfo",
    "fix",
    "flatnonzero",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "fori_loop",
    "frexp",
    "from_dlpack",
    "from_mlir",
    "from_stablehlo",
    "full",
    "full_like",
    "function",
    "gcd",
    "get_num_threads",
    "grad",
    "gradient",
    "greater",
    "greater_equal",
    "heaviside",
    "hessian",
    "histogram",
    "hsplit",
    "hstack",
    "hypot",
    "i0",
    "identity",
    "iinfo",
    "imag",
    "indices",
    "inf",
    "init_scope",
    "inner",
    "insert",
    "int16",
    "int32",
    "int64",
    "int8",
    "interp",
    "intersect1d",
    "invert",
    "is_recording",
    "is_traced",
    "is_tracing",
    "isclose",
    "iscomplex",
    "iscomplexobj",
    "isdtype",
    "isfinite",
    "isfortran",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "isrealobj",
    "isscalar",
    "iterable",
    "ix_",
    "jacobian",
    "jvp",
    "kron",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "lexsort",
    "linalg",
    "linspace",
    "load",
    "load_ipython_extension",
    "load_state",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logspace",
    "logsumexp",
    "map",
    "matmul",
    "matrix_transpose",
    "matvec",
    "max",
    "max_pool",
    "maximum",
    "may_share_memory",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mod",
    "modf",
    "moveaxis",
    "multiply",
    "nan",
    "nan_to_num",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmean",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "nanstd",
    "nansum",
    "nanvar",
    "ndim",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "onnx",
    "outer",
    "pad",
    "partition",
    "percentile",
    "permute_dims",
    "pi",
    "place",
    "polyval",
    "positive",
    "pow",
    "power",
    "print",
    "prod",
    "profile",
    "promote_types",
    "ptp",
    "put",
    "put_along_axis",
    "putmask",
    "py_call",
    "quantile",
    "rad2deg",
    "radians",
    "range",
    "ravel",
    "ravel_multi_index",
    "real",
    "reciprocal",
    "reduce_window",
    "release_memory",
    "remainder",
    "repeat",
    "require",
    "reshape",
    "result_type",
    "right_shift",
    "rint",
    "roll",
    "rollaxis",
    "rot90",
    "round",
    "run_functions_eagerly",
    "save",
    "save_state",
    "scan",
    "searchsorted",
    "select",
    "set_num_threads",
    "setdiff1d",
    "settings",
    "setxor1d",
    "shape",
    "shares_memory",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "size",
    "sliding_window_view",
    "sort",
    "spacing",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "state",
    "static_shape",
    "std",
    "stop_gradient",
    "stream",
    "subtract",
    "sum",
    "summary",
    "swapaxes",
    "switch",
    "synchronize",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "trace",
    "trace_print",
    "transpose",
    "trapezoid",
    "tri",
    "tril",
    "trim_zeros",
    "triu",
    "true_divide",
    "trunc",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unravel_index",
    "unroll",
    "unstack",
    "unwrap",
    "value_and_grad",
    "vander",
    "var",
    "vdot",
    "vecdot",
    "vecmat",
    "vjp",
    "vmap",
    "vsplit",
    "vstack",
    "where",
    "while_loop",
    "zeros",
    "zeros_like",
]
