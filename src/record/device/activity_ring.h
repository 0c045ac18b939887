// SPDX-License-Identifier: MIT
// Activity records on their way from a foreign program to aaco, through a file that both have mapped. The program
// stores into it and never waits; aaco empties it while the program runs, and what was stored is there also when the
// program is killed. A ring that is full counts what it cannot take. Names are stored once, before the first record
// that has them, and wait in the program where the ring is full: none is ever lost.
//
// The file is a page (ActivityRingPage) and slots of one size, which are used again and again: a record (80 bytes of
// ActivityRecord), or a part of a name. It lies in memory (/dev/shm) or in a folder, and its space is allocated at
// once.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/device/activity_record.h"

namespace aaco {

// How far the collector of a program is.
enum class RingState : uint32_t {
  kStarting,
  kRecording,
  kNotAvailable,   // the note says why
  kOtherProfiler,  // one was there before
  kEnded,          // flushed by the end of the program
};

// Nothing was recorded then: another profiler had the records.
struct RecordingGap {
  int64_t from_ns = 0;
  int64_t until_ns = 0;
};

struct ActivityRingPage {
  static constexpr std::array<char, 8> kMagic{'A', 'A', 'C', 'O', 'R', 'N', 'G', '1'};
  static constexpr size_t kBytes = 4096;
  static constexpr size_t kTextBytes = 512;

  std::array<char, 8> magic = kMagic;
  uint64_t slots = 0;
  uint64_t slot_bytes = 0;
  int64_t pid = 0;
  int64_t parent_pid = 0;
  int64_t made_ns = 0;                       // CLOCK_MONOTONIC, as all times
  std::atomic<uint64_t> written = 0;         // slots, since the ring was made
  std::atomic<uint64_t> read = 0;            // likewise, by aaco
  std::atomic<uint64_t> stored = 0;          // records
  std::atomic<uint64_t> lost = 0;            // records without room
  std::atomic<uint64_t> dropped = 0;         // by the collector, before they were records
  std::atomic<uint64_t> collector_ns = 0;    // that the collector took in the program's threads
  std::atomic<uint64_t> flush_ns = 0;        // of which for its own flushes
  std::atomic<uint64_t> cost_ns = 0;         // of both, what is in both once
  std::atomic<uint64_t> ranges = 0;          // of the program's, and marks
  std::atomic<uint64_t> ranges_ns = 0;       // that recording them took in the program's threads
  std::atomic<uint64_t> nvtx_libraries = 0;  // with NVTX built in, that came to tell theirs
  std::atomic<uint64_t> graph_named = 0;     // work of replayed graphs, by what is known of where it was captured
  std::atomic<uint64_t> graph_outside = 0;
  std::atomic<uint64_t> graph_unseen = 0;
  std::atomic<uint64_t> graph_ambiguous = 0;
  std::atomic<uint64_t> captures = 0;  // that a framework told of
  std::atomic<uint64_t> unwatched_captures = 0;
  std::atomic<uint64_t> compiled_captures = 0;
  std::atomic<uint64_t> modules_ns = 0;  // of the hook in Python, while captures ran
  std::atomic<uint64_t> operators_ns = 0;
  std::atomic<int64_t> last_flush_ns = 0;
  std::atomic<int64_t> other_since_ns = 0;  // another profiler took the records over then; 0: none has them
  std::array<RecordingGap, 32> gaps{};      // when others had them and gave them back; later ones widen the last
  std::atomic<uint32_t> gap_count = 0;
  std::atomic<uint32_t> stop = 0;  // by aaco: nothing more is wanted, and the collector goes away
  std::atomic<uint32_t> bell = 0;  // a futex: who has told the collector something rings it (record/device/bell.h)
  std::atomic<RingState> state = RingState::kStarting;
  std::array<char, kTextBytes> program{};   // its command line, as much as fits
  std::array<char, kTextBytes> note{};      // stored before `state`
  std::array<char, kTextBytes> launcher{};  // what the environment says of the rank, "RANK=3" and a zero each
};
static_assert(sizeof(ActivityRingPage) <= ActivityRingPage::kBytes);

struct ActivityRingSlot {
  enum What : uint32_t { kRecord = 1, kName, kNameGoesOn, kSpan };

  uint32_t what = 0;
  uint32_t size = 0;  // bytes of a name in this slot
  union {
    ActivityRecord record;  // of a span its times
    std::array<char, sizeof(ActivityRecord)> text;
  };
  ActivityRingSlot() : record() {}
};
static_assert(std::is_trivially_copyable_v<ActivityRingSlot>);

// The program's side: one thread at a time.
class ActivityRingWriter {
 public:
  // `file`: what comes to be there has its page filled. Errors: kResource, also where there is no space for all of it.
  static Result<std::unique_ptr<ActivityRingWriter>> create(const std::filesystem::path& file, size_t bytes,
                                                            std::string_view program);
  ActivityRingWriter(const ActivityRingWriter&) = delete;
  ActivityRingWriter& operator=(const ActivityRingWriter&) = delete;
  ~ActivityRingWriter();

  // The name's number in this ring, from 0 on.
  uint32_t add_name(std::string_view name);
  void add(std::span<const ActivityRecord> records);
  // From when to when it was recorded, of a recording with pauses. Waits for room, as names do.
  void add_span(int64_t start_ns, int64_t end_ns);
  ActivityRingPage& page() { return *page_; }
  void tell_launcher(std::string_view variables);
  void note(RingState state, std::string_view text);
  void add_gap(const RecordingGap& gap);

 private:
  ActivityRingWriter() = default;
  uint64_t room() const;
  void store(const ActivityRingSlot& slot);
  void store_waiting();

  ActivityRingPage* page_ = nullptr;
  ActivityRingSlot* slots_ = nullptr;
  size_t mapped_bytes_ = 0;
  uint64_t next_ = 0;  // slots stored, of which page_->written tells once a batch is whole
  uint32_t names_ = 0;
  std::deque<ActivityRingSlot> waiting_;  // for room
};

// aaco's side, which does not trust what the file says.
class ActivityRingReader {
 public:
  // Errors: kUsage for a file that is no such ring.
  static Result<std::unique_ptr<ActivityRingReader>> open(const std::filesystem::path& file);
  ActivityRingReader(const ActivityRingReader&) = delete;
  ActivityRingReader& operator=(const ActivityRingReader&) = delete;
  ~ActivityRingReader();

  // What was stored since the last call: names by their number, each once, and records in their order.
  using TakeName = std::function<void(std::string_view name)>;
  using TakeRecords = std::function<void(std::span<const ActivityRecord> records)>;
  using TakeSpan = std::function<void(int64_t start_ns, int64_t end_ns)>;
  // Errors: kUsage for slots that no writer stores; nothing more is read then.
  Result<void> read(const TakeName& take_name, const TakeRecords& take_records, const TakeSpan& take_span = {});
  const ActivityRingPage& page() const { return *page_; }
  // Nothing more is wanted: the collector goes away.
  void stop();

 private:
  ActivityRingReader() = default;

  std::filesystem::path path_;
  ActivityRingPage* page_ = nullptr;
  const ActivityRingSlot* slots_ = nullptr;
  size_t mapped_bytes_ = 0;
  uint64_t slot_count_ = 0;
  uint64_t next_ = 0;
  uint32_t names_ = 0;
  std::string name_;  // so far
  std::vector<ActivityRecord> batch_;
};

}  // namespace aaco
