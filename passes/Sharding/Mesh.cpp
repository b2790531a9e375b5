//===- Mesh.cpp - Declares the mesh of ranks ------------------------------===//

#include "passes/Sharding/Passes.h"
#include <numeric>

namespace pcc {
#define GEN_PASS_DEF_DISTMESHPASS
#include "passes/Sharding/Passes.h.inc"
} // namespace pcc

using namespace mlir;
using namespace pcc;
using namespace pcc::dist;

namespace {

struct DistMeshPass : pcc::impl::DistMeshPassBase<DistMeshPass> {
  using DistMeshPassBase::DistMeshPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<StringAttr> names;
    SmallVector<int64_t> sizes;
    SmallVector<AxisRole> roles;
    auto add = [&](StringRef name, int64_t size) {
      if (size == 1)
        return;
      names.push_back(StringAttr::get(&getContext(), name));
      sizes.push_back(size);
      roles.push_back(*impliedRole(name));
    };
    for (auto [name, size] : {std::pair<StringRef, int64_t>("pp", pp),
                              {"dp", dp},
                              {"ep", ep},
                              {"cp", cp},
                              {"tp", tp}})
      if (size < 1) {
        module.emitError() << "mesh axis \"" << name << "\" cannot have size "
                           << size;
        return signalPassFailure();
      }
    if (dp % ep) {
      module.emitError() << "mesh axis \"ep\" of size " << int64_t(ep)
                         << " splits no data-parallel axis of size "
                         << int64_t(dp) << ", which is not a multiple of it";
      return signalPassFailure();
    }
    if (findMesh(module)) {
      module.emitError("has a mesh already");
      return signalPassFailure();
    }
    add("pp", pp);
    add("dp", dp / ep);
    add("ep", ep);
    add("cp", cp);
    int64_t kv = keyValueRanks(module);
    if (kv == tp) {
      add("tp", tp);
    } else {
      add("tp_kv", kv);
      add("tp_rep", tp / kv);
    }
    if (names.empty())
      return;
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    MeshOp::create(builder, module.getLoc(), "mesh",
                   MeshAxesAttr::get(&getContext(), names, sizes, roles));
  }

  /// Returns the number of tensor ranks that split the key/value heads; the
  /// other factor replicates them. Returns all of them if two axes cannot help.
  int64_t keyValueRanks(ModuleOp module) {
    int64_t kv = tp;
    bool helps = true;
    module.walk([&](nn::AttentionOp op) {
      int64_t heads = nn::tensorType(op.getQ()).getDimSize(2);
      int64_t groups = nn::tensorType(op.getK()).getDimSize(2);
      if (groups % tp == 0)
        return;
      // Query heads that share a key/value head are split only when each rank
      // has one key/value head.
      helps &= tp % groups == 0 && heads % tp == 0;
      kv = std::min(kv, groups);
    });
    return helps ? kv : static_cast<int64_t>(tp);
  }
};

} // namespace
