//===- AttrNames.h - Names of nn's discardable attributes -------*- C++ -*-===//
//
// What the compiler writes on ops and inputs beside what the ops themselves
// declare: every name that begins with "nn.", what it lies on and what it says.
// VerifyAttrs.cpp refuses every other name, and these elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_ATTRNAMES_H
#define PCC_DIALECTS_NN_ATTRNAMES_H

#include "llvm/ADT/StringRef.h"

namespace pcc::nn {

//===----------------------------------------------------------------------===//
// On inputs and results of functions, and on what becomes of them
//===----------------------------------------------------------------------===//

/// On inputs, an InputRole: what the runtime puts there.
inline constexpr llvm::StringLiteral kRoleAttr = "nn.role";
/// On inputs and results, a string: the model's name of it.
inline constexpr llvm::StringLiteral kNameAttr = "nn.name";
/// On inputs, also of later dialects, an InputDimsAttr: which dims run over
/// samples and places, where these are not the ones that the role implies.
inline constexpr llvm::StringLiteral kDimsAttr = "nn.dims";
/// On inputs, also of later dialects, an IdBound (analysis/IdBound.h): the ids
/// of this input are 0 .. below - 1, as `node` of the model looks them up. Set
/// before anything is padded or split.
inline constexpr llvm::StringLiteral kIdsAttr = "nn.ids";
/// On the module, a dictionary: inputs of the file by name that are constants
/// of the program, each "ones" or "positions", which are 0, 1, ... in every
/// row. The runtime refuses data that say otherwise.
inline constexpr llvm::StringLiteral kImpliedAttr = "nn.implied";
inline constexpr llvm::StringLiteral kImpliedOnes = "ones";
inline constexpr llvm::StringLiteral kImpliedPositions = "positions";

//===----------------------------------------------------------------------===//
// Of a loss
//===----------------------------------------------------------------------===//

/// On @forward: the model computes its loss itself. A list, one dictionary for
/// each term {factor, divided, mean, total, unclear, assumed}: @forward returns
/// its sum and, if divided, its divisor (see --nn-attach-loss). A unit: a
/// sum and how many targets it is of; between import and the search for terms,
/// the loss.
inline constexpr llvm::StringLiteral kHasLossAttr = "nn.has_loss";
/// On @forward, a string: the node of the model that computes with all samples
/// of a batch, as a batch norm does, in words. The ops do not show it where a
/// batch has one sample.
inline constexpr llvm::StringLiteral kJoinsSamplesAttr = "nn.joins_samples";
/// On the module, a string: what is trained by, "causal-lm", "cross-entropy",
/// "mse" or "own", the file's.
inline constexpr llvm::StringLiteral kLossAttr = "nn.loss";
/// On the module, a string: why its loss is that of a step which is one
/// microbatch of one rank, and no other.
inline constexpr llvm::StringLiteral kWholeBatchAttr = "nn.whole_batch";
/// On a state, and the task that adds to it, a unit: @counts adds to it ahead
/// of the step, on all microbatches.
inline constexpr llvm::StringLiteral kAheadAttr = "nn.ahead";
/// On a state, and on the second result of @loss, a string: the model's node
/// whose sum over a step the file's own loss divides by. @update returns that
/// sum under the name PCC_COUNT_PREFIX + node, for who asks why the loss is not
/// finite.
inline constexpr llvm::StringLiteral kCountAttr = "nn.count";

//===----------------------------------------------------------------------===//
// Of gradients: what changes what flows back, never what is computed
//===----------------------------------------------------------------------===//

/// On `nn.embedding`, a whole number: lookups of this row of the table give it
/// no gradient, as padding_idx of PyTorch's Embedding. Other uses of the table
/// do.
inline constexpr llvm::StringLiteral kPaddingRowAttr = "nn.padding_row";
/// On `nn.reduce_max` and `nn.reduce_min`, a unit: of the elements that equal
/// the result, the first in row-major order gets the whole cotangent, as by the
/// index that max(dim) of PyTorch returns. Absent: they share it, as of amax.
inline constexpr llvm::StringLiteral kFirstBestAttr = "nn.first_best";
/// On `nn.cast` to the type that the input has, a unit: no gradient flows
/// through it, as through detach() of PyTorch. nn-autodiff takes such casts
/// away.
inline constexpr llvm::StringLiteral kDetachedAttr = "nn.detached";
/// On any op, a unit: autodiff made it; it is no part of the forward pass.
inline constexpr llvm::StringLiteral kBackwardAttr = "nn.bwd";
/// On any op of the backward pass, a unit: it computes anew what the forward
/// pass has computed, instead of keeping it.
inline constexpr llvm::StringLiteral kRecomputedAttr = "nn.recomputed";
/// On any op, a whole number: the pipeline stage it belongs to. Absent: there
/// are no stages.
inline constexpr llvm::StringLiteral kStageAttr = "nn.stage";
/// On any op, a whole number: the segment (a layer, mostly) it belongs to.
/// Segments count on from stage to stage. Absent: a stage is one segment.
inline constexpr llvm::StringLiteral kSegmentAttr = "nn.segment";
/// Where an op runs: what an op that is made in the place of another inherits.
inline constexpr llvm::StringLiteral kPlaceAttrs[] = {kBackwardAttr, kStageAttr,
                                                      kSegmentAttr};

//===----------------------------------------------------------------------===//
// Of parameters
//
// Beside the source, which says where the elements lie in the file. None
// changes how they are read from there; they say what the model has instead,
// for what is written: checkpoints, and the file itself with trained weights.
//===----------------------------------------------------------------------===//

/// A string: what the file calls it, where that is another name.
inline constexpr llvm::StringLiteral kSourceNameAttr = "nn.source_name";
/// A list of SourceAttr: the other tensors of the file that hold the same
/// elements, such as a tied head that an exporter wrote out. They are never
/// read; a trained model that is written back has them all alike.
inline constexpr llvm::StringLiteral kCopiesAttr = "nn.copies";
/// A unit: the source tensor, a matrix, is the transpose of what the model has
/// under the source's name. Folding leaves weights of linear layers so.
inline constexpr llvm::StringLiteral kTransposedAttr = "nn.transposed";
/// A unit: the source tensor's elements are those of the model and one.
/// Exporters fold so what a norm adds to its weight.
inline constexpr llvm::StringLiteral kPlusOneAttr = "nn.plus_one";
/// Pairs of whole numbers, (node of the graph, operand): what reads the source
/// tensor for this parameter, where it is merged with other parameters or
/// absent.
inline constexpr llvm::StringLiteral kUsesAttr = "nn.source_uses";
/// The offset of a source whose tensor the file lacks because an exporter
/// removed it: its elements are zeros, and the trained model gets it back.
/// Lesser offsets: the file has the elements in another form than plain bytes,
/// see runtime/model/EncodedTensor.h.
inline constexpr int64_t kAbsent = -1;

//===----------------------------------------------------------------------===//
// Of buckets
//===----------------------------------------------------------------------===//

/// On a bucket of copies, a unit: it is there only while tasks use it. It is
/// gathered ahead of each segment that does, in every microbatch, and holds
/// nothing behind it.
inline constexpr llvm::StringLiteral kReleasedAttr = "nn.released";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_ATTRNAMES_H
