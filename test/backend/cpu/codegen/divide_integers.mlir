// RUN: weft-opt %s --target=x86-64-v4 --buffers-to-loops | filecheck %s
// RUN: weft-opt %s --target=x86-64-v3 --buffers-to-loops | filecheck %s --check-prefix=NARROW

#id = affine_map<(i) -> (i)>
#none = affine_map<(i) -> ()>

// Short integers are divided as f32.
// CHECK-LABEL: func.func private @short(
// CHECK: arith.extsi {{.*}} : vector<32xi16> to vector<32xi32>
// CHECK: arith.divf {{.*}} : vector<32xf32>
// CHECK: arith.fptosi {{.*}} : vector<32xf32> to vector<32xi32>
// CHECK-NOT: arith.divsi
func.func private @short(%a: memref<100xi16>, %b: memref<100xi16>, %o: memref<100xi16>) {
  %x = bufferization.to_tensor %a restrict : memref<100xi16> to tensor<100xi16>
  %y = bufferization.to_tensor %b restrict : memref<100xi16> to tensor<100xi16>
  %e = tensor.empty() : tensor<100xi16>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<100xi16>, tensor<100xi16>) outs(%e : tensor<100xi16>) {
  ^bb0(%in: i16, %by: i16, %out: i16):
    %q = arith.divsi %in, %by : i16
    linalg.yield %q : i16
  } -> tensor<100xi16>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100xi16>, memref<100xi16>) -> ()
  return
}

// What a quotient leaves is the remainder.
// CHECK-LABEL: func.func private @remainder(
// CHECK: arith.uitofp {{.*}} : vector<16xi32> to vector<16xf64>
// CHECK: arith.divf {{.*}} : vector<16xf64>
// CHECK: arith.fptoui
// CHECK: arith.muli
// CHECK: arith.subi
// CHECK-NOT: arith.remui
func.func private @remainder(%a: memref<100xi32>, %b: memref<100xi32>, %o: memref<100xi32>) {
  %x = bufferization.to_tensor %a restrict : memref<100xi32> to tensor<100xi32>
  %y = bufferization.to_tensor %b restrict : memref<100xi32> to tensor<100xi32>
  %e = tensor.empty() : tensor<100xi32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<100xi32>, tensor<100xi32>) outs(%e : tensor<100xi32>) {
  ^bb0(%in: i32, %by: i32, %out: i32):
    %q = arith.remui %in, %by : i32
    linalg.yield %q : i32
  } -> tensor<100xi32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100xi32>, memref<100xi32>) -> ()
  return
}

// By one number, vectors are divided by its reciprocal.
// CHECK-LABEL: func.func private @by_one(
// CHECK: arith.divf {{.*}} : f64
// CHECK: scf.for
// CHECK-NOT: arith.divf
// CHECK: arith.mulf {{.*}} : vector<16xf64>
// CHECK: arith.fptosi
// CHECK-LABEL: func.func private @long(
func.func private @by_one(%a: memref<100xi32>, %b: memref<i32>, %o: memref<100xi32>) {
  %x = bufferization.to_tensor %a restrict : memref<100xi32> to tensor<100xi32>
  %y = bufferization.to_tensor %b restrict : memref<i32> to tensor<i32>
  %e = tensor.empty() : tensor<100xi32>
  %r = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<100xi32>, tensor<i32>) outs(%e : tensor<100xi32>) {
  ^bb0(%in: i32, %by: i32, %out: i32):
    %q = arith.divsi %in, %by : i32
    linalg.yield %q : i32
  } -> tensor<100xi32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100xi32>, memref<100xi32>) -> ()
  return
}

// Long integers are divided as f64 if all of a vector are exact, else one by one. Machines without conversions put them
// into the last bits of numbers.
// CHECK: scf.for
// CHECK: %[[RARE:.*]] = llvm.intr.expect
// CHECK: scf.if %[[RARE]]
// CHECK: arith.divsi {{.*}} : vector<8xi64>
// CHECK: } else {
// CHECK: arith.divf {{.*}} : vector<8xf64>
// NARROW-LABEL: func.func private @long(
// NARROW: %[[RARE:.*]] = llvm.intr.expect
// NARROW: scf.if %[[RARE]]
// NARROW: arith.divsi {{.*}} : vector<4xi64>
// NARROW: } else {
// NARROW-NOT: arith.sitofp
// NARROW: arith.bitcast {{.*}} : vector<4xi64> to vector<4xf64>
// NARROW: arith.divf {{.*}} : vector<4xf64>
func.func private @long(%a: memref<100xi64>, %b: memref<100xi64>, %o: memref<100xi64>) {
  %x = bufferization.to_tensor %a restrict : memref<100xi64> to tensor<100xi64>
  %y = bufferization.to_tensor %b restrict : memref<100xi64> to tensor<100xi64>
  %e = tensor.empty() : tensor<100xi64>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<100xi64>, tensor<100xi64>) outs(%e : tensor<100xi64>) {
  ^bb0(%in: i64, %by: i64, %out: i64):
    %q = arith.divsi %in, %by : i64
    linalg.yield %q : i64
  } -> tensor<100xi64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100xi64>, memref<100xi64>) -> ()
  return
}

// Long ones are divided by one number in two steps.
// CHECK-LABEL: func.func private @long_by_one(
// CHECK: scf.if
// CHECK: arith.mulf {{.*}} : vector<8xf64>
// CHECK: arith.subi
// CHECK: arith.mulf {{.*}} : vector<8xf64>
// CHECK: } else {
// CHECK: arith.divui {{.*}} : vector<8xi64>
func.func private @long_by_one(%a: memref<100xi64>, %b: memref<i64>, %o: memref<100xi64>) {
  %x = bufferization.to_tensor %a restrict : memref<100xi64> to tensor<100xi64>
  %y = bufferization.to_tensor %b restrict : memref<i64> to tensor<i64>
  %e = tensor.empty() : tensor<100xi64>
  %r = linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<100xi64>, tensor<i64>) outs(%e : tensor<100xi64>) {
  ^bb0(%in: i64, %by: i64, %out: i64):
    %q = arith.divui %in, %by : i64
    linalg.yield %q : i64
  } -> tensor<100xi64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100xi64>, memref<100xi64>) -> ()
  return
}

// Division of short integers by a constant is left to LLVM.
// CHECK-LABEL: func.func private @constant(
// CHECK-NOT: arith.divf
// CHECK: arith.divsi {{.*}} : i32
func.func private @constant(%a: memref<100xi32>, %o: memref<100xi32>) {
  %x = bufferization.to_tensor %a restrict : memref<100xi32> to tensor<100xi32>
  %three = arith.constant 3 : i32
  %e = tensor.empty() : tensor<100xi32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<100xi32>) outs(%e : tensor<100xi32>) {
  ^bb0(%in: i32, %out: i32):
    %q = arith.divsi %in, %three : i32
    linalg.yield %q : i32
  } -> tensor<100xi32>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100xi32>, memref<100xi32>) -> ()
  return
}

// That of 64 bits multiplies halves of numbers; division by 8 is a shift.
// CHECK-LABEL: func.func private @long_constant(
// CHECK-NOT: arith.div
// CHECK: arith.muli {{.*}} : vector<8xi64>
// CHECK-LABEL: func.func private @shifted(
// CHECK: arith.divsi {{.*}} : i64
// NARROW-LABEL: func.func private @long_constant(
// NARROW-NOT: arith.div
// NARROW: arith.muli {{.*}} : vector<4xi64>
// NARROW-LABEL: func.func private @shifted(
func.func private @long_constant(%a: memref<100xi64>, %o: memref<100xi64>) {
  %x = bufferization.to_tensor %a restrict : memref<100xi64> to tensor<100xi64>
  %seven = arith.constant 7 : i64
  %e = tensor.empty() : tensor<100xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<100xi64>) outs(%e : tensor<100xi64>) {
  ^bb0(%in: i64, %out: i64):
    %q = arith.divui %in, %seven : i64
    linalg.yield %q : i64
  } -> tensor<100xi64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100xi64>, memref<100xi64>) -> ()
  return
}
func.func private @shifted(%a: memref<100xi64>, %o: memref<100xi64>) {
  %x = bufferization.to_tensor %a restrict : memref<100xi64> to tensor<100xi64>
  %eight = arith.constant 8 : i64
  %e = tensor.empty() : tensor<100xi64>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<100xi64>) outs(%e : tensor<100xi64>) {
  ^bb0(%in: i64, %out: i64):
    %q = arith.divsi %in, %eight : i64
    linalg.yield %q : i64
  } -> tensor<100xi64>
  bufferization.materialize_in_destination %r in restrict writable %o : (tensor<100xi64>, memref<100xi64>) -> ()
  return
}
