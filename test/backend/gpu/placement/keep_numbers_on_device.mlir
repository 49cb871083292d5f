// RUN: weft-opt %s --keep-numbers-on-device --split-input-file | filecheck %s

// A number that only goes to other kernels is computed by a kernel.
// CHECK-LABEL: func.func @mean(
// CHECK: %[[SUM:.*]] = call @kernel_0(
// CHECK-NEXT: %[[EMPTY:.*]] = tensor.empty() : tensor<f32>
// CHECK-NEXT: %[[MEAN:.*]] = call @kernel_1(%[[SUM]], %[[EMPTY]]) : (tensor<f64>, tensor<f32>) -> tensor<f32>
// CHECK-NEXT: return %[[MEAN]]
// CHECK: func.func private @kernel_1(%[[IN:.*]]: tensor<f64>, %[[OUT:.*]]: tensor<f32>) -> tensor<f32>
// CHECK: %[[NUMBER:.*]] = tensor.extract %[[IN]][]
// CHECK: arith.divf %[[NUMBER]]
// CHECK: bufferization.materialize_in_destination %{{.*}} in %[[OUT]]
func.func @mean(%x: tensor<8xf64>) -> tensor<f32> {
  %length = arith.constant 8.0 : f64
  %0 = tensor.empty() : tensor<f64>
  %sum = call @kernel_0(%x, %0) : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
  %number = tensor.extract %sum[] : tensor<f64>
  %mean = arith.divf %number, %length : f64
  %rounded = arith.truncf %mean : f64 to f32
  %result = tensor.from_elements %rounded : tensor<f32>
  return %result : tensor<f32>
}
func.func private @kernel_0(%x: tensor<8xf64>, %y: tensor<f64>) -> tensor<f64> {
  return %y : tensor<f64>
}

// -----

// A condition is the host's, and so is all that it depends on.
// CHECK-LABEL: func.func @decided(
// CHECK: tensor.extract
// CHECK: arith.cmpf
// CHECK: scf.if
// CHECK-NOT: call @kernel
func.func @decided(%x: tensor<8xf64>, %i: index) -> tensor<f64> {
  %zero = arith.constant 0.0 : f64
  %number = tensor.extract %x[%i] : tensor<8xf64>
  %more = arith.cmpf ogt, %number, %zero : f64
  %result = scf.if %more -> (tensor<f64>) {
    %kept = tensor.from_elements %number : tensor<f64>
    scf.yield %kept : tensor<f64>
  } else {
    %none = tensor.from_elements %zero : tensor<f64>
    scf.yield %none : tensor<f64>
  }
  return %result : tensor<f64>
}

// -----

// What the host would compute of several reads, it reads once.
// CHECK-LABEL: func.func @compared(
// CHECK: %[[TRUTH:.*]] = call @kernel_0(%arg0, %arg1, %arg2, %{{.*}}) : (tensor<8xf64>, index, index, tensor<i8>) -> tensor<i8>
// CHECK: %[[READ:.*]] = tensor.extract %[[TRUTH]][]
// CHECK-NOT: tensor.extract
// CHECK: %[[MORE:.*]] = arith.cmpi ne, %[[READ]]
// CHECK: scf.if %[[MORE]]
// CHECK: func.func private @kernel_0(
// CHECK: arith.cmpf ogt
func.func @compared(%x: tensor<8xf64>, %i: index, %j: index) -> index {
  %first = tensor.extract %x[%i] : tensor<8xf64>
  %second = tensor.extract %x[%j] : tensor<8xf64>
  %more = arith.cmpf ogt, %first, %second : f64
  %result = scf.if %more -> (index) {
    scf.yield %i : index
  } else {
    scf.yield %j : index
  }
  return %result : index
}

// -----

// A kernel takes such a number, or a truth value, as a tensor; and the number of the host by value.
// CHECK-LABEL: func.func @chosen(
// CHECK: %[[TRUTH:.*]] = call @kernel_1(%arg0, %{{.*}}, %{{.*}}) : (tensor<8xf64>, index, tensor<i8>) -> tensor<i8>
// CHECK: call @kernel_0(%[[TRUTH]], %{{.*}}, %{{.*}}) : (tensor<i8>, f64, tensor<8xf64>) -> tensor<8xf64>
// CHECK: func.func private @kernel_0(%[[IN:.*]]: tensor<i8>, %{{.*}}: f64,
// CHECK: tensor.extract %[[IN]][] : tensor<i8>
// CHECK: arith.cmpi ne
func.func @chosen(%x: tensor<8xf64>, %i: index, %factor: tensor<f64>) -> tensor<8xf64> {
  %zero = arith.constant 0.0 : f64
  %number = tensor.extract %x[%i] : tensor<8xf64>
  %more = arith.cmpf ogt, %number, %zero : f64
  %f = tensor.extract %factor[] : tensor<f64>
  %0 = tensor.empty() : tensor<8xf64>
  %result = call @kernel_0(%more, %f, %0) : (i1, f64, tensor<8xf64>) -> tensor<8xf64>
  return %result : tensor<8xf64>
}
func.func private @kernel_0(%more: i1, %f: f64, %y: tensor<8xf64>) -> tensor<8xf64> {
  %filled = scf.if %more -> (tensor<8xf64>) {
    %0 = linalg.fill ins(%f : f64) outs(%y : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %0 : tensor<8xf64>
  } else {
    scf.yield %y : tensor<8xf64>
  }
  return %filled : tensor<8xf64>
}

// -----

// An element that is read before its array is written is copied where it is read.
// CHECK-LABEL: func.func @swapped(
// CHECK: %[[FIRST:.*]] = call @kernel_0(%arg0, %arg1, %{{.*}}) : (tensor<8xf64>, index, tensor<f64>) -> tensor<f64>
// CHECK: %[[ONE:.*]] = call @kernel_1(%arg2, %arg1, %arg0)
// CHECK: call @kernel_2(%[[FIRST]], %arg2, %[[ONE]])
func.func @swapped(%x: tensor<8xf64>, %i: index, %j: index) -> tensor<8xf64> {
  %first = tensor.extract %x[%i] : tensor<8xf64>
  %second = tensor.extract %x[%j] : tensor<8xf64>
  %one = tensor.insert %second into %x[%i] : tensor<8xf64>
  %both = tensor.insert %first into %one[%j] : tensor<8xf64>
  return %both : tensor<8xf64>
}

// -----

// A check of a number of the device is a kernel of its own; one of the host's numbers stays.
// CHECK-LABEL: func.func @checked(
// CHECK: %[[SUM:.*]] = call @kernel_0(%arg0
// CHECK: call @kernel_1(%[[SUM]]) : (tensor<i64>) -> ()
// CHECK: "weft.raise_if"
// CHECK-SAME: message = "of the host"
// CHECK: func.func private @kernel_1(%[[NUMBER:.*]]: tensor<i64>) {
// CHECK: arith.cmpi sgt
// CHECK: "weft.raise_if"
// CHECK-SAME: message = "of the device: {0}"
// CHECK: return
func.func @checked(%x: tensor<8xi64>, %n: i64) {
  %c3 = arith.constant 3 : i64
  %0 = tensor.empty() : tensor<i64>
  %sum = call @kernel_0(%x, %0) : (tensor<8xi64>, tensor<i64>) -> tensor<i64>
  %number = tensor.extract %sum[] : tensor<i64>
  %large = arith.cmpi sgt, %number, %c3 : i64
  %byte = arith.extui %large : i1 to i8
  %condition = tensor.from_elements %byte : tensor<i8>
  "weft.raise_if"(%condition, %sum) {error = "ValueError", message = "of the device: {0}"} : (tensor<i8>, tensor<i64>) -> ()
  %many = arith.cmpi sgt, %n, %c3 : i64
  %other = arith.extui %many : i1 to i8
  %known = tensor.from_elements %other : tensor<i8>
  "weft.raise_if"(%known) {error = "ValueError", message = "of the host"} : (tensor<i8>) -> ()
  return
}
func.func private @kernel_0(%x: tensor<8xi64>, %y: tensor<i64>) -> tensor<i64> {
  return %y : tensor<i64>
}

// -----

// A number may be an index: of an element that is read, and of one that is written.
// CHECK-LABEL: func.func @indexed(
// CHECK: call @kernel_0(
// CHECK-NOT: tensor.extract
// CHECK: call @kernel_1(
// CHECK-NOT: tensor.extract
// CHECK: return
func.func @indexed(%x: tensor<8xi64>, %y: tensor<8xf64>) -> tensor<8xf64> {
  %0 = tensor.empty() : tensor<i64>
  %place = call @kernel_0(%x, %0) : (tensor<8xi64>, tensor<i64>) -> tensor<i64>
  %number = tensor.extract %place[] : tensor<i64>
  %index = arith.index_cast %number : i64 to index
  %element = tensor.extract %y[%index] : tensor<8xf64>
  %double = arith.addf %element, %element : f64
  %updated = tensor.insert %double into %y[%index] : tensor<8xf64>
  return %updated : tensor<8xf64>
}
func.func private @kernel_0(%x: tensor<8xi64>, %y: tensor<i64>) -> tensor<i64> {
  return %y : tensor<i64>
}

// -----

// A kernel that takes an index that a kernel has made takes its tensor; no kernel copies it. One of an array,
// whose memory may be written before it is needed, is copied.
// CHECK-LABEL: func.func @handed_on(
// CHECK-SAME: %[[X:.*]]: tensor<8xi64>, %[[Y:.*]]: tensor<8xf64>) -> tensor<8xf64>
// CHECK: %[[COUNT:.*]] = call @kernel_0(
// CHECK-NOT: tensor.extract
// CHECK: call @kernel_1(%[[COUNT]], %[[Y]]) : (tensor<i64>, tensor<8xf64>) -> tensor<8xf64>
// CHECK: %[[COPY:.*]] = call @kernel_{{.*}}(%[[X]], %{{.*}}) : (tensor<8xi64>, {{.*}}) -> tensor<i64>
// CHECK: call @kernel_1(%{{.*}}) : (tensor<i64>, tensor<8xf64>) -> tensor<8xf64>
func.func @handed_on(%x: tensor<8xi64>, %y: tensor<8xf64>) -> tensor<8xf64> {
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<i64>
  %count = call @kernel_0(%x, %0) : (tensor<8xi64>, tensor<i64>) -> tensor<i64>
  %number = tensor.extract %count[] : tensor<i64>
  %index = arith.index_cast %number : i64 to index
  %1 = call @kernel_1(%index, %y) : (index, tensor<8xf64>) -> tensor<8xf64>
  %kept = tensor.extract %x[%c0] : tensor<8xi64>
  %place = arith.index_cast %kept : i64 to index
  %2 = call @kernel_1(%place, %1) : (index, tensor<8xf64>) -> tensor<8xf64>
  return %2 : tensor<8xf64>
}
func.func private @kernel_0(%x: tensor<8xi64>, %y: tensor<i64>) -> tensor<i64> {
  return %y : tensor<i64>
}
func.func private @kernel_1(%i: index, %y: tensor<8xf64>) -> tensor<8xf64> {
  %0 = tensor.extract %y[%i] : tensor<8xf64>
  %1 = tensor.insert %0 into %y[%i] : tensor<8xf64>
  return %1 : tensor<8xf64>
}

// -----

// A sum over iterations is handed on in memory, and is read behind the loop.
// CHECK-LABEL: func.func @total(
// CHECK: %[[FIRST:.*]] = tensor.from_elements
// CHECK: %[[TOTAL:.*]] = scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %[[FIRST]]) -> (tensor<f64>)
// CHECK: %[[SUM:.*]] = func.call @kernel_0(
// CHECK-NOT: tensor.extract
// CHECK: %[[NEXT:.*]] = func.call @kernel_1(
// CHECK: scf.yield %[[NEXT]] : tensor<f64>
// CHECK: tensor.extract %[[TOTAL]][]
func.func @total(%x: tensor<8xf64>, %n: index) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %0 = tensor.empty() : tensor<f64>
    %sum = func.call @kernel_0(%x, %0) : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
    %number = tensor.extract %sum[] : tensor<f64>
    %next = arith.addf %s, %number : f64
    scf.yield %next : f64
  }
  return %total : f64
}
func.func private @kernel_0(%x: tensor<8xf64>, %y: tensor<f64>) -> tensor<f64> {
  return %y : tensor<f64>
}

// -----

// What decides in an iteration is the host's.
// CHECK-LABEL: func.func @deciding(
// CHECK: scf.for {{.*}} -> (f64)
func.func @deciding(%x: tensor<8xf64>, %n: index) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f64) {
    %is_more = arith.cmpf ogt, %s, %zero : f64
    %y = scf.if %is_more -> (tensor<f64>) {
      %a = tensor.empty() : tensor<f64>
      %b = func.call @kernel_0(%x, %a) : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
      scf.yield %b : tensor<f64>
    } else {
      %c = tensor.empty() : tensor<f64>
      scf.yield %c : tensor<f64>
    }
    %number = tensor.extract %y[] : tensor<f64>
    %next = arith.addf %s, %number : f64
    scf.yield %next : f64
  }
  return %total : f64
}
func.func private @kernel_0(%x: tensor<8xf64>, %y: tensor<f64>) -> tensor<f64> {
  return %y : tensor<f64>
}

// -----

// A branch gives the tensor of the number that one of its ways reads.
// CHECK-LABEL: func.func @branch(
// CHECK: %[[NUMBER:.*]] = scf.if %{{.*}} -> (tensor<f64>)
// CHECK: %[[SUM:.*]] = func.call @kernel_0(
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK: else
// CHECK: tensor.from_elements
// CHECK: call @kernel_1(%[[NUMBER]], %{{.*}}) : (tensor<f64>, tensor<8xf64>) -> tensor<8xf64>
func.func @branch(%x: tensor<8xf64>, %is_sum: i1) -> tensor<8xf64> {
  %one = arith.constant 1.0 : f64
  %number = scf.if %is_sum -> (f64) {
    %0 = tensor.empty() : tensor<f64>
    %sum = func.call @kernel_0(%x, %0) : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
    %read = tensor.extract %sum[] : tensor<f64>
    scf.yield %read : f64
  } else {
    scf.yield %one : f64
  }
  %1 = tensor.empty() : tensor<8xf64>
  %2 = call @kernel_1(%number, %1) : (f64, tensor<8xf64>) -> tensor<8xf64>
  return %2 : tensor<8xf64>
}
func.func private @kernel_0(%x: tensor<8xf64>, %y: tensor<f64>) -> tensor<f64> {
  return %y : tensor<f64>
}
func.func private @kernel_1(%a: f64, %y: tensor<8xf64>) -> tensor<8xf64> {
  %0 = linalg.fill ins(%a : f64) outs(%y : tensor<8xf64>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// What was read before the branch may be the host's anyway, and what the host decides by stays with it.
// CHECK-LABEL: func.func @read_before(
// CHECK: scf.if %{{.*}} -> (f64, f64)
func.func @read_before(%x: tensor<8xf64>, %is_sum: i1) -> i1 {
  %one = arith.constant 1.0 : f64
  %0 = tensor.empty() : tensor<f64>
  %sum = func.call @kernel_0(%x, %0) : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
  %read = tensor.extract %sum[] : tensor<f64>
  %number:2 = scf.if %is_sum -> (f64, f64) {
    %more = arith.addf %read, %one : f64
    %1 = tensor.empty() : tensor<f64>
    %other = func.call @kernel_0(%x, %1) : (tensor<8xf64>, tensor<f64>) -> tensor<f64>
    %again = tensor.extract %other[] : tensor<f64>
    scf.yield %more, %again : f64, f64
  } else {
    scf.yield %one, %one : f64, f64
  }
  %is_more = arith.cmpf ogt, %number#0, %number#1 : f64
  return %is_more : i1
}
func.func private @kernel_0(%x: tensor<8xf64>, %y: tensor<f64>) -> tensor<f64> {
  return %y : tensor<f64>
}
