//===- Buffers.h - Initializers that are no parameters ----------*- C++ -*-===//

#ifndef PCC_FRONTEND_BUFFERS_H
#define PCC_FRONTEND_BUFFERS_H

#include "frontend/Reader.h"
#include "llvm/ADT/StringSet.h"

namespace pcc::frontend {

/// The names of the initializers that are never trained, whatever their type
/// and shape:
///
/// - those that the exporter says are buffers (metadata of PyTorch's dynamo
///   exporter);
/// - those without a gradient path to an output: what they reach, they reach
///   through comparisons, casts to integers, shapes or, as the frequencies of
///   rotary embeddings do, through sines and cosines alone.
llvm::StringSet<> findBuffers(const onnx::GraphProto &graph);

/// The value of an entry of `metadata_props`, which Debian's protocol buffers
/// do not know; "" if it is absent. `field` is its number in the message.
std::string metadata(const google::protobuf::Message &message, int field,
                     llvm::StringRef key);

/// Field numbers of metadata_props.
inline constexpr int kNodeMetadata = 9, kTensorMetadata = 16,
                     kValueMetadata = 4;

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BUFFERS_H
