// RUN: weft-opt %s --hoist-products --split-input-file | filecheck %s
// RUN: weft-opt %s --hoist-products --mlir-pass-statistics --split-input-file -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// STATISTICS: hoist-products
// STATISTICS: (S) 5 products computed before loops

// Columns of a tensor times a triangle of it.
// CHECK-LABEL: func.func @triangle
// CHECK-SAME: (%[[X:.*]]: tensor<12x10xf64>,
// CHECK: %[[WHOLE:.*]] = "weft.contract"(%[[X]], %[[X]]) {spec = "ba,bc->ac"}
// CHECK: scf.for
// CHECK-NOT: weft.contract
// CHECK: %[[ROW:.*]] = "weft.gather"(%[[WHOLE]], %[[I:.*]]) {axes = array<i64: 0>, position = 0 : i64}
// CHECK: %[[PART:.*]] = "weft.dynamic_slice"(%[[ROW]], %[[I]]) {start = array<i64: 0>, start_axes = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 9223372036854775807>, stop_axes = array<i64>}
// CHECK: "weft.sum"(%[[PART]])
func.func @triangle(%x: tensor<12x10xf64>, %b: tensor<10xf64>) -> tensor<10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %b) -> tensor<10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %column = "weft.gather"(%x, %i) {axes = array<i64: 1>, position = 0 : i64} : (tensor<12x10xf64>, tensor<i64>) -> tensor<12xf64>
    %rest = "weft.dynamic_slice"(%x, %i) {start = array<i64: 0, 0>, start_axes = array<i64: 1>, step = array<i64: 1, 1>, stop = array<i64: 9223372036854775807, 9223372036854775807>, stop_axes = array<i64>} : (tensor<12x10xf64>, tensor<i64>) -> tensor<12x?xf64>
    %p = "weft.contract"(%column, %rest) {spec = "a,ab->b"} : (tensor<12xf64>, tensor<12x?xf64>) -> tensor<?xf64>
    %s = "weft.sum"(%p) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %s, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10xf64>, tensor<f64>, tensor<i64>) -> tensor<10xf64>
    scf.yield %w : tensor<10xf64>
  }
  return %r : tensor<10xf64>
}

// -----

// A matrix product, element by element: the inner loop's products are one of a vector, which the outer one takes.
// CHECK-LABEL: func.func @elements
// CHECK-SAME: (%[[X:.*]]: tensor<10x12xf32>, %[[Y:.*]]: tensor<12x9xf32>,
// CHECK: %[[WHOLE:.*]] = "weft.contract"(%[[X]], %[[Y]]) {spec = "ab,bc->ac"}
// CHECK: scf.for
// CHECK: %[[ROW:.*]] = "weft.gather"(%[[WHOLE]]
// CHECK: scf.for
// CHECK-NOT: weft.contract
// CHECK: "weft.gather"(%[[ROW]]
func.func @elements(%x: tensor<10x12xf32>, %y: tensor<12x9xf32>, %b: tensor<10x9xf32>) -> tensor<10x9xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %nine = arith.constant 9 : index
  %ten = arith.constant 10 : index
  %r = scf.for %k = %zero to %ten step %one iter_args(%outer = %b) -> tensor<10x9xf32> {
    %c = arith.index_cast %k : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x12xf32>, tensor<i64>) -> tensor<12xf32>
    %rr = scf.for %l = %zero to %nine step %one iter_args(%a = %outer) -> tensor<10x9xf32> {
      %d = arith.index_cast %l : index to i64
      %j = tensor.from_elements %d : tensor<i64>
      %column = "weft.gather"(%y, %j) {axes = array<i64: 1>, position = 0 : i64} : (tensor<12x9xf32>, tensor<i64>) -> tensor<12xf32>
      %p = "weft.contract"(%row, %column) {spec = "a,a->"} : (tensor<12xf32>, tensor<12xf32>) -> tensor<f32>
      %w = "weft.scatter"(%a, %p, %i, %j) {axes = array<i64: 0, 1>, mode = "set", position = 0 : i64} : (tensor<10x9xf32>, tensor<f32>, tensor<i64>, tensor<i64>) -> tensor<10x9xf32>
      scf.yield %w : tensor<10x9xf32>
    }
    scf.yield %rr : tensor<10x9xf32>
  }
  return %r : tensor<10x9xf32>
}

// -----

// A vector on the right, and a factor that stays.
// CHECK-LABEL: func.func @right
// CHECK-SAME: (%[[X:.*]]: tensor<10x12xf64>, %[[Y:.*]]: tensor<10x12xf64>,
// CHECK: %[[WHOLE:.*]] = "weft.contract"(%[[Y]], %[[X]]) {spec = "ac,bc->ab"}
// CHECK: scf.for
// CHECK-NOT: weft.contract
// CHECK: "weft.gather"(%[[WHOLE]]
func.func @right(%x: tensor<10x12xf64>, %y: tensor<10x12xf64>, %b: tensor<10x10xf64>) -> tensor<10x10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %b) -> tensor<10x10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%y, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x12xf64>, tensor<i64>) -> tensor<12xf64>
    %p = "weft.contract"(%x, %row) {spec = "ba,a->b"} : (tensor<10x12xf64>, tensor<12xf64>) -> tensor<10xf64>
    %w = "weft.scatter"(%a, %p, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10x10xf64>, tensor<10xf64>, tensor<i64>) -> tensor<10x10xf64>
    scf.yield %w : tensor<10x10xf64>
  }
  return %r : tensor<10x10xf64>
}

// -----

// The loop writes the tensor whose rows it takes.
// CHECK-LABEL: func.func @written
// CHECK: scf.for
// CHECK: weft.contract
func.func @written(%x: tensor<10x10xf64>, %y: tensor<10x10xf64>) -> tensor<10x10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %x) -> tensor<10x10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%a, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %p = "weft.contract"(%row, %y) {spec = "a,ab->b"} : (tensor<10xf64>, tensor<10x10xf64>) -> tensor<10xf64>
    %w = "weft.scatter"(%a, %p, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10x10xf64>, tensor<10xf64>, tensor<i64>) -> tensor<10x10xf64>
    scf.yield %w : tensor<10x10xf64>
  }
  return %r : tensor<10x10xf64>
}

// -----

// Iterations need three columns each: the whole product would be much more work.
// CHECK-LABEL: func.func @band
// CHECK: scf.for
// CHECK: weft.contract
func.func @band(%x: tensor<40x40xf64>, %b: tensor<40xf64>) -> tensor<40xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 37 : index
  %three = "weft.constant"() {value = dense<3> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %j = %zero to %end step %one iter_args(%a = %b) -> tensor<40xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %k = "weft.add"(%i, %three) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<40x40xf64>, tensor<i64>) -> tensor<40xf64>
    %few = "weft.dynamic_slice"(%x, %i, %k) {start = array<i64: 0, 0>, start_axes = array<i64: 1>, step = array<i64: 1, 1>, stop = array<i64: 9223372036854775807, 0>, stop_axes = array<i64: 1>} : (tensor<40x40xf64>, tensor<i64>, tensor<i64>) -> tensor<40x?xf64>
    %p = "weft.contract"(%row, %few) {spec = "a,ab->b"} : (tensor<40xf64>, tensor<40x?xf64>) -> tensor<?xf64>
    %s = "weft.sum"(%p) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
    %w = "weft.scatter"(%a, %s, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<40xf64>, tensor<f64>, tensor<i64>) -> tensor<40xf64>
    scf.yield %w : tensor<40xf64>
  }
  return %r : tensor<40xf64>
}

// -----

// Each iteration cuts the sums at another place.
// CHECK-LABEL: func.func @cut_sums
// CHECK: scf.for
// CHECK: weft.contract
func.func @cut_sums(%x: tensor<10x10xf64>, %y: tensor<10x10xf64>, %b: tensor<10x10xf64>) -> tensor<10x10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ten = arith.constant 10 : index
  %r = scf.for %j = %zero to %ten step %one iter_args(%a = %b) -> tensor<10x10xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %first = "weft.dynamic_slice"(%row, %i) {start = array<i64: 0>, start_axes = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 10>, stop_axes = array<i64>} : (tensor<10xf64>, tensor<i64>) -> tensor<?xf64>
    %rest = "weft.dynamic_slice"(%y, %i) {start = array<i64: 0, 0>, start_axes = array<i64: 0>, step = array<i64: 1, 1>, stop = array<i64: 10, 10>, stop_axes = array<i64>} : (tensor<10x10xf64>, tensor<i64>) -> tensor<?x10xf64>
    %p = "weft.contract"(%first, %rest) {spec = "a,ab->b"} : (tensor<?xf64>, tensor<?x10xf64>) -> tensor<10xf64>
    %w = "weft.scatter"(%a, %p, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10x10xf64>, tensor<10xf64>, tensor<i64>) -> tensor<10x10xf64>
    scf.yield %w : tensor<10x10xf64>
  }
  return %r : tensor<10x10xf64>
}

// -----

// The product would be a hundred times as large as all else.
// CHECK-LABEL: func.func @large
// CHECK: scf.for
// CHECK: weft.contract
func.func @large(%x: tensor<1000x2xf64>, %y: tensor<2x1000xf64>, %b: tensor<1000xf64>) -> tensor<1000xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 1000 : index
  %r = scf.for %j = %zero to %end step %one iter_args(%a = %b) -> tensor<1000xf64> {
    %c = arith.index_cast %j : index to i64
    %i = tensor.from_elements %c : tensor<i64>
    %row = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<1000x2xf64>, tensor<i64>) -> tensor<2xf64>
    %p = "weft.contract"(%row, %y) {spec = "a,ab->b"} : (tensor<2xf64>, tensor<2x1000xf64>) -> tensor<1000xf64>
    %w = "weft.add"(%a, %p) : (tensor<1000xf64>, tensor<1000xf64>) -> tensor<1000xf64>
    scf.yield %w : tensor<1000xf64>
  }
  return %r : tensor<1000xf64>
}

// -----

// Vectors that are computed of each row, and a part of a matrix that a number multiplies: both are computed for all before
// the loop.
// CHECK-LABEL: func.func @scaled
// CHECK-SAME: (%[[X:.*]]: tensor<10x12xf64>, %[[Y:.*]]: tensor<10x12xf64>, %[[S:.*]]: tensor<f64>,
// CHECK-DAG: %[[ROOTS:.*]] = "weft.sqrt"(%[[X]])
// CHECK-DAG: %[[SCALED:.*]] = "weft.multiply"(%[[Y]], %[[S]])
// CHECK: %[[ALL:.*]] = "weft.contract"(%[[ROOTS]], %[[SCALED]]) {spec = "ac,bc->ab"}
// CHECK: scf.for
// CHECK-NOT: weft.contract
// CHECK: "weft.gather"(%[[ALL]],
// CHECK: weft.dynamic_slice
func.func @scaled(%x: tensor<10x12xf64>, %y: tensor<10x12xf64>, %s: tensor<f64>, %c: tensor<10x10xf64>) -> tensor<10x10xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %end = arith.constant 10 : index
  %next = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %j = %zero to %end step %one iter_args(%a = %c) -> tensor<10x10xf64> {
    %d = arith.index_cast %j : index to i64
    %i = tensor.from_elements %d : tensor<i64>
    %n = "weft.add"(%i, %next) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %row = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x12xf64>, tensor<i64>) -> tensor<12xf64>
    %roots = "weft.sqrt"(%row) : (tensor<12xf64>) -> tensor<12xf64>
    %part = "weft.dynamic_slice"(%y, %n) {start = array<i64: 0, 0>, start_axes = array<i64>, step = array<i64: 1, 1>, stop = array<i64: 0, 9223372036854775807>, stop_axes = array<i64: 0>} : (tensor<10x12xf64>, tensor<i64>) -> tensor<?x12xf64>
    %scaled = "weft.multiply"(%part, %s) : (tensor<?x12xf64>, tensor<f64>) -> tensor<?x12xf64>
    %p = "weft.contract"(%scaled, %roots) {spec = "ab,b->a"} : (tensor<?x12xf64>, tensor<12xf64>) -> tensor<?xf64>
    %old = "weft.gather"(%a, %i) {axes = array<i64: 0>, position = 0 : i64} : (tensor<10x10xf64>, tensor<i64>) -> tensor<10xf64>
    %new = "weft.dynamic_slice_update"(%old, %p, %n) {start = array<i64: 0>, start_axes = array<i64>, step = array<i64: 1>, stop = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<?xf64>, tensor<i64>) -> tensor<10xf64>
    %w = "weft.scatter"(%a, %new, %i) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<10x10xf64>, tensor<10xf64>, tensor<i64>) -> tensor<10x10xf64>
    scf.yield %w : tensor<10x10xf64>
  }
  return %r : tensor<10x10xf64>
}
