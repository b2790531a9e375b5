//===- ArenaMachine.h - Virtual ranks with arenas ---------------*- C++ -*-===//
//
// Runs rt programs: a rank is an arena and how far each of its streams is. The
// streams of all ranks are done one operation at a time, in an order that is
// drawn: some are held back as long as no event makes another wait for them,
// others run as far ahead as they can. What nothing orders so shows, unless it
// is reported before. A collective is done when all its ranks have come to it,
// a message when both sides have (rendezvous, no buffer).
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

/// How the streams of rt programs are run.
struct StreamOptions {
  /// Decides the order.
  uint64_t seed = 0;
  /// Whether what no event orders is an error.
  bool reportsRaces = true;
};

/// The ranks of an rt module, which must outlive it.
class ArenaMachine : public Trainable {
public:
  /// With `exact`, floats are rounded neither within a kernel nor where they
  /// lie in memory.
  static mlir::FailureOr<std::unique_ptr<ArenaMachine>>
  create(mlir::ModuleOp module, bool exact, StreamOptions options);

  /// A parameter or piece of state, of global type.
  struct Symbol {
    /// Where it lies in the first stage that has it.
    rt::BufferOp buffer;
    /// The type of the whole tensor.
    mlir::RankedTensorType type;
    /// Where first values come from if no file has them.
    nn::Init init = nn::Init::Zero;
    /// Whether it is a parameter.
    bool isParam = false;
  };
  /// All of them, by name, once each.
  const llvm::StringMap<Symbol> &getSymbols() const { return symbols; }
  /// What all ranks hold of one together; they must agree. All streams are
  /// done first.
  mlir::FailureOr<TensorRef> readSymbol(llvm::StringRef name);
  /// Gives every rank its part.
  void writeSymbol(llvm::StringRef name, const Tensor &global);

  /// An input of one stage or several.
  struct Input {
    /// What it is, of global type.
    InputInfo info;
    /// The name of its buffers.
    std::string symbol;
    /// How many values it takes: one, or one per microbatch.
    int64_t slots;
  };
  /// All of them.
  llvm::ArrayRef<Input> getInputs() const { return inputs; }
  /// Gives the ranks their parts of an input's value of one microbatch.
  void writeInput(const Input &input, int64_t microbatch, const Tensor &global);

  /// What an entry point leaves in output buffers, with their names.
  using Outputs = llvm::SmallVector<std::pair<std::string, TensorRef>>;
  /// Runs an entry point on all ranks, until their compute streams are done.
  /// Ranks that wait for each other forever are an error that says for each
  /// what it waits for.
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
    /// How many operations of each stream are done.
    llvm::SmallVector<int64_t> done;
    /// How many of each turn are.
    std::map<Turn, int64_t> turns;

    /// How many of one stream's are done.
    int64_t &doneOf(int64_t stream) {
      if (stream >= static_cast<int64_t>(done.size()))
        done.resize(stream + 1);
      return done[stream];
    }
  };
  enum class Progress { Moved, Waiting, Failed };
  /// Puts a rank's part of an input for a microbatch at an offset of its arena.
  using Filler = std::function<void(Rank &rank, const pcc_input &input,
                                    int64_t microbatch, int64_t offset)>;

  ArenaMachine(mlir::ModuleOp module, bool exact, StreamOptions options);
  mlir::LogicalResult start();
  /// Whether a buffer holds from one entry point to the next what it does, and
  /// is no part of one that does.
  bool isKept(rt::BufferOp buffer) const;
  /// All slots of a buffer; of a part the rank's.
  ByteRange rangeOf(int64_t rank, rt::BufferOp buffer);
  /// What a place is to a rank.
  Place ofRank(int64_t rank, const Place &place);
  /// Forgets what no entry point may take from the one before.
  void beginEntry();
  std::vector<Tensor> partsOf(const Tensor &global, const pcc_layout &layout);
  /// The bytes of what a rank with these coordinates has of a buffer.
  ByteRange elementsOf(rt::BufferOp buffer, const Coordinates &coordinates);
  /// A rank's buffer of this name, if it has one.
  rt::BufferOp findBuffer(const Rank &rank, llvm::StringRef name);
  /// The whole tensor from what some ranks hold; they must agree.
  mlir::FailureOr<TensorRef> join(llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> holders);
  void forgetDone(int64_t stage);
  /// Does what an rt.fill says.
  mlir::LogicalResult fill(int64_t rank, const Issued &issued);
  mlir::LogicalResult runStreams(bool toTheEnd);
  bool isDone(Rank &rank, bool toTheEnd);
  mlir::LogicalResult reportDeadlock();

  /// The next operation of a stream if there is one, and it may begin.
  const Issued *findReady(Rank &rank, int64_t stream);
  /// Does the next operation of a stream, or part of it, if it can.
  Progress advance(int64_t rank, int64_t stream);
  void finish(int64_t rank, const Issued &issued);
  /// What an operation is to a rank.
  Issued ofRank(int64_t rank, const Issued &issued);
  /// What others keep of a row is out of date where a rank has written its
  /// part.
  void forgetOthers(int64_t rank, const Issued &issued);

  // Operations.cpp
  mlir::LogicalResult runLocally(int64_t rank, const Issued &issued);
  mlir::LogicalResult launch(int64_t rank, const Issued &issued);
  mlir::LogicalResult multiply(int64_t rank, const Issued &issued);
  // Attention.cpp
  mlir::LogicalResult attend(int64_t rank, const Issued &issued);
  mlir::LogicalResult attendBackward(int64_t rank, const Issued &issued);
  /// The first `count` buffers of an operation.
  mlir::FailureOr<std::vector<Tensor>>
  loadAll(int64_t rank, const Issued &issued, unsigned count);
  // Operations.cpp
  mlir::FailureOr<Tensor> load(int64_t rank, const Issued &issued,
                               unsigned place, mlir::RankedTensorType type);
  void store(Rank &rank, const Place &place, Tensor value);
  /// Gives a rank's number a value.
  void setNumber(Rank &rank, rt::BufferOp buffer, double value);
  /// Rounds a parameter of a rank to its copy, where it has one.
  void roundCopy(Rank &rank, rt::BufferOp parameter);
  mlir::LogicalResult checkWritten(int64_t rank, const Issued &issued,
                                   ByteRange range);
  mlir::LogicalResult copy(int64_t to, int64_t offset, int64_t from,
                           const Issued &issued, ByteRange range);

  // Meetings.cpp
  Progress transfer(int64_t rank, const Issued &issued);
  Progress meet(int64_t rank, const Issued &issued);
  mlir::LogicalResult collect(llvm::ArrayRef<int64_t> peers,
                              llvm::ArrayRef<Issued> issued);
  /// The ranks that differ along the axes of a communicator, in its order.
  llvm::SmallVector<int64_t> peersOf(int64_t rank, mlir::ArrayAttr axes);
  /// A rank's number among these.
  int64_t numberOf(int64_t rank, mlir::ArrayAttr axes) {
    llvm::SmallVector<int64_t> peers = peersOf(rank, axes);
    return llvm::find(peers, rank) - peers.begin();
  }
  /// The rank with the same coordinates in another stage; -1 if it has none.
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
  /// What holds nothing as an entry point begins: gradients, what is gathered,
  /// and rows but for parts of them.
  llvm::DenseSet<mlir::Operation *> renewed;
  std::vector<Input> inputs;
  /// Where an entry's rt.fill has values from; else from what was given.
  Filler filler;
  /// By input and microbatch.
  std::map<std::pair<std::string, int64_t>, Tensor> given;
  bool isFresh = true;
};

} // namespace pcc::interp

#endif // PCC_INTERPRETER_RT_ARENAMACHINE_H
