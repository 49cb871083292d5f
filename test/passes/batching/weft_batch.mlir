// RUN: weft-opt %s --weft-batch --split-input-file | filecheck %s

// What rows share is computed once; an op on the only axis of a row is one on the second axis of all.
// CHECK-LABEL: func.func @of_rows
// CHECK: %[[A:.*]] = "weft.exp"(%arg1) : (tensor<3xf64>)
// CHECK-NEXT: %[[B:.*]] = "weft.multiply"(%arg0, %[[A]]) : (tensor<5x3xf64>, tensor<3xf64>)
// CHECK-NEXT: %[[C:.*]] = "weft.sum"(%[[B]]) {axes = array<i64: 1>
// CHECK-NEXT: return %[[C]]
func.func @of_rows(%x: tensor<5x3xf64>, %w: tensor<3xf64>) -> tensor<5xf64> {
  %n = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %row = "weft.lane"(%x) {axis = 0 : i64, number = 1 : i64} : (tensor<5x3xf64>) -> tensor<3xf64>
  %a = "weft.exp"(%w) : (tensor<3xf64>) -> tensor<3xf64>
  %b = "weft.multiply"(%row, %a) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %c = "weft.sum"(%b) {axes = array<i64: 0>, keepdims = false} : (tensor<3xf64>) -> tensor<f64>
  %all = "weft.lanes"(%c, %n) {axis = 0 : i64, number = 1 : i64, size = 5 : i64, stacked = true} : (tensor<f64>, tensor<i64>) -> tensor<5xf64>
  return %all : tensor<5xf64>
}

// -----

// The axis of rows goes to the front, and back.
// CHECK-LABEL: func.func @of_columns
// CHECK: "weft.transpose"(%arg0) {permutation = array<i64: 1, 0>} : (tensor<3x?xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: "weft.slice"({{.*}}) {start = array<i64: 0, 1>
// CHECK-NEXT: "weft.transpose"
func.func @of_columns(%x: tensor<3x?xf32>, %n: tensor<i64>) -> tensor<2x?xf32> {
  %row = "weft.lane"(%x) {axis = 1 : i64, number = 1 : i64} : (tensor<3x?xf32>) -> tensor<3xf32>
  %b = "weft.slice"(%row) {start = array<i64: 1>, stop = array<i64: 3>, step = array<i64: 1>} : (tensor<3xf32>) -> tensor<2xf32>
  %all = "weft.lanes"(%b, %n) {axis = 1 : i64, number = 1 : i64, size = -1 : i64, stacked = true} : (tensor<2xf32>, tensor<i64>) -> tensor<2x?xf32>
  return %all : tensor<2x?xf32>
}

// -----

// Rows take different sides: both run.
// CHECK-LABEL: func.func @branch
// CHECK-NOT: scf.if
// CHECK: %[[P:.*]] = "weft.greater"(%arg0
// CHECK: %[[Y:.*]] = "weft.sqrt"(%arg0)
// CHECK: "weft.select"(%[[P]], %[[Y]], {{.*}}) : (tensor<5xi1>, tensor<5xf64>, tensor<f64>)
func.func @branch(%x: tensor<5xf64>) -> tensor<5xf64> {
  %n = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %row = "weft.lane"(%x) {axis = 0 : i64, number = 1 : i64} : (tensor<5xf64>) -> tensor<f64>
  %p = "weft.greater"(%row, %zero) : (tensor<f64>, tensor<f64>) -> tensor<i1>
  %c = tensor.extract %p[] : tensor<i1>
  %r = scf.if %c -> (tensor<f64>) {
    %y = "weft.sqrt"(%row) : (tensor<f64>) -> tensor<f64>
    scf.yield %y : tensor<f64>
  } else {
    scf.yield %zero : tensor<f64>
  }
  %all = "weft.lanes"(%r, %n) {axis = 0 : i64, number = 1 : i64, size = 5 : i64, stacked = true} : (tensor<f64>, tensor<i64>) -> tensor<5xf64>
  return %all : tensor<5xf64>
}

// -----

// CHECK-LABEL: func.func @same_branch_for_all
// CHECK: scf.if %arg1 -> (tensor<5xf64>)
// CHECK-NEXT: "weft.sqrt"(%arg0)
// CHECK: else
// CHECK-NEXT: "weft.broadcast_to"
func.func @same_branch_for_all(%x: tensor<5xf64>, %c: i1) -> tensor<5xf64> {
  %n = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %row = "weft.lane"(%x) {axis = 0 : i64, number = 1 : i64} : (tensor<5xf64>) -> tensor<f64>
  %r = scf.if %c -> (tensor<f64>) {
    %y = "weft.sqrt"(%row) : (tensor<f64>) -> tensor<f64>
    scf.yield %y : tensor<f64>
  } else {
    scf.yield %zero : tensor<f64>
  }
  %all = "weft.lanes"(%r, %n) {axis = 0 : i64, number = 1 : i64, size = 5 : i64, stacked = true} : (tensor<f64>, tensor<i64>) -> tensor<5xf64>
  return %all : tensor<5xf64>
}

// -----

// CHECK-LABEL: func.func @until_all_have_ended
// CHECK: scf.while
// CHECK: %[[T:.*]] = "weft.less"
// CHECK-NEXT: %[[ON:.*]] = "weft.logical_and"(%[[T]]
// CHECK: %[[ANY:.*]] = "weft.any"(%[[ON]])
// CHECK-NEXT: %[[C:.*]] = tensor.extract %[[ANY]]
// CHECK-NEXT: scf.condition(%[[C]])
// CHECK: %[[NEW:.*]] = "weft.add"
// CHECK-NEXT: "weft.select"({{.*}}, %[[NEW]], {{.*}})
func.func @until_all_have_ended(%x: tensor<5xf64>) -> tensor<5xf64> {
  %n = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %ten = "weft.constant"() {value = dense<10.0> : tensor<f64>} : () -> tensor<f64>
  %row = "weft.lane"(%x) {axis = 0 : i64, number = 1 : i64} : (tensor<5xf64>) -> tensor<f64>
  %r = scf.while (%v = %row) : (tensor<f64>) -> tensor<f64> {
    %p = "weft.less"(%v, %ten) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %c = tensor.extract %p[] : tensor<i1>
    scf.condition(%c) %v : tensor<f64>
  } do {
  ^bb0(%v: tensor<f64>):
    %w = "weft.add"(%v, %v) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %w : tensor<f64>
  }
  %all = "weft.lanes"(%r, %n) {axis = 0 : i64, number = 1 : i64, size = 5 : i64, stacked = true} : (tensor<f64>, tensor<i64>) -> tensor<5xf64>
  return %all : tensor<5xf64>
}

// -----

// What a loop carries has an element for each row where an iteration leaves one.
// CHECK-LABEL: func.func @loop_that_all_run
// CHECK: %[[B:.*]] = "weft.broadcast_to"
// CHECK-NEXT: scf.for {{.*}} to %arg1 {{.*}} iter_args({{.*}} = %[[B]]) -> (tensor<5xf64>)
// CHECK-NEXT: "weft.add"({{.*}}, %arg0) : (tensor<5xf64>, tensor<5xf64>)
func.func @loop_that_all_run(%x: tensor<5xf64>, %to: index) -> tensor<5xf64> {
  %n = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %begin = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %row = "weft.lane"(%x) {axis = 0 : i64, number = 1 : i64} : (tensor<5xf64>) -> tensor<f64>
  %r = scf.for %i = %i0 to %to step %i1 iter_args(%v = %begin) -> (tensor<f64>) {
    %w = "weft.add"(%v, %row) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %w : tensor<f64>
  }
  %all = "weft.lanes"(%r, %n) {axis = 0 : i64, number = 1 : i64, size = 5 : i64, stacked = true} : (tensor<f64>, tensor<i64>) -> tensor<5xf64>
  return %all : tensor<5xf64>
}

// -----

// Sorted values of its own for each row: there is no op for that.
// CHECK-LABEL: func.func @one_by_one
// CHECK: "weft.slice"(%arg0)
// CHECK: scf.for
// CHECK: "weft.gather"(%arg0
// CHECK: "weft.searchsorted"({{.*}}) {side = "left"} : (tensor<4xi64>, tensor<2xi64>)
// CHECK: "weft.scatter"
func.func @one_by_one(%x: tensor<5x4xi64>) -> tensor<5x2xi64> {
  %n = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %row = "weft.lane"(%x) {axis = 0 : i64, number = 1 : i64} : (tensor<5x4xi64>) -> tensor<4xi64>
  %first = "weft.slice"(%row) {start = array<i64: 0>, stop = array<i64: 2>, step = array<i64: 1>} : (tensor<4xi64>) -> tensor<2xi64>
  %r = "weft.searchsorted"(%row, %first) {side = "left"} : (tensor<4xi64>, tensor<2xi64>) -> tensor<2xi64>
  %all = "weft.lanes"(%r, %n) {axis = 0 : i64, number = 1 : i64, size = 5 : i64, stacked = true} : (tensor<2xi64>, tensor<i64>) -> tensor<5x2xi64>
  return %all : tensor<5x2xi64>
}

// -----

// CHECK-LABEL: func.func @rows_of_rows
// CHECK: %[[Y:.*]] = "weft.exp"(%arg0) : (tensor<5x3xf64>)
// CHECK-NEXT: "weft.transpose"(%[[Y]]) {permutation = array<i64: 1, 0>}
func.func @rows_of_rows(%x: tensor<5x3xf64>) -> tensor<3x5xf64> {
  %n = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %m = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %row = "weft.lane"(%x) {axis = 0 : i64, number = 1 : i64} : (tensor<5x3xf64>) -> tensor<3xf64>
  %one = "weft.lane"(%row) {axis = 0 : i64, number = 2 : i64} : (tensor<3xf64>) -> tensor<f64>
  %y = "weft.exp"(%one) : (tensor<f64>) -> tensor<f64>
  %ys = "weft.lanes"(%y, %m) {axis = 0 : i64, number = 2 : i64, size = 3 : i64, stacked = true} : (tensor<f64>, tensor<i64>) -> tensor<3xf64>
  %all = "weft.lanes"(%ys, %n) {axis = 1 : i64, number = 1 : i64, size = 5 : i64, stacked = true} : (tensor<3xf64>, tensor<i64>) -> tensor<3x5xf64>
  return %all : tensor<3x5xf64>
}

// -----

// CHECK-LABEL: func.func @nothing_to_do
// CHECK-NEXT: "weft.exp"(%arg0) : (tensor<5xf64>) -> tensor<5xf64>
// CHECK-NEXT: return
func.func @nothing_to_do(%x: tensor<5xf64>) -> tensor<5xf64> {
  %y = "weft.exp"(%x) : (tensor<5xf64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}
