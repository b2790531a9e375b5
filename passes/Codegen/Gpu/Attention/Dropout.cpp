//===- Dropout.cpp - Which probabilities are dropped ----------------------===//
//
// Random.h says which: those whose word, randomAdd(key of the row, position of
// the column), is below a bound. Of its operations a score has as few of its
// own as can be, for they are as many as all else that is done to it:
//
//     h = key ^ (position * weyl + mul1)
//     h ^= h >> 16                           1: of key and of position apart
//     h = (h * mul1 ^ h * mul1 >> 13) * mul2
//     h ^= h >> 16                           2: an exclusive or
//     h < bound
//
// 1: Shifts go through exclusive or. What belongs to the key is made once for a
//    row, what belongs to the position once for a tile's column.
// 2: The upper half of h stays as it is. If it is the bound's, which is when
//    the lower one counts, that becomes lower ^ upper half of the bound; else
//    it may become anything.
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

void AttentionBlock::bringWords(Value positions, Value to, int64_t count) {
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
