// SPDX-License-Identifier: MIT
#include "observe/telemetry/nvml/nvml_processes.h"

#include <algorithm>
#include <fmt/format.h>

#include "observe/telemetry/process_name.h"

namespace aaco::nvml {

namespace {

using ListFunction = int (*)(Device, unsigned*, ProcessInfo*);

// Asked again with more room where the list grew meanwhile. Errors: the library's words.
Result<std::vector<ProcessInfo>> list(const Library& library, ListFunction function, const char* name, Device device) {
  if (function == nullptr) {
    return Error{ErrorKind::kUnavailable, fmt::format("the driver has no {}", name), ""};
  }
  std::vector<ProcessInfo> processes(16);
  for (int attempt = 0; attempt < 4; ++attempt) {
    auto count = static_cast<unsigned>(processes.size());
    const int status = function(device, &count, processes.data());
    if (status == kSuccess) {
      processes.resize(std::min<size_t>(count, processes.size()));
      return processes;
    }
    if (status != kInsufficientSize) {
      return Error{ErrorKind::kUnavailable, library.words(name, status), ""};
    }
    processes.resize(std::max<size_t>(count, processes.size()) * 2);
  }
  return Error{ErrorKind::kUnavailable, fmt::format("{}: the list grows faster than it is read", name), ""};
}

}  // namespace

std::optional<std::vector<GpuProcessRow>> processes_on(const Library& library, Device device, const std::string& root,
                                                       PlaneAccount<GpuProcessRow>& account) {
  struct Source {
    GpuProcessKind kind;
    ListFunction function;
    const char* name;
  };
  const Functions& call = library.call();
  std::vector<GpuProcessRow> rows;
  bool any = false;
  // MPS first: its clients are in the list of compute processes too.
  for (const Source& source :
       {Source{GpuProcessKind::kMps, call.mps_processes, "nvmlDeviceGetMPSComputeRunningProcesses_v3"},
        Source{GpuProcessKind::kCompute, call.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3"},
        Source{GpuProcessKind::kGraphics, call.graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3"}}) {
    const auto processes = list(library, source.function, source.name, device);
    if (!processes) {
      account.unread("process_id", processes.error().message);
      continue;
    }
    any = true;
    for (const ProcessInfo& process : *processes) {
      const bool listed = std::any_of(rows.begin(), rows.end(), [&](const GpuProcessRow& row) {
        return row.process_id == process.pid && row.kind != GpuProcessKind::kGraphics;
      });
      if (listed) {
        continue;
      }
      GpuProcessRow row;
      row.process_id = process.pid;
      row.kind = source.kind;
      if (process.memory == kNoLong) {
        account.unread("memory_used_bytes", fmt::format("{} gave NVML's mark of no value", source.name));
      } else {
        row.memory_used_bytes = static_cast<int64_t>(process.memory);
      }
      row.name = process_name(root, row.process_id);
      rows.push_back(std::move(row));
    }
  }
  return any ? std::optional(std::move(rows)) : std::nullopt;
}

}  // namespace aaco::nvml
