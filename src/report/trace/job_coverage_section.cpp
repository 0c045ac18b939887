// SPDX-License-Identifier: MIT
#include "report/trace/job_coverage_section.h"

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
#include "base/json.h"
#include "base/text/characters.h"

namespace aaco::report {

namespace {

// As PyTorch's profiler writes it; none where no recording says it, or they disagree: traces of several jobs.
std::optional<int64_t> ranks_of_job(const EventTable& events) {
  std::set<int64_t> sizes;
  for (const TraceMetadata& one : events.metadata) {
    if (events.strings[one.key] != "distributedInfo") {
      continue;
    }
    const Result<Json> info = parse_json(events.strings[one.value], "distributedInfo");
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
std::string numbers_text(const std::vector<int64_t>& ascending) {
  std::string text;
  for (size_t first = 0, last = 0; first < ascending.size(); first = last + 1) {
    for (last = first; last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1; ++last) {
    }
    text += fmt::format("{}{}", first == 0 ? "" : ", ", ascending[first]);
    text += last == first ? "" : fmt::format("{}{}", last == first + 1 ? ", " : "-", ascending[last]);
  }
  return text;
}

std::string shard_text(const TraceShard& shard) {
  const std::vector<int64_t> missing = missing_shards(shard);
  const std::string what = fmt::format("shard {} of the import that {} of job {} shared", shard.index,
                                       counted(shard.count, "process", "processes"), printable(shard.job));
  return missing.empty() ? fmt::format("{}: the only one that holds recordings\n", what)
                         : fmt::format("{}: what {} {} {} is in no figure here; `aaco trace sql` asks all\n", what,
                                       missing.size() == 1 ? "shard" : "shards", numbers_text(missing),
                                       missing.size() == 1 ? "holds" : "hold");
}

}  // namespace

Json job_coverage_json(const std::optional<TraceShard>& shard, const EventTable& events) {
  Json part;
  if (shard) {
    part = {{"job", shard->job}, {"index", shard->index}, {"count", shard->count}, {"missing", missing_shards(*shard)}};
  }
  const auto job = ranks_of_job(events);
  return {{"shard", std::move(part)}, {"ranks", ranks_of(events)}, {"ranks_of_job", job ? Json(*job) : Json()}};
}

std::string job_coverage_text(const std::optional<TraceShard>& shard, const EventTable& events) {
  std::string text = shard ? shard_text(*shard) : "";
  const std::vector<int64_t> ranks = ranks_of(events);
  const std::string list = fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", numbers_text(ranks));
  const auto job = ranks_of_job(events);
  if (job && !ranks.empty() && ranks.size() < static_cast<uint64_t>(*job)) {
    const uint64_t others = static_cast<uint64_t>(*job) - ranks.size();
    text += fmt::format("{} of a job of {}: {} in no figure here\n", list, *job,
                        others == 1 ? "the other is" : fmt::format("the other {} are", others));
  } else if (shard && !ranks.empty()) {
    text += fmt::format("holds {}\n", list);
  } else if (shard) {
    text += "which ranks it holds is not recorded\n";
  }
  return text;
}

}  // namespace aaco::report
