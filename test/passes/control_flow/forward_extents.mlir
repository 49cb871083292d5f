// RUN: weft-opt %s --forward-extents --split-input-file | filecheck %s

// What a loop writes into keeps its extent, in an inner loop, too.
// CHECK-LABEL: func.func @updated
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf64>
// CHECK: scf.for
// CHECK: scf.for
// CHECK: "weft.dim"(%[[X]]) {axis = 0 : i64}
// CHECK: weft.scatter
// CHECK: scf.yield
// CHECK: scf.yield
// CHECK: "weft.dim"(%[[X]]) {axis = 0 : i64}
func.func @updated(%x: tensor<?x3xf64>, %nt: tensor<i64>) -> (tensor<?x3xf64>, tensor<i64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %i = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %row = "weft.constant"() {value = dense<1.0> : tensor<3xf64>} : () -> tensor<3xf64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %x) -> tensor<?x3xf64> {
    %q = scf.for %l = %zero to %n step %one iter_args(%b = %a) -> tensor<?x3xf64> {
      %e = "weft.dim"(%b) {axis = 0} : (tensor<?x3xf64>) -> tensor<i64>
      %o, %v = "weft.find_out_of_bounds"(%i, %e) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
      "weft.raise_if"(%o, %v, %e) {error = "IndexError", message = "{0} of {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
      %s = "weft.scatter"(%b, %row, %i) {axes = array<i64: 0>, position = 0, mode = "set"} : (tensor<?x3xf64>, tensor<3xf64>, tensor<i64>) -> tensor<?x3xf64>
      %t = "weft.add"(%s, %row) : (tensor<?x3xf64>, tensor<3xf64>) -> tensor<?x3xf64>
      scf.yield %t : tensor<?x3xf64>
    }
    scf.yield %q : tensor<?x3xf64>
  }
  %m = "weft.dim"(%r) {axis = 0} : (tensor<?x3xf64>) -> tensor<i64>
  return %r, %m : tensor<?x3xf64>, tensor<i64>
}

// -----

// So do a while loop and a branch.
// CHECK-LABEL: func.func @in_while
// CHECK-SAME: (%[[X:.*]]: tensor<?xf64>
// CHECK: scf.while
// CHECK: scf.if
// CHECK: "weft.dim"(%[[X]])
// CHECK: return
func.func @in_while(%x: tensor<?xf64>, %c: tensor<i1>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<i64>) {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %cb = tensor.extract %c[] : tensor<i1>
  %r:2 = scf.while (%a = %x, %i = %zero) : (tensor<?xf64>, tensor<i64>) -> (tensor<?xf64>, tensor<i64>) {
    %d = "weft.less"(%i, %n) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %a, %i : tensor<?xf64>, tensor<i64>
  } do {
  ^bb0(%a: tensor<?xf64>, %i: tensor<i64>):
    %i1 = "weft.add"(%i, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %f = scf.if %cb -> tensor<?xf64> {
      %0 = "weft.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
      scf.yield %0 : tensor<?xf64>
    } else {
      scf.yield %a : tensor<?xf64>
    }
    scf.yield %f, %i1 : tensor<?xf64>, tensor<i64>
  }
  %m = "weft.dim"(%r#0) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  return %r#0, %m : tensor<?xf64>, tensor<i64>
}

// -----

// An array that grows has its own extent, and so has what is chosen from two.
// CHECK-LABEL: func.func @growing
// CHECK: %[[R:.*]]:2 = scf.for
// CHECK-SAME: iter_args(%[[A:[^ ]*]] =
// CHECK: "weft.dim"(%[[A]])
// CHECK: %[[Q:.*]] = scf.if
// CHECK: "weft.dim"(%[[R]]#0)
// CHECK: "weft.dim"(%[[Q]])
func.func @growing(%x: tensor<?xf64>, %y: tensor<?xf64>, %nt: tensor<i64>, %c: tensor<i1>) -> (tensor<i64>, tensor<i64>, tensor<?xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %ns = tensor.extract %nt[] : tensor<i64>
  %n = arith.index_cast %ns : i64 to index
  %z = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%a = %x, %s = %z) -> (tensor<?xf64>, tensor<i64>) {
    %e = "weft.dim"(%a) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %t = "weft.add"(%s, %e) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %b = "weft.concat"(%a, %y) {axis = 0} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    scf.yield %b, %t : tensor<?xf64>, tensor<i64>
  }
  %cb = tensor.extract %c[] : tensor<i1>
  %q = scf.if %cb -> tensor<?xf64> {
    scf.yield %x : tensor<?xf64>
  } else {
    scf.yield %r#0 : tensor<?xf64>
  }
  %m = "weft.dim"(%r#0) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %l = "weft.dim"(%q) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  %sum = "weft.add"(%m, %r#1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %sum, %l, %q : tensor<i64>, tensor<i64>, tensor<?xf64>
}

// -----

// What becomes shorter in every iteration has the extent that it has.
// CHECK-LABEL: func.func @shorter
// CHECK: %[[R:.*]] = scf.while
// CHECK: "weft.dim"(%[[A:.*]]) {axis = 0 : i64}
// CHECK: scf.condition(%{{.*}}) %[[A]]
// CHECK: ^bb0(%[[B:.*]]: tensor<?xf64>):
// CHECK: "weft.dim"(%[[B]]) {axis = 0 : i64}
// CHECK: "weft.dim"(%[[R]]) {axis = 0 : i64}
func.func @shorter(%x: tensor<?xf64>, %n: tensor<i64>) -> (tensor<?xf64>, tensor<i64>) {
  %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %least = "weft.maximum"(%n, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %r = scf.while (%a = %x) : (tensor<?xf64>) -> tensor<?xf64> {
    %e = "weft.dim"(%a) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %d = "weft.less"(%least, %e) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %b = tensor.extract %d[] : tensor<i1>
    scf.condition(%b) %a : tensor<?xf64>
  } do {
  ^bb0(%a: tensor<?xf64>):
    %e = "weft.dim"(%a) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %h = "weft.floor_divide"(%e, %two) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = "weft.dynamic_slice"(%a, %h) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<?xf64>, tensor<i64>) -> tensor<?xf64>
    scf.yield %s : tensor<?xf64>
  }
  %m = "weft.dim"(%r) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
  return %r, %m : tensor<?xf64>, tensor<i64>
}

// -----

// What an op says of its extents is enough: rows of a product, what a reduction leaves, and a number that gives a shape.
// CHECK-LABEL: func.func @computed
// CHECK-SAME: (%[[X:[^:]*]]: tensor<?x3xf64>
// CHECK: %[[N:.*]] = "weft.maximum"
// CHECK: %[[ROWS:.*]] = "weft.dim"(%[[X]]) {axis = 0 : i64}
// CHECK: return %[[ROWS]], %[[N]]
func.func @computed(%x: tensor<?x3xf64>, %n: tensor<i64>, %w: tensor<3x2xf64>, %c: tensor<i1>) -> (tensor<i64>, tensor<i64>) {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %k = "weft.maximum"(%n, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %cb = tensor.extract %c[] : tensor<i1>
  %y = scf.if %cb -> tensor<?x3xf64> {
    %z = "weft.negative"(%x) : (tensor<?x3xf64>) -> tensor<?x3xf64>
    scf.yield %z : tensor<?x3xf64>
  } else {
    scf.yield %x : tensor<?x3xf64>
  }
  %p = "weft.matmul"(%y, %w) : (tensor<?x3xf64>, tensor<3x2xf64>) -> tensor<?x2xf64>
  %s = "weft.sum"(%p) {axes = array<i64: 1>, keepdims = false} : (tensor<?x2xf64>) -> tensor<?xf64>
  %rows = "weft.dim"(%s) {axis = 0 : i64} : (tensor<?xf64>) -> tensor<i64>
  %r = "weft.broadcast_to"(%s, %k, %rows) {shape = array<i64: -1, -1>} : (tensor<?xf64>, tensor<i64>, tensor<i64>) -> tensor<?x?xf64>
  %m = "weft.dim"(%r) {axis = 0 : i64} : (tensor<?x?xf64>) -> tensor<i64>
  return %rows, %m : tensor<i64>, tensor<i64>
}
