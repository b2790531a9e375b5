//===- ArenaMachine.h - Execution of rt programs ----------------*- C++ -*-===//
//
// Executes rt programs. The state of a rank is its arena and the position in
// each of its streams. The streams of all ranks execute one operation at a
// time, in a random order. Some streams are delayed until an event makes
// another one wait for them; others run ahead as far as they can. So missing
// synchronization leads to wrong results, unless it is reported as a race
// before. A collective executes when all its ranks have reached it, a transfer
// when both sides have (rendezvous, unbuffered).
//
//===----------------------------------------------------------------------===//

#ifndef PCC_INTERPRETER_RT_ARENAMACHINE_H
#define PCC_INTERPRETER_RT_ARENAMACHINE_H

#include "interpreter/Fill.h"
#include "interpreter/Machine.h"
#include "interpreter/Training.h"
#include "interpreter/rt/Issue.h"
#include "interpreter/rt/ProgramRecord.h"
#include <functional>
#include <map>
#include <random>

namespace pcc::interp {

/// Options for the execution of streams.
struct StreamOptions {
  /// The seed of the random order.
  uint64_t seed = 0;
  /// Whether conflicting accesses that no event orders are errors.
  bool reportsRaces = true;
};

/// Executes an rt module, which must outlive this.
class ArenaMachine : public Trainable {
public:
  /// With `exact`, floats are rounded neither within a kernel nor when they are
  /// stored.
  static mlir::FailureOr<std::unique_ptr<ArenaMachine>>
  create(mlir::ModuleOp module, bool exact, StreamOptions options);

  /// A parameter or state of the program.
  struct Symbol {
    /// Its buffer in the first stage that has one.
    rt::BufferOp buffer;
    /// The global type.
    mlir::RankedTensorType type;
    /// The initialization if no file has values.
    nn::Init init = nn::Init::Zero;
    bool isParam = false;
  };
  /// All parameters and states by name.
  const llvm::StringMap<Symbol> &getSymbols() const { return symbols; }
  /// Returns the global value of a symbol; replicas must agree. Completes all
  /// streams first.
  mlir::FailureOr<TensorRef> readSymbol(llvm::StringRef name);
  /// Sets the shards of a symbol on all ranks. A working copy of a parameter
  /// that is not sharded is rounded from it.
  void writeSymbol(llvm::StringRef name, const Tensor &global);

  /// An input of one or several stages.
  struct Input {
    /// Its description, with the global type.
    InputInfo info;
    std::string symbol;
    /// The number of values: one, or one per microbatch.
    int64_t slots;
  };
  llvm::ArrayRef<Input> getInputs() const { return inputs; }
  /// Sets the shards of an input for one microbatch on all ranks.
  void writeInput(const Input &input, int64_t microbatch, const Tensor &global);

  /// The values of output buffers after an entry point, with their names.
  using Outputs = llvm::SmallVector<std::pair<std::string, TensorRef>>;
  /// Runs an entry point on all ranks until their compute streams are done. A
  /// deadlock is an error that lists what each rank waits for.
  mlir::FailureOr<Outputs> run(llvm::StringRef entry);

  const pcc_program &getProgram() const override { return record->get(); }
  void fillParameters(const InitialValues &values,
                      llvm::StringRef model) override;
  void writeNumber(llvm::StringRef name, double value) override;
  void fillInputs(const Dataset &data, const DataOrder &order,
                  const StepValues &values) override;
  mlir::FailureOr<StepOutputs> step() override;

private:
  struct Rank {
    Coordinates coordinates;
    int64_t stage;
    Arena arena;
    /// The number of completed operations of each stream.
    llvm::SmallVector<int64_t> done;
    /// The number of completed operations of each sequence.
    std::map<OpSequence, int64_t> turns;

    /// The number of completed operations of a stream.
    int64_t &doneOf(int64_t stream) {
      if (stream >= static_cast<int64_t>(done.size()))
        done.resize(stream + 1);
      return done[stream];
    }
  };
  enum class Progress { Moved, Waiting, Failed };
  /// Writes a rank's shard of an input for a microbatch to an offset of its
  /// arena.
  using Filler = std::function<void(Rank &rank, const pcc_input &input,
                                    int64_t microbatch, int64_t offset)>;

  ArenaMachine(mlir::ModuleOp module, bool exact, StreamOptions options);
  mlir::LogicalResult start();
  /// Whether a buffer keeps its contents between entry points, and is not a
  /// member of a bucket.
  bool ownsKept(rt::BufferOp buffer) const {
    return kept.contains(buffer) &&
           (!buffer.getBucket() || buffer.getKind() == rt::BufferKind::Part);
  }
  /// The bytes of all slots of a buffer; of a bucket's shard, those of the
  /// rank's shard.
  ByteRange rangeOf(int64_t rank, rt::BufferOp buffer);
  /// Resolves a memory operand for a rank.
  MemoryOperand ofRank(int64_t rank, const MemoryOperand &place);
  /// Marks all memory as unwritten that does not keep its contents between
  /// entry points, except operands of pending operations.
  void beginEntry();
  std::vector<Tensor> partsOf(const Tensor &global, const pcc_layout &layout);
  /// The bytes of a buffer that belong to a rank with these coordinates.
  ByteRange elementsOf(rt::BufferOp buffer, const Coordinates &coordinates);
  /// Returns a rank's buffer of this name, or null.
  rt::BufferOp findBuffer(const Rank &rank, llvm::StringRef name);
  /// Assembles the global tensor from the shards of some ranks; replicas must
  /// agree.
  mlir::FailureOr<TensorRef> assemble(llvm::StringRef name,
                                      llvm::ArrayRef<int64_t> holders);
  void forgetDone(int64_t stage);
  /// Executes an rt.fill.
  mlir::LogicalResult fill(int64_t rank, const Issued &issued);
  mlir::LogicalResult runStreams(bool toTheEnd);
  bool isDone(Rank &rank, bool toTheEnd);
  mlir::LogicalResult reportDeadlock();

  /// Returns the next operation of a stream, if there is one and the operations
  /// that it waits for are complete; otherwise null.
  const Issued *findReady(Rank &rank, int64_t stream);
  /// Executes the next operation of a stream, or a part of it, if possible.
  Progress advance(int64_t rank, int64_t stream);
  void finish(int64_t rank, const Issued &issued);
  /// Resolves the operands of an operation for a rank.
  Issued ofRank(int64_t rank, const Issued &issued);
  /// After a rank has written its shard of a bucket, marks the other ranks'
  /// shards in its memory as unwritten.
  void invalidateOtherShards(int64_t rank, const Issued &issued);

  // Operations.cpp
  mlir::LogicalResult runLocally(int64_t rank, const Issued &issued);
  mlir::LogicalResult launch(int64_t rank, const Issued &issued);
  mlir::LogicalResult multiply(int64_t rank, const Issued &issued);
  mlir::LogicalResult multiplyGroups(int64_t rank, const Issued &issued);
  // Attention.cpp
  mlir::LogicalResult attend(int64_t rank, const Issued &issued);
  mlir::LogicalResult attendBackward(int64_t rank, const Issued &issued);
  /// Loads the first `count` operands of an operation.
  mlir::FailureOr<std::vector<Tensor>>
  loadAll(int64_t rank, const Issued &issued, unsigned count);
  // Operations.cpp
  mlir::FailureOr<Tensor> load(int64_t rank, const Issued &issued,
                               unsigned place, mlir::RankedTensorType type);
  void store(Rank &rank, const MemoryOperand &place, Tensor value);
  void setNumber(Rank &rank, rt::BufferOp buffer, double value);
  /// Rounds a rank's parameter to its working copy, if it has one.
  void roundCopy(Rank &rank, rt::BufferOp parameter);
  mlir::LogicalResult checkWritten(int64_t rank, const Issued &issued,
                                   ByteRange range);
  mlir::LogicalResult copy(int64_t to, int64_t offset, int64_t from,
                           const Issued &issued, ByteRange range);

  // Communication.cpp
  Progress transfer(int64_t rank, const Issued &issued);
  Progress matchCollective(int64_t rank, const Issued &issued);
  mlir::LogicalResult collect(llvm::ArrayRef<int64_t> peers,
                              llvm::ArrayRef<Issued> issued);
  /// The ranks that differ only along the axes of a communicator, in its order.
  llvm::SmallVector<int64_t> peersOf(int64_t rank, mlir::ArrayAttr axes);
  /// A rank's index among its peers.
  int64_t numberOf(int64_t rank, mlir::ArrayAttr axes) {
    llvm::SmallVector<int64_t> peers = peersOf(rank, axes);
    return llvm::find(peers, rank) - peers.begin();
  }
  /// Returns the rank of another stage with the same other coordinates; -1 if
  /// there is none.
  int64_t counterpart(int64_t rank, int64_t stage);

  mlir::ModuleOp module;
  /// Runs the ops of kernels.
  Machine kernels;
  StreamOptions options;
  std::mt19937_64 random;
  std::unique_ptr<ProgramRecord> record;
  std::vector<Issuer> issuers; ///< by stage
  std::vector<Rank> ranks;
  llvm::StringMap<Symbol> symbols;
  /// Buffers whose contents outlive an entry point.
  llvm::DenseSet<mlir::Operation *> kept;
  std::vector<Input> inputs;
  /// The source of values for rt.fill; null: the values in `given`.
  Filler filler;
  /// The given values, by input and microbatch.
  std::map<std::pair<std::string, int64_t>, Tensor> given;
  bool isFresh = true;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_ARENAMACHINE_H
