// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// The backend fills memory, and changes the state.
// CHECK-LABEL: func.func @normals
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<5xf64>
// CHECK: %[[DRAWN:.*]]:2 = "weft.fill_random"(%arg0, %[[EMPTY]]) {algorithm = "pcg64", dtype = "float64", function = "normal"} : (tensor<6xi64>, tensor<5xf64>) -> (tensor<5xf64>, tensor<6xi64>)
// CHECK: return %[[DRAWN]]#0, %[[DRAWN]]#1
func.func @normals(%state: tensor<6xui64>) -> (tensor<5xf64>, tensor<6xui64>) {
  %0:2 = "weft.random_floats"(%state) {algorithm = "pcg64", distribution = "normal", shape = array<i64: 5>, dtype = f64} : (tensor<6xui64>) -> (tensor<5xf64>, tensor<6xui64>)
  return %0#0, %0#1 : tensor<5xf64>, tensor<6xui64>
}

// Bounds that are scalars are tensors of one element there.
// CHECK-LABEL: func.func @integers
// CHECK: %[[LOW:.*]] = tensor.from_elements %{{.*}} : tensor<1xi8>
// CHECK: %[[HIGH:.*]] = tensor.from_elements %{{.*}} : tensor<1xi8>
// CHECK: "weft.fill_random"(%arg0, %{{.*}}, %[[LOW]], %[[HIGH]]) {algorithm = "philox", dtype = "uint8", function = "integers"} : (tensor<12xi64>, tensor<?xi8>, tensor<1xi8>, tensor<1xi8>)
func.func @integers(%state: tensor<12xui64>, %low: tensor<ui8>, %high: tensor<ui8>, %n: tensor<i64>) -> tensor<?xui8> {
  %0:2 = "weft.random_integers"(%state, %low, %high, %n) {algorithm = "philox", shape = array<i64: -1>} : (tensor<12xui64>, tensor<ui8>, tensor<ui8>, tensor<i64>) -> (tensor<?xui8>, tensor<12xui64>)
  return %0#0 : tensor<?xui8>
}

// One pair of bounds for each number stays as it is.
// CHECK-LABEL: func.func @integers_of_arrays
// CHECK: "weft.fill_random"(%arg0, %{{.*}}, %arg1, %arg2)
func.func @integers_of_arrays(%state: tensor<6xui64>, %low: tensor<3xi64>, %high: tensor<3xi64>) -> tensor<3xi64> {
  %0:2 = "weft.random_integers"(%state, %low, %high) {algorithm = "pcg64", shape = array<i64: 3>} : (tensor<6xui64>, tensor<3xi64>, tensor<3xi64>) -> (tensor<3xi64>, tensor<6xui64>)
  return %0#0 : tensor<3xi64>
}

// A sample needs a table: as large as the population where much of a large one is chosen.
// CHECK-LABEL: func.func @choice
// CHECK: %[[WORDS:.*]] = arith.select
// CHECK: %[[TABLE:.*]] = tensor.empty(%[[WORDS]]) : tensor<?xi64>
// CHECK: "weft.fill_random"(%arg0, %{{.*}}, %{{.*}}, %[[TABLE]]) {algorithm = "pcg64", dtype = "int64", function = "choice"}
func.func @choice(%state: tensor<6xui64>, %population: tensor<i64>) -> tensor<4xi64> {
  %0:2 = "weft.random_choice"(%state, %population) {algorithm = "pcg64", shape = array<i64: 4>, shuffle = true} : (tensor<6xui64>, tensor<i64>) -> (tensor<4xi64>, tensor<6xui64>)
  return %0#0 : tensor<4xi64>
}
