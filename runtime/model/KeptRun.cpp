//===- KeptRun.cpp - What a rank keeps of a tensor ------------------------===//

#include "runtime/model/KeptRun.h"

#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

using namespace pcc;

/// The elements of a bucket's row that a rank keeps.
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
         format("the program cuts a bucket of %lld elements into %lld equal "
                "parts",
                static_cast<long long>(bucket.elements),
                static_cast<long long>(parts)));
  int64_t size = bucket.elements / parts;
  return {index * size, (index + 1) * size};
}

/// Elements `kept` of the row that begins at `row` of the arena, of a tensor.
static KeptRun runIn(const pcc_tensor &tensor, int64_t elements, Span kept,
                     int64_t row) {
  Span own =
      common({tensor.bucket_offset, tensor.bucket_offset + elements}, kept);
  if (own.isEmpty())
    return {};
  return {{own.begin - tensor.bucket_offset, own.end - tensor.bucket_offset},
          row + own.begin * sizeOf(tensor.dtype)};
}

static KeptRun findRun(const pcc_program &program, const pcc_tensor &tensor,
                       const Coordinates &coordinates, bool isStored) {
  int64_t elements = shardOf(program, tensor.layout, coordinates).elements();
  if (!tensor.bucket)
    return {{0, elements}, tensor.arena_offset};
  const pcc_bucket &bucket = *tensor.bucket;
  if (tensor.bucket_offset < 0 ||
      tensor.bucket_offset + elements > bucket.elements)
    fail(ExitInternal,
         format("tensor '%s' reaches beyond its bucket", tensor.name));
  Span part = partOf(program, bucket, coordinates);
  if (!bucket.whole)
    return runIn(tensor, elements, part,
                 bucket.arena_offset - part.begin * sizeOf(tensor.dtype));
  return runIn(tensor, elements, isStored ? Span{0, bucket.elements} : part,
               bucket.arena_offset);
}

KeptRun pcc::keptRun(const pcc_program &program, const pcc_tensor &tensor,
                     const Coordinates &coordinates) {
  return findRun(program, tensor, coordinates, /*isStored=*/false);
}

KeptRun pcc::storedRun(const pcc_program &program, const pcc_tensor &tensor,
                       const Coordinates &coordinates) {
  return findRun(program, tensor, coordinates, /*isStored=*/true);
}
