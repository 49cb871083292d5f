// RUN: weft-opt %s --combine-exactly | filecheck %s

// Sums of short floats are rounded once.
// CHECK-LABEL: func.func @half
// CHECK: %[[W:.*]] = "weft.cast"(%arg0) {dtype = f32}
// CHECK: %[[S:.*]] = "weft.all_reduce"(%[[W]]) {over = "", reduction = "sum", weft.of = "f16"}
// CHECK: %[[R:.*]] = "weft.cast"(%[[S]]) {dtype = f16}
// CHECK: return %[[R]]
func.func @half(%x: tensor<3xf16>) -> tensor<3xf16> {
  %s = "weft.all_reduce"(%x) {reduction = "sum", over = ""} : (tensor<3xf16>) -> tensor<3xf16>
  return %s : tensor<3xf16>
}

// Extremes are those of integers, of which that of NaN is the largest.
// CHECK-LABEL: func.func @extremes
// CHECK: %[[B:.*]] = "weft.bitcast"(%arg0) {dtype = i64}
// CHECK: %[[L:.*]] = "weft.constant"() {value = dense<9223372036854775807> : tensor<i64>}
// CHECK: %[[N:.*]] = "weft.isnan"(%arg0)
// CHECK: %[[K:.*]] = "weft.select"(%[[N]]
// CHECK: %[[M:.*]] = "weft.reduce_scatter"(%[[K]]) {over = "d", reduction = "max", weft.of = "f64"}
// CHECK: "weft.bitcast"({{.*}}) {dtype = f64}
func.func @extremes(%x: tensor<2x?xf64>) -> tensor<?xf64> {
  %m = "weft.reduce_scatter"(%x) {reduction = "max", over = "d"} : (tensor<2x?xf64>) -> tensor<?xf64>
  return %m : tensor<?xf64>
}

// Others are what they are.
// CHECK-LABEL: func.func @others
// CHECK-NEXT: "weft.all_reduce"(%arg0) {over = "", reduction = "sum"}
// CHECK-NEXT: "weft.all_reduce"(%arg1) {over = "", reduction = "min"}
// CHECK-NEXT: return
func.func @others(%x: tensor<3xf32>, %n: tensor<3xi64>) -> (tensor<3xf32>, tensor<3xi64>) {
  %s = "weft.all_reduce"(%x) {reduction = "sum", over = ""} : (tensor<3xf32>) -> tensor<3xf32>
  %m = "weft.all_reduce"(%n) {reduction = "min", over = ""} : (tensor<3xi64>) -> tensor<3xi64>
  return %s, %m : tensor<3xf32>, tensor<3xi64>
}
