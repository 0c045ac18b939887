// SPDX-License-Identifier: MIT
#include "kind/observation/rank/process_rank.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

#include "base/json/json.h"
#include "base/text/number_text.h"
#include "device/observe_variables.h"

namespace aaco {

AACO_JSON_FIELDS(ProcessRank, rank, local_rank, world_size, variable, conflict)

namespace {

std::optional<int64_t> value_of(std::string_view environment, const char* name) {
  const std::string_view wanted = name != nullptr ? name : "";
  while (!environment.empty()) {
    const std::string_view word = environment.substr(0, environment.find('\0'));
    if (!wanted.empty() && word.size() > wanted.size() && word.starts_with(wanted) && word[wanted.size()] == '=') {
      const std::optional<int64_t> number = number_of_text<int64_t>(word.substr(wanted.size() + 1));
      return number && *number >= 0 ? number : std::nullopt;
    }
    environment.remove_prefix(std::min(word.size() + 1, environment.size()));
  }
  return std::nullopt;
}

}  // namespace

ProcessRank rank_in(std::string_view environment) {
  ProcessRank result;
  for (const observe_variable::RankVariables& launcher : observe_variable::kLaunchers) {
    const std::optional<int64_t> rank = value_of(environment, launcher.rank);
    if (!rank) {
      continue;
    }
    if (!result.rank) {
      result.rank = rank;
      result.local_rank = value_of(environment, launcher.local_rank);
      result.world_size = value_of(environment, launcher.world_size);
      result.variable = launcher.rank;
    } else if (*rank != *result.rank) {
      result.conflict += fmt::format("{}{} is {}", result.conflict.empty() ? "" : ", ", launcher.rank, *rank);
    }
  }
  return result;
}

ProcessRank rank_of_process(int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid));
  const std::string environment{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return rank_in(environment);
}

}  // namespace aaco
