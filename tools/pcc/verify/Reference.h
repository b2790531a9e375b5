//===- Reference.h - The runs that a plan is compared with ------*- C++ -*-===//
//
// A folder of references has a subfolder for each, named by a hash of all that
// determines it:
//
//   reference.json   what it is: the key, hyper-parameters, facts
//   data/            made-up data, unless data was given
//   one/ other/      programs, logs and checkpoints of the two runs
//
//===----------------------------------------------------------------------===//

#ifndef PCC_TOOLS_PCC_VERIFY_REFERENCE_H
#define PCC_TOOLS_PCC_VERIFY_REFERENCE_H

#include "tools/pcc/verify/Programs.h"

namespace pcc {

/// Two trained programs of one rank, which differ by rounding.
struct Reference {
  std::string folder;
  Facts facts;
  Hyperparameters hyperparameters;
  std::string data;  ///< the path for --data
  std::string other; ///< how the second differs: "micro batch 2"
  bool isReused = false;
};

/// Returns the reference of a plan: from arguments.verification->reference if
/// it is there, else made in `folder`. Reports errors. `plan`: the facts of the
/// plan.
mlir::FailureOr<Reference> getReference(const Arguments &arguments,
                                        const Facts &plan,
                                        llvm::StringRef folder,
                                        Compile compile);

/// Reports and returns failure if this machine lacks the memory for a program,
/// which `who` is; tells what fits.
mlir::LogicalResult checkFits(const Facts &facts, const Facts &plan,
                              llvm::StringRef who, llvm::StringRef input);

} // namespace pcc

#endif // PCC_TOOLS_PCC_VERIFY_REFERENCE_H
