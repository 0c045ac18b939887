// SPDX-License-Identifier: MIT
#include "ingest/rank_names.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <regex>
#include <vector>

namespace aaco {

namespace {

constexpr const char* kHint = "for rank0.json, rank1.json, ...: --rank-from 'rank([0-9]+)'";

std::optional<int64_t> rank_in(const std::string& name, const std::regex& pattern) {
  std::smatch found;
  int64_t rank = 0;
  if (!std::regex_search(name, found, pattern)) {
    return std::nullopt;
  }
  const std::string digits = found[1].str();
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  const bool whole = problem == std::errc() && end == digits.data() + digits.size() && rank >= 0;
  return whole ? std::optional(rank) : std::nullopt;
}

}  // namespace

Result<void> take_ranks_from_names(EventTable& events, const std::string& pattern) {
  std::vector<int64_t> ranks;
  try {
    const std::regex compiled(pattern, std::regex::ECMAScript);
    if (compiled.mark_count() == 0) {
      return Error{ErrorKind::kUsage, fmt::format("--rank-from {}: has no group in parentheses", pattern), kHint};
    }
    for (const TraceRecording& recording : events.recordings) {
      const auto rank = rank_in(recording.name, compiled);
      if (!rank) {
        return Error{ErrorKind::kUsage, fmt::format("--rank-from {}: finds no number in {}", pattern, recording.name),
                     kHint};
      }
      ranks.push_back(*rank);
    }
  } catch (const std::regex_error& error) {
    return Error{ErrorKind::kUsage, fmt::format("--rank-from {}: is no regular expression ({})", pattern, error.what()),
                 kHint};
  }
  for (Track& track : events.tracks) {
    track.rank = ranks[track.recording];
  }
  return {};
}

}  // namespace aaco
