// RUN: weft-opt %s --emit=llvm | filecheck %s --check-prefix=LLVM
// RUN: weft-opt %s --weft-optimize --weft-to-linalg --emit=llvm | filecheck %s --check-prefix=LLVM
// RUN: weft-opt %s --weft-to-llvm | filecheck %s --check-prefix=DIALECT
// RUN: weft-opt %s --weft-to-llvm | weft-opt --emit=llvm | filecheck %s --check-prefix=LLVM
// RUN: weft-opt %s --emit=asm | filecheck %s --check-prefix=ASM
// RUN: weft-opt %s --emit=obj -o %t.o
// RUN: weft-opt %s --emit=mlir | filecheck %s --check-prefix=MLIR

// LLVM: define internal {{.*}} @triple(
// LLVM: define void @"triple_entry"
// DIALECT: llvm.func {{.*}}@triple(
// DIALECT-NOT: func.func
// ASM: triple
// ASM: ret
// MLIR: weft.multiply
func.func @triple(%x: tensor<16xf32>) -> tensor<16xf32> {
  %three = "weft.constant"() {value = dense<3.0> : tensor<f32>} : () -> tensor<f32>
  %0 = "weft.multiply"(%x, %three) : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
