// SPDX-License-Identifier: MIT
#include "kind/observation/observation_planes.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/clock.h"
#include "base/json/json.h"
#include "observe/cgroup.h"
#include "observe/host_files.h"
#include "session/bundle/layout.h"
#include "session/collected_tables.h"

namespace aaco {

namespace {

constexpr const char* kHostPlane = "processes";
constexpr const char* kGpuPlane = "telemetry_gpu";

}  // namespace

Result<PlaneChoice> parse_planes(std::string_view text) {
  PlaneChoice choice{false, false, false, false, false};
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    start = end + 1;
    if (word == "device") {
      choice.device = true;
    } else if (word == "host") {
      choice.host = true;
    } else if (word == "telemetry") {
      choice.telemetry = true;
    } else if (word == "kernel") {
      choice.kernel = true;
    } else {
      return Error{ErrorKind::kUsage, fmt::format("--planes: there is no plane \"{}\"", word),
                   "name some of device, host, kernel, telemetry"};
    }
  }
  return choice;
}

PlaneWatch::PlaneWatch(const PlaneChoice& choice, SessionWriter& session, bool was_started)
    : choice_(choice), was_started_(was_started) {
  auto& planes = session.info().planes;
  planes[kHostPlane] =
      choice.host ? PlaneState{PlaneStatus::kRecorded, ""} : PlaneState{PlaneStatus::kNotRequested, ""};
  planes[kGpuPlane] = {PlaneStatus::kNotRequested, ""};
  if (choice.telemetry) {
    gpus_ = start(*find_collector("nvml"), {}, "all GPUs of the machine", session);
  }
  if (choice.kernel) {
    CollectorOptions options;
    options.measured_pid = &pid_;
    kernel_ = start(*find_collector("kernel"), options, "", session);
    if (kernel_) {
      planes[find_collector("kernel")->plane].reason = source_text(kernel_->plane().source.value_or(PlaneSource()));
      static_cast<void>(session.save());  // for one that is killed; what cannot be saved now fails at its close
    }
  }
}

std::unique_ptr<Telemetry> PlaneWatch::start(const CollectorInfo& collector, CollectorOptions options,
                                             const char* recorded, SessionWriter& session) {
  Result<std::unique_ptr<Telemetry>> started = Telemetry::start(session.path(), collector, std::move(options));
  PlaneState& state = session.info().planes[collector.plane];
  if (started) {
    state = {PlaneStatus::kRecorded, recorded};
    return std::move(*started);
  }
  const Error& error = started.error();
  state = {PlaneStatus::kUnavailable, error.message};
  if (choice_.by_name) {
    unrecorded_.push_back(fmt::format("{} was asked for and is not recorded: {}{}", collector.plane, error.message,
                                      error.hint.empty() ? "" : "; " + error.hint));
  }
  return nullptr;
}

void PlaneWatch::look(int64_t pid) {
  pid_ = pid;
  if (choice_.host) {
    if (!tree_) {
      tree_.emplace(pid, was_started_);
    }
    tree_->look(monotonic_ns());
  }
}

Result<void> PlaneWatch::store(SessionWriter& session, ObservationDocument& document) {
  if (tree_) {
    document.host = tree_->use();
    if (was_started_) {  // so that its control groups are those of aaco; another's are not asked for
      document.host->quota_processors = cgroup_limits(HostFiles()).processors;
    }
  }
  document.unrecorded_planes = unrecorded_;
  if (!gpus_ && !kernel_) {
    return {};
  }
  std::vector<CollectorPlane> planes;
  if (gpus_) {
    AACO_ASSIGN(const Telemetry::Outcome outcome, std::exchange(gpus_, nullptr)->stop());
    planes.push_back(outcome.plane);
    AACO_TRY(session.write_json_file(layout::kGpuSampler, outcome.cost));
  }
  if (kernel_) {
    AACO_ASSIGN(const Telemetry::Outcome outcome, std::exchange(kernel_, nullptr)->stop());
    planes.push_back(outcome.plane);
    const PlaneSource source = outcome.plane.source.value_or(PlaneSource());
    session.info().planes[outcome.plane.name].reason = source_text(source);
    if (!source.not_seen.empty()) {
      document.unrecorded_planes.push_back(
          fmt::format("{} is recorded in part, by {}", outcome.plane.name, source_text(source)));
    }
    AACO_TRY(session.write_json_file(layout::kKernelReader, outcome.cost));
  }
  AACO_TRY(session.write_json_file(layout::kCollectorPlanes, planes));
  CollectedRows rows;
  AACO_TRY(read_collected_journals(session.path(), rows, document.problems));
  return write_collected_tables(session, rows);
}

}  // namespace aaco
