// RUN: weft-opt %s --skip-fills | filecheck %s

// Each row is computed of the one before: what was there before the loop is not read.
// CHECK-LABEL: func.func @forward
// CHECK-NOT: broadcast_to
// CHECK: %[[EMPTY:.*]] = "weft.empty"() {dtype = f64, shape = array<i64: 8, 3>}
// CHECK: "weft.slice_update"(%[[EMPTY]],
func.func @forward(%first: tensor<1x3xf64>) -> tensor<8x3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 8, 3>} : (tensor<f64>) -> tensor<8x3xf64>
  %x = "weft.slice_update"(%zeros, %first) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 1, 3>} : (tensor<8x3xf64>, tensor<1x3xf64>) -> tensor<8x3xf64>
  %r = scf.for %k = %c0 to %c7 step %c1 iter_args(%a = %x) -> (tensor<8x3xf64>) {
    %n = arith.index_cast %k : index to i64
    %i = tensor.from_elements %n : tensor<i64>
    %row = "weft.gather"(%a, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<8x3xf64>, tensor<i64>) -> tensor<3xf64>
    %sum = "weft.add"(%row, %row) : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %next = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = "weft.scatter"(%a, %sum, %next) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<8x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<8x3xf64>
    scf.yield %b : tensor<8x3xf64>
  }
  return %r : tensor<8x3xf64>
}

// Columns, from the last one on.
// CHECK-LABEL: func.func @backward
// CHECK: %[[EMPTY:.*]] = "weft.empty"() {dtype = f32, shape = array<i64: 3, 8>}
// CHECK: iter_args(%{{.*}} = %[[EMPTY]])
func.func @backward(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %seven = "weft.constant"() {value = dense<7> : tensor<i64>} : () -> tensor<i64>
  %zeros = "weft.constant"() {value = dense<0.0> : tensor<3x8xf32>} : () -> tensor<3x8xf32>
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zeros) -> (tensor<3x8xf32>) {
    %n = arith.index_cast %k : index to i64
    %i = tensor.from_elements %n : tensor<i64>
    %place = "weft.subtract"(%seven, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %column = "weft.gather"(%x, %place) {axes = array<i64: 1>, position = 0 : i64} : (tensor<3x8xf32>, tensor<i64>) -> tensor<3xf32>
    %b = "weft.scatter"(%a, %column, %place) {axes = array<i64: 1>, mode = "set", position = 0 : i64} : (tensor<3x8xf32>, tensor<3xf32>, tensor<i64>) -> tensor<3x8xf32>
    scf.yield %b : tensor<3x8xf32>
  }
  return %r : tensor<3x8xf32>
}

// Two parts that are all, without a loop.
// CHECK-LABEL: func.func @parts
// CHECK: "weft.empty"
// CHECK-NOT: broadcast_to
func.func @parts(%x: tensor<2xf64>, %y: tensor<3xf64>) -> tensor<5xf64> {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 5>} : (tensor<f64>) -> tensor<5xf64>
  %a = "weft.slice_update"(%zeros, %x) {start = array<i64: 3>, step = array<i64: 1>, stop = array<i64: 5>} : (tensor<5xf64>, tensor<2xf64>) -> tensor<5xf64>
  %b = "weft.slice_update"(%a, %y) {start = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 3>} : (tensor<5xf64>, tensor<3xf64>) -> tensor<5xf64>
  return %b : tensor<5xf64>
}

// The row behind the one that is written is read: it is zero.
// CHECK-LABEL: func.func @ahead
// CHECK-NOT: weft.empty
// CHECK: return
func.func @ahead() -> tensor<8x3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 8, 3>} : (tensor<f64>) -> tensor<8x3xf64>
  %r = scf.for %k = %c0 to %c7 step %c1 iter_args(%a = %zeros) -> (tensor<8x3xf64>) {
    %n = arith.index_cast %k : index to i64
    %i = tensor.from_elements %n : tensor<i64>
    %next = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row = "weft.gather"(%a, %next) {axes = array<i64: 0>, position = 0 : i64} : (tensor<8x3xf64>, tensor<i64>) -> tensor<3xf64>
    %b = "weft.scatter"(%a, %row, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<8x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<8x3xf64>
    scf.yield %b : tensor<8x3xf64>
  }
  %rest = "weft.slice"(%r) {start = array<i64: 0, 0>, step = array<i64: 1, 1>, stop = array<i64: 7, 3>} : (tensor<8x3xf64>) -> tensor<7x3xf64>
  return %r : tensor<8x3xf64>
}

// The last row stays as it is, and is returned.
// CHECK-LABEL: func.func @not_all
// CHECK-NOT: weft.empty
// CHECK: return
func.func @not_all(%x: tensor<3xf64>) -> tensor<8x3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 8, 3>} : (tensor<f64>) -> tensor<8x3xf64>
  %r = scf.for %k = %c0 to %c7 step %c1 iter_args(%a = %zeros) -> (tensor<8x3xf64>) {
    %n = arith.index_cast %k : index to i64
    %i = tensor.from_elements %n : tensor<i64>
    %b = "weft.scatter"(%a, %x, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<8x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<8x3xf64>
    scf.yield %b : tensor<8x3xf64>
  }
  return %r : tensor<8x3xf64>
}

// Those that were written are all that is read.
// CHECK-LABEL: func.func @not_all_but_all_that_is_read
// CHECK: weft.empty
// CHECK: return
func.func @not_all_but_all_that_is_read(%x: tensor<3xf64>) -> tensor<6x3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 8, 3>} : (tensor<f64>) -> tensor<8x3xf64>
  %r = scf.for %k = %c0 to %c7 step %c1 iter_args(%a = %zeros) -> (tensor<8x3xf64>) {
    %n = arith.index_cast %k : index to i64
    %i = tensor.from_elements %n : tensor<i64>
    %b = "weft.scatter"(%a, %x, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<8x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<8x3xf64>
    scf.yield %b : tensor<8x3xf64>
  }
  %s = "weft.slice"(%r) {start = array<i64: 1, 0>, step = array<i64: 1, 1>, stop = array<i64: 7, 3>} : (tensor<8x3xf64>) -> tensor<6x3xf64>
  return %s : tensor<6x3xf64>
}

// What is added to rows is added to zeros; one element of a row is no row; every second row is not all of them.
// CHECK-LABEL: func.func @no_rows
// CHECK-NOT: weft.empty
// CHECK: return
func.func @no_rows(%x: tensor<3xf64>, %y: tensor<f64>) -> (tensor<8x3xf64>, tensor<8x3xf64>, tensor<8x3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 8, 3>} : (tensor<f64>) -> tensor<8x3xf64>
  %first = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zeros, %b = %zeros) -> (tensor<8x3xf64>, tensor<8x3xf64>) {
    %n = arith.index_cast %k : index to i64
    %i = tensor.from_elements %n : tensor<i64>
    %c = "weft.scatter"(%a, %x, %i) {axes = array<i64: 0>, mode = "add", position = 0 : i64} : (tensor<8x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<8x3xf64>
    %d = "weft.scatter"(%b, %y, %i, %first) {axes = array<i64: 0, 1>, mode = "set", position = 0 : i64} : (tensor<8x3xf64>, tensor<f64>, tensor<i64>, tensor<i64>) -> tensor<8x3xf64>
    scf.yield %c, %d : tensor<8x3xf64>, tensor<8x3xf64>
  }
  %s = scf.for %k = %c0 to %c8 step %c2 iter_args(%a = %zeros) -> (tensor<8x3xf64>) {
    %n = arith.index_cast %k : index to i64
    %i = tensor.from_elements %n : tensor<i64>
    %c = "weft.scatter"(%a, %x, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<8x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<8x3xf64>
    scf.yield %c : tensor<8x3xf64>
  }
  return %r#0, %r#1, %s : tensor<8x3xf64>, tensor<8x3xf64>, tensor<8x3xf64>
}

// Where the loop carries another tensor on, that of the first iteration is all zeros.
// CHECK-LABEL: func.func @not_handed_on
// CHECK-NOT: weft.empty
// CHECK: return
func.func @not_handed_on(%x: tensor<3xf64>) -> (tensor<8x3xf64>, tensor<8x3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 8, 3>} : (tensor<f64>) -> tensor<8x3xf64>
  %r:2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%a = %zeros, %b = %zeros) -> (tensor<8x3xf64>, tensor<8x3xf64>) {
    %n = arith.index_cast %k : index to i64
    %i = tensor.from_elements %n : tensor<i64>
    %c = "weft.scatter"(%a, %x, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<8x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<8x3xf64>
    scf.yield %c, %a : tensor<8x3xf64>, tensor<8x3xf64>
  }
  return %r#0, %r#1 : tensor<8x3xf64>, tensor<8x3xf64>
}

// An index that nothing bounds may be any row, or raise; an array that is an index is read.
// CHECK-LABEL: func.func @any_place
// CHECK-NOT: weft.empty
// CHECK: return
func.func @any_place(%x: tensor<3xf64>, %at: tensor<i64>, %table: tensor<9xf64>) -> (tensor<1x3xf64>, tensor<1xf64>) {
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %zeros = "weft.broadcast_to"(%zero) {shape = array<i64: 1, 3>} : (tensor<f64>) -> tensor<1x3xf64>
  %a = "weft.scatter"(%zeros, %x, %at) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<1x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<1x3xf64>
  %first = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %indices = "weft.broadcast_to"(%first) {shape = array<i64: 1>} : (tensor<i64>) -> tensor<1xi64>
  %places = "weft.scatter"(%indices, %at, %at) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<1xi64>, tensor<i64>, tensor<i64>) -> tensor<1xi64>
  %found = "weft.gather"(%table, %places) {axes = array<i64: 0>, position = 0 : i64} : (tensor<9xf64>, tensor<1xi64>) -> tensor<1xf64>
  return %a, %found : tensor<1x3xf64>, tensor<1xf64>
}
