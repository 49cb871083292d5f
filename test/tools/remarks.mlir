// What passes decide is told as remarks at the ops that it is about, where that is asked for.
// RUN: weft-opt %s --emit=llvm --remarks-filter='^(fused|vector)$' --verify-diagnostics -o %t
// RUN: weft-opt %s --emit=llvm --remarks-filter=copy 2>&1 | filecheck %s
// RUN: not weft-opt %s --remarks-filter='(' 2>&1 | filecheck %s --check-prefix=MALFORMED

// CHECK-NOT: remark
// MALFORMED: weft-opt: error: --remarks-filter=( is no regular expression: missing ), unterminated subpattern

func.func @f(%x: tensor<1000xf64>) -> tensor<1000xf64> {
  %0 = "weft.exp"(%x) : (tensor<1000xf64>) -> tensor<1000xf64>
  // expected-remark @+2 {{fused: this is computed in one loop with line 10}}
  // expected-remark @+1 {{vector: this runs in vectors of}}
  %1 = "weft.add"(%0, %x) : (tensor<1000xf64>, tensor<1000xf64>) -> tensor<1000xf64>
  return %1 : tensor<1000xf64>
}
