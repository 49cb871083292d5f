// RUN: weft-opt %s --split-input-file --outline-kernels --plan-buffers | filecheck %s

// A called function gets its memory from a wrapper, which counts the depth of calls; the caller looks at the record.

// CHECK-LABEL: func.func @f(
// CHECK-SAME:  %arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<0xi8>, %[[RECORD:.*]]: memref<20xi64>)
// CHECK:       call @g.call(%arg0, %arg1, %[[RECORD]])
// CHECK:       scf.if
// CHECK-NEXT:    func.call @weft_exit
// CHECK:       return
// CHECK-LABEL: func.func @g(
// CHECK:       call @kernel_0(%arg0, %arg1)
// CHECK-LABEL: func.func @g.call(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<20xi64>)
// CHECK:       scf.if
// CHECK-NOT:   func.call
// CHECK:       } else {
// CHECK-NOT:   weft_release
// CHECK:         func.call @g(%arg0, %arg1, %{{.*}}, %arg2)
// CHECK:       return
#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// A result of any size is made in a heap block of the caller, which its wrapper does not free; the workspace, whose
// size only the sizes function knows, is a block of the wrapper.

// CHECK-LABEL: func.func @h(
// CHECK:       %[[EXTENTS:.*]] = memref.alloca() : memref<1xindex>
// CHECK:       call @twice.call(%arg0, %[[TABLE:.*]], %[[ENTRY:.*]], %{{.*}}, %{{.*}})
// CHECK:       %[[N:.*]] = memref.load
// CHECK-LABEL: func.func @twice.call
// CHECK-SAME:  %arg1: memref<?xmemref<?xi8>>, %arg2: index, %arg3: memref<20xi64>, %arg4: memref<?xindex>
// CHECK:         func.call @weft_clear
// CHECK:         %[[SIZE:.*]] = func.call @twice_sizes(%arg0)
// CHECK:         %[[FITS:.*]] = func.call @weft_reserve(%{{.*}}, %{{.*}}, %[[SIZE]])
// CHECK:         scf.if %[[FITS]]
// CHECK:           func.call @twice(%arg0, %arg1, %arg2, %{{.*}}, %arg3, %arg4)
// CHECK:         func.call @weft_release
#id = affine_map<(i) -> (i)>
func.func @h(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = func.call @twice(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func private @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (0)>, #id], iterator_types = ["parallel"]}
      ins(%y : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %out: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %z : tensor<?xf32>
}
