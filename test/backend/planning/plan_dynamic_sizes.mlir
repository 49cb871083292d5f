// RUN: weft-opt %s --outline-kernels --plan-buffers | filecheck %s

// What is needed at different times shares a place that is as large as the largest of it: the first product and the
// third one. The second is needed beside both.
// CHECK-LABEL: func.func @products(
// CHECK-SAME:    %[[WORKSPACE:arg[0-9]+]]: memref<?xi8>
// CHECK:         %[[PLACE:.*]] = arith.maxsi
// CHECK-NOT:     arith.maxsi
// CHECK:         memref.view %[[WORKSPACE]][%c0
// CHECK:         memref.view %[[WORKSPACE]][%[[PLACE]]]
// CHECK:         memref.view %[[WORKSPACE]][%c0
// CHECK-NOT:     memref.view
// CHECK:         return
// CHECK-LABEL: func.func @products_sizes(
// CHECK:         arith.maxsi
func.func @products(%x: tensor<?x?xf32>, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %na = tensor.dim %a, %c1 : tensor<?x?xf32>
  %ea = tensor.empty(%m, %na) : tensor<?x?xf32>
  %fa = linalg.fill ins(%zero : f32) outs(%ea : tensor<?x?xf32>) -> tensor<?x?xf32>
  %xa = linalg.matmul ins(%x, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fa : tensor<?x?xf32>) -> tensor<?x?xf32>
  %nb = tensor.dim %b, %c1 : tensor<?x?xf32>
  %eb = tensor.empty(%m, %nb) : tensor<?x?xf32>
  %fb = linalg.fill ins(%zero : f32) outs(%eb : tensor<?x?xf32>) -> tensor<?x?xf32>
  %xb = linalg.matmul ins(%xa, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fb : tensor<?x?xf32>) -> tensor<?x?xf32>
  %nc = tensor.dim %c, %c1 : tensor<?x?xf32>
  %ec = tensor.empty(%m, %nc) : tensor<?x?xf32>
  %fc = linalg.fill ins(%zero : f32) outs(%ec : tensor<?x?xf32>) -> tensor<?x?xf32>
  %xc = linalg.matmul ins(%xb, %c : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fc : tensor<?x?xf32>) -> tensor<?x?xf32>
  %nd = tensor.dim %d, %c1 : tensor<?x?xf32>
  %ed = tensor.empty(%m, %nd) : tensor<?x?xf32>
  %fd = linalg.fill ins(%zero : f32) outs(%ed : tensor<?x?xf32>) -> tensor<?x?xf32>
  %xd = linalg.matmul ins(%xc, %d : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fd : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %xd : tensor<?x?xf32>
}

// The memory of a result holds what has its sizes, until it is made; what has other sizes may be larger.
// CHECK-LABEL: func.func @in_result(
// CHECK-SAME:    %[[RESULT:arg[0-9]+]]: memref<?x?xf32>, %[[WORKSPACE:arg[0-9]+]]: memref<?xi8>
// CHECK:         call @kernel_{{.*}}, %[[RESULT]])
// CHECK:         %[[VIEW:.*]] = memref.view %[[WORKSPACE]]
// CHECK:         call @kernel_{{.*}}%[[RESULT]]{{.*}}%[[VIEW]])
// CHECK:         call @kernel_{{.*}}, %[[VIEW]], 
// CHECK-NOT:     memref.view
// CHECK:         return
func.func @in_result(%x: tensor<?x?xf32>, %a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %na = tensor.dim %a, %c1 : tensor<?x?xf32>
  %ea = tensor.empty(%m, %na) : tensor<?x?xf32>
  %fa = linalg.fill ins(%zero : f32) outs(%ea : tensor<?x?xf32>) -> tensor<?x?xf32>
  %xa = linalg.matmul ins(%x, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fa : tensor<?x?xf32>) -> tensor<?x?xf32>
  %nb = tensor.dim %b, %c1 : tensor<?x?xf32>
  %eb = tensor.empty(%m, %nb) : tensor<?x?xf32>
  %fb = linalg.fill ins(%zero : f32) outs(%eb : tensor<?x?xf32>) -> tensor<?x?xf32>
  %xb = linalg.matmul ins(%xa, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fb : tensor<?x?xf32>) -> tensor<?x?xf32>
  %fc = linalg.fill ins(%zero : f32) outs(%ea : tensor<?x?xf32>) -> tensor<?x?xf32>
  %xc = linalg.matmul ins(%xb, %a : tensor<?x?xf32>, tensor<?x?xf32>) outs(%fc : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %xc : tensor<?x?xf32>
}

// Both sides of a cut are together as long as the array, however the cut is known: nothing is computed from data.

// CHECK-LABEL: func.func @rotated
// CHECK-NOT:   weft_reserve
// CHECK-LABEL: func.func @rotated_sizes
// CHECK-NOT:   memref.load
// CHECK:       memref.dim %{{.*}}, %
// CHECK:       return
func.func @rotated(%x: tensor<?xf64>, %at: tensor<i64>) -> tensor<?xf64> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf64>
  %word = tensor.extract %at[] : tensor<i64>
  %k = arith.index_cast %word : i64 to index
  %least = arith.minsi %k, %n : index
  %cut = arith.maxsi %least, %c0 : index
  %left = arith.subi %n, %cut : index
  %back = tensor.extract_slice %x[%cut] [%left] [1] : tensor<?xf64> to tensor<?xf64>
  %front = tensor.extract_slice %x[0] [%cut] [1] : tensor<?xf64> to tensor<?xf64>
  %total = arith.addi %left, %cut : index
  %e = tensor.empty(%total) : tensor<?xf64>
  %one = tensor.insert_slice %back into %e[0] [%left] [1] : tensor<?xf64> into tensor<?xf64>
  %both = tensor.insert_slice %front into %one[%left] [%cut] [1] : tensor<?xf64> into tensor<?xf64>
  return %both : tensor<?xf64>
}
