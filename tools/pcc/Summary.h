//===- Summary.h - Summary of a compilation ---------------------*- C++ -*-===//

#ifndef PCC_TOOLS_PCC_SUMMARY_H
#define PCC_TOOLS_PCC_SUMMARY_H

#include "mlir/IR/BuiltinOps.h"
#include "passes/Options.h"
#include "tools/pcc/Traffic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

namespace pcc {

/// Formats a number of bytes for people: "1.5 MiB".
std::string formatBytes(double bytes);

/// Collects facts at the phases where they can be read off: parameters up to
/// train, FLOPs from the schedules, communication and memory from rt.
class Summary {
public:
  /// `options`, completed by readInput(), must outlive this.
  explicit Summary(const Options &options) : options(options) {}

  /// Call after each phase.
  void collect(mlir::ModuleOp module, llvm::StringRef phase);
  /// Stores in the program what it prints with --info, and the FLOPs by which
  /// it computes its utilization.
  void annotate(mlir::ModuleOp module, llvm::StringRef model,
                llvm::StringRef source) const;
  /// Prints the facts that are known; all are once 'rt' is reached.
  void print(llvm::raw_ostream &os, llvm::StringRef model) const;
  void printJson(llvm::raw_ostream &os, llvm::StringRef model) const;

  /// Adds the memory that the largest rank needs with other flags.
  void addSaving(std::string flags, int64_t bytes) {
    savings.emplace_back(std::move(flags), bytes);
  }
  /// Adds kept activations and savings to the text, and savings to the JSON.
  void showMemory() { showsMemory = true; }
  /// The chunks of the head with most of them; at least 1.
  int64_t getHeadChunks() const { return headChunks; }
  /// Returns the stage whose ranks need most memory, and their bytes.
  std::pair<int64_t, int64_t> getLargestStage() const;
  /// Prints the parts of a rank's memory on a line.
  void printMemory(llvm::raw_ostream &os, int64_t stage) const;
  /// Prints the ranks and samples of a training step.
  void printStep(llvm::raw_ostream &os) const;

private:
  /// The work and memory of one rank of a stage in a step.
  struct Stage {
    /// The FLOPs of the model, and those of activation recomputation.
    double flops = 0, repeatedFlops = 0;
    int64_t parameters = 0, gradients = 0, state = 0,
            activations = 0; ///< bytes

    int64_t arena = 0; ///< bytes in all
    /// The bytes of the arena's offloaded range, which the above do not count
    /// (but the arena), and the most bytes of it that are in memory at a time:
    /// none on a device.
    int64_t offloaded = 0, window = 0;
    int64_t workspace = 0; ///< bytes in addition to the arena
    /// The maximum bytes that NCCL allocates.
    int64_t communication = 0;
    /// By segment, in order: the bytes that its forward pass keeps for the
    /// backward pass, of one microbatch.
    std::vector<std::pair<int64_t, int64_t>> kept;
    /// The most microbatches whose activations are kept at once.
    int64_t live = 1;
    /// The bytes of the buffers of each kind, which may share memory.
    std::map<llvm::StringRef, int64_t> kinds;
    TrafficTable traffic;

    /// The memory of a rank: arena without its offloaded range, window,
    /// workspace and NCCL.
    int64_t getBytes() const {
      return arena - offloaded + window + workspace + communication;
    }
    void printJson(llvm::json::OStream &json) const;
  };

  void collectParameters(mlir::ModuleOp module);
  void collectTasks(mlir::ModuleOp module);
  void collectAttention(mlir::ModuleOp module);
  void collectHeads(mlir::ModuleOp module);
  void collectKept(mlir::ModuleOp module);
  void printKept(llvm::raw_ostream &os) const;
  void printSavings(llvm::raw_ostream &os) const;
  void collectProgram(mlir::ModuleOp module);
  void collectGemms(rt::StageOp stage);
  void printGemms(llvm::raw_ostream &os) const;
  void printTraffic(llvm::raw_ostream &os) const;

  const Options &options;
  int64_t parameters = 0, trained = 0, tensors = 0;
  /// The loss, as nn.loss has it; empty: unknown.
  std::string loss;
  /// A line for each padded parameter.
  std::vector<std::string> padding;
  /// The directions of attention, "forward", "backward" or both, by
  /// implementation.
  std::map<std::string, std::string> attention;
  /// The tokens that end a document.
  std::vector<int64_t> documentEnds;
  /// A line on heads that are large or in chunks, each once.
  std::set<std::string> heads;
  /// Whether sequences are in head-tail order.
  bool isBalanced = false;
  int64_t headChunks = 1;
  /// The memory of the largest rank with other flags.
  std::vector<std::pair<std::string, int64_t>> savings;
  bool showsMemory = false;
  /// The GEMMs of a step, of one rank of each stage; and those with an
  /// epilogue, by epilogue.
  int64_t products = 0;
  std::map<std::string, int64_t> epilogues;
  std::vector<Stage> stages;
};

} // namespace pcc

#endif // PCC_TOOLS_PCC_SUMMARY_H
