// RUN: weft-opt %s --convert-weft-to-linalg --weft-fuse-elementwise --canonicalize --cse --split-input-file | filecheck %s
// RUN: weft-opt %s --convert-weft-to-linalg --weft-fuse-elementwise="max-ops=3" --split-input-file | filecheck %s --check-prefix=SHORT

// A chain is one loop nest; an input that is read twice is one input; constants become scalars.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[Y]] : tensor<8xf32>, tensor<8xf32>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[PRODUCT:.*]] = arith.mulf %[[A]], %[[TWO]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[PRODUCT]], %[[B]]
// CHECK-NEXT: %[[RESULT:.*]] = arith.subf %[[SUM]], %[[A]]
// CHECK-NEXT: linalg.yield %[[RESULT]]
// CHECK-NOT: linalg.generic
func.func @chain(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %two = "weft.constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "weft.multiply"(%x, %two) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = "weft.add"(%0, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = "weft.subtract"(%1, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// A producer with several uses in one group is computed once.
// CHECK-LABEL: func.func @square
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[Y]] :
// CHECK: %[[D:.*]] = arith.subf
// CHECK-NEXT: %[[S:.*]] = arith.mulf %[[D]], %[[D]]
// CHECK-NEXT: linalg.yield %[[S]]
func.func @square(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "weft.subtract"(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = "weft.multiply"(%0, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A producer that something outside the group uses stays: it is not computed twice.
// CHECK-LABEL: func.func @used_elsewhere
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: %[[S:.*]] = linalg.generic
// CHECK-SAME: ins(%[[E]],
// CHECK: arith.addf
// CHECK: return %[[E]], %[[S]]
func.func @used_elsewhere(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = "weft.exp"(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "weft.add"(%0, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The consumer may be a reduction; what combines stays the last op.
// CHECK-LABEL: func.func @reduction
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf64>, %[[Y:.*]]: tensor<4x8xf64>)
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK-SAME: ins(%[[X]], %[[Y]] :
// CHECK-NEXT: ^bb0(%[[A:.*]]: f64, %[[B:.*]]: f64, %[[OUT:.*]]: f64):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[OUT]], %[[P]]
// CHECK-NEXT: linalg.yield %[[S]]
func.func @reduction(%x: tensor<4x8xf64>, %y: tensor<4x8xf64>) -> tensor<4xf64> {
  %0 = "weft.multiply"(%x, %y) : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %1 = "weft.sum"(%0) {axes = array<i64: 1>, keepdims = false} : (tensor<4x8xf64>) -> tensor<4xf64>
  return %1 : tensor<4xf64>
}

// -----

// An input that tells how long a reduction runs is not taken away.
// CHECK-LABEL: func.func @sum_of_ones
// CHECK: %[[ONES:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<4x8xf64>)
// CHECK: linalg.generic {{.*}} ins(%[[ONES]] :
func.func @sum_of_ones() -> tensor<4xf64> {
  %one = "weft.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "weft.broadcast_to"(%one) {shape = array<i64: 4, 8>} : (tensor<f64>) -> tensor<4x8xf64>
  %1 = "weft.sum"(%0) {axes = array<i64: 1>, keepdims = false} : (tensor<4x8xf64>) -> tensor<4xf64>
  return %1 : tensor<4xf64>
}

// -----

// Filled tensors are scalars wherever they are read, however often.
// CHECK-LABEL: func.func @filled
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf64>)
// CHECK: linalg.generic {{.*}} ins(%[[X]] :
// CHECK: math.exp
// CHECK: arith.addf %{{.*}}, %[[ONE:cst.*]] : f64
// CHECK: linalg.generic {{.*}} ins(%{{[^,]*}} :
// CHECK: arith.mulf %{{.*}}, %[[ONE]] : f64
// CHECK-NOT: linalg.generic
func.func @filled(%x: tensor<4x8xf64>) -> (tensor<4x8xf64>, tensor<4x8xf64>) {
  %one = "weft.constant"() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "weft.broadcast_to"(%one) {shape = array<i64: 4, 8>} : (tensor<f64>) -> tensor<4x8xf64>
  %1 = "weft.exp"(%x) : (tensor<4x8xf64>) -> tensor<4x8xf64>
  %2 = "weft.add"(%1, %0) : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  %3 = "weft.multiply"(%2, %0) : (tensor<4x8xf64>, tensor<4x8xf64>) -> tensor<4x8xf64>
  return %2, %3 : tensor<4x8xf64>, tensor<4x8xf64>
}

// -----

// Cheap work is repeated where it is broadcast; expensive work only where the inner loop does not repeat it.
// CHECK-LABEL: func.func @broadcast
// CHECK: linalg.generic {{.*}} outs({{.*}} : tensor<8xf32>)
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: arith.negf
// CHECK: return
func.func @broadcast(%x: tensor<4x8xf32>, %row: tensor<8xf32>, %column: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %0 = "weft.exp"(%row) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "weft.exp"(%column) : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %2 = "weft.negative"(%row) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = "weft.multiply"(%x, %0) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = "weft.multiply"(%3, %1) : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %5 = "weft.multiply"(%4, %2) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// Reshapes that add axes of extent 1 are looked through: the quotient reads the sums themselves.
// CHECK-LABEL: func.func @keepdims
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK-NOT: tensor.expand_shape
// CHECK: linalg.generic
// CHECK-SAME: %[[SUM]]
// CHECK: arith.divf
func.func @keepdims(%x: tensor<4x8xf64>) -> tensor<4x8xf64> {
  %0 = "weft.sum"(%x) {axes = array<i64: 1>, keepdims = true} : (tensor<4x8xf64>) -> tensor<4x1xf64>
  %1 = "weft.divide"(%x, %0) : (tensor<4x8xf64>, tensor<4x1xf64>) -> tensor<4x8xf64>
  return %1 : tensor<4x8xf64>
}

// -----

// Contractions have a schedule of their own and keep their operands.
// CHECK-LABEL: func.func @contraction
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: arith.negf
// CHECK: linalg.{{.*}} ins(%[[A]],
func.func @contraction(%x: tensor<4x8xf32>, %y: tensor<8x5xf32>) -> tensor<4x5xf32> {
  %0 = "weft.negative"(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = "weft.matmul"(%0, %y) : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// Booleans are i8 in memory between two loops, and i1 in one (the casts cancel in canonicalization).
// CHECK-LABEL: func.func @mask
// CHECK: linalg.generic
// CHECK: %[[C:.*]] = arith.cmpf
// CHECK-NOT: i8
// CHECK: arith.select %[[C]]
func.func @mask(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "weft.greater"(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  %1 = "weft.select"(%0, %x, %y) : (tensor<8xi1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Two uses at two places would compute two elements for each: not fused.
// CHECK-LABEL: func.func @two_places
// CHECK: linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic
// CHECK: arith.addf
func.func @two_places(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = "weft.exp"(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tensor.empty() : tensor<4x4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%1 : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// -----

// Unknown sizes come from the arguments, not from intermediate results, which may so vanish.
// CHECK-LABEL: func.func @unknown_size
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
func.func @unknown_size(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "weft.negative"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = "weft.exp"(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = "weft.absolute"(%1) : (tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// Long chains are cut: here after three ops.
// CHECK-LABEL: func.func @long
// SHORT-LABEL: func.func @long
// SHORT: linalg.generic
// SHORT-COUNT-2: arith.addf
// SHORT: linalg.yield
// SHORT: linalg.generic
// SHORT-COUNT-3: arith.addf
// SHORT: linalg.yield
// SHORT-NOT: linalg.generic
func.func @long(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "weft.add"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = "weft.add"(%0, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = "weft.add"(%1, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = "weft.add"(%2, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = "weft.add"(%3, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %4 : tensor<8xf32>
}

// -----

// A formula of many terms, which do not wait for each other, is not.
// CHECK-LABEL: func.func @wide
// SHORT-LABEL: func.func @wide
// SHORT: linalg.generic
// SHORT-NOT: linalg.yield
// SHORT: arith.subf
// SHORT-COUNT-3: arith.addf
// SHORT: linalg.yield
// SHORT-NOT: linalg.generic
func.func @wide(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "weft.subtract"(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = "weft.multiply"(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %2 = "weft.multiply"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %3 = "weft.add"(%y, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = "weft.multiply"(%0, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %5 = "weft.add"(%2, %3) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %6 = "weft.add"(%4, %5) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %6 : tensor<8xf32>
}

// -----

// An axis of extent 1 that a reduction runs over is not taken away either.
// SHORT-LABEL: func.func @largest_of_one
// CHECK-LABEL: func.func @largest_of_one
// CHECK: %[[ONE:.*]] = tensor.expand_shape
// CHECK: linalg.generic {{.*}} ins(%[[ONE]] :
func.func @largest_of_one(%x: tensor<f64>) -> tensor<i64> {
  %0 = "weft.reshape"(%x) {shape = array<i64: 1>} : (tensor<f64>) -> tensor<1xf64>
  %1 = "weft.argmax"(%0) {axis = 0 : i64, keepdims = false} : (tensor<1xf64>) -> tensor<i64>
  return %1 : tensor<i64>
}

// -----

// Blocks of branches and loops are fused on their own; a constant in front of them is a scalar there, too. What is
// computed in front of a loop stays there, and what a loop carries is computed.
// CHECK-LABEL: func.func @in_loop
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %[[Y:.*]]: tensor<8xf32>
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK: %[[BEFORE:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[Y]] : tensor<8xf32>, tensor<8xf32>)
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]])
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[BEFORE]] : tensor<8xf32>, tensor<8xf32>)
// CHECK: arith.mulf %{{.*}}, %[[TWO]]
// CHECK-NEXT: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @in_loop(%x: tensor<8xf32>, %y: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = "weft.constant"() {value = dense<2.0> : tensor<8xf32>} : () -> tensor<8xf32>
  %before = "weft.multiply"(%x, %y) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %p = "weft.multiply"(%a, %two) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %s = "weft.add"(%p, %before) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
