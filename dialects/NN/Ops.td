//===- Ops.td - All operations of the nn dialect -----------*- tablegen -*-===//

#ifndef PCC_NN_OPS
#define PCC_NN_OPS

include "dialects/NN/StateOps.td"
include "dialects/NN/ElementwiseOps.td"
include "dialects/NN/ShapeOps.td"
include "dialects/NN/FusedOps.td"
include "dialects/NN/ExpertOps.td"
include "dialects/NN/LossOps.td"
include "dialects/NN/OptimizerOps.td"

#endif // PCC_NN_OPS
