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

// -----

// A result that is an update of a parameter is made in its memory, also by the calls of the function itself: nothing is
// copied. Who calls it and needs the old value copies that once.

// CHECK-LABEL: func.func @fill(%arg0: memref<8xi64>, %arg1: memref<i64>, %arg2: memref<8xi64>
// CHECK-NOT:     memref.copy
// CHECK:         memref.store %{{.*}}, %arg2[
// CHECK-NOT:     memref.copy
// CHECK:         func.call @fill.call(%arg2, %{{.*}}, %arg2, %{{.*}})
// CHECK-NOT:     memref.copy
// CHECK:         return
// CHECK-LABEL: func.func @needs_the_old(
// CHECK:         memref.copy %arg0, %[[COPY:.*]] :
// CHECK:         call @fill.call(%[[COPY]], %arg1, %[[COPY]], %{{.*}})
// CHECK:         call @kernel_0
func.func private @fill(%x: tensor<8xi64>, %n: tensor<i64>) -> tensor<8xi64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %k = tensor.extract %n[] : tensor<i64>
  %more = arith.cmpi sgt, %k, %zero : i64
  %r = scf.if %more -> (tensor<8xi64>) {
    %i = arith.index_cast %k : i64 to index
    %y = tensor.insert %k into %x[%i] : tensor<8xi64>
    %k1 = arith.subi %k, %one : i64
    %n1 = tensor.from_elements %k1 : tensor<i64>
    %z = func.call @fill(%y, %n1) : (tensor<8xi64>, tensor<i64>) -> tensor<8xi64>
    scf.yield %z : tensor<8xi64>
  } else {
    scf.yield %x : tensor<8xi64>
  }
  return %r : tensor<8xi64>
}
#id8 = affine_map<(i) -> (i)>
func.func @needs_the_old(%x: tensor<8xi64>, %n: tensor<i64>) -> tensor<8xi64> {
  %y = func.call @fill(%x, %n) : (tensor<8xi64>, tensor<i64>) -> tensor<8xi64>
  %z = linalg.generic {indexing_maps = [#id8, #id8], iterator_types = ["parallel"]}
      ins(%x : tensor<8xi64>) outs(%y : tensor<8xi64>) {
  ^bb0(%a: i64, %b: i64):
    %s = arith.addi %a, %b : i64
    linalg.yield %s : i64
  } -> tensor<8xi64>
  return %z : tensor<8xi64>
}

// -----

// What calls of the function itself hand on in another place is no update of it: the memory of the result is another.

// CHECK-LABEL: func.func @exchange(%arg0: memref<8xi64>, %arg1: memref<8xi64>, %arg2: memref<i64>, %arg3: memref<8xi64>
// CHECK:         func.call @exchange.call(%arg1, %arg0, %{{.*}}, %arg3, %{{.*}})
// CHECK:         memref.copy %arg0, %arg3
func.func private @exchange(%x: tensor<8xi64>, %y: tensor<8xi64>, %n: tensor<i64>) -> tensor<8xi64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %k = tensor.extract %n[] : tensor<i64>
  %more = arith.cmpi sgt, %k, %zero : i64
  %r = scf.if %more -> (tensor<8xi64>) {
    %k1 = arith.subi %k, %one : i64
    %n1 = tensor.from_elements %k1 : tensor<i64>
    %z = func.call @exchange(%y, %x, %n1) : (tensor<8xi64>, tensor<8xi64>, tensor<i64>) -> tensor<8xi64>
    scf.yield %z : tensor<8xi64>
  } else {
    scf.yield %x : tensor<8xi64>
  }
  return %r : tensor<8xi64>
}
