// SPDX-License-Identifier: MIT
// Processor cycles of a process that is about to start and of all that it starts, in user space (perf_event_open).
#pragma once

#include <optional>
#include <sys/types.h>
#include <utility>

namespace aaco {

// Counts from the process's next exec on. Where the kernel does not allow it, or the machine is virtual and has no
// counter, there is no count.
class CycleCounter {
 public:
  explicit CycleCounter(pid_t process);
  ~CycleCounter();
  CycleCounter(const CycleCounter&) = delete;
  CycleCounter& operator=(const CycleCounter&) = delete;
  CycleCounter(CycleCounter&&) = delete;
  CycleCounter& operator=(CycleCounter&&) = delete;

  // None too where the counter was lent to others meanwhile: a part of a count is no count.
  std::optional<double> cycles() const;

 private:
  int descriptor_ = -1;
};

}  // namespace aaco
