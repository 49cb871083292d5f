// RUN: weft-opt %s --read-inserted | filecheck %s

#id = affine_map<(d0) -> (d0)>

// The second half step of a stencil reads the first one's result where it reads what is around it.
// CHECK-LABEL: func.func @half_steps
// CHECK: %[[U:.*]] = linalg.generic
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[U]] into %arg1[1] [8] [1]
// CHECK: %[[V:.*]] = tensor.extract_slice %[[Y]][1] [8] [1] : tensor<10xf64> to tensor<8xf64>
// CHECK: %[[P:.*]] = tensor.extract_slice %[[Y]][2] [8] [1]
// CHECK: linalg.generic {{.*}} ins(%[[V]], %[[P]]
func.func @half_steps(%x: tensor<10xf64>, %b: tensor<10xf64>) -> (tensor<10xf64>, tensor<8xf64>) {
  %e = tensor.empty() : tensor<8xf64>
  %a = tensor.extract_slice %x[2] [8] [1] : tensor<10xf64> to tensor<8xf64>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %y = tensor.insert_slice %u into %b[1] [8] [1] : tensor<8xf64> into tensor<10xf64>
  %p = tensor.extract_slice %y[2] [8] [1] : tensor<10xf64> to tensor<8xf64>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%u, %p : tensor<8xf64>, tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.addf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %y, %w : tensor<10xf64>, tensor<8xf64>
}

// Where only the value itself is read, where the value is a result, where the tensor is updated before the value is
// read, and where the value is computed of the tensor that it goes to, nothing changes.
// CHECK-LABEL: func.func @read_alone
// CHECK: %[[U:.*]] = linalg.generic
// CHECK: linalg.generic {{.*}} ins(%[[U]] :
func.func @read_alone(%a: tensor<8xf64>, %b: tensor<10xf64>) -> (tensor<10xf64>, tensor<8xf64>) {
  %e = tensor.empty() : tensor<8xf64>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %y = tensor.insert_slice %u into %b[1] [8] [1] : tensor<8xf64> into tensor<10xf64>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%u : tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.mulf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %y, %w : tensor<10xf64>, tensor<8xf64>
}

// CHECK-LABEL: func.func @result
// CHECK: %[[U:.*]] = linalg.generic
// CHECK: linalg.generic {{.*}} ins(%[[U]], %
// CHECK: return %{{.*}}, %[[U]]
func.func @result(%a: tensor<8xf64>, %b: tensor<10xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %e = tensor.empty() : tensor<8xf64>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %y = tensor.insert_slice %u into %b[1] [8] [1] : tensor<8xf64> into tensor<10xf64>
  %p = tensor.extract_slice %y[2] [8] [1] : tensor<10xf64> to tensor<8xf64>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%u, %p : tensor<8xf64>, tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.addf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %w, %u : tensor<8xf64>, tensor<8xf64>
}

// CHECK-LABEL: func.func @updated
// CHECK: %[[U:.*]] = linalg.generic
// CHECK: linalg.generic {{.*}} ins(%[[U]], %
func.func @updated(%a: tensor<8xf64>, %b: tensor<10xf64>, %z: tensor<2xf64>) -> (tensor<10xf64>, tensor<8xf64>) {
  %e = tensor.empty() : tensor<8xf64>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %y = tensor.insert_slice %u into %b[1] [8] [1] : tensor<8xf64> into tensor<10xf64>
  %p = tensor.extract_slice %y[2] [8] [1] : tensor<10xf64> to tensor<8xf64>
  %y2 = tensor.insert_slice %z into %y[3] [2] [1] : tensor<2xf64> into tensor<10xf64>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%u, %p : tensor<8xf64>, tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.addf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %y2, %w : tensor<10xf64>, tensor<8xf64>
}

// CHECK-LABEL: func.func @in_place
// CHECK: %[[U:.*]] = linalg.generic
// CHECK: linalg.generic {{.*}} ins(%[[U]], %
func.func @in_place(%b: tensor<10xf64>) -> (tensor<10xf64>, tensor<8xf64>) {
  %e = tensor.empty() : tensor<8xf64>
  %a = tensor.extract_slice %b[2] [8] [1] : tensor<10xf64> to tensor<8xf64>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %y = tensor.insert_slice %u into %b[1] [8] [1] : tensor<8xf64> into tensor<10xf64>
  %p = tensor.extract_slice %y[2] [8] [1] : tensor<10xf64> to tensor<8xf64>
  %w = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%u, %p : tensor<8xf64>, tensor<8xf64>) outs(%e : tensor<8xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.addf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<8xf64>
  return %y, %w : tensor<10xf64>, tensor<8xf64>
}
