// RUN: weft-opt %s --convert-weft-to-linalg --canonicalize --cse | filecheck %s
// RUN: weft-opt %s --pass-pipeline='builtin.module(convert-weft-to-linalg,canonicalize,cse,eliminate-empty-tensors,empty-tensor-to-alloc-tensor,one-shot-bufferize{bufferize-function-boundaries=true function-boundary-type-conversion=identity-layout-map},canonicalize,cse)' | filecheck %s --check-prefix=MEMORY

// CHECK-LABEL: func.func @slice
// CHECK-NEXT: tensor.extract_slice %arg0[1, 0] [2, 4] [2, 1] : tensor<5x4xf32> to tensor<2x4xf32>
func.func @slice(%x: tensor<5x4xf32>) -> tensor<2x4xf32> {
  %0 = "weft.slice"(%x) {start = array<i64: -4, 0>, stop = array<i64: 4, 9>, step = array<i64: 2, 1>} : (tensor<5x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Bounds of an unknown extent are clamped when the function runs.
// CHECK-LABEL: func.func @slice_unknown
// CHECK: %[[N:.*]] = tensor.dim %arg0
// CHECK: %[[END:.*]] = arith.minsi %[[N]], %c7
// CHECK: tensor.extract_slice %arg0[%{{.*}}] [%{{.*}}] [1]
func.func @slice_unknown(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "weft.slice"(%x) {start = array<i64: 2>, stop = array<i64: 7>, step = array<i64: 1>} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A whole axis needs no arithmetic.
// CHECK-LABEL: func.func @slice_whole
// CHECK-NOT: arith.minsi
// CHECK: return
func.func @slice_whole(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "weft.slice"(%x) {start = array<i64: 0>, stop = array<i64: 9223372036854775807>, step = array<i64: 1>} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// Bounds that are operands count from the end where they are negative, and are clamped.
// CHECK-LABEL: func.func @dynamic_slice
// CHECK-NOT: linalg.generic
// CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK: %[[FROM_END:.*]] = arith.addi %[[I]], %c5
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[I]], %c0
// CHECK: %[[WRAPPED:.*]] = arith.select %[[NEGATIVE]], %[[FROM_END]], %[[I]]
// CHECK: %[[BELOW:.*]] = arith.minsi %[[WRAPPED]], %c5
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[BELOW]], %c0
// CHECK: tensor.extract_slice %arg0[0, 0] [%[[SIZE]], 4] [1, 1] : tensor<5x4xf32> to tensor<?x4xf32>
func.func @dynamic_slice(%x: tensor<5x4xf32>, %i: tensor<i64>) -> tensor<?x4xf32> {
  %0 = "weft.dynamic_slice"(%x, %i) {start = array<i64: 0, 0>, stop = array<i64: 0, 4>, step = array<i64: 1, 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<5x4xf32>, tensor<i64>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// Nothing is to be taken from an axis without elements.
// CHECK-LABEL: func.func @dynamic_slice_of_nothing
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @dynamic_slice_of_nothing(%x: tensor<0xf32>, %i: tensor<i64>) -> tensor<0xf32> {
  %0 = "weft.dynamic_slice"(%x, %i) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<0xf32>, tensor<i64>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// A negative step is a region read backwards.
// CHECK-LABEL: func.func @slice_backwards
// CHECK: %[[REGION:.*]] = tensor.extract_slice %arg0[0] [3] [2] : tensor<5xf32> to tensor<3xf32>
// CHECK: linalg.generic
// CHECK: %[[PLACE:.*]] = arith.subi %c2, %{{.*}} : index
// CHECK: tensor.extract %[[REGION]][%[[PLACE]]]
func.func @slice_backwards(%x: tensor<5xf32>) -> tensor<3xf32> {
  %0 = "weft.slice"(%x) {start = array<i64: 4>, stop = array<i64: -9223372036854775808>, step = array<i64: -2>} : (tensor<5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// The update is computed in place.
// MEMORY-LABEL: func.func @update_in_place
// MEMORY-NOT: memref.alloc
// MEMORY: %[[PLACE:.*]] = memref.subview %arg0[0] [4] [2]
// MEMORY: linalg.generic {{.*}} outs(%[[PLACE]] :
// MEMORY-NOT: memref.alloc
// MEMORY: return
func.func @update_in_place(%x: !weft.ref<tensor<9xf32>>, %y: tensor<4xf32>) {
  %0 = "weft.read_ref"(%x) : (!weft.ref<tensor<9xf32>>) -> tensor<9xf32>
  %1 = "weft.add"(%y, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = "weft.slice_update"(%0, %1) {start = array<i64: 0>, stop = array<i64: 8>, step = array<i64: 2>} : (tensor<9xf32>, tensor<4xf32>) -> tensor<9xf32>
  "weft.write_ref"(%x, %2) : (!weft.ref<tensor<9xf32>>, tensor<9xf32>) -> ()
  return
}

// MEMORY-LABEL: func.func @dynamic_update_in_place
// MEMORY-NOT: memref.alloc
// MEMORY: %[[PLACE:.*]] = memref.subview %arg0[0] [%{{.*}}] [1]
// MEMORY: linalg.generic {{.*}} outs(%[[PLACE]] :
// MEMORY-NOT: memref.alloc
// MEMORY: return
func.func @dynamic_update_in_place(%x: !weft.ref<tensor<9xf32>>, %i: tensor<i64>) {
  %0 = "weft.read_ref"(%x) : (!weft.ref<tensor<9xf32>>) -> tensor<9xf32>
  %1 = "weft.dynamic_slice"(%0, %i) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<9xf32>, tensor<i64>) -> tensor<?xf32>
  %2 = "weft.add"(%1, %1) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = "weft.dynamic_slice_update"(%0, %2, %i) {start = array<i64: 0>, stop = array<i64: 0>, step = array<i64: 1>, start_axes = array<i64>, stop_axes = array<i64: 0>} : (tensor<9xf32>, tensor<?xf32>, tensor<i64>) -> tensor<9xf32>
  "weft.write_ref"(%x, %3) : (!weft.ref<tensor<9xf32>>, tensor<9xf32>) -> ()
  return
}

// Index tensors are read through an index map; negative indices wrap, and none reads out of bounds.
// CHECK-LABEL: func.func @gather
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<3xi64>) outs(%{{.*}} : tensor<6x3xf32>)
// CHECK: ^bb0(%[[INDEX:.*]]: i64, %{{.*}}: f32):
// CHECK: %[[CAST:.*]] = arith.index_cast %[[INDEX]] : i64 to index
// CHECK: arith.select
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: tensor.extract %arg0
func.func @gather(%x: tensor<6x5xf32>, %i: tensor<3xi64>) -> tensor<6x3xf32> {
  %0 = "weft.gather"(%x, %i) {axes = array<i64: 1>, position = 1} : (tensor<6x5xf32>, tensor<3xi64>) -> tensor<6x3xf32>
  return %0 : tensor<6x3xf32>
}

// Single indices read a region, or an element.
// CHECK-LABEL: func.func @gather_row
// CHECK-NOT: linalg.generic
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [1, %{{.*}}] [1, 1] : tensor<6x?xf32> to tensor<?xf32>
func.func @gather_row(%x: tensor<6x?xf32>, %i: tensor<i64>) -> tensor<?xf32> {
  %0 = "weft.gather"(%x, %i) {axes = array<i64: 0>, position = 0} : (tensor<6x?xf32>, tensor<i64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// CHECK-LABEL: func.func @gather_element
// CHECK: %[[ELEMENT:.*]] = tensor.extract %arg0[%{{.*}}, %{{.*}}]
// CHECK: tensor.from_elements %[[ELEMENT]]
func.func @gather_element(%x: tensor<6x5xf32>, %i: tensor<i64>) -> tensor<f32> {
  %0 = "weft.gather"(%x, %i, %i) {axes = array<i64: 0, 1>, position = 0} : (tensor<6x5xf32>, tensor<i64>, tensor<i64>) -> tensor<f32>
  return %0 : tensor<f32>
}

// Writes follow one another in order; an index out of bounds writes nothing.
// CHECK-LABEL: func.func @scatter
// CHECK: scf.for %[[K:.*]] = %c0 to %c3 step %c1 iter_args(%[[OUTER:.*]] = %arg0)
// CHECK: %[[STORED:.*]] = tensor.extract %arg2[%[[K]]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]]
// CHECK: scf.for %[[J:.*]] = %c0 to %c4 step %c1 iter_args(%[[INNER:.*]] = %[[OUTER]])
// CHECK: %[[NEW:.*]] = tensor.extract %arg1[%[[K]], %[[J]]]
// CHECK: tensor.insert %[[NEW]] into %[[INNER]]
func.func @scatter(%x: tensor<6x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi64>) -> tensor<6x4xf32> {
  %0 = "weft.scatter"(%x, %u, %i) {axes = array<i64: 0>, mode = "set", position = 0} : (tensor<6x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// No array is made of a number that is added everywhere, nor of integers that are wider than they were.
// CHECK-LABEL: func.func @count
// CHECK: %[[ONE:.*]] = tensor.extract %arg1[]
// CHECK: scf.for %[[K:.*]] = %c0 to %c3
// CHECK: %[[STORED:.*]] = tensor.extract %arg2[%[[K]]] : tensor<3xi32>
// CHECK: arith.index_cast %[[STORED]] : i32 to index
// CHECK: %[[OLD:.*]] = tensor.extract
// CHECK: arith.addi %[[OLD]], %[[ONE]]
func.func @count(%x: tensor<6xi64>, %one: tensor<i64>, %i: tensor<3xi32>) -> tensor<6xi64> {
  %u = "weft.broadcast_to"(%one) {shape = array<i64: 3>} : (tensor<i64>) -> tensor<3xi64>
  %w = "weft.cast"(%i) {dtype = i64} : (tensor<3xi32>) -> tensor<3xi64>
  %0 = "weft.scatter"(%x, %u, %w) {axes = array<i64: 0>, mode = "add", position = 0} : (tensor<6xi64>, tensor<3xi64>, tensor<3xi64>) -> tensor<6xi64>
  return %0 : tensor<6xi64>
}

// What is stretched along some axes only is read.
// CHECK-LABEL: func.func @scatter_stretched_rows
// CHECK: %[[ROWS:.*]] = linalg.generic
// CHECK: scf.for %[[K:.*]] = %c0 to %c3
// CHECK: tensor.extract %[[ROWS]][%[[K]], %{{.*}}]
func.func @scatter_stretched_rows(%x: tensor<6x4xf32>, %row: tensor<4xf32>, %i: tensor<3xi64>) -> tensor<6x4xf32> {
  %u = "weft.broadcast_to"(%row) {shape = array<i64: 3, 4>} : (tensor<4xf32>) -> tensor<3x4xf32>
  %0 = "weft.scatter"(%x, %u, %i) {axes = array<i64: 0>, mode = "set", position = 0} : (tensor<6x4xf32>, tensor<3x4xf32>, tensor<3xi64>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// MEMORY-LABEL: func.func @scatter_in_place
// MEMORY-NOT: memref.alloc
// MEMORY-NOT: memref.copy
// MEMORY: arith.addf
// MEMORY: return
func.func @scatter_in_place(%x: !weft.ref<tensor<6xf32>>, %u: tensor<3xf32>, %i: tensor<3xi64>) {
  %0 = "weft.read_ref"(%x) : (!weft.ref<tensor<6xf32>>) -> tensor<6xf32>
  %1 = "weft.scatter"(%0, %u, %i) {axes = array<i64: 0>, mode = "add", position = 0} : (tensor<6xf32>, tensor<3xf32>, tensor<3xi64>) -> tensor<6xf32>
  "weft.write_ref"(%x, %1) : (!weft.ref<tensor<6xf32>>, tensor<6xf32>) -> ()
  return
}

// MEMORY-LABEL: func.func @element_in_place
// MEMORY-NOT: memref.alloc
// MEMORY-NOT: memref.copy
// MEMORY: memref.store
// MEMORY: return
func.func @element_in_place(%x: !weft.ref<tensor<6x5xf32>>, %u: tensor<f32>, %i: tensor<i64>) {
  %0 = "weft.read_ref"(%x) : (!weft.ref<tensor<6x5xf32>>) -> tensor<6x5xf32>
  %1 = "weft.scatter"(%0, %u, %i, %i) {axes = array<i64: 0, 1>, mode = "set", position = 0} : (tensor<6x5xf32>, tensor<f32>, tensor<i64>, tensor<i64>) -> tensor<6x5xf32>
  "weft.write_ref"(%x, %1) : (!weft.ref<tensor<6x5xf32>>, tensor<6x5xf32>) -> ()
  return
}

// One pass joins signs: negative where an index is above the highest, or below the lowest. Where one is, a search tells
// which is the first.
// CHECK-LABEL: func.func @find_out_of_bounds
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]{{.*}} ins(%arg0, %arg1
// CHECK: ^bb0(%[[I:.*]]: i64, %[[N:.*]]: i64, %[[SIGNS:.*]]: i64):
// CHECK: %[[HIGHEST:.*]] = arith.subi %[[N]], %{{.*}}
// CHECK: %[[ABOVE:.*]] = arith.subi %[[HIGHEST]], %[[I]]
// CHECK: %[[BELOW:.*]] = arith.addi %[[I]], %[[N]]
// CHECK: %[[SIGN:.*]] = arith.ori %[[ABOVE]], %[[BELOW]]
// CHECK: arith.ori %[[SIGNS]], %[[SIGN]]
// CHECK-NOT: scf.for
// CHECK: arith.cmpi slt
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tensor.extract %arg0
func.func @find_out_of_bounds(%i: tensor<3x?xi64>, %n: tensor<i64>) -> (tensor<i1>, tensor<i64>) {
  %0:2 = "weft.find_out_of_bounds"(%i, %n) : (tensor<3x?xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
  return %0#0, %0#1 : tensor<i1>, tensor<i64>
}

// Narrow indices are checked in i32, and widened where they are read: nothing holds them as i64.
// CHECK-LABEL: func.func @gather_at_narrow_indices
// CHECK: linalg.generic {{.*}}iterator_types = ["reduction"]{{.*}} ins(%arg1, %arg2
// CHECK-NEXT: ^bb0(%[[I:.*]]: i32, %[[N:.*]]: i64, %{{.*}}: i32):
// CHECK: arith.minsi %[[N]], %{{.*}} : i64
// CHECK: arith.trunci
// CHECK: %[[ABOVE:.*]] = arith.subi %{{.*}}, %[[I]] : i32
// CHECK: arith.ori %[[ABOVE]], %[[I]] : i32
// CHECK: scf.if
// CHECK: tensor.extract %arg1
// CHECK: arith.extui
// CHECK: linalg.generic {{.*}} ins(%arg1 : tensor<?xi32>) outs({{.*}} : tensor<?xf64>)
// CHECK: arith.extui
// CHECK: tensor.extract %arg0
func.func @gather_at_narrow_indices(%x: tensor<?xf64>, %i: tensor<?xui32>, %n: tensor<i64>) -> (tensor<i1>, tensor<i64>, tensor<?xf64>) {
  %wide = "weft.cast"(%i) {dtype = i64} : (tensor<?xui32>) -> tensor<?xi64>
  %0:2 = "weft.find_out_of_bounds"(%wide, %n) : (tensor<?xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
  %1 = "weft.gather"(%x, %wide) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  return %0#0, %0#1, %1 : tensor<i1>, tensor<i64>, tensor<?xf64>
}

// All that a byte can be is within 256 elements, but not within 255.
// CHECK-LABEL: func.func @bytes
// CHECK-COUNT-1: linalg.generic {{.*}}iterator_types = ["reduction"]
// CHECK-NOT: iterator_types = ["reduction"]
// CHECK: return
func.func @bytes(%i: tensor<?xui8>, %j: tensor<?xui8>) -> (tensor<i1>, tensor<i1>) {
  %256 = "weft.constant"() {value = dense<256> : tensor<i64>} : () -> tensor<i64>
  %255 = "weft.constant"() {value = dense<255> : tensor<i64>} : () -> tensor<i64>
  %a = "weft.cast"(%i) {dtype = i64} : (tensor<?xui8>) -> tensor<?xi64>
  %b = "weft.cast"(%j) {dtype = i64} : (tensor<?xui8>) -> tensor<?xi64>
  %0:2 = "weft.find_out_of_bounds"(%a, %256) : (tensor<?xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
  %1:2 = "weft.find_out_of_bounds"(%b, %255) : (tensor<?xi64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
  return %0#0, %1#0 : tensor<i1>, tensor<i1>
}

// Numbers that are computed are indices as they are.
// CHECK-LABEL: func.func @gather_at_sums
// CHECK: %[[SUM:.*]] = linalg.generic
// CHECK: arith.addi
// CHECK: ins(%[[SUM]] : tensor<?xi64>)
func.func @gather_at_sums(%x: tensor<?xf64>, %i: tensor<?xi64>) -> tensor<?xf64> {
  %sum = "weft.add"(%i, %i) : (tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
  %0 = "weft.gather"(%x, %sum) {axes = array<i64: 0>, position = 0} : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
  return %0 : tensor<?xf64>
}

// One index is checked in the form in which it is read: counted from the front.
// CHECK-LABEL: func.func @find_one_out_of_bounds
// CHECK: ^bb0(%[[I:.*]]: i64, %[[N:.*]]: i64, %{{.*}}: i8, %{{.*}}: i64):
// CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[I]]
// CHECK: %[[SUM:.*]] = arith.addi %[[I]], %[[N]]
// CHECK: %[[PLACE:.*]] = arith.select %[[NEGATIVE]], %[[SUM]], %[[I]]
// CHECK: arith.cmpi uge, %[[PLACE]], %[[N]]
func.func @find_one_out_of_bounds(%i: tensor<i64>, %n: tensor<i64>) -> (tensor<i1>, tensor<i64>) {
  %0:2 = "weft.find_out_of_bounds"(%i, %n) : (tensor<i64>, tensor<i64>) -> (tensor<i1>, tensor<i64>)
  return %0#0, %0#1 : tensor<i1>, tensor<i64>
}

// A row whose extent is not known is known to fit.
// CHECK-LABEL: func.func @scatter_row_of_unknown_extent
// CHECK: %[[ROW:.*]] = tensor.cast %{{.*}} : tensor<?xf32> to tensor<4xf32>
// CHECK: tensor.insert_slice %[[ROW]] into
func.func @scatter_row_of_unknown_extent(%x: tensor<6x4xf32>, %u: tensor<?xf32>, %i: tensor<i64>) -> tensor<6x4xf32> {
  %0 = "weft.scatter"(%x, %u, %i) {axes = array<i64: 0>, mode = "set", position = 0} : (tensor<6x4xf32>, tensor<?xf32>, tensor<i64>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
