// RUN: weft-opt %s --pass-numbers-by-value --split-input-file | filecheck %s

// CHECK-LABEL: func.func @scaled(
// CHECK-SAME: attributes {weft.on_host = array<i64: 1>}
// CHECK: %[[NUMBER:.*]] = tensor.extract %arg1[]
// CHECK: call @kernel_0(%arg0, %[[NUMBER]], %{{.*}}) : (tensor<8xf64>, f64, tensor<8xf64>)
// CHECK: func.func private @kernel_0(%{{.*}}: tensor<8xf64>, %[[F:.*]]: f64,
// CHECK: tensor.from_elements %[[F]] : tensor<f64>
func.func @scaled(%x: tensor<8xf64>, %factor: tensor<f64>) -> tensor<8xf64> {
  %0 = tensor.empty() : tensor<8xf64>
  %1 = call @kernel_0(%x, %factor, %0) : (tensor<8xf64>, tensor<f64>, tensor<8xf64>) -> tensor<8xf64>
  return %1 : tensor<8xf64>
}
func.func private @kernel_0(%x: tensor<8xf64>, %f: tensor<f64>, %y: tensor<8xf64>) -> tensor<8xf64> {
  %number = tensor.extract %f[] : tensor<f64>
  %0 = linalg.fill ins(%number : f64) outs(%y : tensor<8xf64>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// A kernel that gets its number from the device at one call, and from the host at another, is two.
// CHECK-LABEL: func.func @both(
// CHECK-NOT: weft.on_host
// CHECK: call @[[ONE:.*]](%arg0, %{{.*}}) : (f64, tensor<f64>)
// CHECK: call @[[OTHER:.*]](%{{.*}}, %{{.*}}) : (tensor<f64>, tensor<f64>)
func.func @both(%f: f64) -> tensor<f64> {
  %0 = tensor.empty() : tensor<f64>
  %made = tensor.from_elements %f : tensor<f64>
  %1 = call @kernel_0(%made, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %2 = call @kernel_0(%1, %0) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}
func.func private @kernel_0(%f: tensor<f64>, %y: tensor<f64>) -> tensor<f64> {
  return %f : tensor<f64>
}
