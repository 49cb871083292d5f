// RUN: weft-opt %s --split-input-file --outline-kernels --plan-buffers | filecheck %s

// Arrays that are carried crosswise change places. Only what is used after the loop is brought back, by way of other
// memory when both are.

// CHECK-LABEL: func.func @swap
// CHECK:       %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[P:.*]] = %arg3, %[[Q:.*]] = %arg4)
// CHECK-NEXT:    func.call @kernel_0(%[[P]], %[[Q]])
// CHECK-NEXT:    scf.yield %[[Q]], %[[P]]
// CHECK-NEXT:  }
// CHECK:       %[[T:.*]] = memref.view
// CHECK:       scf.if
// CHECK-NEXT:    memref.copy %[[R]]#1, %[[T]]
// CHECK-NEXT:    memref.copy %[[R]]#0, %arg3
// CHECK-NEXT:    memref.copy %[[T]], %arg4
// CHECK-NEXT:  }
// CHECK-NEXT:  return
#id = affine_map<(i) -> (i)>
func.func @swap(%a0: tensor<8xf64>, %b0: tensor<8xf64>, %trips: tensor<i64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %t = tensor.extract %trips[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0) -> (tensor<8xf64>, tensor<8xf64>) {
    %s = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf64>) outs(%b : tensor<8xf64>) {
    ^bb0(%x: f64, %y: f64):
      %z = arith.addf %x, %y : f64
      linalg.yield %z : f64
    } -> tensor<8xf64>
    scf.yield %s, %a : tensor<8xf64>, tensor<8xf64>
  }
  return %r#0, %r#1 : tensor<8xf64>, tensor<8xf64>
}

// -----

// A while loop passes the memory on from its condition to its body.

// CHECK-LABEL: func.func @while
// CHECK:       %[[R:.*]]:3 = scf.while (%[[I:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK:         scf.condition(%{{.*}}) %[[I]], %[[P]], %[[Q]]
// CHECK:       ^bb0(%{{.*}}: i64, %[[P2:.*]]: memref<8xf64>, %[[Q2:.*]]: memref<8xf64>):
// CHECK:         func.call @kernel_0(%[[P2]], %[[Q2]])
// CHECK:         scf.yield %{{.*}}, %[[Q2]], %[[P2]]
// CHECK:       scf.if
#reverse = affine_map<(i) -> (7 - i)>
#id = affine_map<(i) -> (i)>
func.func @while(%a0: tensor<8xf64>, %trips: tensor<i64>) -> tensor<8xf64> {
  %n = tensor.extract %trips[] : tensor<i64>
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r:2 = scf.while (%a = %a0, %i = %zero) : (tensor<8xf64>, i64) -> (tensor<8xf64>, i64) {
    %c = arith.cmpi slt, %i, %n : i64
    scf.condition(%c) %a, %i : tensor<8xf64>, i64
  } do {
  ^bb0(%a: tensor<8xf64>, %i: i64):
    %e = tensor.empty() : tensor<8xf64>
    %s = linalg.generic {indexing_maps = [#reverse, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf64>) outs(%e : tensor<8xf64>) {
    ^bb0(%x: f64, %y: f64):
      linalg.yield %x : f64
    } -> tensor<8xf64>
    %j = arith.addi %i, %one : i64
    scf.yield %s, %j : tensor<8xf64>, i64
  }
  return %r#0 : tensor<8xf64>
}

// -----

// A value that is yielded twice is copied once, and what is made in its own place stays there.

// CHECK-LABEL: func.func @twice
// CHECK:       scf.for
// CHECK-NOT:     iter_args
// CHECK:         func.call @kernel_0(%arg3)
// CHECK-NEXT:    memref.copy %arg3, %arg4
// CHECK-NEXT:  }
// CHECK-NEXT:  return
#id = affine_map<(i) -> (i)>
func.func @twice(%a0: tensor<8xf64>, %b0: tensor<8xf64>, %trips: tensor<i64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %t = tensor.extract %trips[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0) -> (tensor<8xf64>, tensor<8xf64>) {
    %s = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%a : tensor<8xf64>) {
    ^bb0(%y: f64):
      %z = arith.addf %y, %y : f64
      linalg.yield %z : f64
    } -> tensor<8xf64>
    scf.yield %s, %s : tensor<8xf64>, tensor<8xf64>
  }
  return %r#0, %r#1 : tensor<8xf64>, tensor<8xf64>
}

// -----

// Memory of the caller's keeps its place: what is stored there in an iteration can be seen from outside.

// CHECK-LABEL: func.func @argument
// CHECK:       scf.for
// CHECK:         func.call @kernel_0(%arg0, %[[T:[a-z]+]])
// CHECK:         memref.copy %[[T]], %arg0
// CHECK:       }
#reverse = affine_map<(i) -> (7 - i)>
#id = affine_map<(i) -> (i)>
func.func @argument(%m: memref<8xf64>, %trips: tensor<i64>) {
  %t = tensor.extract %trips[] : tensor<i64>
  %n = arith.index_cast %t : i64 to index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    %a = bufferization.to_tensor %m restrict writable : memref<8xf64> to tensor<8xf64>
    %e = tensor.empty() : tensor<8xf64>
    %s = linalg.generic {indexing_maps = [#reverse, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<8xf64>) outs(%e : tensor<8xf64>) {
    ^bb0(%x: f64, %y: f64):
      linalg.yield %x : f64
    } -> tensor<8xf64>
    bufferization.materialize_in_destination %s in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
  }
  return
}
