// SPDX-License-Identifier: MIT
#include "ingest/rank_names.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <re2/re2.h>
#include <string_view>
#include <vector>

namespace aaco {

namespace {

constexpr const char* kHint = "for rank0.json, rank1.json, ...: --rank-from 'rank([0-9]+)'";

// Names are bytes, and so are patterns. RE2 takes time linear in the name, whatever the pattern: std::regex may never
// end, and needs the more stack the longer a name is.
RE2::Options options() {
  RE2::Options options(RE2::Latin1);
  options.set_log_errors(false);
  return options;
}

std::optional<int64_t> rank_in(const std::string& name, const RE2& pattern) {
  re2::StringPiece digits;
  int64_t rank = 0;
  if (!RE2::PartialMatch(name, pattern, &digits)) {
    return std::nullopt;
  }
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
  const bool whole = problem == std::errc() && end == digits.data() + digits.size() && rank >= 0;
  return whole ? std::optional(rank) : std::nullopt;
}

}  // namespace

Result<void> take_ranks_from_names(EventTable& events, const std::string& pattern) {
  std::vector<int64_t> ranks;
  const RE2 compiled(pattern, options());
  if (!compiled.ok()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--rank-from {}: is no regular expression ({})", pattern, compiled.error()),
                 fmt::format("{}; without (?=...), (?!...) and \\1", kHint)};
  }
  if (compiled.NumberOfCapturingGroups() == 0) {
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
  for (Track& track : events.tracks) {
    track.rank = ranks[track.recording];
  }
  return {};
}

}  // namespace aaco
