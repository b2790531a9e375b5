// RUN: pcc-opt %s --verify-diagnostics --rt-form-graphs

rt.stage 0 {
  // expected-error @+1 {{has graphs already}}
  rt.func @train() {
    rt.graph 0
  }
}
