// SPDX-License-Identifier: MIT
// The lockbox (env.json): what a measurement depended on, captured so that a diff years later knows what it compares.
// A fact that could not be had is the text "not available: <why>"; nothing is guessed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"
#include "observe/host_files.h"

namespace aaco {

struct EnvironmentOptions {
  std::optional<std::string> model_path;
  std::optional<std::string> model_sha256;
  std::map<std::string, std::string> libraries;  // name -> version, as the caller found them ("onnxruntime": "1.31.0")
  std::map<std::string, std::string> run;        // how the caller's run is held: "pin" -> "0-3", or "not pinned"
  HostFiles host;                                // where /proc and /sys are; tests give a folder
  bool run_tools = true;                         // git and nvidia-smi, each for at most some seconds
};

// Sections: captured_at, host, cpu, memory, kernel, container, limits, gpu_drivers, gpus, software, libraries, model,
// run, git, variables, load. verdict/identity/environment_diff.h says what each means to a comparison.
Json capture_environment(const EnvironmentOptions& options);

// Of the loaded NVIDIA driver, from sysfs or else from nvidia-smi (in a sandbox only the tool may know); none without
// one.
std::optional<std::string> nvidia_driver_version(const HostFiles& host, bool run_tools);

// True for environment variables that the lockbox keeps, by how their names begin.
bool variable_is_kept(std::string_view name);
// True where the name suggests a secret (KEY, TOKEN, SECRET, PASSWORD, ...): its value is written as "redacted".
bool variable_is_secret(std::string_view name);

}  // namespace aaco
