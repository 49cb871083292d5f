// RUN: weft-opt %s --write-library-calls --canonicalize --cse | filecheck %s

module attributes {weft.sites = []} {
  // CHECK-LABEL: func.func @f(
  func.func @f(%x: memref<?x4xf64>, %y: memref<?x4xf64>, %space: memref<0xi8>, %record: memref<20xi64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<?x4xf64>], on_heap = [], polls = false, results = [tensor<?x4xf64>], sizes, workspace = 0 : i64, written = [], on_host = []}} {
    // CHECK: call @kernel_0(%{{.*}}, %{{.*}}, %[[RECORD:.*]]) : (memref<?x4xf64>, memref<?x4xf64>, memref<20xi64>) -> ()
    // CHECK: memref.load %[[RECORD]]
    // CHECK: func.call @weft_exit()
    call @kernel_0(%x, %y) : (memref<?x4xf64>, memref<?x4xf64>) -> ()
    // CHECK: call @kernel_1(%{{.*}}, %{{.*}}) : (memref<?x4xf64>, memref<?x4xf64>) -> ()
    call @kernel_1(%x, %y) : (memref<?x4xf64>, memref<?x4xf64>) -> ()
    return
  }
  // How many arguments; 8 bytes each, where it is, written nowhere, two extents; and that the status is not asked for.
  // CHECK: func.func private @kernel_0(%[[X:.*]]: memref<?x4xf64>, %[[Y:.*]]: memref<?x4xf64>, %[[RECORD:.*]]: memref<20xi64>)
  // CHECK-DAG: %[[ROUTINE:.*]] = arith.constant 11 : i64
  // CHECK-DAG: %[[KIND:.*]] = arith.constant 16 : i64
  // CHECK-DAG: %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
  // CHECK: %[[WORDS:.*]] = memref.alloca() : memref<14xi64>
  // CHECK: memref.store %[[KIND]], %[[WORDS]]
  // CHECK: call @weft_device_read(
  // CHECK: call @weft_device_library(%{{.*}}, %[[ROUTINE]], %{{.*}})
  // CHECK-NEXT: return
  func.func private @kernel_0(%x: memref<?x4xf64>, %y: memref<?x4xf64>) attributes {weft.accesses = ["r", "rw"], weft.side = "library", weft.visible} {
    %0 = bufferization.to_tensor %x restrict : memref<?x4xf64> to tensor<?x4xf64>
    %1 = bufferization.to_tensor %y restrict writable : memref<?x4xf64> to tensor<?x4xf64>
    %2:3 = "weft.call_library"(%0, %1) {routine = "cusolver.solve_transposed", updated = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<?x4xf64>, tensor<?x4xf64>) -> (tensor<?x4xf64>, tensor<?x4xf64>, tensor<i64>)
    bufferization.materialize_in_destination %2#1 in restrict writable %y : (tensor<?x4xf64>, memref<?x4xf64>) -> ()
    return
  }
  // Kernels that call none stay as they are.
  // CHECK: func.func private @kernel_1(%{{[^,]*}}, %{{[^,]*}}) attributes
  // CHECK-NOT: call @
  // CHECK: bufferization.materialize_in_destination
  func.func private @kernel_1(%x: memref<?x4xf64>, %y: memref<?x4xf64>) attributes {weft.accesses = ["r", "w"], weft.side = "device"} {
    %0 = bufferization.to_tensor %x restrict : memref<?x4xf64> to tensor<?x4xf64>
    bufferization.materialize_in_destination %0 in restrict writable %y : (tensor<?x4xf64>, memref<?x4xf64>) -> ()
    return
  }
  func.func private @weft_exit()
}
