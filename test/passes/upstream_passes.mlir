// RUN: weft-opt %s --cse | filecheck %s --check-prefix=CSE
// RUN: weft-opt %s --canonicalize | filecheck %s --check-prefix=DCE
// RUN: weft-opt %s --pass-pipeline='builtin.module(func.func(loop-invariant-code-motion))' | filecheck %s --check-prefix=LICM

// Upstream passes know the weft ops by their traits and effects.

// CSE-LABEL: func.func @pure_ops_are_merged
// CSE-COUNT-1: "weft.add"
// CSE-NOT: "weft.add"
func.func @pure_ops_are_merged(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = "weft.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %1 = "weft.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// CSE-LABEL: func.func @different_attributes_are_not
// CSE-COUNT-2: "weft.sum"
func.func @different_attributes_are_not(%x: tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = "weft.sum"(%x) {axes = array<i64: 0>, keepdims = false} : (tensor<3x3xf32>) -> tensor<3xf32>
  %1 = "weft.sum"(%x) {axes = array<i64: 1>, keepdims = false} : (tensor<3x3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// Two reads with nothing between them are one; a write, or a check, between them keeps both.
// CSE-LABEL: func.func @reads
// CSE: "weft.read_ref"
// CSE-NOT: "weft.read_ref"
// CSE: "weft.write_ref"
// CSE: "weft.read_ref"
func.func @reads(%ref: !weft.ref<tensor<3xf32>>, %x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  %1 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  "weft.write_ref"(%ref, %x) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  %2 = "weft.read_ref"(%ref) : (!weft.ref<tensor<3xf32>>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Effects stay although nothing uses them; what is pure and unused goes.
// DCE-LABEL: func.func @unused
// DCE-NOT: "weft.add"
// DCE: "weft.write_ref"
// DCE: "weft.raise_if"
func.func @unused(%ref: !weft.ref<tensor<3xf32>>, %x: tensor<3xf32>, %fails: tensor<i1>) {
  %0 = "weft.add"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  "weft.write_ref"(%ref, %x) : (!weft.ref<tensor<3xf32>>, tensor<3xf32>) -> ()
  "weft.raise_if"(%fails) {error = "ValueError", message = "no"} : (tensor<i1>) -> ()
  return
}

// LICM-LABEL: func.func @loop
// LICM: "weft.multiply"
// LICM: scf.for
// LICM-NOT: "weft.multiply"
// LICM: "weft.add"
func.func @loop(%x: tensor<3xf32>, %n: index) -> tensor<3xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.for %i = %zero to %n step %one iter_args(%sum = %x) -> tensor<3xf32> {
    %1 = "weft.multiply"(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %2 = "weft.add"(%sum, %1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    scf.yield %2 : tensor<3xf32>
  }
  return %0 : tensor<3xf32>
}
