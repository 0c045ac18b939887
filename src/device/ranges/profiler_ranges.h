// SPDX-License-Identifier: MIT
// Named ranges of the calling thread, for profilers that listen: NVTX (nsys, ncu) and ROCTX (rocprofv3, rocprof-sys).
// Where none listens, nothing is called. A captured graph that is replayed has no ranges inside: no host code runs
// there that could open one.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace aaco {

struct RangeListener {
  const char* name;  // "NVTX"
  std::function<void(const char* range)> push;
  std::function<void()> pop;  // what the thread pushed last
};

class ProfilerRanges {
 public:
  ProfilerRanges() = default;
  explicit ProfilerRanges(std::vector<RangeListener> listeners) : listeners_(std::move(listeners)) {}
  // Of those that listen to this process; looked for once.
  static ProfilerRanges& of_process();

  bool listening() const { return !listeners_.empty(); }
  const std::vector<RangeListener>& listeners() const { return listeners_; }
  void push(const char* range) const {
    for (const RangeListener& listener : listeners_) {
      listener.push(range);
    }
  }
  void pop() const {
    for (const RangeListener& listener : listeners_) {
      listener.pop();
    }
  }

 private:
  std::vector<RangeListener> listeners_;
};

class ScopedRange {
 public:
  ScopedRange(const ProfilerRanges& ranges, const char* range) : ranges_(ranges.listening() ? &ranges : nullptr) {
    if (ranges_ != nullptr) {
      ranges_->push(range);
    }
  }
  ~ScopedRange() {
    if (ranges_ != nullptr) {
      ranges_->pop();
    }
  }
  ScopedRange(const ScopedRange&) = delete;
  ScopedRange& operator=(const ScopedRange&) = delete;

 private:
  const ProfilerRanges* ranges_;
};

// None where nothing was injected into the process (NVTX_INJECTION64_PATH), or where this program was built without
// NVTX's headers.
std::optional<RangeListener> nvtx_listener();
// None where no tool of ROCm's is in the process, or its library of markers is not there. *Compiled, tested on a
// double, not run on AMD.*
std::optional<RangeListener> roctx_listener();

}  // namespace aaco
