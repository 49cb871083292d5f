// RUN: weft-opt %s --buffers-to-loops | filecheck %s

#id = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
#matrix = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>

// Whole vectors first, then the rest under a mask; nothing is allocated or copied.
// CHECK-LABEL: func.func private @elementwise
// CHECK-NOT: memref.alloc
// CHECK: scf.for
// CHECK: vector.load
// CHECK: vector.store
// CHECK: vector.create_mask
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
func.func private @elementwise(%a: memref<1001xf64>, %o: memref<1001xf64>) {
  %x = bufferization.to_tensor %a restrict : memref<1001xf64> to tensor<1001xf64>
  %e = tensor.empty() : tensor<1001xf64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<1001xf64>) outs(%e : tensor<1001xf64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %in, %in : f64
    linalg.yield %s : f64
  } -> tensor<1001xf64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<1001xf64>, memref<1001xf64>) -> ()
  return
}

// Only the combiner of a sum may be reassociated; the arithmetic before it stays as it is.
// CHECK-LABEL: func.func private @sum
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.subf %{{.*}}, %{{.*}} : vector
// CHECK: arith.addf %{{.*}} fastmath<reassoc,contract>
// CHECK: vector.reduction <add>, %{{.*}} fastmath<reassoc,contract>
func.func private @sum(%a: memref<1024xf64>, %o: memref<f64>) {
  %x = bufferization.to_tensor %a restrict : memref<1024xf64> to tensor<1024xf64>
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%x : tensor<1024xf64>) outs(%f : tensor<f64>) {
  ^bb0(%in: f64, %out: f64):
    %d = arith.subf %in, %one : f64
    %s = arith.addf %out, %d : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<f64>, memref<f64>) -> ()
  return
}

// Nests over the same rows share the loop over rows, and the temporary between them is a number on the stack.
// CHECK-LABEL: func.func private @center_rows
// CHECK: memref.alloca() {{.*}} : memref<f64>
// CHECK-NOT: memref.alloc(
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c100
// CHECK: vector.reduction <add>
// CHECK-NOT: scf.for %{{.*}} = %c0 to %c100
// CHECK: arith.subf
// CHECK: return
func.func private @center_rows(%a: memref<100x640xf64>, %o: memref<100x640xf64>) {
  %x = bufferization.to_tensor %a restrict : memref<100x640xf64> to tensor<100x640xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<100xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<100xf64>) -> tensor<100xf64>
  %t = linalg.generic {indexing_maps = [#matrix, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<100x640xf64>) outs(%f : tensor<100xf64>) {
  ^bb0(%in: f64, %out: f64):
    %s = arith.addf %out, %in : f64
    linalg.yield %s : f64
  } -> tensor<100xf64>
  %g = tensor.empty() : tensor<100x640xf64>
  %r = linalg.generic {indexing_maps = [#matrix, #row, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x, %t : tensor<100x640xf64>, tensor<100xf64>) outs(%g : tensor<100x640xf64>) {
  ^bb0(%in: f64, %total: f64, %out: f64):
    %d = arith.subf %in, %total : f64
    linalg.yield %d : f64
  } -> tensor<100x640xf64>
  bufferization.materialize_in_destination %r in restrict writable %o
      : (tensor<100x640xf64>, memref<100x640xf64>) -> ()
  return
}

// A product keeps its sums in registers, and what follows it is done there: no temporary for the product.
// CHECK-LABEL: func.func private @dense
// CHECK-NOT: memref.alloc
// CHECK: %[[SUMS:.*]]:{{[0-9]+}} = scf.for {{.*}} iter_args
// CHECK: vector.fma
// CHECK: scf.yield
// CHECK: arith.maximumf %[[SUMS]]#0
// CHECK: vector.store
func.func private @dense(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %o: memref<64x64xf64>) {
  %x = bufferization.to_tensor %a restrict : memref<64x64xf64> to tensor<64x64xf64>
  %y = bufferization.to_tensor %b restrict : memref<64x64xf64> to tensor<64x64xf64>
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<64x64xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<64x64xf64>) -> tensor<64x64xf64>
  %p = linalg.matmul ins(%x, %y : tensor<64x64xf64>, tensor<64x64xf64>)
      outs(%f : tensor<64x64xf64>) -> tensor<64x64xf64>
  %r = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<64x64xf64>) outs(%e : tensor<64x64xf64>) {
  ^bb0(%in: f64, %out: f64):
    %m = arith.maximumf %in, %zero : f64
    linalg.yield %m : f64
  } -> tensor<64x64xf64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<64x64xf64>, memref<64x64xf64>) -> ()
  return
}

// Reading along one axis and writing along another goes by squares in registers.
// CHECK-LABEL: func.func private @transpose
// CHECK: vector.load
// CHECK: vector.shuffle
// CHECK: vector.store
// CHECK-NOT: memref.store
func.func private @transpose(%a: memref<64x64xf64>, %o: memref<64x64xf64>) {
  %x = bufferization.to_tensor %a restrict : memref<64x64xf64> to tensor<64x64xf64>
  %e = tensor.empty() : tensor<64x64xf64>
  %r = linalg.generic {indexing_maps = [#turned, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<64x64xf64>) outs(%e : tensor<64x64xf64>) {
  ^bb0(%in: f64, %out: f64):
    linalg.yield %in : f64
  } -> tensor<64x64xf64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<64x64xf64>, memref<64x64xf64>) -> ()
  return
}

// What cannot be vector code (a gather, an integer division) becomes plain loops.
// CHECK-LABEL: func.func private @gather
// CHECK-NOT: vector.
// CHECK: memref.load %arg1
// CHECK: memref.load %arg0
// CHECK: memref.store
// CHECK-NOT: linalg
func.func private @gather(%a: memref<64xf64>, %i: memref<9xi64>, %o: memref<9xf64>) {
  %x = bufferization.to_tensor %a restrict : memref<64xf64> to tensor<64xf64>
  %y = bufferization.to_tensor %i restrict : memref<9xi64> to tensor<9xi64>
  %e = tensor.empty() : tensor<9xf64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : tensor<9xi64>) outs(%e : tensor<9xf64>) {
  ^bb0(%in: i64, %out: f64):
    %place = arith.index_cast %in : i64 to index
    %s = tensor.extract %x[%place] : tensor<64xf64>
    linalg.yield %s : f64
  } -> tensor<9xf64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<9xf64>, memref<9xf64>) -> ()
  return
}

// Copies that follow each other are vector code each.
// CHECK-LABEL: func.func private @copies
// CHECK-NOT: memref.load
// CHECK: vector.store
// CHECK: vector.store
// CHECK-NOT: memref.load
// CHECK: return
func.func private @copies(%a: memref<64xf64>, %b: memref<64xf64>, %o: memref<64xf64>, %p: memref<64xf64>) {
  memref.copy %a, %o : memref<64xf64> to memref<64xf64>
  memref.copy %b, %p : memref<64xf64> to memref<64xf64>
  return
}
