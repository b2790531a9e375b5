// Results are rounded to nearest even of their declared type after each op,
// and not at all with --exact; integers wrap around.
// RUN: pcc-run %s | FileCheck %s
// RUN: pcc-run %s --exact | FileCheck %s --check-prefix=EXACT

func.func @main() -> (tensor<2xbf16>, tensor<4xf16>, tensor<f32>, tensor<2xi8>,
                      tensor<2xi1>, tensor<3xi64>) {
  // 1 + 2^-8 is between 1 and 1 + 2^-7 and goes to the even one.
  %b = nn.constant dense<[1.00390625, 1.01171875]> : tensor<2xf32>
  %bf16 = nn.cast %b : tensor<2xf32> -> tensor<2xbf16>
  // Overflow, the smallest subnormal, half of it.
  %h = nn.constant dense<[65520.0, 65519.0, 5.9604645e-08, 2.9802322e-08]>
      : tensor<4xf32>
  %f16 = nn.cast %h : tensor<4xf32> -> tensor<4xf16>
  %one = nn.constant dense<1.0> : tensor<f32>
  %third = nn.scale %one by 0.33333333333333331 : tensor<f32>
  %i = nn.constant dense<[300, -129]> : tensor<2xi64>
  %i8 = nn.cast %i : tensor<2xi64> -> tensor<2xi8>
  %f = nn.constant dense<[0.25, 0.0]> : tensor<2xf32>
  %i1 = nn.cast %f : tensor<2xf32> -> tensor<2xi1>
  // Floats without an integer: out of range, and NaN.
  %x = nn.constant dense<[1.0e30, -1.0e30, 0x7FC00000]> : tensor<3xf32>
  %i64 = nn.cast %x : tensor<3xf32> -> tensor<3xi64>
  return %bf16, %f16, %third, %i8, %i1, %i64
      : tensor<2xbf16>, tensor<4xf16>, tensor<f32>, tensor<2xi8>, tensor<2xi1>,
        tensor<3xi64>
}

// CHECK: result 0 : tensor<2xbf16> = [1, 1.015625]
// CHECK: result 1 : tensor<4xf16> = [inf, 65504, 5.96046448e-08, 0]
// CHECK: result 2 : tensor<f32> = 0.333333343
// CHECK: result 3 : tensor<2xi8> = [44, 127]
// CHECK: result 4 : tensor<2xi1> = [1, 0]
// CHECK: result 5 : tensor<3xi64> = [9223372036854775807, -9223372036854775808, 0]
// EXACT: result 0 : tensor<2xbf16> = [1.00390625, 1.01171875]
// EXACT: result 2 : tensor<f32> = 0.333333333
