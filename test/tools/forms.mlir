// RUN: weft-opt %s --no-implicit-module --mlir-print-local-scope | filecheck %s --check-prefix=LOCAL
// RUN: weft-opt %s --mlir-use-nameloc-as-prefix | filecheck %s --check-prefix=NAMES
// RUN: weft-opt %s --verify-roundtrip --mlir-disable-threading | filecheck %s --check-prefix=PLAIN
// RUN: weft-opt %s --mlir-print-skip-regions | filecheck %s --check-prefix=SKIPPED
// RUN: weft-opt %s --no-implicit-module -p 'func.func(canonicalize)' | filecheck %s --check-prefix=CANONICAL
// RUN: not weft-opt %s --no-implicit-module --weft-fold 2>&1 | filecheck %s --check-prefix=REFUSED
// RUN: not weft-opt %s --load-pass-plugin=no_such_module 2>&1 | filecheck %s --check-prefix=PLUGIN

// LOCAL-NOT: module
// LOCAL-NOT: #map =
// LOCAL: func.func @f
// LOCAL-SAME: a = affine_map<(d0) -> (d0 + 1)>
// NAMES: func.func @f(%first: i32, %second: i32)
// NAMES: %sum = arith.addi %first, %second
// PLAIN: #map = affine_map
// PLAIN: %0 = arith.addi %arg0, %arg1
// SKIPPED-NOT: arith.addi
// SKIPPED: module {...}
// CANONICAL: func.func @f
// CANONICAL-NOT: arith.constant
// REFUSED: error: weft-fold runs on builtin.module, and the input is a func.func: leave out --no-implicit-module
// PLUGIN: weft-opt: error: --load-pass-plugin=no_such_module: there is no module no_such_module; give a module that Python finds
#map = affine_map<(d0) -> (d0 + 1)>
func.func @f(%a: i32 loc("first"), %b: i32 loc("second")) -> i32 attributes {t.a = #map, t.b = #map} {
  %unused = arith.constant 1 : i32
  %0 = arith.addi %a, %b : i32 loc("sum")
  return %0 : i32
}
