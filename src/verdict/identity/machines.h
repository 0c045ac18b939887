// SPDX-License-Identifier: MIT
// Whether sessions whose documents do not name their machine were measured on one, by their lockboxes.
#pragma once

#include <filesystem>
#include <string>

namespace aaco::imports {

// What differs (verdict/identity/machine_difference.h), in words; empty where nothing does, and where a bundle has no
// lockbox. `on_gpu`: both ran on GPUs.
std::string machine_difference(const std::filesystem::path& baseline, const std::filesystem::path& test, bool on_gpu);

// Of the GPUs alone.
std::string gpu_difference(const std::filesystem::path& baseline, const std::filesystem::path& test);

}  // namespace aaco::imports
