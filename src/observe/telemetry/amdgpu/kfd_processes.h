// SPDX-License-Identifier: MIT
// The processes that AMD's compute driver (KFD) knows on a device, with their memory on it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/gpu_process.h"

namespace aaco {

// The driver's number of each device (gpu_id) by PCI address, from the topology below `root`.
std::map<std::string, std::string> kfd_devices(const std::filesystem::path& root);

// Rows without time and device; none where the driver shows no folder of processes.
std::optional<std::vector<GpuProcessRow>> kfd_processes(const std::filesystem::path& root, const std::string& gpu_id);

}  // namespace aaco
