// RUN: weft-opt %s --irdl-file=%S/own.irdl --split-input-file --verify-diagnostics --cse | filecheck %s
// RUN: not weft-opt %s 2>&1 | filecheck %s --check-prefix=WITHOUT

// WITHOUT: irdl_file.mlir:8:{{[0-9]+}}: error: operation being parsed with an unregistered dialect
// CHECK-LABEL: func.func @f
// CHECK: "own.twice"(%arg0) : (i32) -> i32
func.func @f(%x: i32) -> i32 {
  %0 = "own.twice"(%x) : (i32) -> i32
  return %0 : i32
}

// -----

func.func @wrong_type(%x: i64) {
  // expected-error @+1 {{expected 'i32' but got 'i64'}}
  %0 = "own.twice"(%x) : (i64) -> i64
  return
}

// -----

func.func @unquoted(%x: i32) {
  // expected-error @+1 {{ops of own have the generic form only: write "own.twice"(%x) : (i32) -> i32}}
  %0 = own.twice %x : i32
  return
}
