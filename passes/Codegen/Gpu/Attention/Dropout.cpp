//===- Dropout.cpp - Dropout of attention probabilities -------------------===//
//
// A probability is dropped if its random word, randomAdd(key of the row,
// position of the column) of Random.h, is below a bound. The number of
// operations per score is minimized, since they are as many as all other
// operations on it:
//
//     h = key ^ (position * weyl + mul1)
//     h ^= h >> 16                           1: of key and position separately
//     h = (h * mul1 ^ h * mul1 >> 13) * mul2
//     h ^= h >> 16                           2: an exclusive or
//     h < bound
//
// 1: A shift distributes over an exclusive or. The part of the key is computed
//    once per row, the part of the position once per column of a tile.
// 2: The upper half of h does not change. The lower half matters only if the
//    upper half equals that of the bound; then the lower half becomes
//    lower ^ upper half of the bound. Otherwise it may become anything.
//
//===----------------------------------------------------------------------===//

#include "dialects/NN/Random.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Codegen/Gpu/Attention/Block.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::codegen;

Value AttentionBlock::wordOfKey(Value key) { return foldWord(key, 16); }

Value AttentionBlock::wordOfPosition(Value position) {
  return foldWord(spreadWord(position), 16);
}

void AttentionBlock::computeWords(Value positions, Value to, int64_t count) {
  forShare(count, [&](Value i) {
    memref::StoreOp::create(b, wordOfPosition(loadWordAt(positions, i)), to,
                            ValueRange{i});
  });
}

Value AttentionBlock::isDropped(Value ofKey, Value ofPosition) {
  Type type = ofKey.getType();
  Value h = arith::XOrIOp::create(b, ofKey, ofPosition);
  h = arith::MulIOp::create(b, h, word(nn::kRandomMul1, type));
  h = foldWord(h, 13);
  h = arith::MulIOp::create(b, h, word(nn::kRandomMul2, type));
  uint32_t bound = nn::dropThreshold(sizes.p);
  h = arith::XOrIOp::create(b, h, word(bound >> 16, type));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, h,
                               word(bound, type));
}
