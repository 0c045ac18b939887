// SPDX-License-Identifier: MIT
// From the rings of observed processes into journals of the session, while they run: a folder is watched, and each ring
// that appears in it is emptied, again and again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kind/observation/observation_document.h"
#include "record/device/activity_journal.h"
#include "record/device/activity_ring.h"
#include "record/events/event_table.h"

namespace aaco {

class RingDrain {
 public:
  // Journals go into `journals`, which is made, and take at most about `limit_bytes` together: what comes later is
  // counted, and the collectors are told to stop.
  static Result<RingDrain> create(std::filesystem::path rings, std::filesystem::path journals, int64_t limit_bytes);

  // Errors: those of a journal that cannot be made.
  Result<void> drain();
  // Nothing more is wanted, also of processes that come.
  void stop();
  bool limit_reached() const { return limit_reached_; }
  bool has_rings() const { return !recordings_.empty(); }
  // Every collector has flushed and gone, or its process has.
  bool is_quiet() const;
  // When that was, or the limit was reached.
  std::optional<int64_t> stopped_ns() const { return stopped_ns_; }
  // Of the closed journals.
  int64_t journal_bytes() const;

  // After the last drain: journals are closed, and what each process left is told. `at_end`: also of processes that
  // still run.
  Result<std::vector<ProcessRecording>> finish();
  // Of observers within the command.
  std::vector<std::string> inner_sessions() const;
  // Why processes have no ring.
  std::vector<std::string> problems() const;
  // All journals as one table, a recording each. Errors: the journals'.
  Result<void> read_events(EventTable& events) const;

 private:
  struct Recording {
    std::unique_ptr<ActivityRingReader> ring;
    std::unique_ptr<ActivityJournal> journal;
    std::filesystem::path journal_path;
    std::vector<StringId> names;                     // of the ring, as the journal numbers them
    std::map<uint64_t, ActivityRecord> open_ranges;  // by their number, with the journal's names
    std::vector<RecordedSpan> spans;
    ProcessRank rank;
    uint64_t events = 0;
    uint64_t bytes = 0;  // about, of the journal
    uint64_t beyond_limit = 0;
    std::string problem;      // of the ring: nothing more is read of it
    bool is_removed = false;  // its file, while it was recorded
  };

  RingDrain(std::filesystem::path rings, std::filesystem::path journals, int64_t limit_bytes)
      : rings_(std::move(rings)), journals_(std::move(journals)), limit_bytes_(limit_bytes) {}
  Result<void> find_rings();
  void drain_ring(Recording& recording);
  void look_for_file(const std::string& name, Recording& recording) const;
  static void push_open_ranges(Recording& recording);
  static Result<void> keep_steps(Recording& recording);

  std::filesystem::path rings_;
  std::filesystem::path journals_;
  int64_t limit_bytes_;
  bool limit_reached_ = false;
  std::optional<int64_t> stopped_ns_;
  std::map<std::string, Recording> recordings_;  // by the file's name
};

}  // namespace aaco
