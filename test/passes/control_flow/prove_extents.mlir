// RUN: weft-opt %s --prove-extents | filecheck %s

// x[i : i + 5] and x[5 - i : 8 - i] for i in range(6) have five and three elements of ten in all iterations.
// CHECK-LABEL: func.func @moving
// CHECK: scf.for
// CHECK: %[[FIVE:.*]] = "weft.constant"() {value = dense<5>
// CHECK: %[[THREE:.*]] = "weft.constant"() {value = dense<3>
// CHECK: "weft.add"(%[[FIVE]], %[[THREE]])
func.func @moving(%x: tensor<10xf64>) -> tensor<i64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6 : index
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c5 = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %c8 = "weft.constant"() {value = dense<8> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %zero to %six step %one iter_args(%a = %c0) -> tensor<i64> {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %end = "weft.add"(%i, %c5) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %up = "weft.dynamic_slice"(%x, %i, %end) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>
    %n = "weft.dim"(%up) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %start = "weft.subtract"(%c5, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %stop = "weft.subtract"(%c8, %i) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %down = "weft.dynamic_slice"(%x, %start, %stop) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<10xf64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>
    %m = "weft.dim"(%down) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %nm = "weft.add"(%n, %m) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = "weft.add"(%a, %nm) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %s : tensor<i64>
  }
  return %r : tensor<i64>
}

// x[i : i + 5] of nine elements ends before i + 5 at last, x[i - 1 : i + 1] begins at the end of x at first, and
// x[2 : i] grows.
// CHECK-LABEL: func.func @others
// CHECK: scf.for
// CHECK: %[[N:.*]] = "weft.dim"
// CHECK: %[[M:.*]] = "weft.dim"
// CHECK: %[[L:.*]] = "weft.dim"
// CHECK: %[[NM:.*]] = "weft.add"(%[[N]], %[[M]])
// CHECK: "weft.add"(%[[NM]], %[[L]])
func.func @others(%x: tensor<9xf64>) -> tensor<i64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %six = arith.constant 6 : index
  %c0 = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %c1 = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %c5 = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %r = scf.for %k = %zero to %six step %one iter_args(%a = %c0) -> tensor<i64> {
    %ki = arith.index_cast %k : index to i64
    %i = tensor.from_elements %ki : tensor<i64>
    %end = "weft.add"(%i, %c5) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %up = "weft.dynamic_slice"(%x, %i, %end) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<9xf64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>
    %n = "weft.dim"(%up) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %start = "weft.subtract"(%i, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %stop = "weft.add"(%i, %c1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %around = "weft.dynamic_slice"(%x, %start, %stop) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<9xf64>, tensor<i64>, tensor<i64>) -> tensor<?xf64>
    %m = "weft.dim"(%around) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %more = "weft.dynamic_slice"(%x, %i) {start = array<i64: 2>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<9xf64>, tensor<i64>) -> tensor<?xf64>
    %l = "weft.dim"(%more) {axis = 0} : (tensor<?xf64>) -> tensor<i64>
    %nm = "weft.add"(%n, %m) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %nml = "weft.add"(%nm, %l) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %s = "weft.add"(%a, %nml) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    scf.yield %s : tensor<i64>
  }
  return %r : tensor<i64>
}
