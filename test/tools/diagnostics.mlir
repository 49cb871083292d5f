// RUN: not weft-opt %s --split-input-file 2>%t.err >%t.out
// RUN: filecheck %s --input-file=%t.err
// RUN: filecheck %s --input-file=%t.out --check-prefix=OUT
// RUN: weft-opt %s --split-input-file --verify-diagnostics -o %t.out

// Every part is worked on, those without errors are printed, and lines are those of the whole file.
// CHECK: diagnostics.mlir:[[#LINE:]]:8: error: 'weft.add' op returns f32[3], not f32[4]
// CHECK-NEXT: %0 = "weft.add"(%x, %x)
// CHECK-NEXT: {{^ {7}\^$}}
func.func @wrong_type(%x: tensor<3xf32>) {
  // expected-error @+1 {{returns f32[3], not f32[4]}}
  %0 = "weft.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// CHECK: diagnostics.mlir:{{[0-9]+}}:20: error: use of undeclared SSA value name
// CHECK-NEXT: "weft.tanh"(%y)
func.func @undeclared(%x: tensor<3xf32>) {
  %0 = "weft.tanh"(%y) : (tensor<3xf32>) -> tensor<3xf32> // expected-error {{use of undeclared SSA value}}
  return
}

// -----

// OUT-NOT: @wrong_type
// OUT: func.func @right
// OUT-NOT: // -----
func.func @right() {
  return
}

// -----

// Notes are shown with their place.
// CHECK: error: redefinition of symbol named 'twice'
// CHECK: note: see existing symbol definition here
func.func @twice() {
  return
}
// expected-error-re @below {{redefinition of symbol {{.*}} 'twice'}}
func.func @twice() {
  return
}

// -----

// Ops that IRDL defines have the generic form only, and MLIR says nothing when it cannot read another one.
// CHECK: diagnostics.mlir:[[#]]:8: error: ops of weft have the generic form only: write "weft.negative"(%0) : (tensor<3xf32>) -> tensor<3xf32>
// CHECK-NEXT: %1 = weft.negative %0 : tensor<3xf32>
// CHECK-NEXT: {{^ {7}\^$}}
func.func @unquoted(%x: tensor<3xf32>) attributes {weft.note = "weft.tanh"} {
  %0 = "weft.tanh"(%x) : (tensor<3xf32>) -> tensor<3xf32> // weft.tanh
  // expected-error @+1 {{ops of weft have the generic form only}}
  %1 = weft.negative %0 : tensor<3xf32>
  return
}
