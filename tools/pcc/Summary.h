//===- Summary.h - What a compile did, in a few lines -----------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_SUMMARY_H
#define PCC_TOOLS_PCC_SUMMARY_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/Options.h"
#include "tools/pcc/Traffic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace pcc {

/// A number of bytes for people to read: "1.5 MiB".
std::string formatBytes(double bytes);

/// Collects facts while a module passes through the phases, each where it can
/// be read off: parameters from nn, FLOPs from the schedules, messages and
/// memory from rt.
class Summary {
public:
  /// `options`, completed by readInput(), must outlive this.
  explicit Summary(const Options &options) : options(options) {}

  /// Call after each phase.
  void collect(mlir::ModuleOp module, llvm::StringRef phase);
  /// Stores what the program says of itself with --info, and what it divides
  /// by for its utilisation.
  void annotate(mlir::ModuleOp module, llvm::StringRef model,
                llvm::StringRef source) const;
  /// What is known: all of it once 'rt' is reached.
  void print(llvm::raw_ostream &os, llvm::StringRef model) const;
  void printJson(llvm::raw_ostream &os, llvm::StringRef model) const;

  /// The stage whose ranks need most memory, and its bytes.
  std::pair<int64_t, int64_t> getLargestStage() const;
  /// What a rank's memory is for, on a line.
  void printMemory(llvm::raw_ostream &os, int64_t stage) const;
  /// Ranks and samples of a training step.
  void printStep(llvm::raw_ostream &os) const;

private:
  /// What one rank of a stage does in a step.
  struct Stage {
    /// Of the model; and of what backward passes compute anew.
    double flops = 0, repeatedFlops = 0;
    int64_t parameters = 0, gradients = 0, state = 0,
            activations = 0; ///< bytes

    int64_t arena = 0;     ///< bytes in all
    int64_t workspace = 0; ///< beside it
    /// What NCCL allocates, at most.
    int64_t communication = 0;
    /// Bytes of the buffers of each kind, which may share places.
    std::map<llvm::StringRef, int64_t> kinds;
    TrafficTable traffic;

    /// Of a rank, all of the above.
    int64_t getBytes() const { return arena + workspace + communication; }
    void printJson(llvm::json::OStream &json) const;
  };

  void collectParameters(mlir::ModuleOp module);
  void collectTasks(mlir::ModuleOp module);
  void collectAttention(mlir::ModuleOp module);
  void collectProgram(mlir::ModuleOp module);
  void collectProducts(rt::StageOp stage);
  void printProducts(llvm::raw_ostream &os) const;
  void printTraffic(llvm::raw_ostream &os) const;

  const Options &options;
  int64_t parameters = 0, trained = 0, tensors = 0;
  /// What is trained by, as nn.loss; empty: not known.
  std::string loss;
  /// What was extended, a line for each parameter.
  std::vector<std::string> padding;
  /// How attention is made, "forward", "backward" or both, by form.
  std::map<std::string, std::string> attention;
  /// The products of a step, of one rank of each stage; and those of them that
  /// the library ends with something, by what.
  int64_t products = 0;
  std::map<std::string, int64_t> epilogues;
  std::vector<Stage> stages;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_SUMMARY_H
