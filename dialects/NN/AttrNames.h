//===- AttrNames.h - Names of nn's discardable attributes -------*- C++ -*-===//
//
// Every discardable attribute whose name begins with "nn.": the ops or inputs
// that may have it, and its meaning. VerifyAttrs.cpp rejects other names, and
// these names on other ops.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_DIALECTS_NN_ATTRNAMES_H
#define PCC_DIALECTS_NN_ATTRNAMES_H

#include "llvm/ADT/StringRef.h"

namespace pcc::nn {

//===----------------------------------------------------------------------===//
// On inputs and results of functions, and on their later forms
//===----------------------------------------------------------------------===//

/// On inputs, an InputRole: the data that the runtime puts there.
inline constexpr llvm::StringLiteral kRoleAttr = "nn.role";
/// On inputs and results, a string: its name in the model.
inline constexpr llvm::StringLiteral kNameAttr = "nn.name";
/// On inputs, also of later dialects, an InputDimsAttr: the batch and sequence
/// dims, if they differ from those that the role implies.
inline constexpr llvm::StringLiteral kDimsAttr = "nn.dims";
/// On inputs, also of later dialects, an IdBound (analysis/IdBound.h): the ids
/// of this input are 0 .. below - 1, as `node` of the model looks them up. Set
/// before anything is padded or split.
inline constexpr llvm::StringLiteral kIdsAttr = "nn.ids";
/// On inputs, also of later dialects, and constants, a HeadTailAttr: the order
/// of their elements along sequences. Absent: that of the data.
inline constexpr llvm::StringLiteral kOrderAttr = "nn.order";
/// On the module, a dictionary: inputs of the file by name that are constants
/// of the program, each "ones" or "positions", which are 0, 1, ... in every
/// row. The runtime rejects data with other contents.
inline constexpr llvm::StringLiteral kImpliedAttr = "nn.implied";
inline constexpr llvm::StringLiteral kImpliedOnes = "ones";
inline constexpr llvm::StringLiteral kImpliedPositions = "positions";

//===----------------------------------------------------------------------===//
// On the module: the form of the model in checkpoints
//===----------------------------------------------------------------------===//

/// On the module, a type or a dictionary of types by source name: the type of
/// the model's tensors in checkpoints, if it is not that of the file.
inline constexpr llvm::StringLiteral kSavedTypesAttr = "nn.saved_types";
/// On the module, a dictionary of strings by source name: the name of the
/// model's tensor in checkpoints, if it is not that of the source.
inline constexpr llvm::StringLiteral kSavedNamesAttr = "nn.saved_names";
/// On the module, a dictionary {path, files}: the model directory that the file
/// was exported from, and the names of its files, such as "config.json", that
/// checkpoints copy.
inline constexpr llvm::StringLiteral kModelFolderAttr = "nn.model_folder";
inline constexpr llvm::StringLiteral kModelFolderPath = "path";
inline constexpr llvm::StringLiteral kModelFolderFiles = "files";

//===----------------------------------------------------------------------===//
// On losses
//===----------------------------------------------------------------------===//

/// On @forward: the model computes its loss itself. A list, one dictionary for
/// each term {factor, divided, mean, total, unclear, assumed}: @forward returns
/// its sum and, if divided, its divisor (see --nn-attach-loss). A unit:
/// @forward returns a sum and the number of its targets; between import and the
/// search for terms, the loss.
inline constexpr llvm::StringLiteral kHasLossAttr = "nn.has_loss";
/// On @forward, a string: the node of the model that mixes the samples of a
/// batch, such as a batch norm, in words. With a batch of one sample the ops do
/// not show it.
inline constexpr llvm::StringLiteral kJoinsSamplesAttr = "nn.joins_samples";
/// On the module, a string: the training loss, "causal-lm", "cross-entropy",
/// "mse" or "own", the model's own.
inline constexpr llvm::StringLiteral kLossAttr = "nn.loss";
/// On the module, an array of whole numbers: the tokens that end a document, if
/// attention is masked across documents (see --nn-documents).
inline constexpr llvm::StringLiteral kDocumentEndsAttr = "nn.document_ends";
/// On the module, a string: the reason why its loss is only valid for steps of
/// one microbatch on one rank.
inline constexpr llvm::StringLiteral kWholeBatchAttr = "nn.whole_batch";
/// On a state, and the task that adds to it, a unit: @counts adds to it on all
/// microbatches before the step.
inline constexpr llvm::StringLiteral kAheadAttr = "nn.ahead";
/// On a state, and on the second result of @loss, a string: the model's node
/// whose sum over a step the model's own loss divides by. @update returns that
/// sum under the name PCC_COUNT_PREFIX + node, to explain a loss that is not
/// finite.
inline constexpr llvm::StringLiteral kCountAttr = "nn.count";
/// On the state of a layer's overflow: the capacity.
inline constexpr llvm::StringLiteral kCapacityAttr = "nn.capacity";
/// On the state of a layer's expert counts that belongs to a correction bias:
/// by how much @update changes the bias of an expert.
inline constexpr llvm::StringLiteral kBiasRateAttr = "nn.bias_rate";

//===----------------------------------------------------------------------===//
// On gradients: these change the backward pass, never the forward pass
//===----------------------------------------------------------------------===//

/// On `nn.embedding`, a whole number: lookups of this row of the table add
/// nothing to its gradient, as padding_idx of PyTorch's Embedding. Other uses
/// of the table do.
inline constexpr llvm::StringLiteral kPaddingRowAttr = "nn.padding_row";
/// On `nn.reduce_max` and `nn.reduce_min`, a unit: of the elements that equal
/// the result, the first in row-major order gets the whole cotangent, as by the
/// index that max(dim) of PyTorch returns. Absent: they share it, as of amax.
inline constexpr llvm::StringLiteral kFirstBestAttr = "nn.first_best";
/// On `nn.cast` to the type that the input has, a unit: no gradient flows
/// through it, as through detach() of PyTorch. nn-autodiff removes such casts.
inline constexpr llvm::StringLiteral kDetachedAttr = "nn.detached";

//===----------------------------------------------------------------------===//
// On ops: forward or backward pass, stage and segment
//===----------------------------------------------------------------------===//

/// On any op, a unit: autodiff built it; it is not in the forward pass.
inline constexpr llvm::StringLiteral kBackwardAttr = "nn.bwd";
/// On any op of the backward pass, a unit: it recomputes a value of the forward
/// pass (activation recomputation).
inline constexpr llvm::StringLiteral kRecomputedAttr = "nn.recomputed";
/// On any op, a whole number: the pipeline stage it belongs to. Absent: there
/// are no stages.
inline constexpr llvm::StringLiteral kStageAttr = "nn.stage";
/// On any op, a whole number: the segment (a layer, mostly) it belongs to.
/// Segments count on from stage to stage. Absent: a stage is one segment.
inline constexpr llvm::StringLiteral kSegmentAttr = "nn.segment";
/// On an op of a head: the extents of the token dims of a chunk, which it is
/// computed for at a time, an array of whole numbers. It is empty for an op of
/// the backward pass that the head needs and that is computed once. On a slice:
/// it is a chunk's part of a value.
inline constexpr llvm::StringLiteral kChunkAttr = "nn.chunk";
/// On `nn.attention` and its gradient, a whole number: positions of queries and
/// of keys are only consecutive in pieces of so many. Absent: all are.
inline constexpr llvm::StringLiteral kPieceAttr = "nn.piece";
/// On a module: why a large head is not computed in chunks, a string.
inline constexpr llvm::StringLiteral kWholeHeadAttr = "nn.whole_head";
/// The attributes that determine where an op runs. An op that replaces another
/// inherits them.
inline constexpr llvm::StringLiteral kStageAttrs[] = {kBackwardAttr, kStageAttr,
                                                      kSegmentAttr};

//===----------------------------------------------------------------------===//
// On parameters
//===----------------------------------------------------------------------===//

/// A string: its name in the file, if that differs.
inline constexpr llvm::StringLiteral kSourceNameAttr = "nn.source_name";
/// The offset of a source whose tensor the file lacks because an exporter
/// removed it: its elements are zeros, and the trained model gets it back.
/// Lesser offsets: the file has the elements in another form than plain bytes,
/// see runtime/model/EncodedTensor.h.
inline constexpr int64_t kAbsent = -1;

//===----------------------------------------------------------------------===//
// On buckets
//===----------------------------------------------------------------------===//

/// On a bucket of working copies, a unit: it is resident only while tasks use
/// it. It is gathered before each segment that uses it, in every microbatch,
/// and is dead after the segment.
inline constexpr llvm::StringLiteral kReleasedAttr = "nn.released";

} // namespace pcc::nn

#endif // PCC_DIALECTS_NN_ATTRNAMES_H
