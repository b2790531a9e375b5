// AdamW rounds moments of bf16 at random. With betas of 0 they are g and g^2 in
// f32. If n are the lower 16 bits of a value, random bits from 2^16 - n on round
// it up, others down.
// RUN: pcc-run %s --entry=halves | FileCheck %s --check-prefix=HALVES
// RUN: pcc-run %s --entry=special | FileCheck %s --check-prefix=SPECIAL
// RUN: pcc-run %s --entry=mean | FileCheck %s --check-prefix=MEAN

// m = 1 + 2^-8 has n = 0x8000 and is rounded by the lower half of the bits,
// v = 1 + 2^-7 + 2^-16 has n = 0x80 and is rounded by the upper half: 0xff7f7fff,
// 0xff7f8000, 0xff807fff, 0xff808000.
// HALVES: result 0 : tensor<4xbf16> = [1, 1.0078125, 1, 1.0078125]
// HALVES: result 1 : tensor<4xbf16> = [1.0078125, 1.0078125, 1.015625, 1.015625]
func.func @halves() -> (tensor<4xbf16>, tensor<4xbf16>) {
  %zero = nn.constant dense<0.0> : tensor<4xbf16>
  %p = nn.constant dense<0.0> : tensor<4xf32>
  %g = nn.constant dense<1.00390625> : tensor<4xf32>
  %bits = nn.constant dense<[-8421377, -8421376, -8355841, -8355840]> : tensor<4xi32>
  %none = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %step = nn.constant dense<1> : tensor<i64>
  %q:3 = nn.adamw %p, %g, %zero, %zero grad_scale %one lr %none
      betas %none, %none eps %one weight_decay %none step %step rounding %bits
      : tensor<4xf32>, tensor<4xf32>, tensor<4xbf16>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>,
        tensor<4xi32>
  return %q#1, %q#2 : tensor<4xbf16>, tensor<4xbf16>
}

// NaN never becomes infinity, nor infinity NaN; the largest f32 becomes the
// largest bf16 or infinity. All bits are set, except those of the last element.
// SPECIAL: result 0 : tensor<5xbf16> = [nan, inf, -inf, inf, 3.38953139e+38]
func.func @special() -> tensor<5xbf16> {
  %zero = nn.constant dense<0.0> : tensor<5xbf16>
  %p = nn.constant dense<0.0> : tensor<5xf32>
  %g = nn.constant dense<[0x7f800001, 0x7f800000, 0xff800000, 0x7f7fffff, 0x7f7fffff]> : tensor<5xf32>
  %bits = nn.constant dense<[-1, -1, -1, -1, 0]> : tensor<5xi32>
  %none = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %step = nn.constant dense<1> : tensor<i64>
  %q:3 = nn.adamw %p, %g, %zero, %zero grad_scale %one lr %none
      betas %none, %none eps %one weight_decay %none step %step rounding %bits
      : tensor<5xf32>, tensor<5xf32>, tensor<5xbf16>, tensor<f32>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i64>,
        tensor<5xi32>
  return %q#1 : tensor<5xbf16>
}

// Of 2^16 elements 1.001 and 1.002001 the means are these within 5 standard
// deviations, 5e-5; to the nearest all would be 1.
// MEAN: result 0 : tensor<f32> = {{1.0009[5-9]|1.0010[0-4]}}
// MEAN: result 1 : tensor<f32> = {{1.0019[5-9]|1.0020[0-4]}}
func.func @mean() -> (tensor<f32>, tensor<f32>) {
  %zero = nn.constant dense<0.0> : tensor<65536xbf16>
  %p = nn.constant dense<0.0> : tensor<65536xf32>
  %g = nn.constant dense<1.001> : tensor<65536xf32>
  %seed = nn.constant dense<42> : tensor<i64>
  %step = nn.constant dense<1> : tensor<i64>
  %bits = nn.rounding_bits 0 seed %seed step %step
      members [#nn.member<shape = [65536], whole = [65536]>]
      : tensor<i64>, tensor<i64> -> tensor<65536xi32>
  %none = nn.constant dense<0.0> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %q:3 = nn.adamw %p, %g, %zero, %zero grad_scale %one lr %none
      betas %none, %none eps %one weight_decay %none step %step rounding %bits
      : tensor<65536xf32>, tensor<65536xf32>, tensor<65536xbf16>, tensor<f32>,
        tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>,
        tensor<i64>, tensor<65536xi32>
  %m = nn.cast %q#1 : tensor<65536xbf16> -> tensor<65536xf32>
  %v = nn.cast %q#2 : tensor<65536xbf16> -> tensor<65536xf32>
  %sm = nn.reduce %m [0] : tensor<65536xf32> -> tensor<f32>
  %sv = nn.reduce %v [0] : tensor<65536xf32> -> tensor<f32>
  %mm = nn.scale %sm by 0.0000152587890625 : tensor<f32>
  %mv = nn.scale %sv by 0.0000152587890625 : tensor<f32>
  return %mm, %mv : tensor<f32>, tensor<f32>
}
