// RUN: not weft-opt %s --split-input-file --weft-differentiate 2>&1 | filecheck %s

// CHECK: what was written to an argument
func.func @cell(%r: !weft.ref<tensor<3xf64>>, %x: tensor<3xf64>, %c: tensor<3xf64>) -> tensor<3xf64> {
  %v = "weft.independent"(%x) {number = 0 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  "weft.write_ref"(%r, %v) : (!weft.ref<tensor<3xf64>>, tensor<3xf64>) -> ()
  %y = "weft.read_ref"(%r) : (!weft.ref<tensor<3xf64>>) -> tensor<3xf64>
  %g = "weft.gradient"(%y, %c, %v) : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %g : tensor<3xf64>
}
