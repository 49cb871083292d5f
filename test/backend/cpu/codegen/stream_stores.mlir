// RUN: weft-opt %s --target=x86-64-v4 --buffers-to-loops | filecheck %s
// RUN: weft-opt %s --target=aarch64 --buffers-to-loops | filecheck %s --check-prefix=ARM

#id = affine_map<(i) -> (i)>

// A large result that is only written: elements up to the first whole line, whole lines past the caches, what is left.
// Inputs are read ahead. On x86, what the thread does next comes after the stores.
// CHECK-LABEL: func.func @large.loop_0(
// CHECK: scf.for
// CHECK: memref.prefetch
// CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true} : memref<10000000xf32>, vector<16xf32>
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @large(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<10000000xf32>, %[[OUT:[a-z0-9]+]]: memref<10000000xf32>)
// CHECK: memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK: vector.maskedstore
// CHECK: call @large.loop_0.parallel
// CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: vector.maskedstore
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK-NEXT: return
// ARM-LABEL: func.func @large.loop_0(
// ARM: vector.store {{.*}} {alignment = 16 : i64, nontemporal = true} : memref<10000000xf32>, vector<4xf32>
// ARM-NOT: sfence
// ARM-LABEL: func.func private @small(
func.func private @large(%a: memref<10000000xf32>, %o: memref<10000000xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<10000000xf32> to tensor<10000000xf32>
  %e = tensor.empty() : tensor<10000000xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<10000000xf32>) outs(%e : tensor<10000000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<10000000xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<10000000xf32>, memref<10000000xf32>) -> ()
  return
}

// A small one is found in a cache by who reads it, and so may be what is read.
// CHECK-LABEL: func.func private @small(
// CHECK-NOT: memref.prefetch
// CHECK-NOT: nontemporal
// CHECK-NOT: sfence
// CHECK: return
func.func private @small(%a: memref<100000xf32>, %o: memref<100000xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<100000xf32> to tensor<100000xf32>
  %e = tensor.empty() : tensor<100000xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<100000xf32>) outs(%e : tensor<100000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<100000xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100000xf32>, memref<100000xf32>) -> ()
  return
}

// What is updated in place was read a moment ago: its lines are in a cache.
// CHECK-LABEL: func.func private @update(
// CHECK-NOT: nontemporal
// CHECK-NOT: sfence
// CHECK: return
func.func private @update(%o: memref<10000000xf32>) {
  %x = bufferization.to_tensor %o restrict writable : memref<10000000xf32> to tensor<10000000xf32>
  %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]}
      outs(%x : tensor<10000000xf32>) {
  ^bb0(%out: f32):
    %s = arith.addf %out, %out : f32
    linalg.yield %s : f32
  } -> tensor<10000000xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<10000000xf32>, memref<10000000xf32>) -> ()
  return
}

// Which size is large is found out before the loop.
// CHECK-LABEL: func.func private @dynamic(
// CHECK: memref.dim
// CHECK: %[[ENOUGH:.*]] = arith.cmpi sge, %{{.*}}, %c6291456
// CHECK: %[[LONG:.*]] = arith.cmpi sge, %{{.*}}, %c256
// CHECK: %[[LARGE:.*]] = arith.andi %[[ENOUGH]], %[[LONG]]
// CHECK: scf.if %[[LARGE]]
// CHECK: nontemporal = true
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: llvm.call_intrinsic "llvm.x86.sse.sfence"
// CHECK-NEXT: return
func.func private @dynamic(%a: memref<?xf32>, %o: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %x = bufferization.to_tensor %a restrict : memref<?xf32> to tensor<?xf32>
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<?xf32>, memref<?xf32>) -> ()
  return
}

// A result that something else in the kernel reads again.
// CHECK-LABEL: func.func private @read_again(
// CHECK-NOT: nontemporal
// CHECK: return
func.func private @read_again(%a: memref<10000000xf32>, %o: memref<10000000xf32>, %p: memref<10000000xf32>) {
  %x = bufferization.to_tensor %a restrict : memref<10000000xf32> to tensor<10000000xf32>
  %e = tensor.empty() : tensor<10000000xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<10000000xf32>) outs(%e : tensor<10000000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<10000000xf32>
  %q = bufferization.to_tensor %p restrict writable : memref<10000000xf32> to tensor<10000000xf32>
  %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%r : tensor<10000000xf32>) outs(%q : tensor<10000000xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.mulf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<10000000xf32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<10000000xf32>, memref<10000000xf32>) -> ()
  bufferization.materialize_in_destination %t in restrict writable %p : (tensor<10000000xf32>, memref<10000000xf32>) -> ()
  return
}
