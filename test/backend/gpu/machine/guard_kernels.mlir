// RUN: weft-opt %s --guard-kernels --split-input-file | filecheck %s

// One kernel raises: what the caller sees, and what follows numbers, waits for it.
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<4xf64>, %[[Y:.*]]: memref<4xf64>, %{{.*}}: memref<0xi8>, %[[RECORD:.*]]: memref<20xi64>)
// CHECK: call @kernel_0(%[[X]], %[[RECORD]])
// CHECK: call @kernel_1(%[[X]], %[[RECORD]])
// CHECK: call @kernel_2(%[[Y]])
// CHECK: call @kernel_3(%[[Y]], %{{.*}}, %[[RECORD]])
// CHECK-NOT: memref.copy
// CHECK: call @[[COPY:kernel_[0-9]+]](%[[Y]], %[[X]], %[[RECORD]])
// CHECK: func.func private @kernel_0({{.*}}weft.guarded
// CHECK: func.func private @kernel_1({{.*}}weft.guarded
// CHECK: func.func private @kernel_2(%{{[^,]*}}: memref<4xf64>) attributes {weft.accesses = ["w"], weft.side
// CHECK: func.func private @kernel_3({{.*}}weft.guarded
// CHECK: func.func private @[[COPY]]({{.*}}weft.guarded{{.*}}weft.side = "device", weft.visible}
// CHECK-NEXT: memref.copy %{{.*}}, %{{.*}} : memref<4xf64> to memref<4xf64>
module attributes {weft.sites = []} {
func.func @f(%x: memref<4xf64>, %y: memref<4xf64>, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf64>], on_heap = [], on_host = [], polls = false, results = [tensor<4xf64>], sizes, workspace = 0 : i64, written = [0]}} {
  %c1 = arith.constant 1 : index
  call @kernel_0(%x, %record) : (memref<4xf64>, memref<20xi64>) -> ()
  call @kernel_1(%x) : (memref<4xf64>) -> ()
  call @kernel_2(%y) : (memref<4xf64>) -> ()
  call @kernel_3(%y, %c1) : (memref<4xf64>, index) -> ()
  memref.copy %y, %x : memref<4xf64> to memref<4xf64>
  return
}
func.func private @kernel_0(%x: memref<4xf64>, %record: memref<20xi64>) attributes {weft.accesses = ["r", "w"], weft.side = "device"} {
  func.call @weft_exit() : () -> ()
  return
}
func.func private @kernel_1(%x: memref<4xf64>) attributes {weft.accesses = ["w"], weft.side = "device"} {
  return
}
func.func private @kernel_2(%x: memref<4xf64>) attributes {weft.accesses = ["w"], weft.side = "device"} {
  return
}
func.func private @kernel_3(%x: memref<4xf64>, %n: index) attributes {weft.accesses = ["w", ""], weft.side = "device"} {
  return
}
func.func private @weft_exit()
}

// -----

// Nothing raises: nothing looks.
// CHECK-LABEL: func.func @g(
// CHECK: call @kernel_0(%arg0) : (memref<4xf64>)
// CHECK-NOT: weft.guarded
module attributes {weft.sites = []} {
func.func @g(%x: memref<4xf64>, %w: memref<0xi8>, %record: memref<20xi64>)
    attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf64>], on_heap = [], on_host = [], polls = false, results = [], sizes, workspace = 0 : i64, written = [0]}} {
  call @kernel_0(%x) : (memref<4xf64>) -> ()
  return
}
func.func private @kernel_0(%x: memref<4xf64>) attributes {weft.accesses = ["w"], weft.side = "device"} {
  return
}
}
