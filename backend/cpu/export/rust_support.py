"""What modules of exported libraries for Rust have in common: names, and Rust for any library."""

from __future__ import annotations

TYPES = {
    "bool": "bool",
    "float16": "u16",
    "bfloat16": "u16",
    "float32": "f32",
    "float64": "f64",
    "complex64": "Complex<f32>",
    "complex128": "Complex<f64>",
    **{f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}
"""What Rust calls the elements of arrays."""

PATHS = frozenset(["self", "super", "crate", "_"])
"""Keywords that no name can be."""
_KEYWORD_LIST = (
    "abstract as async await become box dyn final fn gen impl in let loop macro match mod move mut override priv pub "
    "ref trait try type unsafe unsized use where yield"
)
_KEYWORDS = frozenset(_KEYWORD_LIST.split())
"""Names in C that Rust writes with r# before them."""


def rust_name(name: str) -> str:
    """A name of C in Rust."""
    if name in PATHS:
        return f"{name}_"
    return f"r#{name}" if name in _KEYWORDS else name


SUPPORT = """\
use std::ffi::{{c_char, c_void}};

/// An array of somebody else: row-major, its axes as long as `shape` says.
pub struct View<'a, T, const R: usize> {{ data: &'a [T], shape: [i64; R] }}
/// One that is written.
pub struct ViewMut<'a, T, const R: usize> {{ data: &'a mut [T], shape: [i64; R] }}
/// An array of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Array<T, const R: usize> {{ pub data: Vec<T>, pub shape: [i64; R] }}
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Complex<T> {{ pub re: T, pub im: T }}

fn weft_count(shape: &[i64]) -> usize {{ shape.iter().map(|&extent| extent as usize).product() }}
macro_rules! weft_view {{
    ($view:ident, $slice:ty, $array:ty, $vec:ty, $own:ty, $borrowed:ident) => {{
        impl<'a, T, const R: usize> $view<'a, T, R> {{
            /// Panics where there are not so many elements.
            pub fn new(data: $slice, shape: [i64; R]) -> Self {{
                let fits = shape.iter().all(|&extent| extent >= 0) && data.len() == weft_count(&shape);
                assert!(fits, "an array of {{}} elements is not of shape {{shape:?}}", data.len());
                Self {{ data, shape }}
            }}
        }}
        impl<'a, T> From<$slice> for $view<'a, T, 1> {{
            fn from(data: $slice) -> Self {{ let shape = [data.len() as i64]; Self::new(data, shape) }}
        }}
        impl<'a, T, const N: usize> From<$array> for $view<'a, T, 1> {{
            fn from(data: $array) -> Self {{ Self::new(data, [N as i64]) }}
        }}
        impl<'a, T> From<$vec> for $view<'a, T, 1> {{
            fn from(data: $vec) -> Self {{ data.$borrowed().into() }}
        }}
        impl<'a, T, const R: usize> From<$own> for $view<'a, T, R> {{
            fn from(own: $own) -> Self {{ let shape = own.shape; Self::new(own.data.$borrowed(), shape) }}
        }}
    }};
}}
weft_view!(View, &'a [T], &'a [T; N], &'a Vec<T>, &'a Array<T, R>, as_slice);
weft_view!(ViewMut, &'a mut [T], &'a mut [T; N], &'a mut Vec<T>, &'a mut Array<T, R>, as_mut_slice);
impl<T: Copy + Default, const R: usize> Array<T, R> {{
    pub fn new(shape: [i64; R]) -> Self {{ Self {{ data: vec![T::default(); weft_count(&shape)], shape }} }}
}}

/// Which exception Python would raise: one of the codes of `sys`, the number of the place in the manifest, its message.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {{ pub code: i32, pub place: i64, pub message: String }}
impl std::fmt::Display for Error {{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{ f.write_str(&self.message) }}
}}
impl std::error::Error for Error {{}}
fn weft_check(code: i32, found: &sys::weft_error) -> Result<(), Error> {{
    if code == sys::WEFT_OK {{ return Ok(()); }}
    let mut text = vec![0u8; 1 + unsafe {{ sys::{name}_describe(found, std::ptr::null_mut(), 0) }} as usize];
    unsafe {{ sys::{name}_describe(found, text.as_mut_ptr() as *mut c_char, text.len() as i64) }};
    text.pop();
    Err(Error {{ code, place: found.place, message: String::from_utf8_lossy(&text).into_owned() }})
}}
fn weft_require(fits: bool, wanted: &str) -> Result<(), Error> {{
    if fits {{ return Ok(()); }}
    Err(Error {{ code: sys::WEFT_VALUE_ERROR, place: 0, message: format!("{{wanted}} is wanted") }})
}}
"""

BLOCKS = """
unsafe fn weft_taken<T: Copy, const R: usize>(block: *mut T, shape: [i64; R]) -> Array<T, R> {{
    let count = weft_count(&shape);
    let data = if count == 0 {{ Vec::new() }} else {{ unsafe {{ std::slice::from_raw_parts(block, count) }}.to_vec() }};
    unsafe {{ sys::{name}_free(block as *mut c_void) }};
    Array {{ data, shape }}
}}"""

STATE = """
/// What functions keep from call to call.
pub struct State(*mut sys::{name}_state);
unsafe impl Send for State {{}}
impl Drop for State {{ fn drop(&mut self) {{ unsafe {{ sys::{name}_delete(self.0) }} }} }}
impl State {{
    pub fn new() -> Result<Self, Error> {{
        let state = unsafe {{ sys::{name}_new() }};
        let none = Error {{ code: sys::WEFT_MEMORY_ERROR, place: 0, message: "there is no memory".into() }};
        if state.is_null() {{ Err(none) }} else {{ Ok(State(state)) }}
    }}
    pub fn save(&self) -> Vec<u8> {{
        let mut bytes = vec![0u8; unsafe {{ sys::{name}_size() }} as usize];
        unsafe {{ sys::{name}_save(self.0, bytes.as_mut_ptr() as *mut c_void) }};
        bytes
    }}
    pub fn load(&mut self, bytes: &[u8]) -> Result<(), Error> {{
        let code = unsafe {{ sys::{name}_load(self.0, bytes.as_ptr() as *const c_void, bytes.len() as i64) }};
        weft_require(code == sys::WEFT_OK, "what save wrote")
    }}
"""
