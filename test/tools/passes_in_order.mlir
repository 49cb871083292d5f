// RUN: weft-opt %s --weft-simplify --cse --dump-pass-pipeline -o %t 2>&1 | filecheck %s --check-prefix=FLAGS
// RUN: weft-opt %s -cse -weft-fold=max-elements=2 -canonicalize="max-iterations=3 top-down=false" --dump-pass-pipeline -o %t 2>&1 | filecheck %s --check-prefix=OPTIONS
// RUN: weft-opt %s --weft-optimize --dump-pass-pipeline -o %t 2>&1 | filecheck %s --check-prefix=NAMED
// RUN: weft-opt %s --pass-pipeline='builtin.module(func.func(cse, canonicalize{max-iterations=3}), weft-to-linalg)' --dump-pass-pipeline -o %t 2>&1 | filecheck %s --check-prefix=TEXT
// RUN: weft-opt %s --pass-pipeline='any(cse)' | filecheck %s
// RUN: weft-opt %s --cse --weft-simplify | filecheck %s --check-prefix=BOTH
// RUN: weft-opt %s --weft-simplify --cse | filecheck %s --check-prefix=REVERSED

// FLAGS: builtin.module(weft-simplify,cse)
// OPTIONS: builtin.module(cse,weft-fold{max-elements=2},canonicalize{max-iterations=3 top-down=false})
// NAMED: builtin.module(weft-inline,symbol-dce,promote-refs,prove-no-overflow,check-ranks,weft-batch,weft-fold,optimize-control-flow,gather-windows,cse,stretch-operands,weft-simplify,gather-convolutions,optimize-gradients,check-loops-first,raise-loops,hoist-products,block-dot-products,transpose-columns,overlap-messages,read-through,fuse-updates,skip-fills)
// TEXT: builtin.module(func.func(cse),func.func(canonicalize{max-iterations=3}),{{.*}}convert-weft-to-linalg,{{.*}}canonicalize{{.*}},cse,mark-distinct-bodies{remove=true},read-inserted,read-first)

// x - x is only seen once cse has given equal values one name.
// CHECK: "weft.subtract"
// BOTH-NOT: "weft.subtract"
// REVERSED: "weft.subtract"
func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  %0 = "weft.invert"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  %1 = "weft.invert"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  %2 = "weft.subtract"(%0, %1) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %2 : tensor<3xi32>
}
