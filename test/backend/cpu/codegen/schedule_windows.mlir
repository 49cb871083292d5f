// RUN: weft-opt %s --buffers-to-loops | filecheck %s

// The maxima of several pixels stay in vector registers while the window is run over, and are stored once.
// CHECK-LABEL: func.func private @maxima(
// CHECK-NOT: vector.load %arg1
// CHECK: vector.load %arg0
// CHECK: arith.maximumf {{.*}} fastmath<nsz> : vector
// CHECK-NOT: vector.load %arg1
// CHECK: vector.store {{.*}}%arg1
func.func private @maxima(%x: memref<1x9x9x32xf32>, %o: memref<1x7x7x32xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %window = memref.alloca() : memref<3x3xf32>
  linalg.fill ins(%least : f32) outs(%o : memref<1x7x7x32xf32>)
  linalg.pooling_nhwc_max {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %window : memref<1x9x9x32xf32>, memref<3x3xf32>) outs(%o : memref<1x7x7x32xf32>)
  return
}

// Filters of single channels are read once for several pixels.
// CHECK-LABEL: func.func private @filters(
// CHECK: %[[FILTER:.*]] = vector.load %arg1
// CHECK-COUNT-8: vector.load %arg0
// CHECK: %[[SECOND:.*]] = vector.load %arg1
// CHECK: vector.store {{.*}}%arg2
func.func private @filters(%x: memref<1x9x10x16xf32>, %w: memref<3x3x16xf32>, %o: memref<1x7x8x16xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%o : memref<1x7x8x16xf32>)
  linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %w : memref<1x9x10x16xf32>, memref<3x3x16xf32>) outs(%o : memref<1x7x8x16xf32>)
  return
}

// Large windows are not written out.
// CHECK-LABEL: func.func private @large_windows(
// CHECK: scf.for {{.*}} to %c8
// CHECK: return
func.func private @large_windows(%x: memref<1x9x9x32xf32>, %o: memref<1x2x2x32xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %window = memref.alloca() : memref<8x8xf32>
  linalg.fill ins(%least : f32) outs(%o : memref<1x2x2x32xf32>)
  linalg.pooling_nhwc_max {strides = dense<1> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}
      ins(%x, %window : memref<1x9x9x32xf32>, memref<8x8xf32>) outs(%o : memref<1x2x2x32xf32>)
  return
}
