// SPDX-License-Identifier: MIT
#include "verdict/identity/machines.h"

#include <vector>

#include "base/json/json.h"
#include "session/bundle/layout.h"
#include "verdict/identity/machine_difference.h"

namespace aaco::imports {

namespace {

namespace fs = std::filesystem;

std::vector<ConfigurationDifference> differences_of(const fs::path& baseline, const fs::path& test, bool on_gpu) {
  const Result<Json> a = read_json(baseline / layout::kEnvironment);
  const Result<Json> b = read_json(test / layout::kEnvironment);
  return a && b ? machine_differences(*a, *b, on_gpu) : std::vector<ConfigurationDifference>();
}

}  // namespace

std::string machine_difference(const fs::path& baseline, const fs::path& test, bool on_gpu) {
  return difference_list(differences_of(baseline, test, on_gpu));
}

std::string gpu_difference(const fs::path& baseline, const fs::path& test) {
  std::vector<ConfigurationDifference> differences = differences_of(baseline, test, true);
  std::erase_if(differences, [](const ConfigurationDifference& difference) { return difference.field != "gpus"; });
  return difference_list(differences);
}

}  // namespace aaco::imports
