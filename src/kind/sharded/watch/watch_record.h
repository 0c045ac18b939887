// SPDX-License-Identifier: MIT
// What a rank's watch says of itself, in a small mapped file beside the plan: the watches of the other ranks of this
// machine read it, and the parent when all have ended. What is there stays there when the process is killed.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "device/communicator.h"
#include "kind/sharded/watch/hang.h"

namespace aaco {

inline constexpr size_t kMostWatched = 4;  // communicators
inline constexpr size_t kRingSlots = 128;
inline constexpr size_t kMostSeenRanks = 64;

// A collective that was enqueued; 0 where a time is not known.
struct RingSlot {
  std::atomic<int64_t> sequence;  // 0: nothing is here, or it is being written
  std::atomic<int64_t> step;
  std::atomic<int64_t> communicator;
  std::atomic<int64_t> number;
  std::atomic<int64_t> count;
  std::atomic<Collective> collective;
  std::atomic<Dtype> dtype;
  std::atomic<int64_t> enqueued_ns;
  std::atomic<int64_t> started_ns;
  std::atomic<int64_t> done_ns;
};

// Another rank as the one that told saw it: it may go on before it ends.
struct RankSighting {
  char state = '\0';  // of its process, as /proc/PID/stat has it; 0: not seen
  int64_t steps_begun = 0;
  int64_t steps_done = 0;
};

// Of one process's life.
struct WatchRecord {
  std::atomic<int64_t> pid;
  std::atomic<int64_t> heartbeat_ns;
  std::atomic<int64_t> steps_begun;
  std::atomic<int64_t> steps_enqueued;
  std::atomic<int64_t> steps_done;
  std::atomic<TeardownStage> teardown;
  std::array<std::atomic<int32_t>, kMostWatched> begun;
  std::array<std::atomic<int32_t>, kMostWatched> done;
  std::atomic<int64_t> enqueued;  // collectives, the last one's sequence
  std::array<RingSlot, kRingSlots> ring;
  // What this rank has found, before it ends: the others say the same, rather than that this one has ended.
  std::atomic<int64_t> told_ns;  // 0: nothing
  std::atomic<int64_t> hung_rank;
  std::atomic<HangClass> hung_class;
  std::array<char, 512> text;
  std::array<RankSighting, kMostSeenRanks> seen;
  // Of its host thread, a line a call; "" and `no_stack` where there is none.
  std::atomic<int64_t> stack_taken;
  std::array<char, 16384> stack;
  std::array<char, 128> no_stack;
};

std::filesystem::path watch_record_path(const std::filesystem::path& folder, int64_t rank);

// A mapping of a rank's file; null where there is none yet.
class MappedRecord {
 public:
  MappedRecord() = default;
  // `make`: a new one, all zeros, to be written.
  MappedRecord(const std::filesystem::path& path, bool make);
  ~MappedRecord();
  MappedRecord(MappedRecord&& other) noexcept;
  MappedRecord& operator=(MappedRecord&& other) noexcept;
  MappedRecord(const MappedRecord&) = delete;
  MappedRecord& operator=(const MappedRecord&) = delete;

  WatchRecord* get() const { return record_; }

 private:
  WatchRecord* record_ = nullptr;
};

// The ring's collectives in their order.
std::vector<HungCollective> collectives_in(const WatchRecord& record);
// Of a text in a record.
template <size_t kSize>
void write_text(std::array<char, kSize>& to, const std::string& text) {
  to[text.copy(to.data(), kSize - 1)] = '\0';
}
template <size_t kSize>
std::string read_text(const std::array<char, kSize>& from) {
  return {from.data(), strnlen(from.data(), kSize)};
}

// The letter of /proc/PID/stat; '?' where there is no such process.
char process_state(int64_t pid);
// Its host has not enqueued its first step to the end; a null record: it has not come to be watched.
bool sets_up(const WatchRecord* record);
// As a rank of this machine, or another, sees it now; a null record: its set-up goes on.
WatchedRank watched_rank(int64_t rank, const WatchRecord* record, char state, size_t communicators);

}  // namespace aaco
