// RUN: weft-opt %s --lower-launches --canonicalize --cse | filecheck %s

// CHECK: weft.kernels = ["m::fill", "m::add"]
module attributes {gpu.container_module, weft.sites = []} {
  // CHECK-LABEL: func.func @f(
  func.func @f(%x: memref<4xf32>, %space: memref<0xi8>, %record: memref<20xi64>) attributes {weft.plan = {blocks = 0 : i64, calls = false, copies = 0 : i64, inputs = [tensor<4xf32>], on_heap = [], polls = false, results = [], sizes, workspace = 0 : i64, written = [0], on_host = []}} {
    %c3 = arith.constant 3.0 : f32
    // CHECK: call @kernel_0(%{{.*}}, %{{.*}}, %[[RECORD:.*]]) : (memref<4xf32>, f32, memref<20xi64>) -> ()
    // CHECK: memref.load %[[RECORD]]
    // CHECK: func.call @weft_exit()
    call @kernel_0(%x, %c3) : (memref<4xf32>, f32) -> ()
    return
  }
  // CHECK: func.func private @kernel_0(
  func.func private @kernel_0(%x: memref<4xf32>, %value: f32) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %shared = arith.constant 4096 : i32
    // Memory that launches share is a block of the device for as long.
    // CHECK: call @weft_device_reserve(
    %temporary = gpu.alloc () : memref<8xf32>
    // CHECK: memref.store %{{.*}} : memref<2xi64>
    // CHECK: call @weft_device_launch(%{{.*}}, %c0_i64, %c1_i64, %c1_i64, %c1_i64, %c32_i64, %c1_i64, %c1_i64, %c4096_i64,
    gpu.launch_func @m::@fill blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %shared args(%temporary : memref<8xf32>, %value : f32)
    // CHECK: call @weft_device_launch(%{{.*}}, %c1_i64, %c1_i64,
    gpu.launch_func @m::@add blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%temporary : memref<8xf32>, %x : memref<4xf32>)
    // CHECK: call @weft_device_release(
    gpu.dealloc %temporary : memref<8xf32>
    return
  }
  gpu.module @m {
    gpu.func @fill(%x: memref<8xf32>, %value: f32) kernel {
      gpu.return
    }
    gpu.func @add(%x: memref<8xf32>, %y: memref<4xf32>) kernel {
      gpu.return
    }
  }
}
