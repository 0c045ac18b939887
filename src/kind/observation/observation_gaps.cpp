// SPDX-License-Identifier: MIT
#include "kind/observation/observation_gaps.h"

#include <fmt/format.h>

#include "base/format.h"
#include "report/values.h"

namespace aaco {

std::string gaps_text(const ObservationDocument& document) {
  std::string text;
  if (const uint64_t missing = document.missing(); missing > 0) {
    const uint64_t all = document.events() + missing;
    text = fmt::format("{} of {} {} lost", report::format_count(static_cast<int64_t>(missing)),
                       report::format_count(static_cast<int64_t>(all)), all == 1 ? "event was" : "events were");
  }
  if (document.stopped_ns) {
    text += fmt::format("{}recording stopped after {} of {}", text.empty() ? "" : ", ",
                        format_duration_ns(static_cast<double>(*document.stopped_ns - document.from_ns)),
                        format_duration_ns(static_cast<double>(document.to_ns - document.from_ns)));
  }
  int64_t others_ns = 0;
  for (const ProcessRecording& process : document.processes) {
    for (const ObservationGap& gap : process.gaps) {
      others_ns += gap.until_ns - gap.from_ns;
    }
  }
  if (others_ns > 0) {
    text += fmt::format("{}another profiler had the records for {}", text.empty() ? "" : ", ",
                        format_duration_ns(static_cast<double>(others_ns)));
  }
  return text;
}

std::string nothing_text(const ObservationDocument& document) {
  if (!document.inner_sessions.empty()) {
    return "another aaco observe within the command has what it did with CUDA";
  }
  if (!document.wants_device_plane) {
    return "devices were not to be observed (--planes)";
  }
  if (document.is_recovered) {
    return "nothing of CUDA had been recorded when the observer was killed";
  }
  if (!document.no_device_reason.empty()) {
    return document.no_device_reason;
  }
  if (!document.attached_by.empty()) {
    return document.attached_by == kAttachedToHostOnly ? "the program did not load CUDA"
                                                       : "the program used no CUDA device";
  }
  return document.problems.empty()
             ? "no process that inherited aaco's environment used CUDA (in a container, or behind sudo or a daemon, "
               "run aaco in there)"
             : "processes that used CUDA could hand nothing over";
}

}  // namespace aaco
