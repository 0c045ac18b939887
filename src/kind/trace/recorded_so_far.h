// SPDX-License-Identifier: MIT
// What a session that is still being recorded holds by now, as a trace: read from its journals, which their writers do
// not notice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "kind/trace/trace_source.h"

namespace aaco::imports {

struct RecordedSoFar {
  LoadedTrace trace;
  uint64_t left_out = 0;  // iterations that are older than those that are kept
};

// Of each process the newest iterations. A journal that cannot be read yet gives nothing. Errors: kUsage for a folder
// that is no session.
Result<RecordedSoFar> load_recorded_so_far(const std::filesystem::path& bundle, size_t most_iterations = 200'000);

}  // namespace aaco::imports
