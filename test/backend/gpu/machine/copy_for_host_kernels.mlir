// RUN: weft-opt %s --copy-for-host-kernels --canonicalize --cse --split-input-file | filecheck %s

// Of each kernel it is told why it is the host's, and where it is called.
// CHECK: module attributes {weft.host_kernels = {{.}}["it returns numbers", "loc({{.*}})"], ["", "loc({{.*}})"]]
module attributes {weft.sites = []} {
  // CHECK-LABEL: func.func @f(
  func.func @f(%x: memref<?xf64>, %y: memref<?xf64>, %space: memref<0xi8>, %record: memref<20xi64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<?xf64>], on_heap = [], polls = false, results = [tensor<?xf64>], sizes, workspace = 0 : i64, written = [], on_host = []}} {
    // CHECK: call @kernel_0.on_host(%{{.*}}, %{{.*}}, %[[RECORD:.*]]) : (memref<?xf64>, memref<?xf64>, memref<20xi64>) -> index
    // CHECK: memref.load %[[RECORD]]
    // CHECK: func.call @weft_exit()
    %n = call @kernel_0(%x, %y) : (memref<?xf64>, memref<?xf64>) -> index
    // A kernel that may raise takes the record already, and its caller looks at it.
    // CHECK: call @kernel_1.on_host(
    // CHECK-NEXT: return
    call @kernel_1(%y, %record) : (memref<?xf64>, memref<20xi64>) -> ()
    return
  }
  // CHECK: func.func private @kernel_0(
  func.func private @kernel_0(%x: memref<?xf64>, %y: memref<?xf64>) -> index attributes {weft.accesses = ["r", "w"], weft.reason = "it returns numbers"} {
    %c0 = arith.constant 0 : index
    return %c0 : index
  }
  // CHECK: func.func private @kernel_0.on_host(
  // CHECK: call @weft_reserve(
  // CHECK: scf.if
  // CHECK: call @weft_device_trip(
  // CHECK: call @weft_device_read(
  // CHECK-NOT: call @weft_device_read(
  // CHECK: call @kernel_0(
  // CHECK-NEXT: memref.extract_aligned_pointer_as_index
  // CHECK: call @weft_device_write(
  // CHECK: call @weft_device_fail(
  // CHECK: call @weft_release(
  func.func private @kernel_1(%x: memref<?xf64>, %record: memref<20xi64>) attributes {weft.accesses = ["w", "rw"]} {
    return
  }
  // What it leaves as it was when it raises is copied, too.
  // CHECK: func.func private @kernel_1.on_host(
  // CHECK: call @weft_device_read(
  // CHECK: call @kernel_1(
}

// -----

// A complex number that there is not is zero, too; what reads nothing still looks whether something has failed.
module attributes {weft.sites = []} {
  func.func @g(%y: memref<4xf64>, %space: memref<0xi8>, %record: memref<20xi64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [], on_heap = [], polls = false, results = [tensor<4xf64>], sizes, workspace = 0 : i64, written = [], on_host = []}} {
    %n = call @kernel_2(%y) : (memref<4xf64>) -> complex<f64>
    return
  }
  func.func private @kernel_2(%y: memref<4xf64>) -> complex<f64> attributes {weft.accesses = ["w"]} {
    %one = complex.constant [1.0, 0.0] : complex<f64>
    return %one : complex<f64>
  }
  // CHECK: func.func private @kernel_2.on_host(
  // CHECK: call @weft_device_read(%{{.*}}, %[[NONE:.*]], %[[NONE]], %[[NONE]])
  // CHECK: %[[NOTHING:.*]] = complex.{{create|constant}}
  // CHECK: call @kernel_2(
}
