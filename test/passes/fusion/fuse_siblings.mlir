// RUN: weft-opt %s --fuse-siblings | filecheck %s
// RUN: weft-opt %s --fuse-siblings --outline-kernels | filecheck %s --check-prefix=KERNELS
// RUN: weft-opt %s --fuse-siblings=mixed=true | filecheck %s --check-prefix=MIXED

#id = affine_map<(d0) -> (d0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0) -> ()>
#row = affine_map<(d0, d1) -> (d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// Two ops that read what a third one makes become one op with it; nobody else needs the third one's result.
// CHECK-LABEL: func.func @pivot
// CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} ins(%arg0, %arg1, %arg2 : {{.*}} outs(
// CHECK: ^bb0(%[[A:.*]]: f64, %[[B:.*]]: f64, %[[C:.*]]: f64, %{{.*}}: f64, %{{.*}}: f64):
// CHECK: %[[P:.*]] = arith.subf %[[A]], %[[B]]
// CHECK: %[[X:.*]] = arith.divf %[[C]], %[[P]]
// CHECK: %[[Y:.*]] = arith.divf %[[B]], %[[P]]
// CHECK: linalg.yield %[[X]], %[[Y]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @pivot(%a: tensor<32xf64>, %b: tensor<32xf64>, %c: tensor<32xf64>) -> (tensor<32xf64>, tensor<32xf64>) {
  %e = tensor.empty() : tensor<32xf64>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<32xf64>, tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.subf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %x = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%c, %p : tensor<32xf64>, tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.divf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%b, %p : tensor<32xf64>, tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.divf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  return %x, %y : tensor<32xf64>, tensor<32xf64>
}

// What puts the first result into a tensor moves behind the op, and one kernel writes to both tensors.
// CHECK-LABEL: func.func @two_updates
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK-NEXT: ^bb0
// CHECK: %[[X:.*]] = tensor.insert_slice %[[R]]#0 into %arg1[1, 0]
// CHECK: %[[Y:.*]] = tensor.insert_slice %[[R]]#1 into %arg2[1, 0]
// CHECK: return %[[X]], %[[Y]]
// KERNELS-LABEL: func.func @two_updates
// KERNELS: %[[R:.*]]:2 = call @kernel_{{.*}}(%arg0, %{{.*}}, %arg1, %arg2)
// KERNELS-NEXT: return %[[R]]#0, %[[R]]#1
func.func @two_updates(%a: tensor<32xf64>, %x: tensor<4x32xf64>, %y: tensor<4x32xf64>) -> (tensor<4x32xf64>, tensor<4x32xf64>) {
  %e = tensor.empty() : tensor<32xf64>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %x2 = tensor.insert_slice %p into %x[1, 0] [1, 32] [1, 1] : tensor<32xf64> into tensor<4x32xf64>
  %old = tensor.extract_slice %y[0, 0] [1, 32] [1, 1] : tensor<4x32xf64> to tensor<32xf64>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %old : tensor<32xf64>, tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.mulf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %y2 = tensor.insert_slice %q into %y[1, 0] [1, 32] [1, 1] : tensor<32xf64> into tensor<4x32xf64>
  return %x2, %y2 : tensor<4x32xf64>, tensor<4x32xf64>
}

// The second op reads the tensor that the first one's result was put into.
// CHECK-LABEL: func.func @reads_update
// CHECK: linalg.generic
// CHECK: tensor.insert_slice
// CHECK: linalg.generic
func.func @reads_update(%a: tensor<32xf64>, %x: tensor<4x32xf64>) -> (tensor<4x32xf64>, tensor<32xf64>) {
  %e = tensor.empty() : tensor<32xf64>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %x2 = tensor.insert_slice %p into %x[1, 0] [1, 32] [1, 1] : tensor<32xf64> into tensor<4x32xf64>
  %new = tensor.extract_slice %x2[0, 0] [1, 32] [1, 1] : tensor<4x32xf64> to tensor<32xf64>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %new : tensor<32xf64>, tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.mulf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  return %x2, %q : tensor<4x32xf64>, tensor<32xf64>
}

// Ops that read a sum, or make what is summed, are left to its kernel.
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-3: linalg.generic
func.func @sums(%a: tensor<32xf64>) -> (tensor<32xf64>, tensor<f64>) {
  %e = tensor.empty() : tensor<32xf64>
  %z = tensor.empty() : tensor<f64>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.mulf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %t = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%q : tensor<32xf64>) outs(%z : tensor<f64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %o : f64
    linalg.yield %s : f64
  } -> tensor<f64>
  return %p, %t : tensor<32xf64>, tensor<f64>
}

// Nothing is shared; what is made is read at other places; sizes differ or are not known; types differ.
// CHECK-LABEL: func.func @strangers
// CHECK-COUNT-2: linalg.generic
// CHECK-LABEL: func.func @turned
// CHECK-COUNT-2: linalg.generic
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-2: linalg.generic
// CHECK-LABEL: func.func @types
// CHECK-COUNT-2: linalg.generic
// Where nests may be mixed, sizes that are not known have to be those of something that both read, and all of it.
// MIXED-LABEL: func.func @strangers
// MIXED-COUNT-2: linalg.generic
// MIXED-LABEL: func.func @turned
// MIXED-COUNT-2: linalg.generic
// MIXED-LABEL: func.func @unknown
// MIXED: %[[E:.*]] = tensor.empty(%arg1) : tensor<?xf64>
// MIXED: %[[F:.*]] = tensor.empty(%arg1) : tensor<?xf64>
// MIXED: linalg.generic {{.*}} ins(%arg0 : {{.*}}) outs(%[[E]], %[[F]] :
// MIXED-NOT: linalg.generic
// MIXED-LABEL: func.func @types
// MIXED: %[[R:.*]]:2 = linalg.generic {{.*}} outs(%{{.*}}, %{{.*}} : tensor<32xf64>, tensor<32xi1>)
// MIXED-NOT: linalg.generic
// MIXED: return %[[R]]#0, %[[R]]#1 : tensor<32xf64>, tensor<32xi1>
// MIXED-LABEL: func.func @unknown_rows
// MIXED-COUNT-2: linalg.generic
func.func @strangers(%a: tensor<32xf64>, %b: tensor<32xf64>) -> (tensor<32xf64>, tensor<32xf64>) {
  %e = tensor.empty() : tensor<32xf64>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%b : tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.mulf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  return %p, %q : tensor<32xf64>, tensor<32xf64>
}
func.func @turned(%a: tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8x8xf64>) {
  %e = tensor.empty() : tensor<8x8xf64>
  %p = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<8x8xf64>
  %q = linalg.generic {indexing_maps = [#id2, #turned, #id2], iterator_types = ["parallel", "parallel"]} ins(%a, %p : tensor<8x8xf64>, tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.mulf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<8x8xf64>
  return %p, %q : tensor<8x8xf64>, tensor<8x8xf64>
}
func.func @unknown(%a: tensor<?xf64>, %n: index) -> (tensor<?xf64>, tensor<?xf64>) {
  %e = tensor.empty(%n) : tensor<?xf64>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<?xf64>) outs(%e : tensor<?xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<?xf64>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<?xf64>) outs(%e : tensor<?xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.mulf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<?xf64>
  return %p, %q : tensor<?xf64>, tensor<?xf64>
}
func.func @types(%a: tensor<32xf64>) -> (tensor<32xf64>, tensor<32xi1>) {
  %e = tensor.empty() : tensor<32xf64>
  %f = tensor.empty() : tensor<32xi1>
  %p = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %q = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<32xf64>) outs(%f : tensor<32xi1>) {
  ^bb0(%i: f64, %o: i1):
    %s = arith.cmpf olt, %i, %i : f64
    linalg.yield %s : i1
  } -> tensor<32xi1>
  return %p, %q : tensor<32xf64>, tensor<32xi1>
}
func.func @unknown_rows(%row: tensor<?xf64>, %a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %n: index, %m: index, %k: index) -> (tensor<?x?xf64>, tensor<?x?xf64>) {
  %e = tensor.empty(%n, %k) : tensor<?x?xf64>
  %f = tensor.empty(%m, %k) : tensor<?x?xf64>
  %p = linalg.generic {indexing_maps = [#row, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%row, %a : tensor<?xf64>, tensor<?x?xf64>) outs(%e : tensor<?x?xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.addf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<?x?xf64>
  %q = linalg.generic {indexing_maps = [#row, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%row, %b : tensor<?xf64>, tensor<?x?xf64>) outs(%f : tensor<?x?xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.mulf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<?x?xf64>
  return %p, %q : tensor<?x?xf64>, tensor<?x?xf64>
}

// What reads an array across has a schedule of its own.
// MIXED-LABEL: func.func @across
// MIXED-COUNT-2: linalg.generic
func.func @across(%a: tensor<8x8xf64>, %b: tensor<8x8xf64>) -> (tensor<8x8xf64>, tensor<8x8xf64>) {
  %e = tensor.empty() : tensor<8x8xf64>
  %p = linalg.generic {indexing_maps = [#id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) {
  ^bb0(%i: f64, %o: f64):
    %s = arith.addf %i, %i : f64
    linalg.yield %s : f64
  } -> tensor<8x8xf64>
  %q = linalg.generic {indexing_maps = [#id2, #turned, #id2], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<8x8xf64>, tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) {
  ^bb0(%i: f64, %j: f64, %o: f64):
    %s = arith.mulf %i, %j : f64
    linalg.yield %s : f64
  } -> tensor<8x8xf64>
  return %p, %q : tensor<8x8xf64>, tensor<8x8xf64>
}

// The first op stays where one behind it looks up what it makes, by the body.
// MIXED-LABEL: func.func @looked_up
// MIXED: %[[P:.*]] = linalg.generic
// MIXED: linalg.generic
// MIXED: tensor.extract %[[P]]
// MIXED: linalg.generic
func.func @looked_up(%a: tensor<32xf64>, %b: tensor<32xf64>, %i: tensor<8xindex>) -> (tensor<32xf64>, tensor<8xf64>, tensor<32xf64>) {
  %e = tensor.empty() : tensor<32xf64>
  %few = tensor.empty() : tensor<8xf64>
  %p = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<32xf64>, tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %s = arith.subf %x, %y : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : tensor<8xindex>) outs(%few : tensor<8xf64>) {
  ^bb0(%x: index, %o: f64):
    %s = tensor.extract %p[%x] : tensor<32xf64>
    linalg.yield %s : f64
  } -> tensor<8xf64>
  %q = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : tensor<32xf64>, tensor<32xf64>) outs(%e : tensor<32xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %s = arith.addf %x, %y : f64
    linalg.yield %s : f64
  } -> tensor<32xf64>
  return %p, %g, %q : tensor<32xf64>, tensor<8xf64>, tensor<32xf64>
}
