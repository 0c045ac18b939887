// SPDX-License-Identifier: MIT
// `aaco observe`: a command of the user's is run, unchanged, or one that runs is attached to, and what its processes
// did on CUDA devices is a session.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kind/observation/observation_document.h"
#include "kind/observation/observation_planes.h"
#include "record/events/event_table.h"
#include "record/events/loss_table.h"
#include "session/session.h"

namespace aaco {

struct ObservationRequest {
  static constexpr int64_t kDefaultLimitBytes = int64_t{1} << 30;

  std::vector<std::string> command;  // empty: `pid`
  std::optional<int64_t> pid;        // of a program that runs already
  std::string sessions = "sessions";
  std::optional<double> duration_s;  // records so long; the command goes on to its end
  uint64_t limit_bytes = kDefaultLimitBytes;
  PlaneChoice planes;
  uint64_t budget_ppm = 0;    // of the time, that the collector may take; 0: no limit
  bool whole_graphs = false;  // a record for each replay of a CUDA graph, none for what runs within it
  // Names for kernels of replayed graphs, by a hook in the command's Pythons.
  bool modules = false;
  bool torch_operators = false;
  std::vector<std::string> command_line;
};

struct Observation {
  ObservationDocument document;
  LossTable losses;
};

// In the document and the session, from the processes that used CUDA.
void name_devices(SessionWriter& session, ObservationDocument& document);
// The tables of the trace, and of its analyses where there is time and room for them.
Result<LossTable> write_observed_events(SessionWriter& session, const EventTable& events,
                                        const ObservationDocument& document);
// Of the library in each process: what AACO_OBSERVE_RING_BYTES says, where it says something.
uint64_t ring_bytes_of_environment();
// Becomes the command, with the library asleep in each process that uses CUDA. Returns an error only: kUsage,
// kUnavailable.
Error become_dormant(const ObservationRequest& request);

// `closing` is told once the command has ended. Errors: kUsage where it cannot be run, kUnavailable where there is no
// library to inject; those of the session.
Result<Observation> observe_command(const ObservationRequest& request, const std::function<void()>& closing);

}  // namespace aaco
