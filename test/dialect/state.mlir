// RUN: weft-opt %s | weft-opt | filecheck %s

// CHECK-LABEL: func.func @cells
// CHECK-SAME: (%[[REF:.*]]: !weft.ref<tensor<?x3xcomplex<f64>>>, %[[X:.*]]: tensor<?x3xcomplex<f64>>)
func.func @cells(%ref: !weft.ref<tensor<?x3xcomplex<f64>>>, %x: tensor<?x3xcomplex<f64>>) -> tensor<?x3xcomplex<f64>> {
  // CHECK-NEXT: %[[CELL:.*]] = "weft.alloc_ref"(%[[X]]) : (tensor<?x3xcomplex<f64>>) -> !weft.ref<tensor<?x3xcomplex<f64>>>
  %cell = "weft.alloc_ref"(%x) : (tensor<?x3xcomplex<f64>>) -> !weft.ref<tensor<?x3xcomplex<f64>>>
  // CHECK-NEXT: %[[Y:.*]] = "weft.read_ref"(%[[CELL]])
  %y = "weft.read_ref"(%cell) : (!weft.ref<tensor<?x3xcomplex<f64>>>) -> tensor<?x3xcomplex<f64>>
  // CHECK-NEXT: "weft.write_ref"(%[[REF]], %[[Y]])
  "weft.write_ref"(%ref, %y) : (!weft.ref<tensor<?x3xcomplex<f64>>>, tensor<?x3xcomplex<f64>>) -> ()
  return %y : tensor<?x3xcomplex<f64>>
}

// CHECK-LABEL: func.func @check
// CHECK: "weft.raise_if"(%{{.*}}, %{{.*}}, %{{.*}}) {error = "IndexError", message = "index {0} is out of bounds for size {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
func.func @check(%fails: tensor<i1>, %index: tensor<i64>, %size: tensor<i64>) {
  "weft.raise_if"(%fails, %index, %size) {error = "IndexError", message = "index {0} is out of bounds for size {1}"} : (tensor<i1>, tensor<i64>, tensor<i64>) -> ()
  return
}
