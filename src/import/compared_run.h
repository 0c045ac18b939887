// SPDX-License-Identifier: MIT
// One side of a comparison as a user names it: a baseline file or a session.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "analysis/documents/training_run_document.h"
#include "analysis/model_run/results.h"
#include "base/json_value.h"
#include "session/session.h"
#include "verdict/run_sample.h"

namespace aaco::imports {

struct ComparedRun {
  RunSample sample;
  JsonValue reference;                 // regress/baseline_ref.json: kind, path, id, hash
  std::optional<OpenSession> session;  // none for a baseline file
  std::optional<Analysis> analysis;
};

// The document of a training's session.
Result<TrainingRunDocument> load_training(const std::filesystem::path& bundle);

// A session: as find_session.
Result<ComparedRun> load_session(const std::filesystem::path& sessions_root, const std::string& text);

// A file is a baseline; all else is a session. kUsage when it is neither.
Result<ComparedRun> load_baseline_or_session(const std::filesystem::path& sessions_root, const std::string& text);

// Opens the session that a baseline file was saved from, where it still lies there unchanged. kUsage else.
Result<void> open_recorded_session(ComparedRun& run);

}  // namespace aaco::imports
