//===- PlainBackend.cpp - A back end of ranks without MPI -----------------===//
//
// The simplest back end over runtime/exchange: host memory, one thread, and
// collectives that send all data through control messages. The toy programs use
// it to test ranks that are started and connected without MPI.
//
// PLAIN_DEVICES in the environment replaces the driver's answer: a number of
// devices, or another text for an error.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/Runtime.h"
#include "runtime/exchange/Exchange.h"
#include "runtime/host/Traffic.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"
#include "runtime/support/Progress.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace pcc;

struct pcc_context {
  struct Communicator {
    std::vector<int> ranks; ///< in order
    int index = 0;
    std::string over;
  };
  std::vector<Communicator> comms;
  std::vector<int64_t> constants;
  std::vector<int> peers; ///< by stage
};

static backend::Filler &filler() {
  static backend::Filler filler;
  return filler;
}

backend::Devices backend::findDevices() {
  const char *said = getenv("PLAIN_DEVICES");
  if (!said)
    return {};
  if (!strcmp(said, "crash"))
    raise(SIGSEGV);
  char *end;
  long count = strtol(said, &end, 10);
  if (*end)
    return {0, std::string("no device: ") + said, "there is a way out"};
  return {count, "", ""};
}

static pcc_context::Communicator makeCommunicator(const pcc_program &program,
                                                  const pcc_comm &comm,
                                                  const Coordinates &own) {
  std::vector<int> axes(comm.axes, comm.axes + comm.n_axes);
  pcc_context::Communicator made;
  made.over = axesText(program, axes);
  made.ranks = membersOf(program, axes, own, made.index);
  return made;
}

pcc_context *backend::prepare(const pcc_program &program,
                              const Coordinates &coordinates,
                              std::string &resources) {
  auto *context = new pcc_context;
  for (int i = 0; i < program.n_comms; ++i)
    context->comms.push_back(
        makeCommunicator(program, program.comms[i], coordinates));
  for (int i = 0; i < program.n_constants; ++i) {
    const pcc_constant &constant = program.constants[i];
    context->constants.push_back(
        constant.value *
        (constant.comm < 0 ? 1 : context->comms[constant.comm].index));
  }
  for (int stage = 0; stage < program.n_stages; ++stage) {
    Coordinates peer = coordinates;
    if (stageAxis(program) >= 0)
      peer[stageAxis(program)] = stage;
    context->peers.push_back(static_cast<int>(rankOf(program, peer)));
  }
  exchange::Neighbors near = exchange::neighbors();
  resources = format("1 of %d on this host", near.count());
  return context;
}

std::string backend::gemmText(int32_t) { return ""; }
char *backend::allocateArena(int64_t bytes, int64_t, const Offload &) {
  return static_cast<char *>(calloc(std::max<int64_t>(bytes, 1), 1));
}
bool backend::chooseGraphs(bool) { return false; }
bool backend::allowNvls() { return false; }
std::string backend::communicationText() { return ""; }
std::string backend::graphsText() { return ""; }
void backend::beginEntry(pcc_context *, pcc_step_fn) {}
int backend::stepsAhead() { return 0; }
void backend::setFiller(Filler given) { filler() = std::move(given); }
void backend::copyOut(int, const std::vector<HostCopy> &copies) {
  for (const HostCopy &copy : copies)
    memcpy(copy.to, copy.from, copy.bytes);
}
void backend::awaitCopies(int) {}
void backend::drain() {}
std::string backend::deviceReport() { return ""; }
void *backend::openView(char *memory, int64_t, Access) { return memory; }
void backend::closeView(void *, char *, int64_t, Access) {}
int backend::threads() { return 1; }
void backend::parallelFor(int64_t n,
                          const std::function<void(int64_t, int64_t)> &body) {
  if (n > 0)
    body(0, n);
}

//===----------------------------------------------------------------------===//
// Runtime.h
//===----------------------------------------------------------------------===//

/// Returns all ranks' blocks, concatenated.
static std::vector<char> gather(const pcc_context::Communicator &comm,
                                const void *own, int64_t bytes) {
  std::vector<char> all(comm.ranks.size() * bytes);
  // The ranks send to all others, one rank after the other: no circular waits.
  for (size_t turn = 0; turn < comm.ranks.size(); ++turn) {
    char *block = all.data() + turn * bytes;
    if (comm.index != static_cast<int>(turn)) {
      backend::receive(block, bytes, comm.ranks[turn]);
      continue;
    }
    memcpy(block, own, bytes);
    for (int rank : comm.ranks)
      if (rank != backend::rank())
        backend::send(own, bytes, rank);
  }
  return all;
}

static void count(const pcc_context::Communicator &comm, const char *name,
                  int64_t bytes, int64_t sent) {
  if (comm.ranks.size() > 1)
    countTraffic(PCC_COMPUTE_STREAM, name, comm.over.c_str(), bytes, sent);
}

void pcc_all_reduce(pcc_context *ctx, int32_t comm, int32_t dtype,
                    int32_t reduction, void *buffer, int64_t count) {
  const pcc_context::Communicator &c = ctx->comms[comm];
  auto ranks = static_cast<int64_t>(c.ranks.size());
  Operation operation("all_reduce", Activity::Waits, c.over.c_str());
  ::count(c, "all_reduce", count * sizeOf(dtype),
          2 * (ranks - 1) * count * sizeOf(dtype) / ranks);
  if (dtype != PCC_F32)
    fail(ExitInternal, "the plain back end adds f32 alone");
  std::vector<char> all = gather(c, buffer, 4 * count);
  const float *in = reinterpret_cast<const float *>(all.data());
  auto *out = static_cast<float *>(buffer);
  for (int64_t i = 0; i < count; ++i) {
    out[i] = in[i];
    for (int64_t rank = 1; rank < ranks; ++rank) {
      float more = in[rank * count + i];
      out[i] = reduction == PCC_MAX ? std::max(out[i], more) : out[i] + more;
    }
  }
}

void pcc_all_gather(pcc_context *ctx, int32_t comm, int32_t dtype,
                    const void *in, void *out, int64_t count) {
  const pcc_context::Communicator &c = ctx->comms[comm];
  Operation operation("all_gather", Activity::Waits, c.over.c_str());
  int64_t bytes = count * sizeOf(dtype);
  ::count(c, "all_gather", bytes,
          static_cast<int64_t>(c.ranks.size() - 1) * bytes);
  std::vector<char> all = gather(c, in, bytes);
  memcpy(out, all.data(), all.size());
}

void pcc_send(pcc_context *ctx, int32_t stage, int32_t, const void *buffer,
              int64_t bytes) {
  Operation operation("send", Activity::Waits);
  countTraffic(PCC_COMPUTE_STREAM, "send", " over pp", bytes, bytes);
  backend::send(buffer, bytes, ctx->peers[stage]);
}

void pcc_recv(pcc_context *ctx, int32_t stage, int32_t, void *buffer,
              int64_t bytes) {
  Operation operation("receive", Activity::Waits);
  countTraffic(PCC_COMPUTE_STREAM, "receive", " over pp", bytes, 0);
  backend::receive(buffer, bytes, ctx->peers[stage]);
}

// The toy's messages fit into the receiver's socket buffer.
// NOLINTBEGIN(readability-identifier-naming): as in Runtime.h.
void pcc_exchange(pcc_context *ctx, int32_t to_stage, int32_t send_channel,
                  const void *send, int64_t send_bytes, int32_t from_stage,
                  int32_t recv_channel, void *recv, int64_t recv_bytes) {
  // NOLINTEND(readability-identifier-naming)
  pcc_send(ctx, to_stage, send_channel, send, send_bytes);
  pcc_recv(ctx, from_stage, recv_channel, recv, recv_bytes);
}

void pcc_launch(pcc_context *, const pcc_kernel *kernel, void *const *args) {
  Operation operation(kernel->name);
  kernel->run(args, 0, kernel->units);
}

void pcc_gemm(pcc_context *, const pcc_gemm_desc *desc, const void *a,
              const void *b, void *c) {
  Operation operation("gemm");
  const pcc_gemm_desc &d = *desc;
  if (d.a_dtype != PCC_F32 || d.batch0 * d.batch1 != 1)
    fail(ExitInternal, "the plain back end multiplies two matrices of f32");
  const auto *x = static_cast<const float *>(a);
  const auto *y = static_cast<const float *>(b);
  auto *z = static_cast<float *>(c);
  for (int64_t i = 0; i < d.m; ++i)
    for (int64_t j = 0; j < d.n; ++j) {
      float sum = 0;
      for (int64_t k = 0; k < d.k; ++k)
        sum += (d.trans_a ? x[k * d.lda + i] : x[i * d.lda + k]) *
               (d.trans_b ? y[j * d.ldb + k] : y[k * d.ldb + j]);
      float &to = z[i * d.ldc + j];
      to = d.alpha * sum + (d.beta == 0 ? 0 : d.beta * to);
    }
}

void pcc_copy(pcc_context *, void *to, const void *from, int64_t bytes) {
  memcpy(to, from, bytes);
}
void pcc_zero(pcc_context *, void *to, int64_t bytes) { memset(to, 0, bytes); }
int64_t pcc_comm_index(pcc_context *ctx, int32_t comm) {
  return ctx->comms[comm].index;
}
