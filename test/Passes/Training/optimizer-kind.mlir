// RUN: not pcc-opt %s --nn-optimizer=kind=adagrad 2>&1 | FileCheck %s
// CHECK: error: there is no optimizer 'adagrad'
// CHECK: note: optimizers are adamw and sgd
module {
}
