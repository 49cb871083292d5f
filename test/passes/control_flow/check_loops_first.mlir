// RUN: weft-opt %s --check-loops-first --split-input-file | filecheck %s

// All indices are looked at before the loop. If one is out of bounds, the loop checks those of each iteration, else none.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%{{.*}}: tensor<65xi64>, %[[COLUMNS:.*]]: tensor<400xui32>
// CHECK: %[[WIDE:.*]] = "weft.cast"(%[[COLUMNS]]) {dtype = i64}
// CHECK: %[[FOUND:.*]]:2 = "weft.find_out_of_bounds"(%[[WIDE]], %{{.*}})
// CHECK: %[[NONE:.*]] = "weft.logical_not"(%[[FOUND]]#0)
// CHECK: %[[HOLDS:.*]] = tensor.extract %[[NONE]][]
// CHECK: scf.if %[[HOLDS]]
// CHECK: scf.for
// CHECK-NOT: weft.find_out_of_bounds
// CHECK-NOT: weft.raise_if
// CHECK: } else {
// CHECK: scf.for
// CHECK: weft.find_out_of_bounds
// CHECK: weft.raise_if
// CHECK: weft.gather
// CHECK: return
func.func @rows(%starts: tensor<65xi64>, %columns: tensor<400xui32>, %x: tensor<50xf64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 64 : index
  %s = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %s) -> tensor<f64> {
    %i = arith.index_cast %k : index to i64
    %t = tensor.from_elements %i : tensor<i64>
    %start = "weft.gather"(%starts, %t) {axes = array<i64: 0>, position = 0 : i64} : (tensor<65xi64>, tensor<i64>) -> tensor<i64>
    %row = "weft.dynamic_slice"(%columns, %start) {start = array<i64: 0>, start_axes = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 9223372036854775807>, stop_axes = array<i64>} : (tensor<400xui32>, tensor<i64>) -> tensor<?xui32>
    %wide = "weft.cast"(%row) {dtype = i64} : (tensor<?xui32>) -> tensor<?xi64>
    %extent = "weft.constant"() {value = dense<50> : tensor<i64>} : () -> tensor<i64>
    %f:2 = "weft.find_out_of_bounds"(%wide, %extent) : (tensor<?xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%f#0, %f#1, %extent) {error = "IndexError", message = "{0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %v = "weft.gather"(%x, %wide) {axes = array<i64: 0>, position = 0 : i64} : (tensor<50xf64>, tensor<?xi64>) -> tensor<?xf64>
    %w = "weft.sum"(%v) {axes = array<i64: 0>, keepdims = false} : (tensor<?xf64>) -> tensor<f64>
    %next = "weft.add"(%sum, %w) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %next : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// How many indices and iterations there are is known at run time: too many indices for the iterations are not looked at.
// CHECK-LABEL: func.func @unknown
// CHECK-SAME: (%[[ROWS:.*]]: tensor<?x8xi64>
// CHECK-DAG: %[[RUNS:.*]] = "weft.less"(%{{.*}}, %{{.*}})
// CHECK-DAG: %[[MOST:.*]] = "weft.multiply"(%{{.*}}, %{{.*}})
// CHECK-DAG: "weft.dim"(%[[ROWS]]) {axis = 0 : i64}
// CHECK: %[[FEW:.*]] = "weft.greater_equal"(%[[MOST]], %{{.*}})
// CHECK: "weft.logical_and"(%[[RUNS]], %[[FEW]])
// CHECK: %[[HOLDS:.*]] = scf.if
// CHECK: "weft.find_out_of_bounds"(%[[ROWS]], %{{.*}})
// CHECK: } else {
// CHECK: scf.if %[[HOLDS]]
// CHECK-NOT: weft.raise_if
// CHECK: } else {
// CHECK: weft.raise_if
// CHECK: return
func.func @unknown(%rows: tensor<?x8xi64>, %x: tensor<?xf64>, %nt: tensor<i64>) -> tensor<8xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %extent = "weft.dim"(%x) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  %s = "weft.constant"() {value = dense<0.0> : tensor<8xf64>} : () -> tensor<8xf64>
  %r = scf.for %k = %zero to %n step %one iter_args(%sum = %s) -> tensor<8xf64> {
    %i = arith.index_cast %k : index to i64
    %t = tensor.from_elements %i : tensor<i64>
    %row = "weft.gather"(%rows, %t) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?x8xi64>, tensor<i64>) -> tensor<8xi64>
    %f:2 = "weft.find_out_of_bounds"(%row, %extent) : (tensor<8xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%f#0, %f#1, %extent) {error = "IndexError", message = "{0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %v = "weft.gather"(%x, %row) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<8xi64>) -> tensor<8xf64>
    %next = "weft.add"(%sum, %v) : (tensor<8xf64>, tensor<8xf64>) -> tensor<8xf64>
    scf.yield %next : tensor<8xf64>
  }
  return %r : tensor<8xf64>
}

// -----

// Not where indices are computed, change in the loop, or are far more than iterations could look at.
// CHECK-LABEL: func.func @none
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-COUNT-3: weft.raise_if
// CHECK-NOT: weft.raise_if
func.func @none(%rows: tensor<4x8xi64>, %long: tensor<100000xi64>, %x: tensor<50xf64>) -> tensor<4x8xi64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %extent = "weft.constant"() {value = dense<50> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %zero to %n step %one iter_args(%now = %rows) -> tensor<4x8xi64> {
    %i = arith.index_cast %k : index to i64
    %t = tensor.from_elements %i : tensor<i64>
    %row = "weft.gather"(%rows, %t) {axes = array<i64: 0>, position = 0 : i64} : (tensor<4x8xi64>, tensor<i64>) -> tensor<8xi64>
    %computed = "weft.add"(%row, %row) : (tensor<8xi64>, tensor<8xi64>) -> tensor<8xi64>
    %changing = "weft.gather"(%now, %t) {axes = array<i64: 0>, position = 0 : i64} : (tensor<4x8xi64>, tensor<i64>) -> tensor<8xi64>
    %part = "weft.slice"(%long) {start = array<i64: 5>, stop = array<i64: 9>, step = array<i64: 1>} : (tensor<100000xi64>) -> tensor<4xi64>
    %a:2 = "weft.find_out_of_bounds"(%computed, %extent) : (tensor<8xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%a#0, %a#1, %extent) {error = "IndexError", message = "{0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %b:2 = "weft.find_out_of_bounds"(%changing, %extent) : (tensor<8xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%b#0, %b#1, %extent) {error = "IndexError", message = "{0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %c:2 = "weft.find_out_of_bounds"(%part, %extent) : (tensor<4xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%c#0, %c#1, %extent) {error = "IndexError", message = "{0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %next = "weft.scatter"(%now, %computed, %t) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<4x8xi64>, tensor<8xi64>, tensor<i64>) -> tensor<4x8xi64>
    scf.yield %next : tensor<4x8xi64>
  }
  return %r : tensor<4x8xi64>
}

// -----

// An index is largest where the counters are: all iterations of both loops are asked for at once. What the unchecked
// copy writes is carried, as nothing in it ends the call.
// CHECK-LABEL: func.func @sums
// CHECK-SAME: (%[[A:.*]]: tensor<?x?xf64>, %[[C:.*]]: !weft.ref<tensor<?xf64>>, %[[K:.*]]: tensor<i64>)
// CHECK-DAG: %[[LARGEST:.*]] = "weft.constant"() {value = dense<2147483648> : tensor<i64>}
// CHECK-DAG: "weft.less_equal"(%[[K]], %[[LARGEST]])
// CHECK: scf.if
// CHECK-NEXT: "weft.read_ref"(%[[C]])
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: "weft.write_ref"(%[[C]]
// CHECK: } else {
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: "weft.write_ref"(%[[C]]
func.func @sums(%a: tensor<?x?xf64>, %c: !weft.ref<tensor<?xf64>>, %k: tensor<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %dn = "weft.dim"(%a) {axis = 0 : i64} : (tensor<?x?xf64>) -> tensor<i64>
  %dm = "weft.dim"(%a) {axis = 1 : i64} : (tensor<?x?xf64>) -> tensor<i64>
  %before = "weft.read_ref"(%c) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
  %extent = "weft.dim"(%before) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  %sn = tensor.extract %dn[] : tensor<i64>
  %n = arith.index_cast %sn : i64 to index
  %sm = tensor.extract %dm[] : tensor<i64>
  %m = arith.index_cast %sm : i64 to index
  scf.for %ki = %zero to %n step %one {
    %ci = arith.index_cast %ki : index to i64
    %i = tensor.from_elements %ci : tensor<i64>
    %at = "weft.add"(%i, %k) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.for %kj = %zero to %m step %one {
      %cj = arith.index_cast %kj : index to i64
      %j = tensor.from_elements %cj : tensor<i64>
      %f:2 = "weft.find_out_of_bounds"(%at, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
      "weft.raise_if"(%f#0, %f#1, %extent) {error = "IndexError", message = "{0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
      %now = "weft.read_ref"(%c) : (!weft.ref<tensor<?xf64>>) -> tensor<?xf64>
      %x = "weft.gather"(%a, %i, %j) {axes = array<i64: 0, 1>, position = 0 : i64} : (tensor<?x?xf64>, tensor<i64>, tensor<i64>) -> tensor<f64>
      %y = "weft.gather"(%now, %at) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
      %s = "weft.add"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %w = "weft.scatter"(%now, %s, %at) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
      "weft.write_ref"(%c, %w) : (!weft.ref<tensor<?xf64>>, tensor<?xf64>) -> ()
    }
  }
  return
}

// -----

// Not where an index is read and says what an iteration writes: what else is checked is.
// CHECK-LABEL: func.func @counts
// CHECK-SAME: (%[[LABELS:.*]]: tensor<9xi64>
// CHECK-NOT: "weft.find_out_of_bounds"(%[[LABELS]]
// CHECK: "weft.less"
// CHECK: scf.if
// CHECK: scf.for
// CHECK: "weft.raise_if"({{.*}}message = "of counts
// CHECK-NOT: "weft.raise_if"
// CHECK: } else {
// CHECK: "weft.raise_if"({{.*}}message = "of weights
// CHECK: "weft.raise_if"({{.*}}message = "of counts
func.func @counts(%labels: tensor<9xi64>, %weights: tensor<?xf64>, %counts: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 9 : index
  %extent = "weft.dim"(%counts) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  %few = "weft.dim"(%weights) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  %r = scf.for %k = %zero to %n step %one iter_args(%now = %counts) -> tensor<?xf64> {
    %i = arith.index_cast %k : index to i64
    %t = tensor.from_elements %i : tensor<i64>
    %label = "weft.gather"(%labels, %t) {axes = array<i64: 0>, position = 0 : i64} : (tensor<9xi64>, tensor<i64>) -> tensor<i64>
    %g:2 = "weft.find_out_of_bounds"(%t, %few) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%g#0, %g#1, %few) {error = "IndexError", message = "of weights {0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %w = "weft.gather"(%weights, %t) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %f:2 = "weft.find_out_of_bounds"(%label, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%f#0, %f#1, %extent) {error = "IndexError", message = "of counts {0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %old = "weft.gather"(%now, %label) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
    %sum = "weft.add"(%old, %w) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %next = "weft.scatter"(%now, %sum, %label) {axes = array<i64: 0>, mode = "set", position = 0 : i64} : (tensor<?xf64>, tensor<f64>, tensor<i64>) -> tensor<?xf64>
    scf.yield %next : tensor<?xf64>
  }
  return %r : tensor<?xf64>
}

// -----

// Not where an index goes from iteration to iteration.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: scf.if
// CHECK: weft.raise_if
// CHECK-NOT: scf.if
func.func @carried(%a: tensor<?xi64>) -> tensor<i64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %extent = "weft.dim"(%a) {axis = 0 : i64} : (tensor<?xi64>) -> tensor<i64>
  %s = tensor.extract %extent[] : tensor<i64>
  %n = arith.index_cast %s : i64 to index
  %start = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %zero to %n step %one iter_args(%at = %start) -> tensor<i64> {
    %f:2 = "weft.find_out_of_bounds"(%at, %extent) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
    "weft.raise_if"(%f#0, %f#1, %extent) {error = "IndexError", message = "{0} and {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
    %next = "weft.gather"(%a, %at) {axes = array<i64: 0>, position = 0 : i64} : (tensor<?xi64>, tensor<i64>) -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %r : tensor<i64>
}

// -----

// Sums and products of counters and moderate numbers have 64 bits: that they are is asked before the loop.
// CHECK-LABEL: func.func @ints
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: else
// CHECK-COUNT-2: weft.raise_if
// CHECK-NOT: weft.raise_if
// CHECK: return
func.func @ints(%w: tensor<i64>, %turns: tensor<i64>, %a: tensor<f64>) -> tensor<f64> {
  %t = tensor.extract %turns[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %k = %zero to %n step %one iter_args(%s = %a) -> tensor<f64> {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %0 = "weft.multiply_overflows"(%i, %i) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%0) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %1 = "weft.add_overflows"(%i, %w) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%1) {error = "PythonNumberError", message = "long"} : (tensor<i1>) -> ()
    %2 = "weft.add"(%i, %w) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = "weft.cast"(%2) {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %4 = "weft.add"(%s, %3) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    scf.yield %4 : tensor<f64>
  }
  return %r : tensor<f64>
}

// -----

// A `while` loop counts up to a number from outside: that this is not above a limit is asked before the loop.
// CHECK-LABEL: func.func @counted(
// CHECK-SAME: %[[MOST:[a-z0-9]+]]: tensor<i64>
// CHECK: weft.less_equal"(%[[MOST]],
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NOT: weft.raise_if
// CHECK: else
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: return
func.func @counted(%most: tensor<i64>, %turns: tensor<i64>, %x: tensor<f64>) -> tensor<i32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = tensor.extract %turns[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %limit = "weft.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %four = "weft.constant"() {value = dense<4.0> : tensor<f64>} : () -> tensor<f64>
  %start = "weft.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> tensor<i32> {
    %k, %w = scf.while (%a = %c0, %v = %x) : (tensor<i64>, tensor<f64>) -> (tensor<i64>, tensor<f64>) {
      %less = "weft.less"(%a, %most) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %below = "weft.less"(%v, %four) : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %both = "weft.logical_and"(%less, %below) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %go = tensor.extract %both[] : tensor<i1>
      scf.condition(%go) %a, %v : tensor<i64>, tensor<f64>
    } do {
    ^bb0(%a: tensor<i64>, %v: tensor<f64>):
      %more = "weft.add"(%v, %v) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %next = "weft.add"(%a, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      scf.yield %next, %more : tensor<i64>, tensor<f64>
    }
    %above = "weft.greater"(%k, %limit) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%above, %k) {error = "OverflowError", message = "{0} is too large"} : (tensor<i1>, tensor<i64>) -> ()
    %small = "weft.cast"(%k) {dtype = i32} : (tensor<i64>) -> tensor<i32>
    %sum = "weft.add"(%s, %small) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    scf.yield %sum : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

// What is doubled is not a sum of the number that the test bounds: it is checked in the loop.
// CHECK-LABEL: func.func @doubled(
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: return
func.func @doubled(%most: tensor<i64>, %turns: tensor<i64>, %x: tensor<f64>) -> tensor<i32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = tensor.extract %turns[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %limit = "weft.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %four = "weft.constant"() {value = dense<4.0> : tensor<f64>} : () -> tensor<f64>
  %start = "weft.constant"() {value = dense<0> : tensor<i32>} : () -> tensor<i32>
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %start) -> tensor<i32> {
    %k, %w = scf.while (%a = %c1, %v = %x) : (tensor<i64>, tensor<f64>) -> (tensor<i64>, tensor<f64>) {
      %less = "weft.less"(%a, %most) : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %below = "weft.less"(%v, %four) : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %both = "weft.logical_and"(%less, %below) : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %go = tensor.extract %both[] : tensor<i1>
      scf.condition(%go) %a, %v : tensor<i64>, tensor<f64>
    } do {
    ^bb0(%a: tensor<i64>, %v: tensor<f64>):
      %more = "weft.add"(%v, %v) : (tensor<f64>, tensor<f64>) -> tensor<f64>
      %next = "weft.add"(%a, %a) : (tensor<i64>, tensor<i64>) -> tensor<i64>
      scf.yield %next, %more : tensor<i64>, tensor<f64>
    }
    %above = "weft.greater"(%k, %limit) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    "weft.raise_if"(%above, %k) {error = "OverflowError", message = "{0} is too large"} : (tensor<i1>, tensor<i64>) -> ()
    %small = "weft.cast"(%k) {dtype = i32} : (tensor<i64>) -> tensor<i32>
    %sum = "weft.add"(%s, %small) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    scf.yield %sum : tensor<i32>
  }
  return %r : tensor<i32>
}

// -----

// A comparison of floats counts nothing, whatever its limit is.
// CHECK-LABEL: func.func @floats(
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK: weft.raise_if
// CHECK: return
func.func @floats(%x: tensor<f64>, %turns: tensor<i64>) -> tensor<f64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %t = tensor.extract %turns[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %limit = "weft.constant"() {value = dense<0x7FF0000000000000> : tensor<f64>} : () -> tensor<f64>
  %r = scf.for %i = %zero to %n step %one iter_args(%s = %x) -> tensor<f64> {
    %twice = "weft.add"(%s, %s) : (tensor<f64>, tensor<f64>) -> tensor<f64>
    %above = "weft.greater"(%twice, %limit) : (tensor<f64>, tensor<f64>) -> tensor<i1>
    "weft.raise_if"(%above) {error = "OverflowError", message = "too large"} : (tensor<i1>) -> ()
    scf.yield %twice : tensor<f64>
  }
  return %r : tensor<f64>
}
