"""The remainder of a division of floats, which is exact: GPUs have no instruction for it, and LLVM's form rounds.

Eleven bits of the quotient at a time are divided away in integers, as many as a word has room for beside a significand.
"""

from __future__ import annotations

from ....dialect.mlir import Operation, Value, ir
from ...nests.emit import create

NAME = "weft_remainder"

_TEXT = f"""
func.func private @{NAME}(%x: f64, %y: f64) -> f64 attributes {{passthrough = ["noinline"]}} {{
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %eleven = arith.constant 11 : i64
  %bits = arith.constant 52 : i64
  %leading = arith.constant {1 << 52} : i64
  %fraction = arith.constant {(1 << 52) - 1} : i64
  %infinity = arith.constant {0x7FF << 52} : i64
  %sign_bit = arith.constant {-1 << 63} : i64
  %magnitude = arith.constant {(1 << 63) - 1} : i64
  %ux = arith.bitcast %x : f64 to i64
  %uy = arith.bitcast %y : f64 to i64
  %sign = arith.andi %ux, %sign_bit : i64
  %ax = arith.andi %ux, %magnitude : i64
  %ay = arith.andi %uy, %magnitude : i64
  %by_zero = arith.cmpi eq, %ay, %zero : i64
  %is_huge = arith.cmpi uge, %ax, %infinity : i64
  %by_nan = arith.cmpi ugt, %ay, %infinity : i64
  %some = arith.ori %by_zero, %is_huge : i1
  %special = arith.ori %some, %by_nan : i1
  %below = arith.cmpi ult, %ax, %ay : i64
  %result = scf.if %special -> (f64) {{
    %p = arith.mulf %x, %y : f64
    %nan = arith.divf %p, %p : f64
    scf.yield %nan : f64
  }} else {{
    %r = scf.if %below -> (f64) {{
      scf.yield %x : f64
    }} else {{
      %zx = math.ctlz %ax : i64
      %zy = math.ctlz %ay : i64
      %sx = arith.subi %zx, %eleven : i64
      %sy = arith.subi %zy, %eleven : i64
      %ex0 = arith.shrui %ax, %bits : i64
      %ey0 = arith.shrui %ay, %bits : i64
      %small_x = arith.cmpi eq, %ex0, %zero : i64
      %small_y = arith.cmpi eq, %ey0, %zero : i64
      %shift_x = arith.select %small_x, %sx, %zero : i64
      %shift_y = arith.select %small_y, %sy, %zero : i64
      %ex1 = arith.subi %one, %shift_x : i64
      %ey1 = arith.subi %one, %shift_y : i64
      %ex = arith.select %small_x, %ex1, %ex0 : i64
      %ey = arith.select %small_y, %ey1, %ey0 : i64
      %fx = arith.andi %ax, %fraction : i64
      %fy = arith.andi %ay, %fraction : i64
      %nx = arith.ori %fx, %leading : i64
      %ny = arith.ori %fy, %leading : i64
      %wx = arith.shli %ax, %shift_x : i64
      %wy = arith.shli %ay, %shift_y : i64
      %mx = arith.select %small_x, %wx, %nx : i64
      %my = arith.select %small_y, %wy, %ny : i64
      %first = arith.remui %mx, %my : i64
      %distance = arith.subi %ex, %ey : i64
      %rest:2 = scf.while (%m = %first, %d = %distance) : (i64, i64) -> (i64, i64) {{
        %more = arith.cmpi sgt, %d, %zero : i64
        scf.condition(%more) %m, %d : i64, i64
      }} do {{
      ^bb0(%m: i64, %d: i64):
        %s = arith.minsi %d, %eleven : i64
        %up = arith.shli %m, %s : i64
        %left = arith.remui %up, %my : i64
        %to_go = arith.subi %d, %s : i64
        scf.yield %left, %to_go : i64, i64
      }}
      %is_zero = arith.cmpi eq, %rest#0, %zero : i64
      %safe = arith.select %is_zero, %leading, %rest#0 : i64
      %zr = math.ctlz %safe : i64
      %sr = arith.subi %zr, %eleven : i64
      %mr = arith.shli %safe, %sr : i64
      %er = arith.subi %ey, %sr : i64
      %is_normal = arith.cmpi sgt, %er, %zero : i64
      %fr = arith.andi %mr, %fraction : i64
      %exponent = arith.shli %er, %bits : i64
      %normal = arith.ori %fr, %exponent : i64
      %missing = arith.subi %one, %er : i64
      %by = arith.select %is_normal, %zero, %missing : i64
      %subnormal = arith.shrui %mr, %by : i64
      %found = arith.select %is_normal, %normal, %subnormal : i64
      %value = arith.select %is_zero, %zero, %found : i64
      %signed = arith.ori %value, %sign : i64
      %f = arith.bitcast %signed : i64 to f64
      scf.yield %f : f64
    }}
    scf.yield %r : f64
  }}
  return %result : f64
}}
"""


def call_remainder(op: Operation) -> Value:
    """Write an `arith.remf` as a call, at the insertion point; its module gets the function, once."""
    module = op
    while module.name != "gpu.module":
        module = module.parent.operation
    block = module.regions[0].blocks[0]
    if not any(
        "sym_name" in o.attributes and o.attributes["sym_name"].value == NAME for o in block.operations
    ):
        text = ir.Module.parse(_TEXT)
        text.body.operations[0].operation.clone(ir.InsertionPoint.at_block_begin(block))
    type, wide = op.results[0].type, ir.F64Type.get()
    operands = [v if type == wide else create("arith.extf", [wide], [v]) for v in op.operands]
    callee = {"callee": ir.FlatSymbolRefAttr.get(NAME)}
    result = create("func.call", [wide], operands, callee)
    return result if type == wide else create("arith.truncf", [type], [result])
