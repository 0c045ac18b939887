// SPDX-License-Identifier: MIT
#include "cli/queue/queue_flags.h"

#include <sstream>

#include "cli/command/key_value.h"

#include "device/backend.h"

namespace aaco {

DefaultDevice default_device() {
  for (Backend* backend : all_backends()) {
    if (std::string(backend->name()) == "cpu") {
      continue;
    }
    const auto count = backend->device_count();
    if (count && *count > 0) {
      const std::string id = std::string(backend->name()) + ":0";
      return {id, "no device was named: " + id + " is the first"};
    }
  }
  return {"cpu:0", "no device was named: cpu:0, since no GPU can be used here (aaco devices says why)"};
}

void add_queue_flags(cli::Command command, QueueFlags& flags) {
  QueueRequest& request = flags.request;
  request.scale = "auto";
  command
      .add_option("--device", flags.device,
                  "Devices, a rank each, as cuda:0 or cuda:0,cuda:1; default: the first accelerator, else the CPU")
      .type_name("ID,...");
  command.add_option("--iterations", request.iterations, {1, 100'000'000}, "Measured iterations a process")
      .capture_default_str();
  command.add_option("--warmup", request.warmup, {0, 1'000'000}, "Iterations before them").capture_default_str();
  command
      .add_option("--sync-mode", request.sync_mode,
                  "When the host waits: per_iteration, end_only, none (times the enqueueing alone)")
      .capture_default_str()
      .type_name("MODE");
  command
      .add_option("--dispatch", request.dispatch,
                  "single (one host thread), threads (one per stream), graph (captured once)")
      .capture_default_str()
      .type_name("MODE");
  command.add_option("--param", flags.parameters, "A workload's parameter: aaco queue list --verbose shows them")
      .type_name("KEY=VALUE");
  command
      .add_option(
          "--scale", request.scale,
          "Sizes that no --param gives: full (for an accelerator), cpu (an iteration of some milliseconds on two "
          "processors), auto (as the device is)")
      .one_of({"auto", "cpu", "full"})
      .capture_default_str();
  command.add_option("--processes", request.processes, {1, 1000}, "Fresh processes; a figure is the median over them")
      .capture_default_str();
  command.add_option("--ranks", request.emulated_ranks, {0, 1024},
                     "Ranks of collectives that are emulated where there is one device, which does the work of one of "
                     "them; 1: none, 0: what the workload has by default (aaco queue list --verbose)");
  command.add_option("--seed", request.seed, {}, "Of the initial values").capture_default_str();
  command.add_flag("--no-check", flags.no_check, "Do not verify what the workload computes before measuring");
  add_kernel_plane_flag(command, request.kernel_plane);
  command.rare({"--sync-mode", "--scale", "--ranks", "--seed", "--no-check"});
  add_sessions_folder(command, request.sessions);
}

void add_profile_flag(cli::Command command, QueueFlags& flags) {
  command.add_flag("--profile", flags.request.profile,
                   "For each measured process another one under the device's activity collector: launch delays, gaps, "
                   "concurrency, what that costs, and a trace in the bundle");
}

Result<QueueRequest> to_request(const QueueFlags& flags, const Invocation& invocation) {
  QueueRequest request = flags.request;
  request.command_line = invocation.command_line;
  request.check = !flags.no_check;
  AACO_ASSIGN(request.parameters, key_values("--param", flags.parameters));
  request.devices.clear();
  std::string devices = flags.device;
  if (devices.empty()) {
    const DefaultDevice chosen = default_device();
    devices = chosen.id;
    request.device_choice = chosen.why;
  }
  std::istringstream list(devices);
  for (std::string device; std::getline(list, device, ',');) {
    request.devices.push_back(device);
  }
  return request;
}

}  // namespace aaco
