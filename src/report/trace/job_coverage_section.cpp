// SPDX-License-Identifier: MIT
// How much of its job a trace holds: which ranks, of how many, and which shards of an import that was shared out.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json/json.h"
#include "report/trace/sections.h"

namespace aaco::report {

namespace {

// As PyTorch's profiler writes it; none where no recording says it, or they disagree: traces of several jobs.
std::optional<int64_t> ranks_of_job(const EventTable& events) {
  std::set<int64_t> sizes;
  for (const TraceMetadata& metadata : events.metadata) {
    if (events.strings[metadata.key] != "distributedInfo") {
      continue;
    }
    const Result<Json> info = parse_json(events.strings[metadata.value], "distributedInfo");
    const Json size = info && info->is_object() ? info->value("world_size", Json()) : Json();
    const std::string text = size.is_string() ? size.get<std::string>() : size.dump();  // some write it in quotes
    int64_t ranks = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
    if (error == std::errc() && end == text.data() + text.size()) {
      sizes.insert(ranks);
    }
  }
  return sizes.size() == 1 && *sizes.begin() > 0 ? std::optional(*sizes.begin()) : std::nullopt;
}

std::vector<int64_t> ranks_of(const EventTable& events) {
  std::set<int64_t> ranks;
  for (const Track& track : events.tracks) {
    if (track.rank != kNoId) {
      ranks.insert(track.rank);
    }
  }
  return {ranks.begin(), ranks.end()};
}

std::vector<int64_t> missing_shards(const TraceShard& shard) {
  std::vector<int64_t> missing;
  for (int64_t index = 0; index < std::min(shard.filled, shard.count); ++index) {
    if (index != shard.index) {
      missing.push_back(index);
    }
  }
  return missing;
}

// "0-3, 8"
std::string number_ranges(const std::vector<int64_t>& ascending) {
  std::string text;
  for (size_t first = 0, last = 0; first < ascending.size(); first = last + 1) {
    for (last = first; last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1; ++last) {
    }
    text += fmt::format("{}{}", first == 0 ? "" : ", ", ascending[first]);
    text += last == first ? "" : fmt::format("{}{}", last == first + 1 ? ", " : "-", ascending[last]);
  }
  return text;
}

void outline_shard(const TraceShard& shard, Outline& at) {
  const std::vector<int64_t> missing = missing_shards(shard);
  at.figure("held.shard.job", shard.job);
  at.figure("held.shard.index", shard.index);
  at.figure("held.shard.count", shard.count);
  at.figure("held.shard.missing", missing);
  at.aside("processes", counted(shard.count, "process", "processes"));
  at.aside("others", fmt::format("{} {} {}", missing.size() == 1 ? "shard" : "shards", number_ranges(missing),
                                 missing.size() == 1 ? "holds" : "hold"));
  at.say(fmt::format("shard {{held.shard.index}} of the import that {{processes}} of job {{held.shard.job}} shared: {}",
                     missing.empty() ? "the only one that holds recordings"
                                     : "what {others} is in no figure here; `aaco trace sql` asks all"));
}

}  // namespace

void outline_coverage(const TraceOrigin& origin, const EventTable& events, Outline& at) {
  if (origin.shard) {
    outline_shard(*origin.shard, at);
  } else {
    at.figure("held.shard", nullptr);
  }
  const std::vector<int64_t> ranks = ranks_of(events);
  const std::optional<int64_t> job = ranks_of_job(events);
  at.figure("held.ranks", ranks);
  at.figure("held.ranks_of_job", job);
  at.aside("list", fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", number_ranges(ranks)));
  if (job && !ranks.empty() && ranks.size() < static_cast<uint64_t>(*job)) {
    const uint64_t others = static_cast<uint64_t>(*job) - ranks.size();
    at.aside("rest", others == 1 ? "the other is" : fmt::format("the other {} are", others));
    at.say("{list} of a job of {held.ranks_of_job}: {rest} in no figure here");
  } else if (origin.shard) {
    at.say(ranks.empty() ? "which ranks it holds is not recorded" : "holds {list}");
  }
}

}  // namespace aaco::report
