// RUN: weft-opt %s --convert-copies | filecheck %s

// CHECK-LABEL: func.func @copy(
// CHECK-NOT:   memref.copy
// CHECK:       linalg.generic {{.*}}["parallel", "parallel"]{{.*}} ins(%arg0 : memref<2x3xf32>) outs(%arg1 : memref<2x3xf32>)
// CHECK:       linalg.yield %in
func.func @copy(%a: memref<2x3xf32>, %b: memref<2x3xf32>) {
  memref.copy %a, %b : memref<2x3xf32> to memref<2x3xf32>
  return
}

// A copy of memory onto itself is none.
// CHECK-LABEL: func.func @same(
// CHECK-NEXT:  return
func.func @same(%a: memref<2x3xf32>) {
  memref.copy %a, %a : memref<2x3xf32> to memref<2x3xf32>
  return
}
