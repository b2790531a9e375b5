// x * cos + concat(-x[d/2:], x[:d/2]) * sin is a rotary position embedding if
// the tables follow from the positions and a base.
// RUN: pcc-opt %s -nn-recognize | FileCheck %s

// Tables of the base 10000, with the sequence before the heads or after them,
// CHECK-LABEL: func.func @seq_before_heads(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.rope %arg1 positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x2x4xf32>
func.func @seq_before_heads(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                            %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @heads_before_seq(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x2x3x4xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x2x3x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg1 [0, 2, 1, 3] : tensor<2x2x3x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.transpose %[[V1]] [0, 2, 1, 3] : tensor<2x3x2x4xf32> -> tensor<2x2x3x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x2x3x4xf32>
func.func @heads_before_seq(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                            %x: tensor<2x2x3x4xf32>)
    -> tensor<2x2x3x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [2, 3] : tensor<3x4xf32> -> tensor<2x2x3x4xf32>
  %b1 = nn.broadcast %sin [2, 3] : tensor<3x4xf32> -> tensor<2x2x3x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x2x3x4xf32> -> tensor<2x2x3x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x2x3x4xf32> -> tensor<2x2x3x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x2x3x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x2x3x2xf32>, tensor<2x2x3x2xf32> -> tensor<2x2x3x4xf32>
  %mul = nn.mul %b, %x : tensor<2x2x3x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x2x3x4xf32>
  %sum = nn.sum %mul1, %mul : tensor<2x2x3x4xf32>
  return %sum : tensor<2x2x3x4xf32>
}

// or first of all dims.
// CHECK-LABEL: func.func @seq_first(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<3x2x2x4xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<3x2x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.transpose %arg1 [1, 0, 2, 3] : tensor<3x2x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.transpose %[[V1]] [1, 0, 2, 3] : tensor<2x3x2x4xf32> -> tensor<3x2x2x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3x2x2x4xf32>
func.func @seq_first(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                     %x: tensor<3x2x2x4xf32>)
    -> tensor<3x2x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [0, 3] : tensor<3x4xf32> -> tensor<3x2x2x4xf32>
  %b1 = nn.broadcast %sin [0, 3] : tensor<3x4xf32> -> tensor<3x2x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<3x2x2x4xf32> -> tensor<3x2x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<3x2x2x4xf32> -> tensor<3x2x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<3x2x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<3x2x2x2xf32>, tensor<3x2x2x2xf32> -> tensor<3x2x2x4xf32>
  %mul = nn.mul %x, %b : tensor<3x2x2x4xf32>
  %mul1 = nn.mul %b1, %j : tensor<3x2x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<3x2x2x4xf32>
  return %sum : tensor<3x2x2x4xf32>
}

// Another base; bases are round numbers.
// CHECK-LABEL: func.func @larger_base(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.rope %arg1 positions %arg2 theta 5.000000e+05 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x2x4xf32>
func.func @larger_base(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                       %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.999999, 0.54030231, 0.999999], [-0.41614684, 0.999996, -0.41614684, 0.999996]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00141421, 0.84147098, 0.00141421], [0.90929743, 0.00282842, 0.90929743, 0.00282842]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %b, %x : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %b1, %j : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul1, %mul : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// Two elements per head have one frequency, 1.
// CHECK-LABEL: func.func @two_elements(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x2xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x2xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.rope %arg1 positions %arg2 theta 1.000000e+04 dim 2 : tensor<2x3x2x2xf32>, tensor<3xi64>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x2x2xf32>
func.func @two_elements(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                        %x: tensor<2x3x2x2xf32>)
    -> tensor<2x3x2x2xf32> {
  %cos = nn.constant dense<[[1.0, 1.0], [0.54030231, 0.54030231], [-0.41614684, -0.41614684]]>
      : tensor<3x2xf32>
  %sin = nn.constant dense<[[0.0, 0.0], [0.84147098, 0.84147098], [0.90929743, 0.90929743]]>
      : tensor<3x2xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x2xf32> -> tensor<2x3x2x2xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x2xf32> -> tensor<2x3x2x2xf32>
  %s = nn.slice %x at [0, 0, 0, 1] step [1, 1, 1, 1]
      : tensor<2x3x2x2xf32> -> tensor<2x3x2x1xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x2xf32> -> tensor<2x3x2x1xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x1xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x1xf32>, tensor<2x3x2x1xf32> -> tensor<2x3x2x2xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x2xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x2xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x2xf32>
  return %sum : tensor<2x3x2x2xf32>
}

// Tables have seven digits: this deviation is a rounding error.
// CHECK-LABEL: func.func @rounded(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x4xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.rope %arg1 positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x2x4xf32>
func.func @rounded(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                   %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614544, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// This deviation is too large.
// CHECK-LABEL: func.func @too_far(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @too_far(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                   %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614444, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// Not: frequencies that are no powers of one base, or whose base is not round.
// CHECK-LABEL: func.func @scaled_frequency(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @scaled_frequency(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                            %x: tensor<2x3x2x6xf32>)
    -> tensor<2x3x2x6xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99892298, 0.99999996, 0.54030231, 0.99892298, 0.99999996], [-0.41614684, 0.99569422, 0.99999985, -0.41614684, 0.99569422, 0.99999985]]>
      : tensor<3x6xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.84147098, 0.04639922, 0.0002693, 0.84147098, 0.04639922, 0.0002693], [0.90929743, 0.0926985, 0.00053861, 0.90929743, 0.0926985, 0.00053861]]>
      : tensor<3x6xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x6xf32> -> tensor<2x3x2x6xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x6xf32> -> tensor<2x3x2x6xf32>
  %s = nn.slice %x at [0, 0, 0, 3] step [1, 1, 1, 1]
      : tensor<2x3x2x6xf32> -> tensor<2x3x2x3xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x6xf32> -> tensor<2x3x2x3xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x3xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32> -> tensor<2x3x2x6xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x6xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x6xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x6xf32>
  return %sum : tensor<2x3x2x6xf32>
}

// CHECK-LABEL: func.func @three_frequencies(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x6xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x6xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.rope %arg1 positions %arg2 theta 1.000000e+04 dim 6 : tensor<2x3x2x6xf32>, tensor<3xi64>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x2x6xf32>
func.func @three_frequencies(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                             %x: tensor<2x3x2x6xf32>)
    -> tensor<2x3x2x6xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99892298, 0.99999768, 0.54030231, 0.99892298, 0.99999768], [-0.41614684, 0.99569422, 0.99999072, -0.41614684, 0.99569422, 0.99999072]]>
      : tensor<3x6xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.84147098, 0.04639922, 0.00215443, 0.84147098, 0.04639922, 0.00215443], [0.90929743, 0.0926985, 0.00430886, 0.90929743, 0.0926985, 0.00430886]]>
      : tensor<3x6xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x6xf32> -> tensor<2x3x2x6xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x6xf32> -> tensor<2x3x2x6xf32>
  %s = nn.slice %x at [0, 0, 0, 3] step [1, 1, 1, 1]
      : tensor<2x3x2x6xf32> -> tensor<2x3x2x3xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x6xf32> -> tensor<2x3x2x3xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x3xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x3xf32>, tensor<2x3x2x3xf32> -> tensor<2x3x2x6xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x6xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x6xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x6xf32>
  return %sum : tensor<2x3x2x6xf32>
}

// CHECK-LABEL: func.func @crooked_base(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @crooked_base(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                        %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.9999595, 0.54030231, 0.9999595], [-0.41614684, 0.999838, -0.41614684, 0.999838]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00899988, 0.84147098, 0.00899988], [0.90929743, 0.01799903, 0.90929743, 0.01799903]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @backwards(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @backwards(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                     %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[-0.0, -0.0, -0.0, -0.0], [-0.84147098, -0.00999983, -0.84147098, -0.00999983], [-0.90929743, -0.01999867, -0.90929743, -0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// One position does not determine the frequencies.
// CHECK-LABEL: func.func @one_position(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @one_position(%t: tensor<2x1xi64> {nn.role = #nn.role<tokens>},
                        %x: tensor<2x1x2x4xf32>)
    -> tensor<2x1x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0]]> : tensor<1x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0]]> : tensor<1x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<1x4xf32> -> tensor<2x1x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<1x4xf32> -> tensor<2x1x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x1x2x4xf32> -> tensor<2x1x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x1x2x4xf32> -> tensor<2x1x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x1x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x1x2x2xf32>, tensor<2x1x2x2xf32> -> tensor<2x1x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x1x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x1x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x1x2x4xf32>
  return %sum : tensor<2x1x2x4xf32>
}

// The positions must be the tokens' positions.
// CHECK-LABEL: func.func @no_tokens(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @no_tokens(%x: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @longer_tokens(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @longer_tokens(%t: tensor<2x4xi64> {nn.role = #nn.role<tokens>},
                         %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// Not: tables that differ by head, or do not depend on the position.
// CHECK-LABEL: func.func @by_head(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @by_head(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                   %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[[1.0, 1.0, 1.0, 1.0], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]], [[0.54030231, 0.99995, 0.54030231, 0.99995], [0.54030231, 0.99995, 0.54030231, 0.99995]], [[-0.41614684, 0.99980001, -0.41614684, 0.99980001], [1.0, 1.0, 1.0, 1.0]]]>
      : tensor<3x2x4xf32>
  %sin = nn.constant dense<[[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]], [[0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.84147098, 0.00999983, 0.84147098, 0.00999983]], [[0.90929743, 0.01999867, 0.90929743, 0.01999867], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]]>
      : tensor<3x2x4xf32>
  %b = nn.broadcast %cos [1, 2, 3] : tensor<3x2x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 2, 3] : tensor<3x2x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @by_no_position(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @by_no_position(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                          %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[0.54030231, 0.99995, 0.54030231, 0.99995], [0.54030231, 0.99995, 0.54030231, 0.99995], [0.54030231, 0.99995, 0.54030231, 0.99995]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.84147098, 0.00999983, 0.84147098, 0.00999983]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// Not: concatenations other than -x[d/2:], x[:d/2].
// CHECK-LABEL: func.func @other_sign(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @other_sign(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                      %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by 1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @other_factor(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @other_factor(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                        %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -2.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @swapped(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @swapped(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                   %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %s1, %scaled along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @halves_of_two(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @halves_of_two(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                         %x: tensor<2x3x2x4xf32>,
                         %z: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %z at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @lower_twice(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @lower_twice(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                       %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @upper_twice(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @upper_twice(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                       %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @every_other(
// CHECK-NOT: nn.rope
// CHECK: return
func.func @every_other(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                       %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 2]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}

// A rotation of the first elements, concatenated with the rest, is one op,
// CHECK-LABEL: func.func @first_half(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.rope %arg1 positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x8xf32>, tensor<3xi64>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x2x8xf32>
func.func @first_half(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                      %y: tensor<2x3x2x8xf32>)
    -> tensor<2x3x2x8xf32> {
  %s = nn.slice %y at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %s3 = nn.slice %y at [0, 0, 0, 4] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %j1 = nn.concat %sum, %s3 along 3
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
  return %j1 : tensor<2x3x2x8xf32>
}

// unless the rotation has another use,
// CHECK-LABEL: func.func @first_half_used(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> (tensor<2x3x2x8xf32>, tensor<2x3x2x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg1 at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %arg1 at [0, 0, 0, 4] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.concat %[[V1]], %[[V2]] along 3 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: return %[[V3]], %[[V1]] : tensor<2x3x2x8xf32>, tensor<2x3x2x4xf32>
func.func @first_half_used(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                           %y: tensor<2x3x2x8xf32>)
    -> (tensor<2x3x2x8xf32>, tensor<2x3x2x4xf32>) {
  %s = nn.slice %y at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %s3 = nn.slice %y at [0, 0, 0, 4] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %j1 = nn.concat %sum, %s3 along 3
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
  return %j1, %sum : tensor<2x3x2x8xf32>, tensor<2x3x2x4xf32>
}

// or the rest comes first,
// CHECK-LABEL: func.func @rest_in_front(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg1 at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %arg1 at [0, 0, 0, 4] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.concat %[[V2]], %[[V1]] along 3 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<2x3x2x8xf32>
func.func @rest_in_front(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                         %y: tensor<2x3x2x8xf32>)
    -> tensor<2x3x2x8xf32> {
  %s = nn.slice %y at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %s3 = nn.slice %y at [0, 0, 0, 4] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %j1 = nn.concat %s3, %sum along 3
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
  return %j1 : tensor<2x3x2x8xf32>
}

// is of another tensor,
// CHECK-LABEL: func.func @rest_of_another(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<2x3x2x8xf32>, %arg3: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg1 at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg3 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %arg2 at [0, 0, 0, 4] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.concat %[[V1]], %[[V2]] along 3 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<2x3x2x8xf32>
func.func @rest_of_another(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                           %y: tensor<2x3x2x8xf32>,
                           %w: tensor<2x3x2x8xf32>)
    -> tensor<2x3x2x8xf32> {
  %s = nn.slice %y at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %s3 = nn.slice %w at [0, 0, 0, 4] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %j1 = nn.concat %sum, %s3 along 3
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
  return %j1 : tensor<2x3x2x8xf32>
}

// is in two pieces,
// CHECK-LABEL: func.func @rest_in_two(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg1 at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %arg1 at [0, 0, 0, 4] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x1xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.slice %arg1 at [0, 0, 0, 5] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x3xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.concat %[[V1]], %[[V2]], %[[V3]] along 3 : tensor<2x3x2x4xf32>, tensor<2x3x2x1xf32>, tensor<2x3x2x3xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: return %[[V4]] : tensor<2x3x2x8xf32>
func.func @rest_in_two(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                       %y: tensor<2x3x2x8xf32>)
    -> tensor<2x3x2x8xf32> {
  %s = nn.slice %y at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %s3 = nn.slice %y at [0, 0, 0, 4] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x1xf32>
  %s4 = nn.slice %y at [0, 0, 0, 5] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x3xf32>
  %j1 = nn.concat %sum, %s3, %s4 along 3
      : tensor<2x3x2x4xf32>, tensor<2x3x2x1xf32>, tensor<2x3x2x3xf32> -> tensor<2x3x2x8xf32>
  return %j1 : tensor<2x3x2x8xf32>
}

// does not begin where the rotation ends,
// CHECK-LABEL: func.func @rest_not_next(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg1 at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.slice %arg1 at [0, 0, 0, 3] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.concat %[[V1]], %[[V2]] along 3 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<2x3x2x8xf32>
func.func @rest_not_next(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                         %y: tensor<2x3x2x8xf32>)
    -> tensor<2x3x2x8xf32> {
  %s = nn.slice %y at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %s3 = nn.slice %y at [0, 0, 0, 3] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %j1 = nn.concat %sum, %s3 along 3
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
  return %j1 : tensor<2x3x2x8xf32>
}

// or the rotation is not of the first elements.
// CHECK-LABEL: func.func @second_half(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x8xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg1 at [0, 0, 0, 4] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.concat %[[V1]], %[[V0]] along 3 : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x2x8xf32>
func.func @second_half(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                       %y: tensor<2x3x2x8xf32>)
    -> tensor<2x3x2x8xf32> {
  %s = nn.slice %y at [0, 0, 0, 4] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %s3 = nn.slice %y at [0, 0, 0, 4] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %j1 = nn.concat %sum, %s3 along 3
      : tensor<2x3x2x4xf32>, tensor<2x3x2x4xf32> -> tensor<2x3x2x8xf32>
  return %j1 : tensor<2x3x2x8xf32>
}

// CHECK-LABEL: func.func @joined_alone(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg1 at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.concat %[[V1]] along 3 : tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x2x4xf32>
func.func @joined_alone(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                        %y: tensor<2x3x2x8xf32>)
    -> tensor<2x3x2x4xf32> {
  %s = nn.slice %y at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %j1 = nn.concat %sum along 3 : tensor<2x3x2x4xf32> -> tensor<2x3x2x4xf32>
  return %j1 : tensor<2x3x2x4xf32>
}

// CHECK-LABEL: func.func @doubled(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x8xf32>, %arg2: tensor<3xi64> {nn.name = "positions", nn.role = #nn.role<positions>}) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.slice %arg1 at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = nn.rope %[[V0]] positions %arg2 theta 1.000000e+04 dim 4 : tensor<2x3x2x4xf32>, tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = nn.sum %[[V1]], %[[V1]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x2x4xf32>
func.func @doubled(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                   %y: tensor<2x3x2x8xf32>)
    -> tensor<2x3x2x4xf32> {
  %s = nn.slice %y at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x8xf32> -> tensor<2x3x2x4xf32>
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %sin = nn.constant dense<[[0.0, 0.0, 0.0, 0.0], [0.84147098, 0.00999983, 0.84147098, 0.00999983], [0.90929743, 0.01999867, 0.90929743, 0.01999867]]>
      : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %sin [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s1 = nn.slice %s at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s2 = nn.slice %s at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s1 by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s2 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %s, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  %sum1 = nn.sum %sum, %sum : tensor<2x3x2x4xf32>
  return %sum1 : tensor<2x3x2x4xf32>
}

// A table that is a weight of the file (here all zeros) is not trained: it
// becomes a constant.
// CHECK-LABEL: func.func @table_of_parameter(
// CHECK-SAME: %arg0: tensor<2x3xi64> {nn.role = #nn.role<tokens>}, %arg1: tensor<2x3x2x4xf32>) -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V0:.*]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V1:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00], [0.540302336, 0.999949991, 0.540302336, 0.999949991], [-0.416146845, 9.998000e-01, -0.416146845, 9.998000e-01]]> : tensor<3x4xf32>
// CHECK-NEXT: %[[V2:.*]] = nn.broadcast %[[V1]] [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V3:.*]] = nn.broadcast %[[V0]] [] : tensor<f32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V4:.*]] = nn.slice %arg1 at [0, 0, 0, 2] step [1, 1, 1, 1] : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
// CHECK-NEXT: %[[V5:.*]] = nn.slice %arg1 at [0, 0, 0, 0] step [1, 1, 1, 1] : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
// CHECK-NEXT: %[[V6:.*]] = nn.scale %[[V4]] by -1.000000e+00 : tensor<2x3x2x2xf32>
// CHECK-NEXT: %[[V7:.*]] = nn.concat %[[V6]], %[[V5]] along 3 : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V8:.*]] = nn.mul %arg1, %[[V2]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V9:.*]] = nn.mul %[[V7]], %[[V3]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: %[[V10:.*]] = nn.sum %[[V8]], %[[V9]] : tensor<2x3x2x4xf32>
// CHECK-NEXT: return %[[V10]] : tensor<2x3x2x4xf32>
nn.param @table_of_parameter_sin : tensor<3x4xf32> init normal source <name = "table_of_parameter_sin", file = "m.onnx", offset = -1,
    type = tensor<3x4xf32>, file_size = 1024, digest = 7, base = 0,
    strides = [4, 1], valid = [3, 4]>
func.func @table_of_parameter(%t: tensor<2x3xi64> {nn.role = #nn.role<tokens>},
                              %x: tensor<2x3x2x4xf32>)
    -> tensor<2x3x2x4xf32> {
  %cos = nn.constant dense<[[1.0, 1.0, 1.0, 1.0], [0.54030231, 0.99995, 0.54030231, 0.99995], [-0.41614684, 0.99980001, -0.41614684, 0.99980001]]>
      : tensor<3x4xf32>
  %table_of_parameter_sin = nn.read @table_of_parameter_sin : tensor<3x4xf32>
  %b = nn.broadcast %cos [1, 3] : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %b1 = nn.broadcast %table_of_parameter_sin [1, 3]
      : tensor<3x4xf32> -> tensor<2x3x2x4xf32>
  %s = nn.slice %x at [0, 0, 0, 2] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %s1 = nn.slice %x at [0, 0, 0, 0] step [1, 1, 1, 1]
      : tensor<2x3x2x4xf32> -> tensor<2x3x2x2xf32>
  %scaled = nn.scale %s by -1.0 : tensor<2x3x2x2xf32>
  %j = nn.concat %scaled, %s1 along 3
      : tensor<2x3x2x2xf32>, tensor<2x3x2x2xf32> -> tensor<2x3x2x4xf32>
  %mul = nn.mul %x, %b : tensor<2x3x2x4xf32>
  %mul1 = nn.mul %j, %b1 : tensor<2x3x2x4xf32>
  %sum = nn.sum %mul, %mul1 : tensor<2x3x2x4xf32>
  return %sum : tensor<2x3x2x4xf32>
}
