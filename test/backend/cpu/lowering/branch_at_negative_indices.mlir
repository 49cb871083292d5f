// RUN: weft-opt %s --branch-at-negative-indices --split-input-file | filecheck %s

// An index is compared once; the sum with the extent is made where that fails, and told from it there.
// CHECK-LABEL: llvm.func @counted
llvm.func @counted(%indices: !llvm.ptr, %counts: !llvm.ptr, %error: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %extent = llvm.mlir.constant(100 : i64) : i64
  %length = llvm.mlir.constant(1000 : index) : i64
  %extent_of_access = llvm.mlir.constant(100 : index) : i64
  %zero_of_access = llvm.mlir.constant(0 : index) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %length : i64
  llvm.cond_br %more, ^body, ^end
^body:
  %at = llvm.getelementptr %indices[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %index = llvm.load %at : !llvm.ptr -> i64
  %is_negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %index, %extent : i64
  %place = llvm.select %is_negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %extent : i64
  %told = llvm.select %outside, %index, %zero : i1, i64
  // CHECK: %[[INDEX:.*]] = llvm.load
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "ult" %[[INDEX]], %[[EXTENT:.*]] : i64
  // CHECK: llvm.cond_br %[[INSIDE]] weights([2000, 1]), ^[[PASSING:.*]](%[[INDEX]] : i64), ^[[WRAPPING:.*]]
  // CHECK: ^[[WRAPPING]]:
  // CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[INDEX]], %[[EXTENT]] : i64
  // CHECK-NEXT: %[[OUTSIDE:.*]] = llvm.icmp "uge" %[[SUM]], %[[EXTENT]] : i64
  // CHECK-NEXT: llvm.cond_br %[[OUTSIDE]] weights([1, 2000]), ^[[FAILING:.*]], ^[[PASSING]](%[[SUM]] : i64)
  llvm.cond_br %outside, ^failing, ^passing
// CHECK: ^[[FAILING]]:
// CHECK-NEXT: llvm.store %[[INDEX]]
^failing:
  llvm.store %told, %error : i64, !llvm.ptr
  llvm.return
// CHECK: ^[[PASSING]](%[[PLACE:.*]]: i64):
// CHECK: llvm.getelementptr %{{.*}}[%[[PLACE]]]
^passing:
  %with_extent = llvm.add %index, %extent_of_access : i64
  %is_below = llvm.icmp "slt" %index, %zero_of_access : i64
  %accessed = llvm.select %is_below, %with_extent, %index : i1, i64
  %to = llvm.getelementptr %counts[%accessed] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %count = llvm.load %to : !llvm.ptr -> i64
  %counted = llvm.add %count, %one : i64
  llvm.store %counted, %to : i64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^end:
  llvm.return
}

// -----

// Two checks behind each other: each index is what its own check found.
// CHECK-LABEL: llvm.func @two
llvm.func @two(%indices: !llvm.ptr, %table: !llvm.ptr, %n: i64, %m: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^body(%zero : i64)
^body(%index: i64):
  %negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %index, %n : i64
  %place = llvm.select %negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %n : i64
  llvm.cond_br %outside, ^failing, ^second
^failing:
  llvm.return
// CHECK: ^bb4(%[[FIRST:.*]]: i64):
^second:
  %other = llvm.load %indices : !llvm.ptr -> i64
  %other_negative = llvm.icmp "slt" %other, %zero : i64
  %other_sum = llvm.add %other, %m : i64
  %other_place = llvm.select %other_negative, %other_sum, %other : i1, i64
  %other_outside = llvm.icmp "uge" %other_place, %m : i64
  llvm.cond_br %other_outside, ^other_failing, ^passing
^other_failing:
  llvm.return
// CHECK: ^bb7(%[[SECOND:.*]]: i64):
^passing:
  // CHECK-NEXT: llvm.mul %[[FIRST]], %{{.*}} : i64
  // CHECK-NEXT: llvm.add %{{.*}}, %[[SECOND]] : i64
  %row = llvm.mul %place, %m : i64
  %flat = llvm.add %row, %other_place : i64
  %to = llvm.getelementptr %table[%flat] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %zero, %to : i64, !llvm.ptr
  %again = llvm.load %indices : !llvm.ptr -> i64
  llvm.br ^body(%again : i64)
}

// -----

// Outside of loops, where an index is checked once, all stays as it is; as does a check of what is added by itself.
// CHECK-LABEL: llvm.func @once
// CHECK-NOT: llvm.icmp "ult"
llvm.func @once(%index: i64, %n: i64, %table: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %index, %n : i64
  %place = llvm.select %negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %n : i64
  llvm.cond_br %outside, ^failing, ^passing
^failing:
  llvm.return
^passing:
  %to = llvm.getelementptr %table[%place] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %zero, %to : i64, !llvm.ptr
  llvm.return
}

// -----

// Another number than the extent is added: not an index of Python's.
// CHECK-LABEL: llvm.func @other_sum
// CHECK-NOT: llvm.icmp "ult"
llvm.func @other_sum(%first: i64, %n: i64, %m: i64, %table: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^body(%first : i64)
^body(%index: i64):
  %negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %index, %m : i64
  %place = llvm.select %negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %n : i64
  llvm.cond_br %outside, ^failing, ^passing
^failing:
  llvm.return
^passing:
  %to = llvm.getelementptr %table[%place] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %next = llvm.load %to : !llvm.ptr -> i64
  llvm.br ^body(%next : i64)
}

// -----

// An index one further up, whose sum with the extent is made of one constant, and a read that would stay in bounds.
// CHECK-LABEL: llvm.func @next
// CHECK: ^bb4(%[[PLACE:.*]]: i64):
// CHECK: llvm.getelementptr %{{.*}}[%[[PLACE]]]
llvm.func @next(%first: i64, %table: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %extent = llvm.mlir.constant(100 : i64) : i64
  %more = llvm.mlir.constant(101 : i64) : i64
  llvm.br ^body(%first : i64)
^body(%k: i64):
  %index = llvm.add %k, %one : i64
  %negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %k, %more : i64
  %place = llvm.select %negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %extent : i64
  llvm.cond_br %outside, ^failing, ^passing
^failing:
  llvm.return
^passing:
  %inside = llvm.icmp "ult" %place, %extent : i64
  %clamped = llvm.select %inside, %place, %zero : i1, i64
  %to = llvm.getelementptr %table[%clamped] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %next = llvm.load %to : !llvm.ptr -> i64
  llvm.br ^body(%next : i64)
}

// -----

// The two constants are not the extent apart.
// CHECK-LABEL: llvm.func @other_constant
// CHECK-NOT: llvm.icmp "ult"
llvm.func @other_constant(%first: i64, %table: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %extent = llvm.mlir.constant(100 : i64) : i64
  %more = llvm.mlir.constant(100 : index) : i64
  llvm.br ^body(%first : i64)
^body(%k: i64):
  %index = llvm.add %k, %one : i64
  %negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %k, %more : i64
  %place = llvm.select %negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %extent : i64
  llvm.cond_br %outside, ^failing, ^passing
^failing:
  llvm.return
^passing:
  %to = llvm.getelementptr %table[%place] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %next = llvm.load %to : !llvm.ptr -> i64
  llvm.br ^body(%next : i64)
}

// -----

// A loop that never begins stays as it is: the check would be behind what it leads to, which leads back to it.
// CHECK-LABEL: llvm.func @never
llvm.func @never(%table: !llvm.ptr, %start: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %extent = llvm.mlir.constant(100 : i64) : i64
  llvm.return
// CHECK-NOT: weights
^body(%index: i64):
  %is_negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %index, %extent : i64
  %place = llvm.select %is_negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %extent : i64
  llvm.cond_br %outside, ^failing, ^passing
^failing:
  llvm.return
^passing:
  %at = llvm.getelementptr %table[%place] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %next = llvm.load %at : !llvm.ptr -> i64
  llvm.br ^body(%next : i64)
}

// -----

// The extent of the check and that of the access are one value in each call of the kernel, the stride is another in one.
// CHECK-LABEL: llvm.func internal @kernel_0
// CHECK: ^bb4(%[[PLACE:.*]]: i64):
// CHECK-NOT: %arg2
// CHECK: llvm.mul %[[PLACE]], %arg3
// CHECK: llvm.func @caller
llvm.func internal @kernel_0(%first: i64, %n: i64, %extent: i64, %stride: i64, %table: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^body(%first : i64)
^body(%index: i64):
  %negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %index, %n : i64
  %place = llvm.select %negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %n : i64
  llvm.cond_br %outside, ^failing, ^passing
^failing:
  llvm.return
^passing:
  %with_extent = llvm.add %index, %extent : i64
  %accessed = llvm.select %negative, %with_extent, %index : i1, i64
  %flat = llvm.mul %accessed, %stride : i64
  %to = llvm.getelementptr %table[%flat] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %next = llvm.load %to : !llvm.ptr -> i64
  llvm.br ^body(%next : i64)
}
llvm.func @caller(%m: i64, %other: i64, %table: !llvm.ptr) {
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.call @kernel_0(%one, %m, %m, %m, %table) : (i64, i64, i64, i64, !llvm.ptr) -> ()
  llvm.call @kernel_0(%one, %other, %other, %one, %table) : (i64, i64, i64, i64, !llvm.ptr) -> ()
  llvm.return
}

// -----

// Behind the check of one index, one that needs none is branched at, too, and is 0 where it would be out of bounds.
// CHECK-LABEL: llvm.func @behind
// CHECK: %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK: %[[NEXT:.*]] = llvm.add %{{.*}}, %[[ONE]] : i64
// CHECK: %[[INSIDE:.*]] = llvm.icmp "ult" %[[NEXT]], %[[EXTENT:.*]] : i64
// CHECK: llvm.cond_br %[[INSIDE]] weights([2000, 1]), ^[[REST:.*]](%[[NEXT]] : i64), ^[[WRAPPING:.*]]
// CHECK: ^[[WRAPPING]]:
// CHECK-NEXT: %[[SUM:.*]] = llvm.add %[[NEXT]], %[[EXTENT]] : i64
// CHECK-NEXT: %[[WRAPPED:.*]] = llvm.icmp "ult" %[[SUM]], %[[EXTENT]] : i64
// CHECK-NEXT: %[[CHOSEN:.*]] = llvm.select %[[WRAPPED]], %[[SUM]], %{{.*}} : i1, i64
// CHECK-NEXT: llvm.br ^[[REST]](%[[CHOSEN]] : i64)
// CHECK: ^[[REST]](%[[PLACE:.*]]: i64):
// CHECK-NEXT: llvm.getelementptr %{{.*}}[%[[PLACE]]]
llvm.func @behind(%first: i64, %table: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %extent = llvm.mlir.constant(100 : i64) : i64
  llvm.br ^body(%first : i64)
^body(%index: i64):
  %negative = llvm.icmp "slt" %index, %zero : i64
  %sum = llvm.add %index, %extent : i64
  %place = llvm.select %negative, %sum, %index : i1, i64
  %outside = llvm.icmp "uge" %place, %extent : i64
  llvm.cond_br %outside, ^failing, ^passing
^failing:
  llvm.return
^passing:
  %following = llvm.add %index, %one : i64
  %is_below = llvm.icmp "slt" %following, %zero : i64
  %with_extent = llvm.add %following, %extent : i64
  %wrapped = llvm.select %is_below, %with_extent, %following : i1, i64
  %inside = llvm.icmp "ult" %wrapped, %extent : i64
  %clamped = llvm.select %inside, %wrapped, %zero : i1, i64
  %to = llvm.getelementptr %table[%clamped] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %next = llvm.load %to : !llvm.ptr -> i64
  llvm.br ^body(%next : i64)
}

// -----

// In a loop that checks nothing, which LLVM may make vector code of, an index is chosen as it was.
// CHECK-LABEL: llvm.func @alone
// CHECK-NOT: weights
llvm.func @alone(%first: i64, %table: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %extent = llvm.mlir.constant(100 : i64) : i64
  llvm.br ^body(%first : i64)
^body(%index: i64):
  %is_below = llvm.icmp "slt" %index, %zero : i64
  %with_extent = llvm.add %index, %extent : i64
  %wrapped = llvm.select %is_below, %with_extent, %index : i1, i64
  %inside = llvm.icmp "ult" %wrapped, %extent : i64
  %clamped = llvm.select %inside, %wrapped, %zero : i1, i64
  %to = llvm.getelementptr %table[%clamped] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %next = llvm.load %to : !llvm.ptr -> i64
  llvm.br ^body(%next : i64)
}

// -----

// An index that is known not to be negative is compared and read as it is; that of another extent is clamped to it.
// CHECK-LABEL: llvm.func @known
// CHECK: ^bb1(%[[INDEX:.*]]: i64):
// CHECK-NOT: weights
// CHECK: llvm.getelementptr %{{.*}}[%[[INDEX]]]
// CHECK: %[[CLAMPED:.*]] = llvm.select %{{.*}}, %[[INDEX]], %{{.*}} : i1, i64
// CHECK: llvm.getelementptr %{{.*}}[%[[CLAMPED]]]
llvm.func @known(%first: i64, %table: !llvm.ptr, %n: i64, %m: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  llvm.br ^body(%first : i64)
^body(%index: i64):
  %outside = llvm.icmp "uge" %index, %n : i64
  llvm.cond_br %outside, ^failing, ^passing
^failing:
  llvm.return
^passing:
  %inside = llvm.icmp "ult" %index, %n : i64
  %clamped = llvm.select %inside, %index, %zero : i1, i64
  %to = llvm.getelementptr %table[%clamped] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %read = llvm.load %to : !llvm.ptr -> i64
  %inside_other = llvm.icmp "ult" %index, %m : i64
  %clamped_other = llvm.select %inside_other, %index, %zero : i1, i64
  %to_other = llvm.getelementptr %table[%clamped_other] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  %read_other = llvm.load %to_other : !llvm.ptr -> i64
  %next = llvm.add %read, %read_other : i64
  llvm.br ^body(%next : i64)
}
