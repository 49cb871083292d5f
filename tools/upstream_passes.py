"""The passes and pipelines of upstream MLIR that are flags of weft-opt, too.

MLIR does not list what is registered, so their names stand here, for lists and for who misspells one; whether a pass
is there, MLIR says itself.
"""

from __future__ import annotations

_NAMES = """
acc-bind-routine acc-cg-to-gpu acc-compute-lowering acc-declare-gpu-module-insertion acc-emit-remarks-data
acc-emit-remarks-loop acc-emit-remarks-private acc-if-clause-lowering acc-implicit-data acc-implicit-declare
acc-implicit-routine acc-legalize-serial acc-loop-tiling acc-recipe-materialization acc-routine-lowering
acc-routine-to-gpu-func acc-specialize-for-device acc-specialize-for-host acc-to-llvm
affine-data-copy-generate affine-expand-index-ops affine-expand-index-ops-as-affine
affine-fold-memref-alias-ops affine-loop-coalescing affine-loop-fusion affine-loop-invariant-code-motion
affine-loop-normalize affine-loop-tile affine-loop-unroll affine-loop-unroll-jam affine-parallelize
affine-pipeline-data-transfer affine-raise-from-memref affine-scalrep affine-simplify-min-max
affine-simplify-structures affine-simplify-with-bounds affine-super-vectorize amdgpu-emulate-atomics
amdgpu-maskedload-to-load amdgpu-resolve-strided-metadata arith-emulate-unsupported-floats
arith-emulate-wide-int arith-expand arith-int-range-narrowing arith-unsigned-when-equivalent
arm-neon-2d-to-intr arm-sme-outer-product-fusion arm-sme-vector-legalization arm-sve-legalize-vector-storage
async-func-to-async-runtime async-parallel-for async-runtime-policy-based-ref-counting
async-runtime-ref-counting async-runtime-ref-counting-opt async-to-async-runtime
bubble-down-memory-space-casts buffer-deallocation-pipeline buffer-deallocation-simplification
buffer-hoisting buffer-loop-hoisting buffer-results-to-out-params bufferization-lower-deallocations
canonicalize composite-fixed-point-pass control-flow-sink convert-affine-for-to-gpu convert-amdgpu-to-rocdl
convert-arith-to-amdgpu convert-arith-to-apfloat convert-arith-to-arm-sme convert-arith-to-emitc
convert-arith-to-llvm convert-arith-to-spirv convert-arm-sme-to-llvm convert-arm-sme-to-scf
convert-async-to-llvm convert-bufferization-to-memref convert-cf-to-llvm convert-cf-to-spirv
convert-complex-to-libm convert-complex-to-llvm convert-complex-to-rocdl-library-calls
convert-complex-to-spirv convert-complex-to-standard convert-elementwise-to-linalg convert-func-to-emitc
convert-func-to-llvm convert-func-to-spirv convert-gpu-to-llvm-spv convert-gpu-to-nvvm convert-gpu-to-rocdl
convert-gpu-to-spirv convert-index-to-llvm convert-index-to-spirv convert-linalg-to-affine-loops
convert-linalg-to-loops convert-linalg-to-parallel-loops convert-linalg-to-std convert-math-to-apfloat
convert-math-to-emitc convert-math-to-funcs convert-math-to-libm convert-math-to-llvm convert-math-to-nvvm
convert-math-to-rocdl convert-math-to-spirv convert-math-to-xevm convert-memref-to-emitc
convert-memref-to-spirv convert-nvgpu-to-nvvm convert-nvvm-to-llvm convert-openacc-to-scf
convert-openmp-to-llvm convert-parallel-loops-to-gpu convert-pdl-to-pdl-interp convert-scf-to-cf
convert-scf-to-emitc convert-scf-to-openmp convert-scf-to-spirv convert-shape-constraints
convert-shape-to-std convert-shard-to-mpi convert-spirv-to-llvm convert-tensor-to-linalg
convert-tensor-to-spirv convert-to-emitc convert-to-llvm convert-ub-to-llvm convert-ub-to-spirv
convert-vector-to-amx convert-vector-to-arm-sme convert-vector-to-gpu convert-vector-to-llvm
convert-vector-to-scf convert-vector-to-spirv convert-vector-to-xegpu convert-xegpu-to-xevm
convert-xevm-to-llvm cse decorate-spirv-composite-type-layout drop-equivalent-buffer-results
duplicate-function-elimination eliminate-empty-tensors empty-tensor-to-alloc-tensor enable-arm-streaming
ensure-debug-info-scope-on-llvm-func expand-realloc expand-strided-metadata finalize-memref-to-llvm
flatten-memref fold-memref-alias-ops fold-tensor-subset-ops form-expressions generate-runtime-verification
gpu-async-region gpu-decompose-memrefs gpu-eliminate-barriers gpu-kernel-outlining
gpu-launch-sink-index-computations gpu-lower-to-nvvm-pipeline gpu-lower-to-rocdl-pipeline
gpu-lower-to-xevm-pipeline gpu-map-parallel-loops gpu-module-to-binary gpu-to-llvm inline
int-range-optimizations lift-cf-to-scf linalg-block-pack-matmul linalg-fold-into-elementwise
linalg-fold-unit-extent-dims linalg-fuse-elementwise-ops linalg-generalize-named-ops
linalg-inline-scalar-operands linalg-morph-ops linalg-specialize-generic-ops llvm-add-comdats
llvm-legalize-for-export llvm-optimize-for-nvvm-target llvm-request-c-wrappers llvm-target-to-data-layout
llvm-target-to-target-features llvm-use-default-visibility loop-invariant-code-motion
loop-invariant-subset-hoisting lower-affine lower-host-to-llvm lower-quant-ops lower-sparse-foreach-to-scf
lower-sparse-iteration-to-scf lower-sparse-ops-to-foreach lower-vector-mask lower-vector-multi-reduction
lower-vector-to-from-elements-to-shuffle-tree map-memref-spirv-storage-class math-expand-ops
math-extend-to-supported-types math-sincos-fusion math-uplift-to-fma mem2reg memref-elide-reinterpret-cast
memref-emulate-wide-int memref-expand mlgo-add-reflection-map mlprogram-pipeline-globals normalize-memrefs
normalize-quant-types nvgpu-optimize-shared-memory nvvm-attach-target offload-livein-value-canonicalization
offload-target-verifier omp-host-op-filter omp-mark-declare-target omp-offload-privatization-prepare
omp-stack-to-shared one-shot-bufferize openacc-legalize-data-values optimize-allocation-liveness
outline-shape-computation ownership-based-buffer-deallocation pre-sparsification-rewrite print-ir
print-op-stats promote-buffers-to-stack raise-scf-to-affine raise-wasm-mlir reconcile-unrealized-casts
reify-result-shapes remove-dead-values remove-shape-constraints resolve-ranked-shaped-type-result-dims
resolve-shaped-type-result-dims rocdl-attach-target scalarize-single-element-tensor-return sccp
scf-for-loop-canonicalization scf-for-loop-peeling scf-for-loop-range-folding scf-for-loop-specialization
scf-for-to-while scf-forall-to-for scf-forall-to-parallel scf-parallel-for-to-nested-fors
scf-parallel-loop-fusion scf-parallel-loop-specialization scf-parallel-loop-tiling
set-llvm-module-datalayout shape-to-shape-lowering shard-partition shard-simplify sharding-propagation
simplify-depthwise-conv snapshot-op-locations sparse-assembler sparse-buffer-rewrite sparse-gpu-codegen
sparse-reinterpret-map sparse-space-collapse sparse-storage-specifier-to-llvm sparse-tensor-codegen
sparse-tensor-conversion sparse-vectorization sparsification sparsification-and-bufferization sparsifier
spirv-attach-target spirv-canonicalize-gl spirv-lower-abi-attrs spirv-promote-to-replicated-constants
spirv-rewrite-inserts spirv-unify-aliased-resource spirv-update-vce spirv-webgpu-prepare sroa
stage-sparse-ops static-memory-planner-analysis strip-debuginfo strip-func-quant-types symbol-dce
symbol-privatize test-arm-sme-tile-allocation test-scf-parallel-loop-collapsing topological-sort
tosa-arith-const-to-tosa-const tosa-attach-target tosa-convert-integer-type-to-signless
tosa-downgrade-1-1-to-1-0 tosa-experimental-input-shape tosa-infer-shapes tosa-layerwise-constant-fold
tosa-make-broadcastable tosa-narrow-f64-to-f32 tosa-narrow-i64-to-i32 tosa-optional-decompositions
tosa-reduce-transposes tosa-to-arith tosa-to-linalg tosa-to-linalg-named tosa-to-linalg-pipeline
tosa-to-mlprogram tosa-to-scf tosa-to-spirv-tosa tosa-to-spirv-tosa-mark-graph-constants tosa-to-tensor
tosa-validate transform-dialect-check-uses transform-infer-effects transform-interpreter
transform-preload-library trivial-dce view-op-graph wrap-emitc-func-in-class xegpu-blocking
xegpu-optimize-peephole xegpu-propagate-layout xegpu-sg-to-lane-distribute xegpu-vector-linearize
xegpu-wg-to-sg-distribute xevm-attach-target
"""
UPSTREAM = tuple(_NAMES.split())
