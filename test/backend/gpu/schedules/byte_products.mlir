// RUN: weft-opt %s --schedule-device-kernels --target=sm_90a --canonicalize --cse --split-input-file | filecheck %s
// RUN: weft-opt %s --schedule-device-kernels --target=sm_80 --canonicalize --cse --split-input-file | filecheck %s --check-prefix=EIGHT
// RUN: weft-opt %s --schedule-device-kernels --target=sm_75 --canonicalize --cse --split-input-file | filecheck %s --check-prefix=OLD
// OLD-NOT: llvm.nvvm.mma

// Lines of bytes along what is summed come by boxes, or by copies; sums of 32 bits are cut where they are stored.
// CHECK-LABEL: func.func private @kernel_0
// CHECK: nvgpu.tma.create.descriptor {{.*}} box[%c64, %c128]
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: "warpgroups bytes: bytes are added up in s32; 64 by 64 by 128, 4 steps in shared memory"
// CHECK-COUNT-4: nvvm.wgmma.mma_async {{.*}} k = 32>, D[<s32>, <one>, <wrapped>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>]
// CHECK: arith.trunci {{.*}} : i32 to i8
// EIGHT-LABEL: func.func private @kernel_0
// EIGHT: "tensor cores bytes: bytes are added up in s32; 32 by 32 by 128, 2 by 2 a thread"
// EIGHT: nvvm.cp.async.shared.global
// EIGHT: nvvm.ldmatrix
// EIGHT: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.s8"
// EIGHT: arith.trunci {{.*}} : i32 to i8
func.func private @kernel_0(%a: memref<128x256xi8>, %b: memref<128x256xi8>, %c: memref<128x128xi8>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<128x256xi8>, memref<128x256xi8>) outs(%c : memref<128x128xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %m = arith.muli %x, %y : i8
    %s = arith.addi %o, %m : i8
    linalg.yield %s : i8
  }
  return
}

// -----

// Instructions say which factor has signs. Lines across what is summed come element by element.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-NOT: nvvm.wgmma
// CHECK: "tensor cores bytes: bytes are added up in s32
// CHECK-NOT: nvvm.cp.async
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.u8.s8"
func.func private @kernel_1(%a: memref<128x256xi8>, %b: memref<256x128xi8>, %c: memref<128x128xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<128x256xi8>, memref<256x128xi8>) outs(%c : memref<128x128xi32>) {
  ^bb0(%x: i8, %y: i8, %o: i32):
    %l = arith.extui %x : i8 to i32
    %r = arith.extsi %y : i8 to i32
    %m = arith.muli %l, %r : i32
    %s = arith.addi %o, %m : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// Sums of 64 bits are not those of 32, where these may be too short; and bits that are joined are no numbers.
// CHECK-LABEL: func.func private @kernel_2
// CHECK-NOT: mma
// CHECK: "products: tiles in shared memory
func.func private @kernel_2(%a: memref<128x65536xi8>, %b: memref<128x65536xi8>, %c: memref<128x128xi64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<128x65536xi8>, memref<128x65536xi8>) outs(%c : memref<128x128xi64>) {
  ^bb0(%x: i8, %y: i8, %o: i64):
    %l = arith.extsi %x : i8 to i64
    %r = arith.extsi %y : i8 to i64
    %m = arith.muli %l, %r : i64
    %s = arith.addi %o, %m : i64
    linalg.yield %s : i64
  }
  return
}

// CHECK-LABEL: func.func private @kernel_3
// CHECK-NOT: mma
// CHECK: "products: tiles in shared memory
func.func private @kernel_3(%a: memref<128x256xi8>, %b: memref<128x256xi8>, %c: memref<128x128xi8>) {
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<128x256xi8>, memref<128x256xi8>) outs(%c : memref<128x128xi8>) {
  ^bb0(%x: i8, %y: i8, %o: i8):
    %m = arith.andi %x, %y : i8
    %s = arith.ori %o, %m : i8
    linalg.yield %s : i8
  }
  return
}
