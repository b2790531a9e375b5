//===- Products.cpp - GEMMs of the library --------------------------------===//

#include "interpreter/ops/Functions.h"
#include "interpreter/rt/ArenaMachine.h"

using namespace mlir;
using namespace pcc;
using namespace pcc::interp;

namespace {

/// The row-major matrices of one operand of a GEMM.
struct Matrices {
  int64_t rows, columns, leading;
  ArrayRef<int64_t> strides; ///< of the two batch dims

  /// The index of the first element of a row.
  int64_t at(int64_t batch0, int64_t batch1, int64_t row) const {
    return batch0 * strides[0] + batch1 * strides[1] + row * leading;
  }
};

/// An operand of a GEMM.
struct Operand {
  MemoryOperand place;
  Matrices matrices;
};

} // namespace

static int64_t byteOf(const Operand &operand, int64_t batch0, int64_t batch1,
                      int64_t row) {
  return operand.place.offset +
         operand.matrices.at(batch0, batch1, row) *
             rt::getElementBytes(operand.place.type.getElementType());
}

static Tensor emptyOf(const Operand &operand) {
  return Tensor(
      RankedTensorType::get({operand.matrices.rows, operand.matrices.columns},
                            operand.place.type.getElementType()));
}

LogicalResult ArenaMachine::multiply(int64_t rank, const Issued &issued) {
  auto op = cast<rt::GemmOp>(issued.op);
  rt::GemmAttr s = op.getShape();
  rt::Epilogue epilogue = op.getEpilogue();
  int64_t m = s.getM(), n = s.getN(), k = s.getK();
  double alpha = s.getAlpha().getValueAsDouble(),
         beta = s.getBeta().getValueAsDouble();
  SmallVector<Operand> operands = {
      {issued.places[0],
       {s.getTransA() ? k : m, s.getTransA() ? m : k, s.getLda(), s.getA()}},
      {issued.places[1],
       {s.getTransB() ? n : k, s.getTransB() ? k : n, s.getLdb(), s.getB()}},
      {issued.places[2], {m, n, s.getLdc(), s.getC()}}};
  static const int64_t single[] = {0, 0};
  unsigned next = 3;
  std::optional<Operand> vector, matrix, added;
  int64_t length = epilogue == rt::Epilogue::SumA ? m : n;
  if (op.getVector())
    vector = {issued.places[next++], {1, length, length, single}};
  if (op.getMatrix())
    matrix = {issued.places[next++], {m, n, n, single}};
  if (op.getAdded())
    added = {issued.places[next], operands[2].matrices};

  Arena &arena = ranks[rank].arena;
  auto read = [&](const Operand &from, int64_t b0, int64_t b1,
                  Tensor &value) -> LogicalResult {
    int64_t columns = from.matrices.columns,
            bytes = rt::getElementBytes(from.place.type.getElementType());
    for (int64_t row = 0; row < from.matrices.rows; ++row) {
      int64_t at = byteOf(from, b0, b1, row);
      if (failed(checkWritten(rank, issued, {at, at + columns * bytes})))
        return failure();
      arena.read(at, from.place.dtype(), columns, value, row * columns);
    }
    return success();
  };
  auto write = [&](const Operand &to, int64_t b0, int64_t b1, Tensor &value) {
    roundElements(value, kernels.isExact());
    for (int64_t row = 0; row < to.matrices.rows; ++row)
      arena.write(byteOf(to, b0, b1, row), to.place.dtype(),
                  to.matrices.columns, value, row * to.matrices.columns);
  };

  for (int64_t b0 = 0; b0 < s.getBatch()[0]; ++b0)
    for (int64_t b1 = 0; b1 < s.getBatch()[1]; ++b1) {
      Tensor a = emptyOf(operands[0]), b = emptyOf(operands[1]),
             c = emptyOf(operands[2]);
      Tensor beside = emptyOf(vector.value_or(operands[2])),
             before = emptyOf(matrix.value_or(operands[2])), kept = before;
      if (failed(read(operands[0], b0, b1, a)) ||
          failed(read(operands[1], b0, b1, b)) ||
          (beta != 0 &&
           failed(read(added ? *added : operands[2], b0, b1, c))) ||
          (matrix && !op.writesMatrix() &&
           failed(read(*matrix, 0, 0, before))) ||
          (vector && !op.writesVector() && failed(read(*vector, 0, 0, beside))))
        return failure();
      auto element = [](const Tensor &value, int64_t columns, bool isTransposed,
                        int64_t row, int64_t column) {
        if (isTransposed)
          std::swap(row, column);
        return value.real[row * columns + column];
      };
      auto ofA = [&](int64_t row, int64_t i) {
        return element(a, operands[0].matrices.columns, s.getTransA(), row, i);
      };
      auto ofB = [&](int64_t i, int64_t column) {
        return element(b, operands[1].matrices.columns, s.getTransB(), i,
                       column);
      };
      for (int64_t row = 0; row < m; ++row)
        for (int64_t column = 0; column < n; ++column) {
          double sum = 0;
          for (int64_t i = 0; i < k; ++i)
            sum += ofA(row, i) * ofB(i, column);
          double &to = c.real[row * n + column];
          to = alpha * sum + (beta == 0 ? 0 : beta * to);
          if (vector && !op.writesVector())
            to += beside.real[column];
          if (op.writesMatrix())
            kept.real[row * n + column] = to;
          if (epilogue == rt::Epilogue::Gelu)
            to = gelu(to, /*tanh=*/true);
          if (epilogue == rt::Epilogue::GeluGrad)
            to *= geluSlope(before.real[row * n + column], /*tanh=*/true);
        }
      for (int64_t i = 0; op.writesVector() && i < length; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < k; ++j)
          sum += epilogue == rt::Epilogue::SumA ? ofA(i, j) : ofB(j, i);
        beside.real[i] = sum;
      }
      write(operands[2], b0, b1, c);
      if (op.writesVector())
        write(*vector, 0, 0, beside);
      if (op.writesMatrix())
        write(*matrix, 0, 0, kept);
    }
  return success();
}

LogicalResult ArenaMachine::multiplyGroups(int64_t rank, const Issued &issued) {
  auto op = cast<rt::GroupedGemmOp>(issued.op);
  GroupedForm form = op.getForm() == rt::GroupedForm::Sums ? GroupedForm::Sums
                     : op.getForm() == rt::GroupedForm::Plain
                         ? GroupedForm::Plain
                         : GroupedForm::Transposed;
  FailureOr<Tensor> a = load(rank, issued, 0, issued.places[0].tensorType()),
                    b = load(rank, issued, 1, issued.places[1].tensorType()),
                    ends = load(rank, issued, 3, issued.places[3].tensorType());
  if (failed(a) || failed(b) || failed(ends))
    return failure();
  Tensor c(issued.places[2].tensorType());
  if (op.getAdds()) {
    FailureOr<Tensor> before =
        load(rank, issued, 2, issued.places[2].tensorType());
    if (failed(before))
      return failure();
    c = std::move(*before);
  }
  int64_t rows = a->dim(0), row = 0;
  for (int64_t group = 0; group < ends->size(); ++group) {
    int64_t end = ends->integer[group];
    if (end < row || end > rows)
      return issued.emitError() << "has a group that ends at row " << end
                                << ", after row " << row << " of " << rows;
    addGroupProducts(form, group, row, end, *a, *b, c);
    row = end;
  }
  roundElements(c, kernels.isExact());
  store(ranks[rank], issued.places[2], std::move(c));
  return success();
}
