// RUN: weft-opt %s --target=sm_90a --emit=ptx | filecheck %s
// RUN: weft-opt %s --target=sm_90a --emit=nvvm | filecheck %s --check-prefix=NVVM
// RUN: weft-opt %s --target=sm_90a --emit=placed | filecheck %s --check-prefix=PLACED

// PLACED: @kernel_0({{.*}}weft.side = "device"
// NVVM: llvm.func @kernel_0({{.*}}gpu.kernel

// CHECK: .target sm_90a
// CHECK: .entry kernel_0(
// CHECK: ld.global.nc.v4.b32
// CHECK: add.rn.f32
// CHECK-NOT: fma
// CHECK-NOT: .local
// CHECK: st.global.v4.b32
func.func @double_and_add(%x: tensor<1024xf32>, %y: tensor<1024xf32>) -> tensor<1024xf32> {
  %empty = tensor.empty() : tensor<1024xf32>
  %z = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x, %y : tensor<1024xf32>, tensor<1024xf32>) outs(%empty : tensor<1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %a : f32
    linalg.yield %s : f32
  } -> tensor<1024xf32>
  return %z : tensor<1024xf32>
}
