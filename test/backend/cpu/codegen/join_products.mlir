// RUN: weft-opt %s --join-products --verify-each | filecheck %s

#matrix = affine_map<(i, k) -> (i, k)>
#turned = affine_map<(i, k) -> (k, i)>
#vector = affine_map<(i, k) -> (k)>
#result = affine_map<(i, k) -> (i)>
#elements = affine_map<(i) -> (i)>

// Products with the rows of a matrix and sums of its rows are computed together, those of rows first; the matrix is
// passed once.
// CHECK-LABEL: func.func @both_sides
// CHECK: %[[R:[0-9]+]]:2 = call @kernel_{{[0-9]+}}(%arg0, %arg1, %arg2, %{{.*}}, %{{.*}}) :
// CHECK-NOT: call
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @both_sides(%a: tensor<40x30xf32>, %x: tensor<30xf32>, %y: tensor<40xf32>) -> (tensor<30xf32>, tensor<40xf32>) {
  %0 = tensor.empty() : tensor<30xf32>
  %v = call @kernel_1(%a, %y, %0) : (tensor<40x30xf32>, tensor<40xf32>, tensor<30xf32>) -> tensor<30xf32>
  %1 = tensor.empty() : tensor<40xf32>
  %u = call @kernel_0(%a, %x, %1) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %v, %u : tensor<30xf32>, tensor<40xf32>
}

// So are products of a row that its sum needs, here where other code needs them before.
// CHECK-LABEL: func.func @chained
// CHECK: %[[C:[0-9]+]]:2 = call @[[CHAINED:kernel_[0-9]+]](%arg0, %arg1, %{{.*}}, %{{.*}}) :
// CHECK: tensor.extract %[[C]]#0
// CHECK-NOT: call
// CHECK: return %[[C]]#1
func.func @chained(%a: tensor<40x30xf32>, %x: tensor<30xf32>, %i: index) -> (tensor<30xf32>, f32) {
  %1 = tensor.empty() : tensor<40xf32>
  %u = call @kernel_0(%a, %x, %1) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  %e = tensor.extract %u[%i] : tensor<40xf32>
  %0 = tensor.empty() : tensor<30xf32>
  %v = call @kernel_1(%a, %u, %0) : (tensor<40x30xf32>, tensor<40xf32>, tensor<30xf32>) -> tensor<30xf32>
  return %v, %e : tensor<30xf32>, f32
}

// The first one is moved down to a second one that needs what is computed in between.
// CHECK-LABEL: func.func @moved_down
// CHECK: %[[OTHER:[0-9]+]] = call @kernel_2
// CHECK: call @kernel_{{[0-9]+}}(%arg0, %arg1, %[[OTHER]],
// CHECK-NOT: call
// CHECK: return
func.func @moved_down(%a: tensor<40x30xf32>, %x: tensor<30xf32>, %y: tensor<40xf32>) -> (tensor<30xf32>, tensor<40xf32>) {
  %1 = tensor.empty() : tensor<40xf32>
  %u = call @kernel_0(%a, %x, %1) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  %2 = tensor.empty() : tensor<40xf32>
  %z = call @kernel_2(%y, %2) : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %0 = tensor.empty() : tensor<30xf32>
  %v = call @kernel_1(%a, %z, %0) : (tensor<40x30xf32>, tensor<40xf32>, tensor<30xf32>) -> tensor<30xf32>
  return %v, %u : tensor<30xf32>, tensor<40xf32>
}

// Not where the sums of rows are needed for the products of rows,
// CHECK-LABEL: func.func @needs_all
// CHECK: call @kernel_1
// CHECK: call @kernel_0
func.func @needs_all(%a: tensor<40x30xf32>, %y: tensor<40xf32>) -> tensor<40xf32> {
  %0 = tensor.empty() : tensor<30xf32>
  %v = call @kernel_1(%a, %y, %0) : (tensor<40x30xf32>, tensor<40xf32>, tensor<30xf32>) -> tensor<30xf32>
  %1 = tensor.empty() : tensor<40xf32>
  %u = call @kernel_0(%a, %v, %1) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %u : tensor<40xf32>
}

// nor with two matrices, nor for two products from the same side.
// CHECK-LABEL: func.func @others
// CHECK: call @kernel_0(%arg0,
// CHECK: call @kernel_1(%arg1,
// CHECK: call @kernel_0(%arg0,
func.func @others(%a: tensor<40x30xf32>, %b: tensor<40x30xf32>, %x: tensor<30xf32>, %y: tensor<40xf32>) -> (tensor<40xf32>, tensor<30xf32>, tensor<40xf32>) {
  %0 = tensor.empty() : tensor<30xf32>
  %1 = tensor.empty() : tensor<40xf32>
  %2 = tensor.empty() : tensor<40xf32>
  %u = call @kernel_0(%a, %x, %1) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  %v = call @kernel_1(%b, %y, %0) : (tensor<40x30xf32>, tensor<40xf32>, tensor<30xf32>) -> tensor<30xf32>
  %w = call @kernel_0(%a, %x, %2) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %u, %v, %w : tensor<40xf32>, tensor<30xf32>, tensor<40xf32>
}

// What is made of each product, and read elsewhere, too, is made along with the products: a result more.
// CHECK-LABEL: func.func @with_step
// CHECK: %[[S:[0-9]+]]:3 = call @[[WITH_STEP:kernel_[0-9]+]](%arg0, %arg1, %arg2, %{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK: %[[E:.*]] = call @kernel_2(%[[S]]#0,
// CHECK-NOT: call
// CHECK: return %[[S]]#2, %[[E]], %[[S]]#1
func.func @with_step(%a: tensor<40x30xf32>, %x: tensor<30xf32>, %y: tensor<40xf32>) -> (tensor<30xf32>, tensor<40xf32>, tensor<40xf32>) {
  %0 = tensor.empty() : tensor<40xf32>
  %1 = tensor.empty() : tensor<40xf32>
  %2 = tensor.empty() : tensor<40xf32>
  %3 = tensor.empty() : tensor<30xf32>
  %u = call @kernel_0(%a, %x, %0) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  %e = call @kernel_2(%u, %1) : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %w = call @kernel_3(%u, %y, %2) : (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %v = call @kernel_1(%a, %w, %3) : (tensor<40x30xf32>, tensor<40xf32>, tensor<30xf32>) -> tensor<30xf32>
  return %v, %e, %w : tensor<30xf32>, tensor<40xf32>, tensor<40xf32>
}

// Not where what is made needs all products.
// CHECK-LABEL: func.func @backwards
// CHECK: call @kernel_0(
// CHECK: call @kernel_4(
// CHECK: call @kernel_1(
func.func @backwards(%a: tensor<40x30xf32>, %x: tensor<30xf32>) -> (tensor<30xf32>, tensor<40xf32>) {
  %0 = tensor.empty() : tensor<40xf32>
  %1 = tensor.empty() : tensor<40xf32>
  %2 = tensor.empty() : tensor<30xf32>
  %u = call @kernel_0(%a, %x, %0) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  %w = call @kernel_4(%u, %1) : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %v = call @kernel_1(%a, %w, %2) : (tensor<40x30xf32>, tensor<40xf32>, tensor<30xf32>) -> tensor<30xf32>
  return %v, %u : tensor<30xf32>, tensor<40xf32>
}

// Nor where memory that the first one reads is written before the second one's operand is there.
// CHECK-LABEL: func.func @written
// CHECK: call @kernel_0(
// CHECK: materialize_in_destination
// CHECK: call @kernel_1(
func.func @written(%a: tensor<40x30xf32>, %m: memref<30xf32>, %y: tensor<30xf32>, %z: memref<40xf32>) -> (tensor<40xf32>, tensor<30xf32>) {
  %0 = tensor.empty() : tensor<30xf32>
  %1 = tensor.empty() : tensor<40xf32>
  %x = bufferization.to_tensor %m restrict writable : memref<30xf32> to tensor<30xf32>
  %u = call @kernel_0(%a, %x, %1) : (tensor<40x30xf32>, tensor<30xf32>, tensor<40xf32>) -> tensor<40xf32>
  bufferization.materialize_in_destination %y in writable %m : (tensor<30xf32>, memref<30xf32>) -> ()
  %w = bufferization.to_tensor %z restrict writable : memref<40xf32> to tensor<40xf32>
  %v = call @kernel_1(%a, %w, %0) : (tensor<40x30xf32>, tensor<40xf32>, tensor<30xf32>) -> tensor<30xf32>
  return %u, %v : tensor<40xf32>, tensor<30xf32>
}

func.func private @kernel_0(%a: tensor<40x30xf32>, %x: tensor<30xf32>, %o: tensor<40xf32>) -> tensor<40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %p = linalg.contract indexing_maps = [#matrix, #vector, #result]
      ins(%a, %x : tensor<40x30xf32>, tensor<30xf32>) outs(%f : tensor<40xf32>) -> tensor<40xf32>
  %r = bufferization.materialize_in_destination %p in %o : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

func.func private @kernel_1(%a: tensor<40x30xf32>, %y: tensor<40xf32>, %o: tensor<30xf32>) -> tensor<30xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<30xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<30xf32>) -> tensor<30xf32>
  %p = linalg.contract indexing_maps = [#turned, #vector, #result]
      ins(%a, %y : tensor<40x30xf32>, tensor<40xf32>) outs(%f : tensor<30xf32>) -> tensor<30xf32>
  %r = bufferization.materialize_in_destination %p in %o : (tensor<30xf32>, tensor<30xf32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}

func.func private @kernel_2(%y: tensor<40xf32>, %o: tensor<40xf32>) -> tensor<40xf32> {
  %e = tensor.empty() : tensor<40xf32>
  %p = linalg.exp ins(%y : tensor<40xf32>) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %r = bufferization.materialize_in_destination %p in %o : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

func.func private @kernel_3(%u: tensor<40xf32>, %y: tensor<40xf32>, %o: tensor<40xf32>) -> tensor<40xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %p = linalg.generic {indexing_maps = [#elements, #elements, #elements], iterator_types = ["parallel"]}
      ins(%y, %u : tensor<40xf32>, tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%in: f32, %of: f32, %out: f32):
    %m = arith.mulf %in, %of : f32
    %d = arith.mulf %m, %two : f32
    linalg.yield %d : f32
  } -> tensor<40xf32>
  %r = bufferization.materialize_in_destination %p in %o : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

func.func private @kernel_4(%u: tensor<40xf32>, %o: tensor<40xf32>) -> tensor<40xf32> {
  %last = arith.constant 39 : index
  %e = tensor.empty() : tensor<40xf32>
  %p = linalg.generic {indexing_maps = [#elements], iterator_types = ["parallel"]} outs(%e : tensor<40xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %k = arith.subi %last, %i : index
    %d = tensor.extract %u[%k] : tensor<40xf32>
    linalg.yield %d : f32
  } -> tensor<40xf32>
  %r = bufferization.materialize_in_destination %p in %o : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
}

// The kernel of a chain stores what the first product makes, and goes on with it.
// CHECK: func.func private @[[CHAINED]](%[[A:arg[0-9]]]: tensor<40x30xf32>, %[[X:arg[0-9]]]: tensor<30xf32>, %{{.*}}: tensor<40xf32>, %{{.*}}: tensor<30xf32>)
// CHECK: %[[U:[0-9]+]] = linalg.contract {{.*}} ins(%[[A]], %[[X]] :
// CHECK: linalg.contract {{.*}} ins(%[[A]], %[[U]] :

// One with a step makes its elements of the product's.
// CHECK: func.func private @[[WITH_STEP]](%[[A:arg[0-9]]]: tensor<40x30xf32>, %[[X:arg[0-9]]]: tensor<30xf32>, %[[Y:arg[0-9]]]: tensor<40xf32>,
// CHECK: %[[P:[0-9]+]] = linalg.contract {{.*}} ins(%[[A]], %[[X]] :
// CHECK: %[[B:[0-9]+]] = linalg.generic {{.*}} ins(%[[Y]], %[[P]] :
// CHECK: linalg.contract {{.*}} ins(%[[A]], %[[B]] :
