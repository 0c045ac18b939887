// SPDX-License-Identifier: MIT
#include "kind/queue_run/document/workload_request.h"

#include <fmt/format.h>
#include <set>

#include "device/backend.h"
#include "workload/workload.h"

namespace aaco {

namespace {

Error bad_choice(const char* flag, const std::string& given, const char* choices) {
  return {ErrorKind::kUsage, fmt::format("{} {}: no such mode", flag, given), fmt::format("choose {}", choices)};
}

Result<void> check_range(const char* flag, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) {
    return Error{ErrorKind::kUsage, fmt::format("{} {}: not from {} to {}", flag, value, low, high),
                 "choose a value in that range"};
  }
  return {};
}

constexpr const char* kAuto = "auto";
constexpr const char* kCpu = "cpu";
constexpr const char* kFull = "full";

// Sizes for a CPU where it is one or they are asked for, but for those that the user gave.
Result<void> set_sizes(const WorkloadInfo& info, QueueRequest& request) {
  if (request.scale == kAuto) {
    AACO_ASSIGN(const Backend* backend, backend_of(request.devices.front()));
    request.scale = std::string_view(backend->name()) == kCpu ? kCpu : kFull;
  }
  if (request.scale != kCpu && request.scale != kFull) {
    return Error{ErrorKind::kUsage, fmt::format("--scale {}: no such sizes", request.scale),
                 "choose auto, cpu or full"};
  }
  if (request.scale == kCpu) {
    for (const Parameter& parameter : info.cpu_parameters) {
      request.parameters.emplace(parameter.name, parameter.default_value);
    }
  }
  return {};
}

}  // namespace

Result<SyncMode> sync_mode_of(const QueueRequest& request) {
  if (request.sync_mode == "per_iteration") {
    return SyncMode::kPerIteration;
  }
  if (request.sync_mode == "end_only") {
    return SyncMode::kEndOnly;
  }
  if (request.sync_mode == "none") {
    return SyncMode::kNone;
  }
  return bad_choice("--sync-mode", request.sync_mode, "per_iteration, end_only or none");
}

Result<DispatchMode> dispatch_mode_of(const QueueRequest& request) { return dispatch_mode_named(request.dispatch); }

Result<QueueRequest> complete_request(QueueRequest request) {
  if (request.profile && !request.with.empty()) {
    return Error{ErrorKind::kUsage, "--profile and --with: a session holds one trace", "give one of them"};
  }
  if (request.until && (request.profile || request.sync_mode == "none")) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--until and {}: {}", request.profile ? "--profile" : "--sync-mode none",
                             request.profile ? "profiled processes are paired with a number of others"
                                             : "no iteration is waited for, whose interval there would be"),
                 "give one of them"};
  }
  AACO_ASSIGN(const WorkloadInfo* info, find_workload(request.workload));
  request.workload = info->id;
  request.emulated_ranks = request.emulated_ranks == 0 ? info->emulated_ranks : request.emulated_ranks;
  AACO_TRY(sync_mode_of(request));
  AACO_TRY(dispatch_mode_of(request));
  AACO_TRY(check_range("--streams", request.streams, 1, kMostStreams));
  AACO_TRY(check_range("--iterations", request.iterations, 1, 100'000'000));
  AACO_TRY(check_range("--warmup", request.warmup, 0, 1'000'000));
  AACO_TRY(check_range("--processes", request.processes, 1, 1000));
  AACO_TRY(check_range("--ranks", request.emulated_ranks, 1, 1024));
  std::set<std::string> seen;
  for (const std::string& device : request.devices) {
    AACO_TRY(backend_of(device));
    if (!seen.insert(device).second) {
      return Error{ErrorKind::kUsage, fmt::format("--device {} is given twice", device), "name each device once"};
    }
  }
  AACO_TRY(set_sizes(*info, request));
  AACO_TRY(Parameters::make(info->parameters, request.parameters, info->id));
  return request;
}

std::string scale_note(const QueueRequest& request) {
  const auto info = find_workload(request.workload);
  if (request.scale != kCpu || !info) {
    return "";
  }
  std::string sizes;
  for (const Parameter& parameter : (*info)->cpu_parameters) {
    if (request.parameters.at(parameter.name) == parameter.default_value) {
      sizes += fmt::format("{}{}={}", sizes.empty() ? "" : ", ", parameter.name, parameter.default_value);
    }
  }
  return sizes.empty() ? "" : fmt::format("sizes for a CPU: {}; --scale full takes those for an accelerator", sizes);
}

}  // namespace aaco
