// RUN: weft-opt %s --weft-partition="mesh=d:2 rank=1" --weft-simplify --split-input-file | filecheck %s

// Of uniform numbers a rank draws its rows, behind those of the ranks before; the generator goes on behind all of them.
// CHECK-LABEL: func.func @draws
// CHECK-NOT: shape = array<i64: 12>
// CHECK: "weft.random_floats"({{.*}}) {{.*}}shape = array<i64: 6>
// CHECK-NOT: weft.random_floats
// CHECK: return {{.*}} : tensor<2x3xf64>, tensor<6xui64>
func.func @draws(%x: tensor<4x3xf64> {weft.sharding = "[{d}, {}]"}, %s: tensor<6xui64>) -> (tensor<4x3xf64>, tensor<6xui64>) {
  %0:2 = "weft.random_floats"(%s) {algorithm = "pcg64", distribution = "uniform", shape = array<i64: 12>, dtype = f64} : (tensor<6xui64>) -> (tensor<12xf64>, tensor<6xui64>)
  %1 = "weft.reshape"(%0#0) {shape = array<i64: 4, 3>} : (tensor<12xf64>) -> tensor<4x3xf64>
  %2 = "weft.add"(%x, %1) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return %2, %0#1 : tensor<4x3xf64>, tensor<6xui64>
}

// -----

// Normal numbers take as many words as they happen to: all are drawn.
// CHECK-LABEL: func.func @draws_all
// CHECK: "weft.random_floats"({{.*}}) {{.*}}shape = array<i64: 12>
// CHECK-NOT: weft.random_floats
func.func @draws_all(%x: tensor<4x3xf64> {weft.sharding = "[{d}, {}]"}, %s: tensor<6xui64>) -> tensor<4x3xf64> {
  %0:2 = "weft.random_floats"(%s) {algorithm = "pcg64", distribution = "normal", shape = array<i64: 12>, dtype = f64} : (tensor<6xui64>) -> (tensor<12xf64>, tensor<6xui64>)
  %1 = "weft.reshape"(%0#0) {shape = array<i64: 4, 3>} : (tensor<12xf64>) -> tensor<4x3xf64>
  %2 = "weft.add"(%x, %1) : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
  return %2 : tensor<4x3xf64>
}
