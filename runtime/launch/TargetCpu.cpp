//===- TargetCpu.cpp - The processor that a program needs -----------------===//
//
// The runtime itself is compiled for any processor, and OpenBLAS selects its
// kernels when it starts; the compiled steps are for one processor. A missing
// instruction would end them by SIGILL, so the features are checked first.
//
//===----------------------------------------------------------------------===//

#include "runtime/launch/TargetCpu.h"

#include "runtime/Program.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#ifdef __x86_64__
#include <cpuid.h>
#endif

using namespace pcc;

static std::vector<std::string> split(const std::string &list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < list.size();) {
    size_t comma = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

#ifdef __x86_64__
namespace {
struct Feature {
  const char *name;
  unsigned leaf, subleaf;
  enum { eax, ebx, ecx, edx } where;
  int bit;
};
} // namespace

static const Feature known[] = {
#define PCC_CPU_FEATURE(name, leaf, subleaf, where, bit)                       \
  {name, leaf, subleaf, Feature::where, bit},
#include "runtime/CpuFeatures.def"
};

static bool hasBit(unsigned leaf, unsigned subleaf, int where, int bit) {
  unsigned registers[4] = {};
  return __get_cpuid_count(leaf, subleaf, &registers[0], &registers[1],
                           &registers[2], &registers[3]) &&
         registers[where] >> bit & 1;
}

/// Whether the system saves these registers, given by their bits in XCR0.
static bool savesRegisters(uint32_t bits) {
  if (!hasBit(1, 0, Feature::ecx, 27)) // OSXSAVE
    return false;
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & bits) == bits;
}

static bool has(const std::string &name) {
  for (const Feature &feature : known) {
    if (name != feature.name)
      continue;
    // The wider registers; features that use them imply one of these names.
    uint32_t registers = name == "avx"       ? 0x6
                         : name == "avx512f" ? 0xe6
                         : name == "egpr"    ? 1 << 19
                                             : 0;
    return hasBit(feature.leaf, feature.subleaf, feature.where, feature.bit) &&
           (!registers || savesRegisters(registers));
  }
  return true;
}

std::vector<std::string> pcc::missingFeatures(const std::string &features) {
  std::vector<std::string> missing;
  for (const std::string &name : split(features))
    if (!has(name))
      missing.push_back(name);
  return missing;
}

/// The most capable of LLVM's generic x86-64 processors that this one supports.
static const char *widestHere() {
  const std::pair<const char *, const char *> levels[] = {
      {"x86-64-v2", "sse3,ssse3,sse4.1,sse4.2,popcnt,cx16,sahf"},
      {"x86-64-v3", "avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe"},
      {"x86-64-v4", "avx512f,avx512bw,avx512cd,avx512dq,avx512vl"}};
  const char *widest = "x86-64";
  for (auto [name, features] : levels) {
    if (!missingFeatures(features).empty())
      break;
    widest = name;
  }
  return widest;
}
#else
std::vector<std::string> pcc::missingFeatures(const std::string &) {
  return {};
}
static const char *widestHere() { return "generic"; }
#endif

static const pcc_target *target() {
  const pcc_target *const volatile made = &pcc_the_target;
  return made;
}

void pcc::checkTargetCpu() {
  if (!target())
    return;
  std::string names;
  for (const std::string &name : missingFeatures(target()->features))
    names += (names.empty() ? "" : ", ") + name;
  if (!names.empty())
    fail(ExitDevice,
         "this processor lacks features that the program was compiled for: " +
             names,
         format("it was compiled for '%s'; pcc --target-cpu %s compiles one "
                "that runs here, and so does pcc on this machine",
                target()->cpu, widestHere()));
}

std::string pcc::targetCpuText() {
  if (!target())
    return "";
  std::string names;
  for (const std::string &name : split(target()->features))
    names += (names.empty() ? " with " : ", ") + name;
  return target()->cpu + names;
}
