// RUN: weft-opt %s --weft-simplify | filecheck %s
// RUN: weft-opt %s --weft-simplify --mlir-pass-statistics -o %t 2>&1 | filecheck %s --check-prefix=STATISTICS

// test_simplify_patterns.py runs every pattern on every dtype; these are compositions.

// STATISTICS: Pass statistics report
// STATISTICS: weft-simplify
// STATISTICS: (S) 1 compare_with_itself
// STATISTICS: (S) 1 transpose_nothing

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %zero = "weft.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "weft.multiply"(%x, %one) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "weft.subtract"(%0, %zero) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %2 = "weft.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = "weft.negative"(%2) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = "weft.negative"(%3) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %5 = "weft.transpose"(%4) {permutation = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %5 : tensor<2x3xf32>
}

// One rewrite makes another possible: x - x is 0, y + 0 is y, y < y is false.
// CHECK-LABEL: func.func @cascade
// CHECK-NEXT: %[[F:.*]] = "weft.constant"() {value = dense<false> : tensor<i1>}
// CHECK-NEXT: %[[R:.*]] = "weft.broadcast_to"(%[[F]]) {shape = array<i64: 4>}
// CHECK-NEXT: return %[[R]]
func.func @cascade(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi1> {
  %0 = "weft.subtract"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = "weft.add"(%y, %0) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = "weft.less"(%1, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return %2 : tensor<4xi1>
}

// Constants of integers meet; floats would be rounded in another way.
// CHECK-LABEL: func.func @constants
// CHECK-SAME: (%[[N:.*]]: tensor<i64>, %[[X:.*]]: tensor<f64>)
// CHECK: %[[A:.*]] = "weft.add"(%[[X]]
// CHECK: %[[B:.*]] = "weft.subtract"(%[[A]]
// CHECK: return %[[N]], %[[B]]
func.func @constants(%n: tensor<i64>, %x: tensor<f64>) -> (tensor<i64>, tensor<f64>) {
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %0 = "weft.add"(%n, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = "weft.subtract"(%0, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %half = "weft.constant"() {value = dense<0.5> : tensor<f64>} : () -> tensor<f64>
  %2 = "weft.add"(%x, %half) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %3 = "weft.subtract"(%2, %half) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %1, %3 : tensor<i64>, tensor<f64>
}

// Division by a power of two is a product; by another number it stays.
// CHECK-LABEL: func.func @division
// CHECK-SAME: (%[[X:.*]]: tensor<4xf64>)
// CHECK-DAG: %[[EIGHTH:.*]] = "weft.constant"() {value = dense<1.250000e-01> : tensor<f64>}
// CHECK-DAG: "weft.multiply"(%[[X]], %[[EIGHTH]])
// CHECK-DAG: "weft.divide"(%[[X]],
func.func @division(%x: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  %eight = "weft.constant"() {value = dense<8.0> : tensor<f64>} : () -> tensor<f64>
  %ten = "weft.constant"() {value = dense<10.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "weft.divide"(%x, %eight) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %1 = "weft.divide"(%x, %ten) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  return %0, %1 : tensor<4xf64>, tensor<4xf64>
}

// Numbers to the power of two are squared, floats to the power of -1 inverted; other powers stay, and so do integers.
// CHECK-LABEL: func.func @powers
// CHECK-SAME: (%[[X:.*]]: tensor<4xf64>, %[[Z:.*]]: tensor<4xcomplex<f32>>, %[[N:.*]]: tensor<4xi64>)
// CHECK-DAG: "weft.reciprocal"(%[[X]])
// CHECK-DAG: "weft.square"(%[[Z]])
// CHECK-DAG: "weft.power"(%[[X]],
// CHECK-DAG: "weft.power"(%[[N]],
func.func @powers(%x: tensor<4xf64>, %z: tensor<4xcomplex<f32>>, %n: tensor<4xi64>)
    -> (tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xf64>, tensor<4xi64>) {
  %minus_one = "weft.constant"() {value = dense<-1.0> : tensor<f64>} : () -> tensor<f64>
  %two = "weft.constant"() {value = dense<(2.0, 0.0)> : tensor<complex<f32>>} : () -> tensor<complex<f32>>
  %half = "weft.constant"() {value = dense<0.5> : tensor<f64>} : () -> tensor<f64>
  %whole = "weft.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %0 = "weft.power"(%x, %minus_one) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %1 = "weft.power"(%z, %two) : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  %2 = "weft.power"(%x, %half) : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
  %3 = "weft.power"(%n, %whole) : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  return %0, %1, %2, %3 : tensor<4xf64>, tensor<4xcomplex<f32>>, tensor<4xf64>, tensor<4xi64>
}

// The transposed product of transposes is a product.
// CHECK-LABEL: func.func @products
// CHECK-SAME: (%[[A:.*]]: tensor<5x2x3xf32>, %[[B:.*]]: tensor<5x3x4xf32>)
// CHECK-NEXT: %[[P:.*]] = "weft.matmul"(%[[A]], %[[B]]) : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
// CHECK-NEXT: return %[[P]]
func.func @products(%a: tensor<5x2x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = "weft.transpose"(%a) {permutation = array<i64: 0, 2, 1>} : (tensor<5x2x3xf32>) -> tensor<5x3x2xf32>
  %1 = "weft.transpose"(%b) {permutation = array<i64: 0, 2, 1>} : (tensor<5x3x4xf32>) -> tensor<5x4x3xf32>
  %2 = "weft.matmul"(%1, %0) : (tensor<5x4x3xf32>, tensor<5x3x2xf32>) -> tensor<5x4x2xf32>
  %3 = "weft.transpose"(%2) {permutation = array<i64: 0, 2, 1>} : (tensor<5x4x2xf32>) -> tensor<5x2x4xf32>
  return %3 : tensor<5x2x4xf32>
}

// Sizes of intermediate results depend on arguments alone.
// CHECK-LABEL: func.func @extents
// CHECK-SAME: (%[[X:.*]]: tensor<?x3xf32>)
// CHECK-NEXT: %[[N:.*]] = "weft.dim"(%[[X]]) {axis = 0 : i64}
// CHECK-NEXT: return %[[N]]
func.func @extents(%x: tensor<?x3xf32>) -> tensor<i64> {
  %0 = "weft.tanh"(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = "weft.transpose"(%0) {permutation = array<i64: 1, 0>} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %2 = "weft.expand_dims"(%1) {axes = array<i64: 0>} : (tensor<3x?xf32>) -> tensor<1x3x?xf32>
  %3 = "weft.dim"(%2) {axis = 2} : (tensor<1x3x?xf32>) -> tensor<i64>
  return %3 : tensor<i64>
}

// A product reads its operand where it is, unless batches broadcast; its result is shared with other users.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: (%[[A:.*]]: tensor<?x2xf32>, %[[B:.*]]: tensor<?x4xf32>, %[[C:.*]]: tensor<2x3x4xf32>)
// CHECK-DAG: "weft.contract"(%[[A]], %[[B]]) {spec = "JI,JK->IK"}
// CHECK-DAG: %[[T:.*]] = "weft.transpose"(%[[C]])
// CHECK-DAG: "weft.matmul"(%[[T]], %{{.*}}) : (tensor<2x4x3xf32>, tensor<3x2xf32>)
// CHECK-DAG: "weft.transpose"(%{{.*}}) {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>)
func.func @transposed(%a: tensor<?x2xf32>, %b: tensor<?x4xf32>, %c: tensor<2x3x4xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>, tensor<2x4x2xf32>) {
  %0 = "weft.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<?x2xf32>) -> tensor<2x?xf32>
  %1 = "weft.matmul"(%0, %b) : (tensor<2x?xf32>, tensor<?x4xf32>) -> tensor<2x4xf32>
  %2 = "weft.transpose"(%1) {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %3 = "weft.constant"() {value = dense<2.0> : tensor<3x2xf32>} : () -> tensor<3x2xf32>
  %4 = "weft.transpose"(%c) {permutation = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %5 = "weft.matmul"(%4, %3) : (tensor<2x4x3xf32>, tensor<3x2xf32>) -> tensor<2x4x2xf32>
  return %1, %2, %5 : tensor<2x4xf32>, tensor<4x2xf32>, tensor<2x4x2xf32>
}

// A constant that widens the shape cannot go.
// CHECK-LABEL: func.func @broadcasting
// CHECK: "weft.multiply"
func.func @broadcasting(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<2x1xf32>} : () -> tensor<2x1xf32>
  %0 = "weft.multiply"(%x, %one) : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Ops with effects keep their order and their operands.
// CHECK-LABEL: func.func @effects
// CHECK: "weft.raise_if"
// CHECK-NEXT: "weft.write_ref"
func.func @effects(%x: tensor<f32>, %ref: !weft.ref<tensor<f32>>, %fails: tensor<i1>) {
  %0 = "weft.negative"(%x) : (tensor<f32>) -> tensor<f32>
  %1 = "weft.negative"(%0) : (tensor<f32>) -> tensor<f32>
  "weft.raise_if"(%fails) {error = "ValueError", message = "no"} : (tensor<i1>) -> ()
  "weft.write_ref"(%ref, %1) : (!weft.ref<tensor<f32>>, tensor<f32>) -> ()
  return
}

// Bounds that are known make a slice; a tensor whose size they decide keeps its type.
// CHECK-LABEL: func.func @bounds_known
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[I:.*]]: tensor<i64>)
// CHECK-DAG: "weft.slice"(%[[X]]) {start = array<i64: 2>, step = array<i64: 1>, stop = array<i64: 9223372036854775807>} : (tensor<?xf32>) -> tensor<?xf32>
// CHECK-DAG: "weft.dynamic_slice"(%[[X]], %[[I]]) {start = array<i64: 0>, start_axes = array<i64: 0>, step = array<i64: 1>, stop = array<i64: 5>, stop_axes = array<i64>}
func.func @bounds_known(%x: tensor<?xf32>, %i: tensor<i64>) -> (tensor<?xf32>, tensor<?xf32>) {
  %two = "weft.constant"() {value = dense<2> : tensor<i64>} : () -> tensor<i64>
  %five = "weft.constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %n = "weft.dim"(%x) {axis = 0} : (tensor<?xf32>) -> tensor<i64>
  %0 = "weft.dynamic_slice"(%x, %two, %n) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<?xf32>, tensor<i64>, tensor<i64>) -> tensor<?xf32>
  %1 = "weft.dynamic_slice"(%x, %i, %five) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<?xf32>, tensor<i64>, tensor<i64>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// An update that does not fit, behind a check of sizes that raises, stays as it is.
// CHECK-LABEL: func.func @bounds_of_another_size
// CHECK: weft.dynamic_slice_update
func.func @bounds_of_another_size(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<3xf32> {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %four = "weft.constant"() {value = dense<4> : tensor<i64>} : () -> tensor<i64>
  %0 = "weft.dynamic_slice_update"(%x, %y, %zero, %four) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64: 0>, stop_axes = array<i64: 0>} : (tensor<3xf32>, tensor<4xf32>, tensor<i64>, tensor<i64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// The extent of another tensor, and of another axis, is a bound like any other.
// CHECK-LABEL: func.func @bounds_unknown
// CHECK-COUNT-2: "weft.dynamic_slice"
// CHECK: return
func.func @bounds_unknown(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %n = "weft.dim"(%y) {axis = 0} : (tensor<?xf32>) -> tensor<i64>
  %m = "weft.dim"(%x) {axis = 1} : (tensor<?x?xf32>) -> tensor<i64>
  %0 = "weft.dynamic_slice"(%x, %n) {start = array<i64: 0, 0>, stop = array<i64: 0, 9223372036854775807>, step = array<i64: 1, 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<?x?xf32>, tensor<i64>) -> tensor<?x?xf32>
  %1 = "weft.dynamic_slice"(%x, %m) {start = array<i64: 0, 0>, stop = array<i64: 0, 9223372036854775807>, step = array<i64: 1, 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<?x?xf32>, tensor<i64>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// A row times a matrix times a column: the vectors are contracted as they are. A batch of them stays a product.
// CHECK-LABEL: func.func @product_of_vectors
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[A:.*]]: tensor<2x1x?xf32>)
// CHECK-DAG: "weft.contract"(%[[X]], %[[Y]]) {spec = "J,J->"} : (tensor<?xf32>, tensor<?xf32>) -> tensor<f32>
// CHECK-DAG: "weft.matmul"(%[[A]],
func.func @product_of_vectors(%x: tensor<?xf32>, %y: tensor<?xf32>, %a: tensor<2x1x?xf32>) -> (tensor<f32>, tensor<2xf32>) {
  %row = "weft.expand_dims"(%x) {axes = array<i64: 0>} : (tensor<?xf32>) -> tensor<1x?xf32>
  %column = "weft.expand_dims"(%y) {axes = array<i64: 1>} : (tensor<?xf32>) -> tensor<?x1xf32>
  %0 = "weft.matmul"(%row, %column) : (tensor<1x?xf32>, tensor<?x1xf32>) -> tensor<1x1xf32>
  %1 = "weft.squeeze"(%0) {axes = array<i64: 0, 1>} : (tensor<1x1xf32>) -> tensor<f32>
  %2 = "weft.matmul"(%a, %column) : (tensor<2x1x?xf32>, tensor<?x1xf32>) -> tensor<2x1x1xf32>
  %3 = "weft.squeeze"(%2) {axes = array<i64: 1, 2>} : (tensor<2x1x1xf32>) -> tensor<2xf32>
  return %1, %3 : tensor<f32>, tensor<2xf32>
}

// -----

// A product in front of a loop is not moved into it, where it would be computed again and again.
// CHECK-LABEL: func.func @outside_of_loop
// CHECK-NEXT: %[[P:.*]] = "weft.matmul"
// CHECK: scf.for
// CHECK-NEXT: "weft.transpose"(%[[P]])
func.func @outside_of_loop(%x: tensor<3x4xf64>, %y: tensor<4x5xf64>, %z: tensor<5x3xf64>, %n: index) -> tensor<5x3xf64> {
  %p = "weft.matmul"(%x, %y) : (tensor<3x4xf64>, tensor<4x5xf64>) -> tensor<3x5xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z) -> tensor<5x3xf64> {
    %t = "weft.transpose"(%p) {permutation = array<i64: 1, 0>} : (tensor<3x5xf64>) -> tensor<5x3xf64>
    %s = "weft.add"(%a, %t) : (tensor<5x3xf64>, tensor<5x3xf64>) -> tensor<5x3xf64>
    scf.yield %s : tensor<5x3xf64>
  }
  return %r : tensor<5x3xf64>
}

// To its own extent nothing is stretched, wherever that was asked for; to another one it is.
// CHECK-LABEL: func.func @stretched
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[Y:.*]]: tensor<?xf32>)
// CHECK-NEXT: %[[M:.*]] = "weft.dim"(%[[Y]])
// CHECK-NEXT: %[[S:.*]] = "weft.stretch"(%[[X]], %[[M]])
// CHECK-NEXT: return %[[X]], %[[S]], %[[M]]
func.func @stretched(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<i64>) {
  %0 = "weft.negative"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %n = "weft.dim"(%0) {axis = 0} : (tensor<?xf32>) -> tensor<i64>
  %m = "weft.dim"(%y) {axis = 0} : (tensor<?xf32>) -> tensor<i64>
  %1 = "weft.stretch"(%x, %n) {shape = array<i64: -1>} : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32>
  %2 = "weft.stretch"(%x, %m) {shape = array<i64: -1>} : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32>
  %3 = "weft.dim"(%2) {axis = 0} : (tensor<?xf32>) -> tensor<i64>
  return %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<i64>
}

// Equal elements are as many as are wanted; what is repeated along another axis only is stretched.
// CHECK-LABEL: func.func @stretched_repetitions
// CHECK-SAME: (%[[C:.*]]: tensor<f32>, %[[X:.*]]: tensor<?xf32>, %[[N:.*]]: tensor<i64>, %[[M:.*]]: tensor<i64>)
// CHECK-NEXT: %[[A:.*]] = "weft.broadcast_to"(%[[C]], %[[M]]) {shape = array<i64: -1>}
// CHECK-NEXT: %[[B:.*]] = "weft.broadcast_to"(%[[X]], %[[N]])
// CHECK-NEXT: %[[S:.*]] = "weft.stretch"(%[[B]], %[[M]])
// CHECK-NEXT: return %[[A]], %[[S]]
func.func @stretched_repetitions(%c: tensor<f32>, %x: tensor<?xf32>, %n: tensor<i64>, %m: tensor<i64>) -> (tensor<?xf32>, tensor<3x?xf32>) {
  %0 = "weft.broadcast_to"(%c, %n) {shape = array<i64: -1>} : (tensor<f32>, tensor<i64>) -> tensor<?xf32>
  %1 = "weft.stretch"(%0, %m) {shape = array<i64: -1>} : (tensor<?xf32>, tensor<i64>) -> tensor<?xf32>
  %2 = "weft.broadcast_to"(%x, %n) {shape = array<i64: 3, -1>} : (tensor<?xf32>, tensor<i64>) -> tensor<3x?xf32>
  %3 = "weft.stretch"(%2, %m) {shape = array<i64: 3, -1>} : (tensor<3x?xf32>, tensor<i64>) -> tensor<3x?xf32>
  return %1, %3 : tensor<?xf32>, tensor<3x?xf32>
}

// An extent is not negative, and its maximum with 0 is itself; that with 1 is not, and neither is that of a number, be it
// one that may be NaN.
// CHECK-LABEL: func.func @maximum_of_extent
// CHECK-SAME: (%[[X:.*]]: tensor<?xf32>, %[[N:.*]]: tensor<i64>, %[[Y:.*]]: tensor<f32>)
// CHECK-NEXT: %[[ZERO:.*]] = "weft.constant"() {value = dense<0>
// CHECK-NEXT: %[[ONE:.*]] = "weft.constant"() {value = dense<1>
// CHECK-NEXT: %[[D:.*]] = "weft.dim"(%[[X]])
// CHECK-NEXT: %[[A:.*]] = "weft.maximum"(%[[D]], %[[ONE]])
// CHECK-NEXT: %[[B:.*]] = "weft.maximum"(%[[N]], %[[ZERO]])
// CHECK: %[[C:.*]] = "weft.maximum"(%[[Y]], %{{.*}})
// CHECK-NEXT: return %[[D]], %[[A]], %[[B]], %[[C]]
func.func @maximum_of_extent(%x: tensor<?xf32>, %n: tensor<i64>, %y: tensor<f32>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>) {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = "weft.constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %d = "weft.dim"(%x) {axis = 0} : (tensor<?xf32>) -> tensor<i64>
  %0 = "weft.maximum"(%zero, %d) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = "weft.maximum"(%d, %one) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %2 = "weft.maximum"(%n, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %nan = "weft.constant"() {value = dense<0x7FC00000> : tensor<f32>} : () -> tensor<f32>
  %3 = "weft.maximum"(%y, %nan) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>
}

// Known powers of integers are products; those of floats, of other integers and large ones stay.
// CHECK-LABEL: func.func @power_of_integers
// CHECK-SAME: (%[[X:.*]]: tensor<4xi32>, %[[Y:.*]]: tensor<4xi32>, %[[Z:.*]]: tensor<4xf32>)
// CHECK: %[[A:.*]] = "weft.square"(%[[X]])
// CHECK-NEXT: %[[B:.*]] = "weft.multiply"(%[[A]], %[[X]])
// CHECK-NEXT: %[[C:.*]] = "weft.square"(%[[B]])
// CHECK-NEXT: %[[D:.*]] = "weft.power"(%[[X]], %[[Y]])
// CHECK-NEXT: %[[E:.*]] = "weft.power"(%[[X]], %{{.*}})
// CHECK-NEXT: %[[F:.*]] = "weft.power"(%[[Z]], %{{.*}})
// CHECK-NEXT: return %[[C]], %[[D]], %[[E]], %[[F]]
func.func @power_of_integers(%x: tensor<4xi32>, %y: tensor<4xi32>, %z: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>) {
  %six = "weft.constant"() {value = dense<6> : tensor<i32>} : () -> tensor<i32>
  %many = "weft.constant"() {value = dense<65> : tensor<i32>} : () -> tensor<i32>
  %three = "weft.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "weft.power"(%x, %six) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %1 = "weft.power"(%x, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = "weft.power"(%x, %many) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  %3 = "weft.power"(%z, %three) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>
}

// -----

// Elements at places that are evenly spaced are a slice; others, and those from the end, are looked up.
// CHECK-LABEL: func.func @evenly_spaced
// CHECK: "weft.slice"(%{{.*}}) {start = array<i64: 0, 6>, step = array<i64: 1, -2>, stop = array<i64: 9223372036854775807, 2>}
// CHECK-COUNT-2: weft.gather
// CHECK-NOT: weft.slice
func.func @evenly_spaced(%x: tensor<?x9xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x2xf32>) {
  %even = "weft.constant"() {value = dense<[6, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
  %odd = "weft.constant"() {value = dense<[6, 4, 3]> : tensor<3xi64>} : () -> tensor<3xi64>
  %end = "weft.constant"() {value = dense<[1, -1]> : tensor<2xi64>} : () -> tensor<2xi64>
  %0 = "weft.gather"(%x, %even) {axes = array<i64: 1>, position = 1 : i64} : (tensor<?x9xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  %1 = "weft.gather"(%x, %odd) {axes = array<i64: 1>, position = 1 : i64} : (tensor<?x9xf32>, tensor<3xi64>) -> tensor<?x3xf32>
  %2 = "weft.gather"(%x, %end) {axes = array<i64: 1>, position = 1 : i64} : (tensor<?x9xf32>, tensor<2xi64>) -> tensor<?x2xf32>
  return %0, %1, %2 : tensor<?x2xf32>, tensor<?x3xf32>, tensor<?x2xf32>
}

// The length of a list of n items, as the extent of its array: it is rounded up by -(x // -1), and kept from below 0 twice.
// CHECK-LABEL: func.func @length_of_repeated_list
// CHECK-SAME: (%[[N:.*]]: tensor<i64>, %[[X:.*]]: tensor<f64>, %[[M:.*]]: tensor<i64>)
// CHECK: %[[A:.*]] = "weft.maximum"(%{{.*}}, %[[N]])
// CHECK: %[[B:.*]] = "weft.maximum"(%[[X]], %{{.*}})
// CHECK-NEXT: %[[C:.*]] = "weft.maximum"(%[[B]], %{{.*}})
// CHECK-NEXT: %[[D:.*]] = "weft.maximum"(%[[A]], %[[M]])
// CHECK-NEXT: return %[[A]], %[[C]], %[[D]]
func.func @length_of_repeated_list(%n: tensor<i64>, %x: tensor<f64>, %m: tensor<i64>) -> (tensor<i64>, tensor<f64>, tensor<i64>) {
  %zero = "weft.constant"() {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %minus = "weft.constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %nil = "weft.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "weft.maximum"(%zero, %n) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %1 = "weft.floor_divide"(%0, %minus) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %2 = "weft.negative"(%1) : (tensor<i64>) -> tensor<i64>
  %3 = "weft.maximum"(%2, %zero) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %4 = "weft.maximum"(%x, %nil) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %5 = "weft.maximum"(%4, %nil) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %6 = "weft.maximum"(%3, %m) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %7 = "weft.maximum"(%6, %m) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  return %3, %5, %7 : tensor<i64>, tensor<f64>, tensor<i64>
}
