// SPDX-License-Identifier: MIT
// What a session that is being recorded has so far: its journals of iterations and events, read on from where the last
// look ended. The writers do not notice.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "record/journal/event_counts.h"
#include "record/journal/journal.h"

namespace aaco::serve {

struct IterationPoint {
  int64_t end_ns = 0;  // session time
  double latency_ms = 0;
};

struct EventRate {
  int64_t at_ns = 0;  // session time, of the look
  double kernels_per_s = 0;
};

struct RunningFigures {
  uint64_t iterations = 0;           // of all processes that are followed, in all phases
  size_t processes = 0;              // that have a journal
  std::vector<IterationPoint> last;  // the newest, in the order of time
  size_t event_journals = 0;
  EventCounts events;            // of all of them
  std::vector<EventRate> rates;  // between looks, the newest; the first look has none
};

class JournalFollower {
 public:
  static constexpr size_t kMostPoints = 512;

  // `has_ranks`: of iterations, rank 0's alone are followed (session/session_kind.h).
  JournalFollower(std::filesystem::path bundle, bool has_ranks) : bundle_(std::move(bundle)), has_ranks_(has_ranks) {}
  // A journal that cannot be read is left out until it can.
  RunningFigures look();

 private:
  struct FollowedJournal {
    std::optional<JournalReader> reader;
    uint64_t rows = 0;
  };
  void open_counter(const std::filesystem::path& path);
  void count_events(RunningFigures& figures);
  void follow(const std::filesystem::path& path, FollowedJournal& journal);

  std::filesystem::path bundle_;
  bool has_ranks_;
  std::map<std::filesystem::path, FollowedJournal> journals_;
  std::vector<IterationPoint> last_;
  std::map<std::filesystem::path, std::optional<EventJournalCounter>> counters_;  // none: a journal of rows
  std::vector<EventRate> rates_;
  int64_t looked_ns_ = 0;
  uint64_t kernels_before_ = 0;
};

}  // namespace aaco::serve
