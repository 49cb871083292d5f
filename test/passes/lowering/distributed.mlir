// RUN: weft-opt %s --convert-weft-to-linalg | filecheck %s

// A description, the number of elements, the array, and what the type of the result does not tell of its extents.
// CHECK-DAG: func.func private @host.[[SUM:[0-9]+]](tensor<{{[0-9]+}}xi64>, tensor<i64>, tensor<?x3xf32>, tensor<i64>) -> tensor<?x3xf32> attributes {weft.native = "weft_collective", weft.python = "collective"
// CHECK-DAG: func.func private @host.[[RANK:[0-9]+]](tensor<{{[0-9]+}}xi64>) -> tensor<i64>

// CHECK-LABEL: func.func @all_reduce
// CHECK: %[[ROWS:.*]] = tensor.from_elements %{{.*}} : tensor<i64>
// CHECK: %[[COUNT:.*]] = tensor.from_elements %{{.*}} : tensor<i64>
// CHECK: call @host.[[SUM]](%{{.*}}, %[[COUNT]], %arg0, %[[ROWS]])
func.func @all_reduce(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %y = "weft.all_reduce"(%x) {reduction = "sum", over = ""} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// CHECK-LABEL: func.func @rank
// CHECK: call @host.[[RANK]](%{{.*}})
func.func @rank() -> tensor<i64> {
  %y = "weft.rank"() {over = ""} : () -> tensor<i64>
  return %y : tensor<i64>
}

// What only says something is no call.
// CHECK-LABEL: func.func @said
// CHECK-NOT: call
// CHECK: return %arg0
func.func @said(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = "weft.vary"(%x) {over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  %z = "weft.replicated"(%y) {over = "rows"} : (tensor<2xf64>) -> tensor<2xf64>
  %w = "weft.local"(%z) {over = ""} : (tensor<2xf64>) -> tensor<2xf64>
  return %w : tensor<2xf64>
}

// What waits gets the number of what was begun, and not the array.
// CHECK-LABEL: func.func @overlapped
// CHECK: %[[MESSAGE:.*]] = call @host.{{.*}}(%{{.*}}, %{{.*}}, %arg0) : {{.*}} -> tensor<i64>
// CHECK: call @host.{{.*}}(%{{.*}}, %{{.*}}, %[[MESSAGE]]) : {{.*}} -> tensor<2x3xf64>
func.func @overlapped(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %m = "weft.start_send_receive"(%x) {shift = 1 : i64, wraps = false, over = ""} : (tensor<2x3xf64>) -> tensor<i64>
  %y = "weft.finish_send_receive"(%m, %x) {over = ""} : (tensor<i64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}
