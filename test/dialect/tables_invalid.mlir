// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @slots(%slots: tensor<8xi64>, %keys: tensor<4xi64>, %word: tensor<i64>) {
  // expected-error @below {{weft.table_find: slots are i32 of rank 1, not i64[8]}}
  %0 = "weft.table_find"(%slots, %keys, %word) : (tensor<8xi64>, tensor<4xi64>, tensor<i64>) -> tensor<i64>
  return
}

// -----

func.func @keys(%slots: tensor<8xi32>, %keys: tensor<4x2xi64>, %word: tensor<i64>) {
  // expected-error @below {{weft.table_find: the words of keys are i64 of rank 1, not i64[4,2]}}
  %0 = "weft.table_find"(%slots, %keys, %word) : (tensor<8xi32>, tensor<4x2xi64>, tensor<i64>) -> tensor<i64>
  return
}

// -----

func.func @word(%slots: tensor<8xi32>, %keys: tensor<4xi64>, %word: tensor<f64>) {
  // expected-error @below {{weft.table_find: a word or a number of keys is i64[], not f64[]}}
  %0 = "weft.table_find"(%slots, %keys, %word) : (tensor<8xi32>, tensor<4xi64>, tensor<f64>) -> tensor<i64>
  return
}

// -----

func.func @no_word(%slots: tensor<8xi32>, %keys: tensor<4xi64>) {
  // expected-error @below {{weft.table_find: a key has a word}}
  %0 = "weft.table_find"(%slots, %keys) : (tensor<8xi32>, tensor<4xi64>) -> tensor<i64>
  return
}

// -----

func.func @width(%slots: tensor<8xi32>, %keys: tensor<4xi64>, %count: tensor<i64>) {
  // expected-error @below {{weft.table_index: a key has at least a word, not 0}}
  %0 = "weft.table_index"(%slots, %keys, %count) {width = 0} : (tensor<8xi32>, tensor<4xi64>, tensor<i64>) -> tensor<8xi32>
  return
}
