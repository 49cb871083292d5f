// RUN: weft-opt %s --target=x86-64-v4 --buffers-to-loops | filecheck %s

#id = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>

// A search looks at 2048 bytes, then whether one of them was not zero; what is left is looked at once, if at all.
// CHECK-LABEL: func.func private @any(
// CHECK: scf.while
// CHECK: %[[FLAGS:.*]] = arith.cmpi ne, %{{.*}} : vector<64xi8>
// CHECK: %[[FOUND:.*]] = vector.reduction <or>, %[[FLAGS]] : vector<64xi1> into i1
// CHECK: %[[OPEN:.*]] = arith.cmpi eq, %[[FOUND]]
// CHECK: arith.andi %{{.*}}, %[[OPEN]] : i1
// CHECK: scf.condition
// CHECK: scf.for
// CHECK: arith.addi %{{.*}}, %c2048
// CHECK: scf.while
// CHECK-NOT: parallel
// CHECK: return
func.func private @any(%a: memref<1000000xi8>, %o: memref<i8>) {
  %x = bufferization.to_tensor %a restrict : memref<1000000xi8> to tensor<1000000xi8>
  %zero = arith.constant 0 : i8
  %e = tensor.empty() : tensor<i8>
  %f = linalg.fill ins(%zero : i8) outs(%e : tensor<i8>) -> tensor<i8>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%x : tensor<1000000xi8>) outs(%f : tensor<i8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.ori %out, %in {weft.stops} : i8
    linalg.yield %s : i8
  } -> tensor<i8>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<i8>, memref<i8>) -> ()
  return
}

// What all elements decide is no search.
// CHECK-LABEL: func.func private @bits(
// CHECK-NOT: scf.while
// CHECK: vector.reduction <or>
// CHECK: return
func.func private @bits(%a: memref<10000xi8>, %o: memref<i8>) {
  %x = bufferization.to_tensor %a restrict : memref<10000xi8> to tensor<10000xi8>
  %zero = arith.constant 0 : i8
  %e = tensor.empty() : tensor<i8>
  %f = linalg.fill ins(%zero : i8) outs(%e : tensor<i8>) -> tensor<i8>
  %r = linalg.generic {indexing_maps = [#id, #scalar], iterator_types = ["reduction"]}
      ins(%x : tensor<10000xi8>) outs(%f : tensor<i8>) {
  ^bb0(%in: i8, %out: i8):
    %s = arith.ori %out, %in : i8
    linalg.yield %s : i8
  } -> tensor<i8>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<i8>, memref<i8>) -> ()
  return
}
