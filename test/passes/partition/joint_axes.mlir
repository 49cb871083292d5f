// RUN: weft-opt %s --weft-partition="mesh=a:2,b:3 rank=1,2" | filecheck %s

// An axis that is split over two axes of the mesh: this is the last of six blocks.
// CHECK-LABEL: func.func @rows(%arg0: tensor<2x4xf64> {weft.sharding = "[{\22a\22, \22b\22}, {}]"})
// CHECK: "weft.sum"(%arg0) {{.*}} : (tensor<2x4xf64>) -> tensor<4xf64>
// CHECK: "weft.all_reduce"({{.*}}) {over = "a,b", reduction = "sum"}
func.func @rows(%x: tensor<12x4xf64> {weft.sharding = "[{\22a\22, \22b\22}, {}]"}) -> tensor<4xf64> {
  %s = "weft.sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<12x4xf64>) -> tensor<4xf64>
  return %s : tensor<4xf64>
}

// An operand that is split over one of them alone is gathered, and cut.
// CHECK-LABEL: func.func @mixed
// CHECK: "weft.all_gather"(%arg1) {{.*}}over = "a"
// CHECK-NOT: "weft.all_gather"(%arg0)
// CHECK: "weft.add"({{.*}}) : (tensor<2x4xf64>, tensor<2x4xf64>)
func.func @mixed(
    %x: tensor<12x4xf64> {weft.sharding = "[{\22a\22, \22b\22}, {}]"},
    %y: tensor<12x4xf64> {weft.sharding = "[{\22a\22}, {}]"}) -> tensor<12x4xf64> {
  %s = "weft.add"(%x, %y) : (tensor<12x4xf64>, tensor<12x4xf64>) -> tensor<12x4xf64>
  return %s : tensor<12x4xf64>
}
