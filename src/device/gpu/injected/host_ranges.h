// SPDX-License-Identifier: MIT
// Ranges and marks that a program opens on its threads: as records on their way to the ring, and as the path of what is
// open on a thread at this moment. The calls come from the program's threads and wait for nobody but the flush.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/module_api.h"

namespace aaco::gpu {

// Numbers of texts, the same in the whole process: they stay as long as that does.
class RangeNames {
 public:
  static constexpr size_t kMost = size_t{1} << 16;
  static constexpr std::string_view kOther = "a range with another name (more than 65,536 were recorded)";

  uint32_t number(std::string_view text);
  // The same; of a new text kOther's, where there are kMost: a program may put a request's number into each.
  uint32_t number_within_limit(std::string_view text);
  std::string text(uint32_t number);
  // The sink's number.
  uint32_t interned(uint32_t number, const AacoSink& sink);
  // Another sink comes.
  void forget_interned() { interned_.clear(); }
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::mutex mutex_;  // one that reads and writes apart does not outlive a fork
  std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<const std::string*> texts_;
  std::vector<uint32_t> interned_;  // by number; kNoName: not yet. Of the one thread that hands over
};

// Who opened it.
enum class RangeSource : uint8_t {
  kNvtx,
  kModule,    // of PyTorch: its path, which has those of the modules around it
  kOperator,  // likewise, while a graph is captured
};

// Libraries of the process with NVTX built in that found ours.
uint64_t nvtx_library_count();

struct RangeCost {
  uint64_t ranges = 0;  // and marks
  uint64_t spent_ns = 0;
};

class HostRanges {
 public:
  static constexpr uint32_t kNoDomain = kNoName;

  // How many were open before. `domain`: a number of names(), or kNoDomain.
  int push(std::string_view name, uint32_t domain, RangeSource source = RangeSource::kNvtx);
  // The innermost of that domain and source: how many are open then, -1 where none was.
  int pop(uint32_t domain, RangeSource source = RangeSource::kNvtx);
  // `id` 0: the next free one is made. Another thread may end it.
  uint64_t start(std::string_view name, uint32_t domain, uint64_t id);
  void end(uint64_t id);
  void mark(std::string_view name, uint32_t domain);
  // What is open on the calling thread, the outermost first: "step 3 / layers.3.attention / scaled_dot_product". Of
  // modules only the innermost, whose name is a path already. Empty: nothing is open.
  std::string open_path();
  RangeNames& names() { return names_; }

  // What ended since the last call goes to the sink, and what is open once: should the program be killed, it is known
  // to have been. `wake` is told when much waits. One thread at a time.
  void hand_over(const AacoSink& sink);
  void on_much(void (*wake)(void*), void* self);
  // From now on, for a sink that has no names yet; what is open is told to it. At first it records by itself, for CUDA
  // may be initialised after NVTX.
  void record();
  // Nobody wants it any more, nor is `wake` told; paths are kept.
  void stop();
  RangeCost cost() const;

  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  struct OpenRange {
    uint64_t id = 0;
    uint64_t thread = 0;
    int64_t start_ns = 0;
    std::string name;  // gets a number when it is recorded
    uint32_t domain = kNoDomain;
    RangeSource source = RangeSource::kNvtx;
    bool told = false;
    bool inherited = false;  // opened before a fork, by the parent
  };
  struct Thread {
    std::mutex mutex;  // of what follows
    uint64_t id = 0;
    std::vector<OpenRange> open;
    std::vector<ActivityRecord> records;
    uint64_t lost = 0;
    bool is_gone = false;
    bool is_named = false;  // in the ring
  };
  struct ThreadEnd;

  // Of a thread that has ended, while nobody hands over.
  void forget_gone();
  Thread& own_thread();
  void keep(Thread& thread, const ActivityRecord& record);
  ActivityRecord record_of(const OpenRange& range, ActivityKind kind, int64_t end_ns);
  void count(int64_t began_ns);
  void forget_told();
  void tell_name(Thread& thread, const AacoSink& sink);
  void tell_open(std::span<OpenRange> open, std::vector<ActivityRecord>& into);
  void push_named(std::vector<ActivityRecord>& records, const AacoSink& sink);

  RangeNames names_;
  std::mutex threads_mutex_;
  std::vector<std::shared_ptr<Thread>> threads_;
  std::mutex started_mutex_;
  std::unordered_map<uint64_t, OpenRange> started_;
  std::atomic<uint64_t> next_id_ = 1;
  std::atomic<bool> recording_ = true;
  std::atomic<int64_t> since_ns_ = 0;  // what was open before starts then; 0: it recorded from the beginning
  std::atomic<bool> has_reader_ = false;
  std::atomic<uint64_t> range_count_ = 0;
  std::atomic<uint64_t> spent_ns_ = 0;
  std::atomic<void (*)(void*)> wake_ = nullptr;
  void* wake_self_ = nullptr;
};

// There is one in a process, never destroyed.
HostRanges& host_ranges();

}  // namespace aaco::gpu
