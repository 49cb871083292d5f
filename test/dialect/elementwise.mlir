// RUN: weft-opt %s | weft-opt | filecheck %s

// Operands broadcast; dtypes are those of a loop of the ufunc.

// CHECK-LABEL: func.func @broadcast
func.func @broadcast(%x: tensor<?x3xf32>, %y: tensor<3xf32>) -> tensor<?x3xf32> {
  // CHECK: "weft.add"(%arg0, %arg1) : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  %0 = "weft.add"(%x, %y) : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// An unknown extent never stretches, so it is equal to the extent that it meets.
// CHECK-LABEL: func.func @unknown_meets_known
func.func @unknown_meets_known(%x: tensor<?xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  // CHECK: "weft.maximum"({{.*}}) : (tensor<?xf16>, tensor<4xf16>) -> tensor<4xf16>
  %0 = "weft.maximum"(%x, %y) : (tensor<?xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// CHECK-LABEL: func.func @several_results
func.func @several_results(%x: tensor<2xui8>, %y: tensor<2xui8>, %z: tensor<bf16>) -> tensor<2xui8> {
  // CHECK: "weft.divmod"(%arg0, %arg1) : (tensor<2xui8>, tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>)
  %0:2 = "weft.divmod"(%x, %y) : (tensor<2xui8>, tensor<2xui8>) -> (tensor<2xui8>, tensor<2xui8>)
  // CHECK: "weft.frexp"(%arg2) : (tensor<bf16>) -> (tensor<bf16>, tensor<i32>)
  %1:2 = "weft.frexp"(%z) : (tensor<bf16>) -> (tensor<bf16>, tensor<i32>)
  return %0#1 : tensor<2xui8>
}

// CHECK-LABEL: func.func @results_of_other_dtypes
func.func @results_of_other_dtypes(%x: tensor<2xcomplex<f64>>, %y: tensor<2xi64>, %z: tensor<2xui64>) {
  // CHECK: "weft.absolute"(%arg0) : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  %0 = "weft.absolute"(%x) : (tensor<2xcomplex<f64>>) -> tensor<2xf64>
  // CHECK: "weft.isnan"(%arg0) : (tensor<2xcomplex<f64>>) -> tensor<2xi1>
  %1 = "weft.isnan"(%x) : (tensor<2xcomplex<f64>>) -> tensor<2xi1>
  // CHECK: "weft.bitwise_count"(%arg1) : (tensor<2xi64>) -> tensor<2xui8>
  %2 = "weft.bitwise_count"(%y) : (tensor<2xi64>) -> tensor<2xui8>
  // The comparisons also take both 64-bit integers together.
  // CHECK: "weft.less"(%arg1, %arg2) : (tensor<2xi64>, tensor<2xui64>) -> tensor<2xi1>
  %3 = "weft.less"(%y, %z) : (tensor<2xi64>, tensor<2xui64>) -> tensor<2xi1>
  return
}
