// SPDX-License-Identifier: MIT
#include "kind/observation/programs/started_command.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/process/foreign_command.h"
#include "device/observe_variables.h"
#include "kind/observation/programs/command_environment.h"

namespace aaco {

namespace {

constexpr int kDrainEveryMs = 20;

// What the command finds in its environment beside ours.
std::vector<std::pair<std::string, std::string>> environment_of(const ObservationRequest& request,
                                                                const ObservationDocument& document,
                                                                const RingFolder& rings) {
  if (document.injection.empty()) {
    return {};
  }
  std::vector<std::pair<std::string, std::string>> environment =
      injecting_environment(request, document.injection, {document.chained_injection, document.chained_nvtx});
  environment.emplace_back(observe_variable::kFolder, rings.path().string());
  environment.emplace_back(observe_variable::kRingBytes, std::to_string(ring_bytes_of_environment()));
  environment.emplace_back(observe_variable::kBudget, std::to_string(request.budget_ppm));
  environment.emplace_back(observe_variable::kGraphs, request.whole_graphs ? kWholeGraphs : kGraphNodes);
  return environment;
}

}  // namespace

Result<void> observe_started(const ObservationRequest& request, const RingFolder& rings, RingDrain& drain,
                             const std::function<void(int64_t pid)>& meanwhile, ObservationDocument& document) {
  document.from_ns = monotonic_ns();
  AACO_ASSIGN(ForeignCommand command, ForeignCommand::start(request.command, environment_of(request, document, rings)));
  document.pid = command.pid();
  const int64_t until_ns =
      request.duration_s ? document.from_ns + static_cast<int64_t>(*request.duration_s * 1e9) : INT64_MAX;
  bool in_time = true;
  const Result<CommandEnd> end = command.wait(kDrainEveryMs, [&]() -> Result<void> {
    if (in_time && monotonic_ns() >= until_ns) {
      in_time = false;
      drain.stop();
    }
    if (in_time) {  // --duration is that of the host's samples too
      meanwhile(document.pid);
    }
    return drain.drain();
  });
  document.to_ns = monotonic_ns();
  if (!end) {
    return end.error();
  }
  document.exit_code = end->exit_code;
  document.signal = end->signal;
  document.interrupted = end->told != 0;
  document.interrupt_signal = end->told;
  document.user_seconds = end->user_seconds;
  document.system_seconds = end->system_seconds;
  document.peak_memory_bytes = end->peak_memory_bytes;
  return drain.drain();
}

}  // namespace aaco
