// SPDX-License-Identifier: MIT
#include "device/gpu/lockstep/block.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <sched.h>
#include <span>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "device/gpu/lockstep/fiber.h"

namespace aaco::gpu::lockstep {
namespace {

constexpr uint32_t kLanes = AACO_LOCKSTEP;
constexpr uint32_t kMostThreads = 1024;
constexpr uint64_t kStackEnd = 0x5afe57ac5afe57acU;

enum class State : uint8_t { kReady, kAtWave, kAtBlock, kEnded };

// Thrown in threads of a block that has failed; no std::exception, which a kernel might catch.
struct BlockAbort {};

struct Lane : Thread {
  Fiber fiber;
  State state = State::kReady;
  const char* primitive = "";
  Site site;
  uint64_t bits = 0;    // given, then received
  int32_t source = -1;  // of a shuffle
  bool abandoned = false;
};

std::string place_of(const Lane& lane) {
  const char* slash = std::strrchr(lane.site.file_name(), '/');
  const char* file = slash != nullptr ? slash + 1 : lane.site.file_name();
  return "thread " + std::to_string(lane.index) + " waits at " + lane.primitive + " (" + file + ":" +
         std::to_string(lane.site.line()) + ")";
}

bool same_call(const Lane& a, const Lane& b) {
  return std::strcmp(a.primitive, b.primitive) == 0 && a.site.line() == b.site.line() &&
         a.site.column() == b.site.column() && std::strcmp(a.site.file_name(), b.site.file_name()) == 0;
}

// Stacks of one block's threads; blocks that run at the same time on several host threads have one each.
class Threads {
 public:
  Threads() : lanes_(kMostThreads) {
    void* memory = mmap(nullptr, kMostThreads * kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stacks_ = memory != MAP_FAILED ? static_cast<unsigned char*>(memory) : nullptr;
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    if (stacks_ != nullptr) {
      munmap(stacks_, kMostThreads * kStackBytes);
    }
  }

  std::string run(const Kernel& kernel, const Thread& thread, const void* args, bool descending);
  bool usable() const { return stacks_ != nullptr; }

 private:
  void start(Lane& lane, const Kernel& kernel, const void* args);
  bool run_wave(uint32_t wave);
  void meet_lanes(std::span<Lane> wave);
  void exchange(std::span<Lane> wave);
  void open_barrier();
  void abandon();
  void check_stacks();
  void fail(std::string why) {
    if (failure_.empty()) {
      failure_ = std::move(why);
    }
  }
  std::span<Lane> block() { return std::span(lanes_).first(count_); }

  std::vector<Lane> lanes_;
  unsigned char* stacks_ = nullptr;
  uint32_t count_ = 0;
  bool descending_ = false;
  std::string failure_;
};

// Kept from block to block.
class ThreadsPool {
 public:
  std::unique_ptr<Threads> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      return std::make_unique<Threads>();
    }
    auto threads = std::move(free_.back());
    free_.pop_back();
    return threads;
  }
  void give(std::unique_ptr<Threads> threads) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(threads));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Threads>> free_;
};

ThreadsPool& pool() {
  static ThreadsPool threads;
  return threads;
}

Lane& this_lane() { return static_cast<Lane&>(*this_thread); }

void leave(Lane& lane) {
  lane.fiber.leave();
  if (lane.abandoned) {
    throw BlockAbort{};  // NOLINT(bugprone-std-exception-baseclass)
  }
}

void wait_at(Lane& lane, State state, const char* primitive, const Site& site) {
  lane.state = state;
  lane.primitive = primitive;
  lane.site = site;
  leave(lane);
}

void Threads::start(Lane& lane, const Kernel& kernel, const void* args) {
  lane.state = State::kReady;
  lane.abandoned = false;
  unsigned char* stack = stacks_ + lane.index * kStackBytes;
  std::memcpy(stack, &kStackEnd, sizeof(kStackEnd));
  lane.fiber.start(stack, [this, &lane, &kernel, args] {
    try {
      if (!lane.abandoned) {
        kernel.invoke(args);
        if (lane.behind) {
          fail("thread " + std::to_string(lane.index) + " ended without a wait for what was launched before");
        }
      }
    } catch (const BlockAbort&) {  // NOLINT(bugprone-empty-catch): its block has failed already
    } catch (...) {
      fail("thread " + std::to_string(lane.index) + " threw an exception");
    }
    lane.state = State::kEnded;
  });
}

std::string Threads::run(const Kernel& kernel, const Thread& thread, const void* args, bool descending) {
  count_ = thread.block_size;
  descending_ = descending;
  failure_.clear();
  for (uint32_t i = 0; i < count_; ++i) {
    static_cast<Thread&>(lanes_[i]) = thread;
    lanes_[i].index = i;
    start(lanes_[i], kernel, args);
  }
  const uint32_t waves = (count_ + kLanes - 1) / kLanes;
  for (bool live = true; live && failure_.empty();) {
    bool ran = false;
    for (uint32_t i = 0; i < waves && failure_.empty(); ++i) {
      ran |= run_wave(descending_ ? waves - 1 - i : i);
    }
    live = false;
    for (const Lane& lane : block()) {
      live |= lane.state != State::kEnded;
    }
    if (live && !ran) {
      open_barrier();
    }
  }
  abandon();
  check_stacks();
  return std::exchange(failure_, {});
}

// Each of its threads that can run, once. False: none could.
bool Threads::run_wave(uint32_t wave) {
  const uint32_t first = wave * kLanes;
  const std::span<Lane> lanes = block().subspan(first, std::min(kLanes, count_ - first));
  bool ran = false;
  for (size_t i = 0; i < lanes.size(); ++i) {
    Lane& lane = lanes[descending_ ? lanes.size() - 1 - i : i];
    if (lane.state == State::kReady) {
      this_thread = &lane;
      lane.fiber.enter();
      ran = true;
    }
  }
  this_thread = nullptr;
  meet_lanes(lanes);
  return ran;
}

void Threads::meet_lanes(std::span<Lane> wave) {
  const Lane* first = nullptr;
  for (const Lane& lane : wave) {
    if (lane.state == State::kReady) {
      return;
    }
    if (lane.state == State::kEnded) {
      continue;
    }
    if (first == nullptr) {
      first = &lane;
    } else if (lane.state != first->state || (lane.state == State::kAtWave && !same_call(*first, lane))) {
      return fail("lanes of a wave diverged: " + place_of(*first) + ", " + place_of(lane));
    }
  }
  if (first != nullptr && first->state == State::kAtWave) {
    exchange(wave);
  }
}

// Every live lane of the wave is at the same primitive: each gets what it asked for.
void Threads::exchange(std::span<Lane> wave) {
  uint64_t received[kLanes] = {};
  uint64_t ballot = 0;
  for (size_t i = 0; i < wave.size(); ++i) {
    if (wave[i].state == State::kAtWave) {
      ballot |= (wave[i].bits & 1U) << i;
    }
  }
  for (size_t i = 0; i < wave.size(); ++i) {
    if (wave[i].state != State::kAtWave) {
      continue;
    }
    const auto source = static_cast<size_t>(wave[i].source);
    if (wave[i].source < 0) {
      received[i] = ballot;
    } else if (source >= wave.size() || wave[source].state != State::kAtWave) {
      return fail(place_of(wave[i]) + " for lane " + std::to_string(source) + ", which " +
                  (source >= wave.size() ? "the block does not have" : "has ended"));
    } else {
      received[i] = wave[source].bits;
    }
  }
  for (size_t i = 0; i < wave.size(); ++i) {
    if (wave[i].state == State::kAtWave) {
      wave[i].bits = received[i];
      wave[i].state = State::kReady;
    }
  }
}

// No thread can run and no wave has met: all that live are at sync_block.
void Threads::open_barrier() {
  const Lane* first = nullptr;
  for (const Lane& lane : block()) {
    if (lane.state == State::kAtBlock) {
      if (first != nullptr && !same_call(*first, lane)) {
        return fail("threads of a block are at different barriers: " + place_of(*first) + ", " + place_of(lane));
      }
      first = first != nullptr ? first : &lane;
    }
  }
  for (Lane& lane : block()) {
    if (lane.state == State::kAtBlock) {
      lane.state = State::kReady;
    }
  }
}

// After a failure: every thread that lives ends by an exception, so that what it holds is released.
void Threads::abandon() {
  for (Lane& lane : block()) {
    if (lane.state != State::kEnded) {
      lane.abandoned = true;
      this_thread = &lane;
      lane.fiber.enter();
    }
  }
  this_thread = nullptr;
}

void Threads::check_stacks() {
  for (const Lane& lane : block()) {
    uint64_t end = 0;
    std::memcpy(&end, stacks_ + lane.index * kStackBytes, sizeof(end));
    if (end != kStackEnd) {
      return fail("thread " + std::to_string(lane.index) + " overflowed its stack of " + std::to_string(kStackBytes) +
                  " bytes");
    }
  }
}

}  // namespace

constinit thread_local Thread* this_thread = nullptr;

uint64_t shuffle_bits(const char* primitive, uint64_t bits, int from_lane, const Site& site) {
  Lane& lane = this_lane();
  lane.bits = bits;
  lane.source = from_lane;
  wait_at(lane, State::kAtWave, primitive, site);
  return lane.bits;
}

uint64_t ballot_bits(bool set, const Site& site) {
  Lane& lane = this_lane();
  lane.bits = set ? 1 : 0;
  lane.source = -1;
  wait_at(lane, State::kAtWave, "ballot", site);
  return lane.bits;
}

void meet_wave(const Site& site) {
  Lane& lane = this_lane();
  lane.bits = 0;
  lane.source = -1;
  wait_at(lane, State::kAtWave, "sync_wave", site);
}

void meet_block(const Site& site) { wait_at(this_lane(), State::kAtBlock, "sync_block", site); }

uint64_t clock_after_others() {
  sched_yield();
  leave(this_lane());
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

void begin_copy(const PendingCopy& copy) {
  std::memset(copy.to, 0xff, copy.bytes);
  this_thread->copies.push_back(copy);
}

void make_copies() {
  for (const PendingCopy& copy : std::exchange(this_thread->copies, {})) {
    if (copy.from != nullptr) {
      std::memcpy(copy.to, copy.from, copy.bytes);
    } else {
      std::memset(copy.to, 0, copy.bytes);
    }
  }
}

std::string run_block(const Kernel& kernel, const Thread& thread, const void* args, bool descending) {
  auto threads = pool().take();
  if (!threads->usable()) {
    return "no memory for the stacks of a block";
  }
  std::string failure = threads->run(kernel, thread, args, descending);
  pool().give(std::move(threads));
  return failure;
}

}  // namespace aaco::gpu::lockstep
