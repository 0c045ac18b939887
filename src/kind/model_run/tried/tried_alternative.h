// SPDX-License-Identifier: MIT
// What an alternative gained (--try), and the document that the run's session keeps of all that were tried.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "base/statistics.h"
#include "session/session.h"

namespace aaco {

inline constexpr const char* kTriedDocument = "metrics/alternatives.json";

struct TriedAlternative {
  std::string name;
  std::filesystem::path bundle;
  int64_t batch = 0;
  double base_ns = 0;  // median over processes, an inference
  double ns = 0;
  int64_t pairs = 0;
  std::optional<RatioEstimate> time;  // of a sample: this over the run's, over pairs of processes, at 95 %
  std::string missing;                // why there is none
};

// "1.31x as fast (1.28 to 1.35)", "within the noise: ...", or why there is no figure.
std::string words_of_gain(const TriedAlternative& tried);

Json alternatives_json(const std::vector<TriedAlternative>& tried);
// Into the closed session of the run. Errors: of reading and of writing it.
Result<void> keep_alternatives(const std::filesystem::path& bundle, const std::vector<TriedAlternative>& tried);
// Empty where nothing was tried. Errors: kUsage for a damaged document.
Result<std::vector<TriedAlternative>> read_alternatives(const OpenSession& session);

}  // namespace aaco
