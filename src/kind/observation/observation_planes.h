// SPDX-License-Identifier: MIT
// What an observation records: the devices' activity, what the program takes of the host, the GPUs' clocks and power,
// what the kernel does with its threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/telemetry.h"
#include "kind/observation/observation_document.h"
#include "observe/processes/process_tree.h"
#include "observe/telemetry/collector.h"
#include "session/session.h"

namespace aaco {

struct PlaneChoice {
  bool device = true;
  bool host = true;
  bool telemetry = true;
  bool kernel = false;   // costs the program more than the others where it faults or switches much: only when asked for
  bool by_name = false;  // they were named, and are not those that are recorded by default
};
// "device,host": each word once or more. Errors: kUsage for another word.
Result<PlaneChoice> parse_planes(std::string_view text);

// Planes beside the devices' own, while a program is observed.
class PlaneWatch {
 public:
  // What cannot be had is said in the session's planes. `was_started`: by aaco; then its children are watched too.
  PlaneWatch(const PlaneChoice& choice, SessionWriter& session, bool was_started);
  // Each some milliseconds.
  void look(int64_t pid);
  // Errors: of what could not be stored.
  Result<void> store(SessionWriter& session, ObservationDocument& document);

 private:
  // Null where it cannot be had.
  std::unique_ptr<Telemetry> start(const CollectorInfo& collector, CollectorOptions options, const char* recorded,
                                   SessionWriter& session);

  PlaneChoice choice_;
  bool was_started_;
  std::vector<std::string> unrecorded_;
  std::optional<ProcessTree> tree_;
  std::unique_ptr<Telemetry> gpus_;
  std::atomic<int64_t> pid_{0};
  std::unique_ptr<Telemetry> kernel_;  // after the number that it reads
};

}  // namespace aaco
