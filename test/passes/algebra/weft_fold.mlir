// RUN: weft-opt %s --weft-fold --split-input-file | filecheck %s
// RUN: weft-opt %s --weft-fold=max-elements=2 --split-input-file | filecheck %s --check-prefix=SMALL

// Chains fold in one go, with NumPy's rounding.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[C:.*]] = "weft.constant"() {value = dense<[-2.000000e+00, -8.000000e+00, -1.800000e+01]> : tensor<3xf32>}
// CHECK-NEXT: return %[[C]]
// Results of more elements than the bound stay.
// SMALL-LABEL: func.func @chain
// SMALL: "weft.add"
// SMALL: "weft.multiply"
func.func @chain() -> tensor<3xf32> {
  %0 = "weft.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %1 = "weft.add"(%0, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %2 = "weft.multiply"(%1, %0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = "weft.negative"(%2) : (tensor<3xf32>) -> tensor<3xf32>
  return %3 : tensor<3xf32>
}

// -----

// A small result of large operands folds.
// SMALL-LABEL: func.func @reduced
// SMALL-NEXT: "weft.constant"() {value = dense<6> : tensor<i32>}
func.func @reduced() -> tensor<i32> {
  %0 = "weft.constant"() {value = dense<[1, 2, 3]> : tensor<3xi32>} : () -> tensor<3xi32>
  %1 = "weft.sum"(%0) {axes = array<i64: 0>, keepdims = false} : (tensor<3xi32>) -> tensor<i32>
  return %1 : tensor<i32>
}

// -----

// All results of an op fold together; integers wrap.
// CHECK-LABEL: func.func @two_results
// CHECK-DAG: "weft.constant"() {value = dense<-3> : tensor<i8>}
// CHECK-DAG: "weft.constant"() {value = dense<1> : tensor<i8>}
// CHECK-DAG: "weft.constant"() {value = dense<-56> : tensor<i8>}
// CHECK-NOT: weft.divmod
func.func @two_results() -> (tensor<i8>, tensor<i8>, tensor<i8>) {
  %0 = "weft.constant"() {value = dense<-5> : tensor<i8>} : () -> tensor<i8>
  %1 = "weft.constant"() {value = dense<2> : tensor<i8>} : () -> tensor<i8>
  %2:2 = "weft.divmod"(%0, %1) : (tensor<i8>, tensor<i8>) -> (tensor<i8>, tensor<i8>)
  %3 = "weft.constant"() {value = dense<100> : tensor<i8>} : () -> tensor<i8>
  %4 = "weft.add"(%3, %3) : (tensor<i8>, tensor<i8>) -> tensor<i8>
  return %2#0, %2#1, %4 : tensor<i8>, tensor<i8>, tensor<i8>
}

// -----

// The extent of a static axis is a constant, that of a dynamic one is not.
// CHECK-LABEL: func.func @extents
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>)
// CHECK-DAG: %[[ROWS:.*]] = "weft.dim"(%[[X]]) {axis = 0 : i64}
// CHECK-DAG: %[[COLUMNS:.*]] = "weft.constant"() {value = dense<3> : tensor<i64>}
// CHECK: return %[[ROWS]], %[[COLUMNS]]
func.func @extents(%x: tensor<?x3xf32>) -> (tensor<i64>, tensor<i64>) {
  %0 = "weft.dim"(%x) {axis = 0} : (tensor<?x3xf32>) -> tensor<i64>
  %1 = "weft.dim"(%x) {axis = 1} : (tensor<?x3xf32>) -> tensor<i64>
  return %0, %1 : tensor<i64>, tensor<i64>
}

// -----

// A check that never fails goes; one that always fails is an effect and stays.
// CHECK-LABEL: func.func @checks
// CHECK-NOT: "never"
// CHECK: weft.raise_if
// CHECK-SAME: "always"
// CHECK-NOT: weft.raise_if
func.func @checks() {
  %0 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %1 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %2 = "weft.less"(%1, %0) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %3 = "weft.less"(%0, %1) : (tensor<i64>, tensor<i64>) -> tensor<i1>
  "weft.raise_if"(%2) {error = "ValueError", message = "never"} : (tensor<i1>) -> ()
  "weft.raise_if"(%3) {error = "ValueError", message = "always"} : (tensor<i1>) -> ()
  return
}

// -----

// What NumPy refuses to compute is left to fail, or not, at run time.
// CHECK-LABEL: func.func @out_of_bounds
// CHECK: "weft.gather"
func.func @out_of_bounds() -> tensor<f32> {
  %0 = "weft.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  %1 = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %2 = "weft.gather"(%0, %1) {axes = array<i64: 0>, position = 0} : (tensor<2xf32>, tensor<i64>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Effects and arguments are not folded.
// CHECK-LABEL: func.func @effects
// CHECK: "weft.alloc_ref"
// CHECK: "weft.write_ref"
// CHECK: "weft.read_ref"
// CHECK: "weft.add"
func.func @effects(%x: tensor<f32>) -> tensor<f32> {
  %0 = "weft.constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %cell = "weft.alloc_ref"(%0) : (tensor<f32>) -> !weft.ref<tensor<f32>>
  "weft.write_ref"(%cell, %0) : (!weft.ref<tensor<f32>>, tensor<f32>) -> ()
  %1 = "weft.read_ref"(%cell) : (!weft.ref<tensor<f32>>) -> tensor<f32>
  %2 = "weft.add"(%x, %1) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// Elements of constants decide branches and loops: they become constants that upstream's canonicalize knows.
// CHECK-LABEL: func.func @elements
// CHECK-DAG: %[[FALSE:.*]] = arith.constant false
// CHECK-DAG: %[[FIVE:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[HALF:.*]] = arith.constant 5.000000e-01 : f64
// CHECK-DAG: %[[PAIR:.*]] = "weft.constant"() {value = dense<5> : tensor<2xi64>}
// CHECK-DAG: %[[SUM:.*]] = "weft.constant"() {value = dense<14> : tensor<i64>}
// CHECK: return %[[FALSE]], %[[FIVE]], %[[HALF]], %[[PAIR]], %[[SUM]]
func.func @elements() -> (i1, i64, f64, tensor<2xi64>, tensor<i64>) {
  %true = "weft.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %not = "weft.logical_not"(%true) : (tensor<i1>) -> tensor<i1>
  %b = tensor.extract %not[] : tensor<i1>
  %numbers = "weft.constant"() {value = dense<[1, 5]> : tensor<2xi64>} : () -> tensor<2xi64>
  %one = arith.constant 1 : index
  %n = tensor.extract %numbers[%one] : tensor<2xi64>
  %half = "weft.constant"() {value = dense<0.5> : tensor<f64>} : () -> tensor<f64>
  %h = tensor.extract %half[] : tensor<f64>
  %pair = tensor.from_elements %n, %n : tensor<2xi64>
  %seven = arith.constant dense<7> : tensor<i64>
  %sum = "weft.add"(%seven, %seven) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %b, %n, %h, %pair, %sum : i1, i64, f64, tensor<2xi64>, tensor<i64>
}

// Not so elements at places that are not known, and those of unsigned types, which upstream has no constants for.
// CHECK-LABEL: func.func @unknown_elements
// CHECK: tensor.extract %{{.*}}[%arg0] : tensor<2xi64>
// CHECK: tensor.extract %{{.*}}[] : tensor<ui8>
// CHECK: tensor.from_elements %arg1
func.func @unknown_elements(%i: index, %j: i64) -> (i64, ui8, tensor<2xi64>) {
  %numbers = "weft.constant"() {value = dense<[1, 5]> : tensor<2xi64>} : () -> tensor<2xi64>
  %n = tensor.extract %numbers[%i] : tensor<2xi64>
  %byte = "weft.constant"() {value = dense<1> : tensor<ui8>} : () -> tensor<ui8>
  %b = tensor.extract %byte[] : tensor<ui8>
  %one = arith.constant 1 : i64
  %pair = tensor.from_elements %j, %one : tensor<2xi64>
  return %n, %b, %pair : i64, ui8, tensor<2xi64>
}

// Ops in branches and loops are folded where they stand. Of checks that hold, none is removed.
// CHECK-LABEL: func.func @in_regions
// CHECK: scf.if %arg0
// CHECK-NEXT: %[[SUM:.*]] = "weft.constant"() {value = dense<3> : tensor<i64>}
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: else
// CHECK-NEXT: "weft.raise_if"{{.*}}"always"
// CHECK-NEXT: scf.yield
func.func @in_regions(%c: i1, %x: tensor<i64>) -> tensor<i64> {
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %yes = "weft.constant"() {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %no = "weft.constant"() {value = dense<false> : tensor<i1>} : () -> tensor<i1>
  %r = scf.if %c -> (tensor<i64>) {
    %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
    %sum = "weft.add"(%one, %two) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %sum : tensor<i64>
  } else {
    "weft.raise_if"(%no) {error = "ValueError", message = "never"} : (tensor<i1>) -> ()
    "weft.raise_if"(%yes) {error = "ValueError", message = "always"} : (tensor<i1>) -> ()
    scf.yield %x : tensor<i64>
  }
  return %r : tensor<i64>
}
