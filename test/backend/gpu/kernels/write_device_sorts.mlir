// RUN: weft-opt %s --write-device-sorts --target=sm_90a --split-input-file | filecheck %s

// Three tiles need two merges: back and forth, so that the last one ends where the result belongs.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-SAME: (%[[X:.*]]: memref<3000xf32>, %[[Y:.*]]: memref<3000xf32>)
// CHECK: %[[SPARE:.*]] = gpu.alloc () : memref<3000xf32>
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0 {{.*}} args(%[[X]] : memref<3000xf32>, %[[Y]] : memref<3000xf32>)
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_merge {{.*}} args(%[[Y]] : memref<3000xf32>, %[[SPARE]] : memref<3000xf32>, %c1024
// CHECK: gpu.launch_func @kernel_0_device::@kernel_0_merge {{.*}} args(%[[SPARE]] : memref<3000xf32>, %[[Y]] : memref<3000xf32>, %c2048
// CHECK-NOT: gpu.launch_func
// CHECK-NOT: weft.sort
// CHECK: gpu.func @kernel_0(
// CHECK-SAME: workgroup(%{{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK: gpu.func @kernel_0_merge
func.func private @kernel_0(%x: memref<3000xf32>, %y: memref<3000xf32>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<3000xf32> to tensor<3000xf32>
  %1 = "weft.sort"(%0) {axis = 0 : i64, descending = false} : (tensor<3000xf32>) -> tensor<3000xf32>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<3000xf32>, memref<3000xf32>) -> ()
  return
}

// -----

// Rows that fit in a tile are not merged, and those of unknown length as often as it takes.
// CHECK-LABEL: func.func private @kernel_1
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// CHECK-LABEL: func.func private @kernel_2
// CHECK: gpu.launch_func
// CHECK: scf.for
// CHECK-COUNT-2: gpu.launch_func @kernel_2_device::@kernel_2_merge
func.func private @kernel_1(%x: memref<4x100xi32>, %y: memref<4x100xi64>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<4x100xi32> to tensor<4x100xi32>
  %1 = "weft.argsort"(%0) {axis = 1 : i64, descending = false} : (tensor<4x100xi32>) -> tensor<4x100xi64>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<4x100xi64>, memref<4x100xi64>) -> ()
  return
}
func.func private @kernel_2(%x: memref<?xi32>, %y: memref<?xi32>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<?xi32> to tensor<?xi32>
  %1 = "weft.partition"(%0) {axis = 0 : i64, places = array<i64: 5>} : (tensor<?xi32>) -> tensor<?xi32>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<?xi32>, memref<?xi32>) -> ()
  return
}

// -----

// Long rows are sorted by digits: of 16 bits in two passes, back and forth. Places are made in the first one.
// CHECK-LABEL: func.func private @kernel_10
// CHECK-SAME: (%[[X:.*]]: memref<70000xi16>, %[[Y:.*]]: memref<70000xi64>)
// CHECK: gpu.launch_func @kernel_10_device::@kernel_10_count {{.*}} args(%[[X]] : memref<70000xi16>
// CHECK: gpu.launch_func @kernel_10_device::@kernel_10_sum
// CHECK: gpu.launch_func @kernel_10_device::@kernel_10 {{.*}} args(%[[X]] : memref<70000xi16>
// CHECK: gpu.launch_func @kernel_10_device::@kernel_10_count
// CHECK: gpu.launch_func @kernel_10_device::@kernel_10_sum
// CHECK: gpu.launch_func @kernel_10_device::@kernel_10_again {{.*}} %[[Y]] : memref<70000xi64>
// CHECK-NOT: gpu.launch_func
// CHECK: memref.atomic_rmw addi
// CHECK: nvvm.match.sync any
// CHECK: nvvm.bar.warp.sync
func.func private @kernel_10(%x: memref<70000xi16>, %y: memref<70000xi64>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<70000xi16> to tensor<70000xi16>
  %1 = "weft.argsort"(%0) {axis = 0 : i64, descending = false} : (tensor<70000xi16>) -> tensor<70000xi64>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<70000xi64>, memref<70000xi64>) -> ()
  return
}

// -----

// Bytes and pairs of numbers have no digits, and of 64 bits so few are merged sooner.
// CHECK-LABEL: func.func private @kernel_11
// CHECK: @kernel_11_merge
// CHECK-LABEL: func.func private @kernel_12
// CHECK: @kernel_12_merge
// CHECK-LABEL: func.func private @kernel_13
// CHECK: @kernel_13_merge
func.func private @kernel_11(%x: memref<70000xi8>, %y: memref<70000xi8>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<70000xi8> to tensor<70000xi8>
  %1 = "weft.sort"(%0) {axis = 0 : i64, descending = false} : (tensor<70000xi8>) -> tensor<70000xi8>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<70000xi8>, memref<70000xi8>) -> ()
  return
}
func.func private @kernel_12(%x: memref<300000xcomplex<f32>>, %y: memref<300000xcomplex<f32>>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<300000xcomplex<f32>> to tensor<300000xcomplex<f32>>
  %1 = "weft.sort"(%0) {axis = 0 : i64, descending = false} : (tensor<300000xcomplex<f32>>) -> tensor<300000xcomplex<f32>>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<300000xcomplex<f32>>, memref<300000xcomplex<f32>>) -> ()
  return
}
func.func private @kernel_13(%x: memref<70000xf64>, %y: memref<70000xf64>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<70000xf64> to tensor<70000xf64>
  %1 = "weft.sort"(%0) {axis = 0 : i64, descending = false} : (tensor<70000xf64>) -> tensor<70000xf64>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<70000xf64>, memref<70000xf64>) -> ()
  return
}

// -----

// Those of the host stay.
// CHECK-LABEL: func.func private @kernel_3
// CHECK: weft.sort
func.func private @kernel_3(%x: memref<8xi32, strided<[2]>>, %y: memref<8xi32>) attributes {weft.side = "host"} {
  %0 = bufferization.to_tensor %x restrict : memref<8xi32, strided<[2]>> to tensor<8xi32>
  %1 = "weft.sort"(%0) {axis = 0 : i64, descending = false} : (tensor<8xi32>) -> tensor<8xi32>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<8xi32>, memref<8xi32>) -> ()
  return
}

// -----

// Of no elements, nothing is launched.
// CHECK-LABEL: func.func private @kernel_0
// CHECK-NOT: gpu.
// CHECK-NOT: weft.sort
// CHECK: return
func.func private @kernel_0(%x: memref<4x0xi32>, %y: memref<4x0xi32>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<4x0xi32> to tensor<4x0xi32>
  %1 = "weft.sort"(%0) {axis = 1 : i64, descending = false} : (tensor<4x0xi32>) -> tensor<4x0xi32>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<4x0xi32>, memref<4x0xi32>) -> ()
  return
}

// -----

// Of three digits that tell the order, the first pass writes where the last one does.
// CHECK-LABEL: func.func private @kernel_11
// CHECK-SAME: (%[[X:.*]]: memref<200000xi64>, %[[Y:.*]]: memref<200000xi64>)
// CHECK-DAG: %[[SPARE:.*]] = gpu.alloc () : memref<200000xi64>
// CHECK: gpu.launch_func @kernel_11_device::@kernel_11 {{.*}} args(%[[X]] : memref<200000xi64>, {{.*}}%c32 : index, %[[Y]] : memref<200000xi64>)
// CHECK: gpu.launch_func @kernel_11_device::@kernel_11 {{.*}} args(%[[Y]] : memref<200000xi64>, {{.*}}%c40 : index, %[[SPARE]] : memref<200000xi64>)
// CHECK: gpu.launch_func @kernel_11_device::@kernel_11 {{.*}} args(%[[SPARE]] : memref<200000xi64>, {{.*}}%c48 : index, %[[Y]] : memref<200000xi64>)
// CHECK-NOT: gpu.launch_func
func.func private @kernel_11(%x: memref<200000xi64>, %y: memref<200000xi64>) attributes {weft.side = "device"} {
  %0 = bufferization.to_tensor %x restrict : memref<200000xi64> to tensor<200000xi64>
  %1 = "weft.sort"(%0) {axis = 0 : i64, descending = false, weft.sorted_bits = array<i64: 32, 51>} : (tensor<200000xi64>) -> tensor<200000xi64>
  bufferization.materialize_in_destination %1 in restrict writable %y : (tensor<200000xi64>, memref<200000xi64>) -> ()
  return
}
