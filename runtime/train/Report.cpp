//===- Report.cpp - The traffic of a step ---------------------------------===//

#include "runtime/train/Report.h"

#include "runtime/support/Error.h"
#include "runtime/telemetry/Gather.h"

#include <algorithm>

using namespace pcc;
using backend::Traffic;

std::vector<Traffic> pcc::trafficSince(const std::vector<Traffic> &before,
                                       std::vector<Traffic> now) {
  for (const Traffic &old : before)
    for (Traffic &kind : now)
      if (kind.kind == old.kind && kind.stream == old.stream) {
        kind.messages -= old.messages;
        kind.bytes -= old.bytes;
        kind.sent -= old.sent;
      }
  now.erase(std::remove_if(now.begin(), now.end(),
                           [](const Traffic &t) { return t.messages == 0; }),
            now.end());
  return now;
}

void pcc::writeReport(const std::string &path,
                      const std::vector<Traffic> &ofStep) {
  std::string text = format("  {\"rank\": %d, ", backend::rank()) +
                     backend::deviceReport() + "\"messages\": [";
  for (const Traffic &kind : ofStep)
    text += format("%s\n    {\"kind\": \"%s\", \"stream\": %d, \"count\": "
                   "%lld, \"bytes\": %lld, \"bytes_sent\": %lld}",
                   &kind == ofStep.data() ? "" : ",", kind.kind.c_str(),
                   kind.stream, static_cast<long long>(kind.messages),
                   static_cast<long long>(kind.bytes),
                   static_cast<long long>(kind.sent));
  writeGathered(path, "{\"step\": [\n", text + "]}", "\n]}\n");
}
