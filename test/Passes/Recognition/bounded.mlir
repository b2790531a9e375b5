// Recognition ends after the given number of rewrites. The program is then
// correct, but less of it is recognized. Four rewrites merge scales and
// transposes; a limit of five is needed to find that no more apply.
// RUN: pcc-opt %s -nn-recognize=max-rewrites=3 2>&1 | FileCheck %s --check-prefixes=ENDS,THREE
// RUN: pcc-opt %s -nn-recognize=max-rewrites=4 2>&1 | FileCheck %s --check-prefixes=ENDS,ALL
// RUN: pcc-opt %s -nn-recognize=max-rewrites=5 2>&1 | FileCheck %s --check-prefixes=SILENT,ALL
// RUN: pcc-opt %s -nn-recognize 2>&1 | FileCheck %s --check-prefixes=SILENT,ALL

// ENDS: warning: recognition stopped after {{[34]}} rewrites: the program is correct, but attention and projections may be computed and sharded as in the file
// SILENT-NOT: warning
// THREE: func.func @chain(
// THREE-COUNT-3: nn.
// THREE-NEXT: return
// ALL: func.func @chain(
// ALL-NEXT: %[[T:.*]] = nn.transpose %arg0 [1, 0]
// ALL-NEXT: %[[Y:.*]] = nn.scale %[[T]] by 7.500000e+00
// ALL-NEXT: return %[[Y]]
func.func @chain(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %a = nn.scale %x by 0.5 : tensor<2x3xf32>
  %b = nn.transpose %a [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %c = nn.scale %b by 3.0 : tensor<3x2xf32>
  %d = nn.transpose %c [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %e = nn.scale %d by 5.0 : tensor<2x3xf32>
  %f = nn.transpose %e [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %f : tensor<3x2xf32>
}
