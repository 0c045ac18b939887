// SPDX-License-Identifier: MIT
// Timelines of sessions that are still being recorded. An index holds what there was when it was made; a newer one is
// made only when somebody asks for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/result.h"
#include "serve/children/child_pool.h"
#include "serve/timeline/timeline_index.h"

namespace aaco::serve {

class GrowingTimelines {
 public:
  using Index = std::shared_ptr<const TimelineIndex>;
  using IndexUser = std::function<void(const Result<Index>&)>;
  static constexpr int64_t kMostBehindNs = 1'000'000'000;

  explicit GrowingTimelines(ChildPool& children) : children_(children) {}
  GrowingTimelines(const GrowingTimelines&) = delete;
  GrowingTimelines& operator=(const GrowingTimelines&) = delete;

  // `newest`: one whose making began at most kMostBehindNs ago. Else the last, so that the numbers of its tracks hold.
  void find(const std::filesystem::path& bundle, bool newest, const IndexUser& user);

 private:
  static constexpr size_t kMost = 4;

  struct GrowingTimeline {
    Index index;
    int64_t read_ns = 0;  // what was recorded before is in it
    std::vector<IndexUser> waiting;
  };
  void build(const std::filesystem::path& bundle);
  void forget_oldest();

  ChildPool& children_;
  std::map<std::filesystem::path, GrowingTimeline> timelines_;
  uint64_t builds_ = 0;
};

}  // namespace aaco::serve
