//===- Attrs.h - Attributes of the nn dialect -------------------*- C++ -*-===//

#ifndef PCC_DIALECTS_NN_ATTRS_H
#define PCC_DIALECTS_NN_ATTRS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

#include "dialects/NN/Enums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/NN/Attrs.h.inc"

#endif // PCC_DIALECTS_NN_ATTRS_H
