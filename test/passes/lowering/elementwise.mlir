// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d0, 0)>

// Broadcasting is in the indexing maps; nothing is copied.
// CHECK-LABEL: func.func @broadcast
// CHECK: %[[ROWS:.*]] = tensor.dim %arg0
// CHECK: tensor.empty(%[[ROWS]]) : tensor<?x3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[COLUMN]], #[[ROW]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK: %[[SUM:.*]] = arith.addf %in, %{{.*}} : f32
// CHECK-NEXT: linalg.yield %[[SUM]]
func.func @broadcast(%x: tensor<?x1xf32>, %y: tensor<3xf32>) -> tensor<?x3xf32> {
  %0 = "weft.add"(%x, %y) : (tensor<?x1xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// Booleans are bytes in memory and bits in arithmetic.
// CHECK-LABEL: func.func @booleans(%arg0: tensor<4xi8>, %arg1: tensor<4xi8>) -> tensor<4xi8>
// CHECK: %[[X:.*]] = arith.cmpi ne, %in, %{{.*}} : i8
// CHECK: %[[Y:.*]] = arith.cmpi ne, %in_{{.*}}, %{{.*}} : i8
// CHECK: %[[AND:.*]] = arith.andi %[[X]], %[[Y]] : i1
// CHECK: %[[BYTE:.*]] = arith.extui %[[AND]] : i1 to i8
// CHECK: linalg.yield %[[BYTE]]
func.func @booleans(%x: tensor<4xi1>, %y: tensor<4xi1>) -> tensor<4xi1> {
  %0 = "weft.logical_and"(%x, %y) : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// The divisor is replaced by 1 where the division would trap: for 0, and for -1, by which it is a negation.
// CHECK-LABEL: func.func @floor_divide
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[Y:in_.*]], %{{.*}} : i32
// CHECK: %[[OVERFLOW:.*]] = arith.cmpi eq, %[[Y]], %{{.*}} : i32
// CHECK: %[[UNSAFE:.*]] = arith.ori %[[ZERO]], %[[OVERFLOW]] : i1
// CHECK: %[[DIVISOR:.*]] = arith.select %[[UNSAFE]], %{{.*}}, %[[Y]] : i32
// CHECK: %[[QUOTIENT:.*]] = arith.divsi %in, %[[DIVISOR]] : i32
// CHECK: %[[NEGATED:.*]] = arith.subi %{{.*}}, %in : i32
// CHECK: arith.select %{{.*}}, %[[NEGATED]], %[[QUOTIENT]] : i32
// CHECK-NOT: arith.floordivsi
func.func @floor_divide(%x: tensor<4xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %0 = "weft.floor_divide"(%x, %y) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// Unsigned integers are signless from here on; the op says which they are.
// CHECK-LABEL: func.func @unsigned(%arg0: tensor<4xi16>
// CHECK: arith.cmpi ult, %in, %{{.*}} : i16
func.func @unsigned(%x: tensor<4xui16>, %y: tensor<4xui16>) -> tensor<4xi1> {
  %0 = "weft.less"(%x, %y) : (tensor<4xui16>, tensor<4xui16>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// Narrow floats are computed in f32 and rounded after each op; bfloat16 on its bits.
// CHECK-LABEL: func.func @half
// CHECK: %[[X:.*]] = arith.extf %in : f16 to f32
// CHECK: %[[Y:.*]] = arith.extf %{{.*}} : f16 to f32
// CHECK: %[[PRODUCT:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK: arith.truncf %[[PRODUCT]] : f32 to f16
func.func @half(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %0 = "weft.multiply"(%x, %y) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @bfloat16
// CHECK: math.exp {{.*}} : f32
// CHECK: arith.shrui
// CHECK: arith.bitcast {{.*}} : i16 to bf16
// CHECK-NOT: arith.truncf
func.func @bfloat16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = "weft.exp"(%x) : (tensor<4xbf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// No value-changing flags.
// CHECK-LABEL: func.func @exact
// CHECK: math.tanh %in : f64
// CHECK-NOT: fastmath
func.func @exact(%x: tensor<f64>) -> tensor<f64> {
  %0 = "weft.tanh"(%x) : (tensor<f64>) -> tensor<f64>
  return %0 : tensor<f64>
}

// CHECK-LABEL: func.func @two_results
// CHECK: linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
// CHECK: arith.remf
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f32, f32
func.func @two_results(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = "weft.divmod"(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// A special function is one op of elements.
// CHECK-LABEL: func.func @special
// CHECK: %[[GAMMA:.*]] = "special.gammaln"(%in) : (f32) -> f32
// CHECK-NEXT: linalg.yield %[[GAMMA]] : f32
func.func @special(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "weft.gammaln"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Sums are compared with an operand, products with their lower halves.
// CHECK-LABEL: func.func @overflows
// CHECK: %[[SUM:.*]] = arith.addi %in, %[[Y:.*]] : i64
// CHECK: arith.cmpi slt, %[[SUM]], %in
// CHECK: arith.mulsi_extended
// CHECK: arith.shrsi
func.func @overflows(%x: tensor<4xi64>, %y: tensor<4xi64>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = "weft.add_overflows"(%x, %y) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  %1 = "weft.multiply_overflows"(%x, %y) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
  return %0, %1 : tensor<4xi1>, tensor<4xi1>
}
