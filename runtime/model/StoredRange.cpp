//===- StoredRange.cpp - Range of a tensor that a rank stores -------------===//

#include "runtime/model/StoredRange.h"

#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

using namespace pcc;

/// Returns the elements of a bucket in the rank's shard of it.
static Span partOf(const pcc_program &program, const pcc_bucket &bucket,
                   const Coordinates &coordinates) {
  int64_t parts = 1, index = 0;
  for (int i = 0; i < bucket.n_axes; ++i) {
    int64_t size = program.axes[bucket.axes[i]].size;
    parts *= size;
    index = index * size + coordinates[bucket.axes[i]];
  }
  if (bucket.elements % parts != 0)
    fail(ExitInternal,
         format("a bucket of %lld elements does not divide into %lld equal "
                "shards",
                static_cast<long long>(bucket.elements),
                static_cast<long long>(parts)));
  int64_t size = bucket.elements / parts;
  return {index * size, (index + 1) * size};
}

StoredRange pcc::storedRange(const pcc_program &program,
                             const pcc_tensor &tensor,
                             const Coordinates &coordinates) {
  int64_t elements = shardOf(program, tensor.layout, coordinates).elements();
  if (!tensor.bucket)
    return {{0, elements}, tensor.arena_offset};
  const pcc_bucket &bucket = *tensor.bucket;
  if (tensor.bucket_offset < 0 ||
      tensor.bucket_offset + elements > bucket.elements)
    fail(ExitInternal,
         format("tensor '%s' extends beyond its bucket", tensor.name));
  Span part = partOf(program, bucket, coordinates);
  Span own =
      common({tensor.bucket_offset, tensor.bucket_offset + elements}, part);
  if (own.isEmpty())
    return {};
  int64_t first = bucket.whole ? 0 : part.begin;
  return {{own.begin - tensor.bucket_offset, own.end - tensor.bucket_offset},
          bucket.arena_offset + (own.begin - first) * sizeOf(tensor.dtype)};
}
