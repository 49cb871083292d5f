// RUN: weft-opt %s --join-number-kernels | filecheck %s

// Numbers that follow each other are one kernel, which takes what it stored as it is, up to the check, and may store a
// number where one was that it read; a sum is none of them, a search is one where a condition has it, and memory that is
// used again for another type is left alone.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<4xf64>, %[[W:.*]]: memref<192xi8>, %[[RECORD:.*]]: memref<20xi64>)
// CHECK: %[[A:.*]] = memref.view %[[W]][%c0]
// CHECK: call @kernel_0(%[[X]], %[[A]])
// CHECK-NEXT: memref.view %[[W]][%c64]
// CHECK-NEXT: memref.view %[[W]][%c64]
// CHECK-NEXT: call @[[JOINED:kernel_[0-9]+]](%[[A]], %{{[^,]*}}, %[[X]], %[[RECORD]]) : (memref<f64>, memref<f64>, memref<4xf64>, memref<20xi64>) -> ()
// CHECK-NEXT: %[[WHOLE:.*]] = memref.view %[[W]][%c0]{{.*}} memref<i64>
// CHECK-NEXT: call @kernel_3(%{{.*}}, %[[X]], %[[WHOLE]])
// CHECK-NEXT: return
// CHECK-NOT: func.func private @kernel_1(
// CHECK-NOT: func.func private @kernel_2(
// CHECK: func.func private @[[JOINED]](%[[S:.*]]: memref<f64>, %[[R:.*]]: memref<f64>, %{{.*}}: memref<4xf64>, %[[E:.*]]: memref<20xi64>)
// CHECK-SAME: weft.accesses = ["rw", "w", "r", "w"]
// CHECK: %[[ROOT:.*]] = tensor.from_elements
// CHECK-NEXT: bufferization.materialize_in_destination %[[ROOT]] in restrict writable %[[R]]
// CHECK-NOT: bufferization.to_tensor %[[R]]
// CHECK: tensor.extract %[[ROOT]][]
// CHECK: scf.if
// CHECK-NEXT: memref.store {{.*}}, %[[E]]
// CHECK-NEXT: func.call @weft_exit
// CHECK: tensor.extract %[[ROOT]][]
// CHECK: materialize_in_destination %{{.*}} in restrict writable %[[S]]
module attributes {weft.sites = []} {
func.func @f(%x: memref<4xf64>, %w: memref<192xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf64>], on_heap = [], on_host = [], polls = false, results = [], sizes, workspace = 192 : i64, written = []}} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %w[%c0][] : memref<192xi8> to memref<f64>
  call @kernel_0(%x, %a) : (memref<4xf64>, memref<f64>) -> ()
  %b = memref.view %w[%c64][] : memref<192xi8> to memref<f64>
  call @kernel_1(%a, %b) : (memref<f64>, memref<f64>) -> ()
  %again = memref.view %w[%c64][] : memref<192xi8> to memref<f64>
  call @kernel_2(%again, %x, %record) : (memref<f64>, memref<4xf64>, memref<20xi64>) -> ()
  call @kernel_1(%b, %a) : (memref<f64>, memref<f64>) -> ()
  %whole = memref.view %w[%c0][] : memref<192xi8> to memref<i64>
  call @kernel_3(%b, %x, %whole) : (memref<f64>, memref<4xf64>, memref<i64>) -> ()
  return
}
func.func private @kernel_0(%x: memref<4xf64>, %sum: memref<f64>) attributes {weft.side = "device", weft.reason = "there"} {
  %0 = bufferization.to_tensor %x restrict : memref<4xf64> to tensor<4xf64>
  %1 = tensor.empty() : tensor<f64>
  %2 = linalg.reduce ins(%0 : tensor<4xf64>) outs(%1 : tensor<f64>) dimensions = [0] (%in: f64, %out: f64) {
    %3 = arith.addf %in, %out : f64
    linalg.yield %3 : f64
  }
  bufferization.materialize_in_destination %2 in restrict writable %sum : (tensor<f64>, memref<f64>) -> ()
  return
}
func.func private @kernel_1(%x: memref<f64>, %root: memref<f64>) attributes {weft.side = "device", weft.reason = "there"} {
  %0 = bufferization.to_tensor %x restrict : memref<f64> to tensor<f64>
  %1 = tensor.extract %0[] : tensor<f64>
  %2 = math.sqrt %1 : f64
  %3 = tensor.from_elements %2 : tensor<f64>
  bufferization.materialize_in_destination %3 in restrict writable %root : (tensor<f64>, memref<f64>) -> ()
  return
}
func.func private @kernel_2(%root: memref<f64>, %x: memref<4xf64>, %record: memref<20xi64>) attributes {weft.side = "device", weft.reason = "there"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  %0 = bufferization.to_tensor %root restrict : memref<f64> to tensor<f64>
  %1 = bufferization.to_tensor %x restrict : memref<4xf64> to tensor<4xf64>
  %2 = tensor.extract %0[] : tensor<f64>
  %3 = tensor.extract %1[%c0] : tensor<4xf64>
  %4 = arith.cmpf ogt, %2, %3 : f64
  scf.if %4 {
    memref.store %c1, %record[%c0] : memref<20xi64>
    func.call @weft_exit() : () -> ()
  }
  return
}
func.func private @kernel_3(%root: memref<f64>, %x: memref<4xf64>, %whole: memref<i64>) attributes {weft.side = "device", weft.reason = "there"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %nowhere = arith.constant 9 : i64
  %0 = bufferization.to_tensor %root restrict : memref<f64> to tensor<f64>
  %1 = bufferization.to_tensor %x restrict : memref<4xf64> to tensor<4xf64>
  %2 = tensor.extract %0[] : tensor<f64>
  %zero = arith.constant 0.0 : f64
  %3 = arith.cmpf ogt, %2, %zero : f64
  %4 = scf.if %3 -> i64 {
    %6 = scf.for %i = %c0 to %c4 step %c1 iter_args(%least = %nowhere) -> i64 {
      %7 = tensor.extract %1[%i] : tensor<4xf64>
      %8 = arith.fptosi %7 : f64 to i64
      %9 = arith.minsi %least, %8 : i64
      scf.yield %9 : i64
    }
    scf.yield %6 : i64
  } else {
    scf.yield %nowhere : i64
  }
  %5 = tensor.from_elements %4 : tensor<i64>
  bufferization.materialize_in_destination %5 in restrict writable %whole : (tensor<i64>, memref<i64>) -> ()
  return
}
func.func private @weft_exit()
}
