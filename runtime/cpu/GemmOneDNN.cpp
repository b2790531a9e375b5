//===- GemmOneDNN.cpp - GEMMs of bf16 on oneDNN ---------------------------===//
//
// oneDNN generates code for each shape, which takes milliseconds; calling the
// code takes less than one. Primitives are cached here per description: the
// library's own cache looks up several objects per call. Debian's build of the
// library runs on libgomp's threads, like OpenBLAS and kernels.
//
//===----------------------------------------------------------------------===//

#include "runtime/cpu/Gemm.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>

using namespace pcc;

namespace {
/// The fields that distinguish descriptions, and the number of threads.
using Key = std::array<int64_t, 20>;

/// A batch of GEMMs as a primitive of oneDNN, for one number of threads.
class Product {
public:
  Product(const pcc_gemm_desc &d, const dnnl::engine &engine);

  void run(dnnl::stream &stream, const Matrices &matrices);

private:
  /// Creates the primitive's descriptor, with the batch dims if `batched`.
  void make(const dnnl::engine &engine, bool batched);
  dnnl::memory::desc describe(int32_t dtype, int64_t rows, int64_t columns,
                              int64_t stride, bool transposed, int64_t step0,
                              int64_t step1, bool batched) const;

  pcc_gemm_desc d;
  int64_t calls; ///< number of calls of the primitive
  dnnl::matmul::primitive_desc made;
  dnnl::matmul primitive;
  dnnl::memory a, b, c;
};

/// The library, and the primitives of this program's descriptions.
struct Library {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::map<Key, std::unique_ptr<Product>> products;
};
} // namespace

static dnnl::memory::data_type typeOf(int32_t dtype) {
  return dtype == PCC_F32 ? dnnl::memory::data_type::f32
                          : dnnl::memory::data_type::bf16;
}

dnnl::memory::desc Product::describe(int32_t dtype, int64_t rows,
                                     int64_t columns, int64_t stride,
                                     bool transposed, int64_t step0,
                                     int64_t step1, bool batched) const {
  dnnl::memory::dims sizes, strides;
  auto addBatch = [&](int64_t size, int64_t step) {
    if (!batched || size == 1)
      return;
    // An operand that all GEMMs of the dim share has extent 1 there.
    sizes.push_back(step == 0 ? 1 : size);
    strides.push_back(step == 0 ? rows * stride : step);
  };
  addBatch(d.batch0, step0);
  addBatch(d.batch1, step1);
  sizes.insert(sizes.end(), {rows, columns});
  if (transposed)
    strides.insert(strides.end(), {1, stride});
  else
    strides.insert(strides.end(), {stride, 1});
  return {sizes, typeOf(dtype), strides};
}

Product::Product(const pcc_gemm_desc &d, const dnnl::engine &engine) : d(d) {
  int64_t count = d.batch0 * d.batch1;
  make(engine, /*batched=*/true);
  calls = 1;
  // oneDNN falls back to scalar reference code for batches that it does not
  // support.
  if (count > 1 && !strncmp(made.impl_info_str(), "ref", 3)) {
    make(engine, /*batched=*/false);
    calls = count;
  }
  primitive = dnnl::matmul(made);
  a = dnnl::memory(made.src_desc(), engine, DNNL_MEMORY_NONE);
  b = dnnl::memory(made.weights_desc(), engine, DNNL_MEMORY_NONE);
  c = dnnl::memory(made.dst_desc(), engine, DNNL_MEMORY_NONE);
}

void Product::make(const dnnl::engine &engine, bool batched) {
  dnnl::primitive_attr attributes;
  if (d.alpha != 1)
    attributes.set_output_scales(0, {d.alpha});
  if (d.beta != 0) {
    dnnl::post_ops add;
    add.append_sum(d.beta);
    attributes.set_post_ops(add);
  }
  dnnl::matmul::desc operation(
      describe(d.a_dtype, d.m, d.k, d.lda, d.trans_a, d.a0, d.a1, batched),
      describe(d.b_dtype, d.k, d.n, d.ldb, d.trans_b, d.b0, d.b1, batched),
      describe(d.c_dtype, d.m, d.n, d.ldc, false, d.c0, d.c1, batched));
  made = dnnl::matmul::primitive_desc(operation, attributes, engine);
}

void Product::run(dnnl::stream &stream, const Matrices &matrices) {
  for (int64_t i = 0; i < calls; ++i) {
    Matrices at = matricesAt(d, matrices, i);
    a.set_data_handle(const_cast<char *>(at.a));
    b.set_data_handle(const_cast<char *>(at.b));
    c.set_data_handle(at.c);
    primitive.execute(
        stream, {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
  }
  stream.wait();
}

static Key keyOf(const pcc_gemm_desc &d, int threads) {
  int32_t alpha, beta;
  memcpy(&alpha, &d.alpha, 4);
  memcpy(&beta, &d.beta, 4);
  return {d.c_dtype, d.trans_a, d.trans_b, d.m,      d.n,  d.k,    d.lda,
          d.ldb,     d.ldc,     d.batch0,  d.batch1, d.a0, d.a1,   d.b0,
          d.b1,      d.c0,      d.c1,      alpha,    beta, threads};
}

const char *pcc::bf16Instructions() {
  static const int isa = static_cast<int>(dnnl::get_effective_cpu_isa());
  auto has = [](dnnl::cpu_isa wanted) {
    int bits = static_cast<int>(wanted);
    return (isa & bits) == bits;
  };
  if (has(dnnl::cpu_isa::avx512_core_amx))
    return "AMX";
  if (has(dnnl::cpu_isa::avx512_core_bf16))
    return "AVX512-BF16";
  return nullptr;
}

void pcc::multiplyOneDNN(const pcc_gemm_desc &desc, const Matrices &matrices,
                         int threads) {
  // Never deleted: at exit the library may be unloaded first.
  static auto *library = new Library;
  try {
    std::unique_ptr<Product> &product = library->products[keyOf(desc, threads)];
    if (!product)
      product = std::make_unique<Product>(desc, library->engine);
    product->run(library->stream, matrices);
  } catch (const dnnl::error &error) {
    fail(ExitInternal,
         format("oneDNN cannot multiply %lldx%lldx%lld: %s",
                static_cast<long long>(desc.m), static_cast<long long>(desc.n),
                static_cast<long long>(desc.k), error.what()));
  }
}
