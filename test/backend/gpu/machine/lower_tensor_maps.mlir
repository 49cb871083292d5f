// RUN: weft-opt %s --lower-launches --canonicalize --cse | filecheck %s

// The driver writes the map to aligned memory of the stack, whose address is that of the parameter.
// CHECK: func.func private @kernel_0(%[[X:[a-z0-9]*]]: memref<3x72x80xbf16>
// CHECK: %[[MAP:.*]] = memref.alloca() {alignment = 128 : i64} : memref<16xi64>
// CHECK: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[MAP]]
// Extents and strides in bytes, the innermost first; then the box.
// CHECK: memref.store %c80_i64
// CHECK: memref.store %c72_i64
// CHECK: memref.store %c3_i64
// CHECK: memref.store %c160_i64
// CHECK: memref.store %c11520_i64
// CHECK: memref.store %c549755813952_i64
// CHECK: %[[ARRAY:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK: %[[MAP_:.*]] = arith.index_cast %[[AT]] : index
// CHECK: %[[ARRAY_:.*]] = arith.index_cast %[[ARRAY]] : index
// CHECK: call @weft_device_encode_map(%{{.*}}, %[[MAP_]], %c9_i64, %c3_i64, %[[ARRAY_]],
// CHECK-NOT: nvgpu
// CHECK: call @weft_device_launch
module attributes {gpu.container_module, weft.sites = []} {
  func.func private @kernel_0(%x: memref<3x72x80xbf16>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %whole = memref.cast %x : memref<3x72x80xbf16> to memref<*xbf16>
    %map = nvgpu.tma.create.descriptor %whole box[%c1, %c128, %c64] : memref<*xbf16> -> !nvgpu.tensormap.descriptor<tensor = memref<1x128x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none>
    %pointer = builtin.unrealized_conversion_cast %map : !nvgpu.tensormap.descriptor<tensor = memref<1x128x64xbf16, 3>, swizzle = swizzle_128b, l2promo = l2promo_128b, oob = zero, interleave = none> to !llvm.ptr
    gpu.launch_func @m::@f blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%pointer : !llvm.ptr)
    return
  }
  gpu.module @m {
    gpu.func @f(%map: !llvm.ptr) kernel {
      gpu.return
    }
  }
}
