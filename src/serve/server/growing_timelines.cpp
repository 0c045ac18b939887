// SPDX-License-Identifier: MIT
#include "serve/server/growing_timelines.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/files/cache_folder.h"
#include "serve/answers/answer_roles.h"
#include "serve/timeline/timeline_tracks.h"

namespace aaco::serve {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kBuildLimitNs = int64_t{60} * 1'000'000'000;

}  // namespace

void GrowingTimelines::find(const fs::path& bundle, bool newest, const IndexUser& user) {
  GrowingTimeline& timeline = timelines_[bundle];
  const bool is_fresh = timeline.index && (!newest || monotonic_ns() - timeline.read_ns <= kMostBehindNs);
  if (is_fresh) {
    user(timeline.index);
    return;
  }
  timeline.waiting.push_back(user);
  if (timeline.waiting.size() == 1) {
    build(bundle);
  }
}

// The file is open when it loses its name: nothing of it is left when the server ends, however it ends.
void GrowingTimelines::build(const fs::path& bundle) {
  const fs::path file = cache_folder() / "timelines" / fmt::format("growing_{}_{}.index", ::getpid(), ++builds_);
  const int64_t start_ns = monotonic_ns();
  children_.start({.arguments = answer_command("timeline", {bundle.string(), file.string(), kGrowingSource}),
                   .limit_ns = kBuildLimitNs,
                   .done = [this, bundle, file, start_ns](const Result<std::string>& built) {
                     GrowingTimeline& timeline = timelines_[bundle];
                     const std::vector<IndexUser> waiting = std::exchange(timeline.waiting, {});
                     Result<Index> index = built ? TimelineIndex::open(file) : Result<Index>(built.error());
                     std::error_code ignored;
                     fs::remove(file, ignored);
                     if (index) {
                       timeline.index = *index;
                       timeline.read_ns = start_ns;
                     }
                     for (const IndexUser& user : waiting) {
                       user(index);
                     }
                     forget_oldest();
                   }});
}

void GrowingTimelines::forget_oldest() {
  while (timelines_.size() > kMost) {
    const auto oldest = std::ranges::min_element(timelines_, {}, [](const auto& known) {
      return known.second.waiting.empty() ? known.second.read_ns : INT64_MAX;
    });
    if (!oldest->second.waiting.empty()) {
      return;
    }
    timelines_.erase(oldest);
  }
}

}  // namespace aaco::serve
