// SPDX-License-Identifier: MIT
// aaco baseline: sessions kept as files to compare with.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command/command.h"

namespace aaco {

struct SaveBaselineFlags {
  std::string name;  // "" for <model>_<backend>_b<batch>
  std::string session = "latest";
  std::string sessions_folder = "sessions";
  std::string baselines_folder = "baselines";
  bool force = false;
};

// Saves and gives the file's path. Errors: kInvalid for a session that nothing may be compared with (not complete, no
// measured latencies, outputs not finite).
Result<std::filesystem::path> save_baseline(const SaveBaselineFlags& flags);

// As a person reads it, or the file's JSON. `what`: a file, or a name in the folder.
Result<std::string> show_baseline(const std::string& baselines_folder, const std::string& what, bool json);
Result<std::string> list_baselines_text(const std::string& baselines_folder, bool json);

void add_baseline_command(cli::Command app, Invocation& invocation);

}  // namespace aaco
