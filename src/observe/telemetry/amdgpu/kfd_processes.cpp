// SPDX-License-Identifier: MIT
// Files: the kernel's drivers/gpu/drm/amd/amdkfd (kfd_topology.c, kfd_process.c).
#include "observe/telemetry/amdgpu/kfd_processes.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

#include "observe/telemetry/process_name.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

std::string word_in(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// "location_id 17152" is bus 0x43, device 0, function 0.
std::optional<std::string> address_in(const fs::path& properties) {
  std::ifstream file(properties);
  std::optional<int64_t> location, domain;
  for (std::string key, value; file >> key >> value;) {
    if (key == "location_id") {
      location = number_in(value);
    } else if (key == "domain") {
      domain = number_in(value);
    }
  }
  return !location || !domain ? std::nullopt
                              : std::optional(fmt::format("{:04x}:{:02x}:{:02x}.{}", *domain, *location >> 8 & 0xff,
                                                          *location >> 3 & 0x1f, *location & 7));
}

}  // namespace

std::map<std::string, std::string> kfd_devices(const fs::path& root) {
  std::map<std::string, std::string> devices;
  std::error_code error;
  for (const auto& node : fs::directory_iterator(root / "sys/class/kfd/kfd/topology/nodes", error)) {
    const std::string gpu_id = word_in(node.path() / "gpu_id");
    const auto address = address_in(node.path() / "properties");
    if (address && !gpu_id.empty() && gpu_id != "0") {  // 0 is a processor
      devices[*address] = gpu_id;
    }
  }
  return devices;
}

std::optional<std::vector<GpuProcessRow>> kfd_processes(const fs::path& root, const std::string& gpu_id) {
  std::error_code error;
  const fs::directory_iterator folders(root / "sys/class/kfd/kfd/proc", error);
  if (error) {
    return std::nullopt;
  }
  std::vector<GpuProcessRow> rows;
  for (const auto& folder : folders) {
    const auto process = number_in(folder.path().filename().string());
    const fs::path memory = folder.path() / ("vram_" + gpu_id);
    if (!process || !fs::exists(memory, error)) {
      continue;
    }
    GpuProcessRow& row = rows.emplace_back();
    row.process_id = *process;
    row.kind = GpuProcessKind::kCompute;
    row.memory_used_bytes = number_in(word_in(memory));
    row.name = process_name(root, *process);
  }
  std::sort(rows.begin(), rows.end(),
            [](const GpuProcessRow& a, const GpuProcessRow& b) { return a.process_id < b.process_id; });
  return rows;
}

}  // namespace aaco
