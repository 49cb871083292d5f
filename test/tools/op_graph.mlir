// RUN: weft-opt %s --view-op-graph -o /dev/null 2>&1 | filecheck %s
// RUN: weft-opt %s -p 'builtin.module(view-op-graph{print-data-flow-edges=false print-control-flow-edges=true})' 2>&1 | filecheck %s --check-prefix=BARE

// CHECK: digraph G {
// CHECK: {{(v[0-9]+)}} [{{.*}}%arg0 tensor\<3xf32\>
// CHECK: label = "{{[{][{]}}<arg_arg0> %arg0}|weft.negative\l|{<res_0> %0 tensor\<3xf32\>{{[}][}]}}"
// CHECK: label = "scf.if : (tensor<3xf32>)\l"
// CHECK: weft.exp
// CHECK: :res_arg0:s -> {{v[0-9]+}}:arg_arg0:n[style = solid];
// BARE: weft.negative
// BARE: v{{[0-9]+}} -> v{{[0-9]+}}[ltail
// BARE-NOT: :res_arg0:s
// BARE: func.func @f
func.func @f(%x: tensor<3xf32>, %is: i1) -> tensor<3xf32> {
  %0 = "weft.negative"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = scf.if %is -> tensor<3xf32> {
    %2 = "weft.exp"(%0) : (tensor<3xf32>) -> tensor<3xf32>
    scf.yield %2 : tensor<3xf32>
  } else {
    scf.yield %0 : tensor<3xf32>
  }
  return %1 : tensor<3xf32>
}
