// RUN: weft-opt %s --store-number-results --split-input-file | filecheck %s

// CHECK-LABEL: func.func @f(
// CHECK: %[[PLACE:.*]] = tensor.empty() : tensor<f64>
// CHECK: %[[CALL:.*]]:2 = call @kernel_0(%arg0, %arg1, %[[PLACE]])
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[CALL]]#1[] : tensor<f64>
// CHECK: return %[[CALL]]#0, %[[NUMBER]]
// CHECK: func.func private @kernel_0(%{{.*}}: tensor<8xf64>, %{{.*}}: tensor<8xf64>, %[[OUT:.*]]: tensor<f64>) -> (tensor<8xf64>, tensor<f64>)
// CHECK: %[[MADE:.*]] = tensor.from_elements
// CHECK: bufferization.materialize_in_destination %[[MADE]] in %[[OUT]]
func.func @f(%x: tensor<8xf64>, %y: tensor<8xf64>) -> (tensor<8xf64>, f64) {
  %0:2 = call @kernel_0(%x, %y) : (tensor<8xf64>, tensor<8xf64>) -> (tensor<8xf64>, f64)
  return %0#0, %0#1 : tensor<8xf64>, f64
}
func.func private @kernel_0(%x: tensor<8xf64>, %y: tensor<8xf64>) -> (tensor<8xf64>, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%before = %zero) -> f64 {
    %element = tensor.extract %x[%i] : tensor<8xf64>
    %after = arith.addf %before, %element : f64
    scf.yield %after : f64
  }
  return %y, %sum : tensor<8xf64>, f64
}

// -----

// What no call asks for is not returned.
// CHECK-LABEL: func.func @unasked(
// CHECK: %[[ONE:.*]] = call @kernel_0(%arg0) : (tensor<8xf64>) -> tensor<8xf64>
// CHECK: return %[[ONE]]
// CHECK: func.func private @kernel_0(%{{.*}}: tensor<8xf64>) -> tensor<8xf64>
func.func @unasked(%x: tensor<8xf64>) -> tensor<8xf64> {
  %0:2 = call @kernel_0(%x) : (tensor<8xf64>) -> (f64, tensor<8xf64>)
  return %0#1 : tensor<8xf64>
}
func.func private @kernel_0(%x: tensor<8xf64>) -> (f64, tensor<8xf64>) {
  %zero = arith.constant 0.0 : f64
  return %zero, %x : f64, tensor<8xf64>
}

// -----

// Long loops, and what the host has all that it needs for, are the host's; but not loops of which threads find the number.
// CHECK: func.func private @kernel_0({{.*}}) -> f64
func.func @long(%x: tensor<100000xf64>, %n: index) -> (f64, index, f64) {
  %0 = call @kernel_0(%x) : (tensor<100000xf64>) -> f64
  %1 = call @kernel_1(%n) : (index) -> index
  %2 = call @kernel_2(%x) : (tensor<100000xf64>) -> f64
  return %0, %1, %2 : f64, index, f64
}
func.func private @kernel_0(%x: tensor<100000xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100000 = arith.constant 100000 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %i = %c0 to %c100000 step %c1 iter_args(%before = %zero) -> f64 {
    %element = tensor.extract %x[%i] : tensor<100000xf64>
    %square = arith.mulf %before, %before : f64
    %after = arith.addf %square, %element : f64
    scf.yield %after : f64
  }
  return %sum : f64
}
// CHECK: func.func private @kernel_1({{.*}}) -> index
func.func private @kernel_1(%n: index) -> index {
  return %n : index
}
// CHECK: func.func private @kernel_2({{.*}}) -> tensor<f64>
func.func private @kernel_2(%x: tensor<100000xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100000 = arith.constant 100000 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %i = %c0 to %c100000 step %c1 iter_args(%before = %zero) -> f64 {
    %element = tensor.extract %x[%i] : tensor<100000xf64>
    %after = arith.addf %before, %element : f64
    scf.yield %after : f64
  }
  return %sum : f64
}

// -----

// Truth values are stored as bytes, indices as integers.
// CHECK-LABEL: func.func @g(
// CHECK: %[[CALL:.*]]:2 = call @kernel_0(%arg0, %{{.*}}, %{{.*}}) : (tensor<8xi64>, tensor<i8>, tensor<i64>) -> (tensor<i8>, tensor<i64>)
// CHECK: %[[BYTE:.*]] = tensor.extract %[[CALL]]#0[]
// CHECK: %[[TRUTH:.*]] = arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
// CHECK: %[[WORD:.*]] = tensor.extract %[[CALL]]#1[]
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[WORD]] : i64 to index
// CHECK: return %[[TRUTH]], %[[INDEX]]
func.func @g(%x: tensor<8xi64>) -> (i1, index) {
  %0:2 = call @kernel_0(%x) : (tensor<8xi64>) -> (i1, index)
  return %0#0, %0#1 : i1, index
}
func.func private @kernel_0(%x: tensor<8xi64>) -> (i1, index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %element = tensor.extract %x[%c0] : tensor<8xi64>
  %truth = arith.cmpi sgt, %element, %zero : i64
  %index = arith.index_cast %element : i64 to index
  return %truth, %index : i1, index
}

// -----

// How many a long loop keeps, threads find out together; other numbers that it finds they do not.
// CHECK: func.func private @kernel_0({{.*}}, %{{.*}}: tensor<i64>) -> (tensor<100000xf64>, tensor<i64>)
// CHECK: func.func private @kernel_1({{.*}}) -> (tensor<100000xf64>, index)
func.func @f(%x: tensor<100000xf64>, %flags: tensor<100000xi1>, %y: tensor<100000xf64>) -> (tensor<100000xf64>, index, tensor<100000xf64>, index) {
  %0:2 = call @kernel_0(%x, %flags, %y) : (tensor<100000xf64>, tensor<100000xi1>, tensor<100000xf64>) -> (tensor<100000xf64>, index)
  %1:2 = call @kernel_1(%x, %flags, %y) : (tensor<100000xf64>, tensor<100000xi1>, tensor<100000xf64>) -> (tensor<100000xf64>, index)
  return %0#0, %0#1, %1#0, %1#1 : tensor<100000xf64>, index, tensor<100000xf64>, index
}
func.func private @kernel_0(%x: tensor<100000xf64>, %flags: tensor<100000xi1>, %y: tensor<100000xf64>) -> (tensor<100000xf64>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100000 : index
  %kept:2 = scf.for %i = %c0 to %n step %c1 iter_args(%out = %y, %count = %c0) -> (tensor<100000xf64>, index) {
    %a = tensor.extract %x[%i] : tensor<100000xf64>
    %keeps = tensor.extract %flags[%i] : tensor<100000xi1>
    %one = arith.index_castui %keeps : i1 to index
    %written = tensor.insert %a into %out[%count] : tensor<100000xf64>
    %next = arith.addi %count, %one : index
    scf.yield %written, %next : tensor<100000xf64>, index
  }
  return %kept#0, %kept#1 : tensor<100000xf64>, index
}
func.func private @kernel_1(%x: tensor<100000xf64>, %flags: tensor<100000xi1>, %y: tensor<100000xf64>) -> (tensor<100000xf64>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 100000 : index
  %kept:2 = scf.for %i = %c0 to %n step %c1 iter_args(%out = %y, %count = %c0) -> (tensor<100000xf64>, index) {
    %a = tensor.extract %x[%i] : tensor<100000xf64>
    %keeps = tensor.extract %flags[%i] : tensor<100000xi1>
    %step = arith.select %keeps, %c2, %c1 : index
    %written = tensor.insert %a into %out[%count] : tensor<100000xf64>
    %next = arith.addi %count, %step : index
    scf.yield %written, %next : tensor<100000xf64>, index
  }
  return %kept#0, %kept#1 : tensor<100000xf64>, index
}

// -----

// A loop that the host may leave out gives its number as others do; a branch of other work is the host's.
// CHECK: func.func private @kernel_0({{.*}}) -> tensor<f64>
// CHECK: func.func private @kernel_1({{.*}}) -> f64
func.func @guarded(%x: tensor<?xf64>, %n: index, %any: i1) -> (f64, f64) {
  %0 = call @kernel_0(%any, %n, %x) : (i1, index, tensor<?xf64>) -> f64
  %1 = call @kernel_1(%any, %n, %x) : (i1, index, tensor<?xf64>) -> f64
  return %0, %1 : f64, f64
}
func.func private @kernel_0(%any: i1, %n: index, %x: tensor<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %share = arith.constant 0.9 : f64
  %zero = arith.constant 0.0 : f64
  %0 = scf.if %any -> (f64) {
    %1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %2 = tensor.extract %x[%i] : tensor<?xf64>
      %3 = arith.mulf %s, %share : f64
      %4 = arith.addf %3, %2 : f64
      scf.yield %4 : f64
    }
    scf.yield %1 : f64
  } else {
    scf.yield %zero : f64
  }
  return %0 : f64
}
func.func private @kernel_1(%any: i1, %n: index, %x: tensor<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %0 = scf.if %any -> (f64) {
    %1 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
      %2 = tensor.extract %x[%i] : tensor<?xf64>
      %3 = arith.mulf %s, %s : f64
      %4 = arith.addf %3, %2 : f64
      scf.yield %4 : f64
    }
    scf.yield %1 : f64
  } else {
    scf.yield %zero : f64
  }
  return %0 : f64
}
