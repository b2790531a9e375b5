//===- SameDevices.cpp - Whether the ranks' devices are compatible --------===//
//
// Runs before the first communicator is created, as NCCL's own errors name
// neither the ranks nor the difference. Control messages go through the
// exchange.
//
//===----------------------------------------------------------------------===//

#include "runtime/Backend.h"
#include "runtime/cuda/Communicators.h"
#include "runtime/cuda/Dnn.h"
#include "runtime/launch/ExecRanks.h"
#include "runtime/support/Error.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <map>

using namespace pcc;
using namespace pcc::cuda;

/// The 16 bytes by which the driver identifies devices of all hosts.
using DeviceId = std::array<unsigned char, sizeof(CUuuid)>;

/// As nvidia-smi -L prints it.
static std::string idText(const DeviceId &id) {
  std::string text = "GPU-";
  for (size_t i = 0; i < id.size(); ++i)
    text += format("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                   id[i]);
  return text;
}

/// Ends the job if two ranks have the same device. Ranks that may share their
/// device are not compared.
static void requireOwnDevices() {
  DeviceId own = {};
  CUuuid found;
  check(driver().cuDeviceGetUuid(&found, device().number),
        "the query of the device's id");
  if (!sharesDevices())
    memcpy(own.data(), found.bytes, own.size());
  if (backend::rank() != 0)
    backend::send(own.data(), own.size(), 0);
  std::map<DeviceId, std::vector<int>> ranksOf;
  for (int rank = 0; backend::rank() == 0 && rank < backend::size(); ++rank) {
    DeviceId id = own;
    if (rank != 0)
      backend::receive(id.data(), id.size(), rank);
    if (id != DeviceId{})
      ranksOf[id].push_back(rank);
  }
  for (const auto &[id, ranks] : ranksOf) {
    if (ranks.size() < 2)
      continue;
    fail(ExitDevice,
         format("%s have the same device, '%s' (%s)", ranksText(ranks).c_str(),
                device().name.c_str(), idText(id).c_str()),
         "each rank needs a device of its own: the launcher or "
         "CUDA_VISIBLE_DEVICES must show the ranks of a host different ones, "
         "or all of them to each rank; for tests, PCC_SHARE_DEVICES=1 lets "
         "ranks share devices");
  }
  // All ranks wait until rank 0 has compared the devices.
  backend::maxOverRanks(0);
}

/// Compares the ranks whose stage uses cuDNN for attention.
static void requireSameDnn(const pcc_stage &stage) {
  int own = stage.n_attentions ? static_cast<int>(dnn().cudnnGetVersion()) : 0;
  int latest = backend::maxOverRanks(own);
  if (own && own != latest)
    fail(ExitDevice,
         format("this rank has cuDNN %s, another one has %s",
                versionText(own).c_str(), versionText(latest).c_str()),
         "versions choose different algorithms, and values that several "
         "ranks compute would diverge");
}

/// "'NVIDIA H100' of 132 multiprocessors, cuBLASLt 13.1.0, NCCL 2.28.9 and a
/// driver for CUDA 13.0".
static std::string ownText() {
  int cores = 0, nccl = 0;
  check(driver().cuDeviceGetAttribute(
            &cores, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device().number),
        "the query of a device attribute");
  cuda::nccl().ncclGetVersion(&nccl);
  return format("'%s' of %d multiprocessors, %s, NCCL %s and a driver for CUDA "
                "%s",
                device().name.c_str(), cores,
                backend::gemmText(PCC_F32).c_str(), versionText(nccl).c_str(),
                driverText(driver()).c_str());
}

void cuda::requireSameDevices(const pcc_stage &stage) {
  if (backend::size() == 1)
    return;
  char own[512] = "", first[512] = "";
  snprintf(own, sizeof(own), "%s", ownText().c_str());
  memcpy(first, own, sizeof(first));
  backend::broadcast(first, sizeof(first), 0);
  if (strcmp(own, first) != 0)
    fail(ExitDevice, format("this rank has %s, rank 0 has %s", own, first),
         "the libraries choose algorithms by the device and their version, a "
         "driver may compile kernels, and values that several ranks compute "
         "would "
         "diverge");
  requireSameDnn(stage);
  requireOwnDevices();
}
