// RUN: weft-opt %s --split-input-file --outline-kernels --cse | filecheck %s

// What a part of a row is updated with is written to the array, and the part is read from there: one kernel, and no row.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @part
// CHECK-COUNT-1: call @kernel
// CHECK-NOT:   call @kernel
// CHECK:       func.func private @kernel_0
// CHECK:       %[[OLD:.*]] = tensor.extract_slice %[[A:.*]][%[[I:.*]], 2] [1, %[[N:.*]]] [1, 3] : tensor<8x16xf32> to tensor<?xf32>
// CHECK:       linalg.generic {{.*}} ins(%[[OLD]] : tensor<?xf32>)
// CHECK:       tensor.insert_slice %{{.*}} into %[[A]][%[[I]], 2] [1, %[[N]]] [1, 3] : tensor<?xf32> into tensor<8x16xf32>
func.func @part(%a: tensor<8x16xf32>, %i: index, %n: index) -> tensor<8x16xf32> {
  %row = tensor.extract_slice %a[%i, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<16xf32>
  %old = tensor.extract_slice %row[2] [%n] [3] : tensor<16xf32> to tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%old : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %changed = tensor.insert_slice %new into %row[2] [%n] [3] : tensor<?xf32> into tensor<16xf32>
  %r = tensor.insert_slice %changed into %a[%i, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}

// -----

// Another row than the one that is replaced: all of it is written.

#id = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @another
// CHECK:       tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<8x16xf32>
func.func @another(%a: tensor<8x16xf32>, %i: index, %j: index, %n: index) -> tensor<8x16xf32> {
  %row = tensor.extract_slice %a[%j, 0] [1, 16] [1, 1] : tensor<8x16xf32> to tensor<16xf32>
  %old = tensor.extract_slice %row[2] [%n] [3] : tensor<16xf32> to tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %new = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%old : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %x : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  %changed = tensor.insert_slice %new into %row[2] [%n] [3] : tensor<?xf32> into tensor<16xf32>
  %r = tensor.insert_slice %changed into %a[%i, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
