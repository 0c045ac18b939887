// SPDX-License-Identifier: MIT
// Events of perf_event_open and the buffers that they share, one per processor.
#pragma once

#include <cstdint>
#include <functional>
#include <linux/perf_event.h>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"

namespace aaco {

class PerfBuffers {
 public:
  // Switches, forks, names and page faults of a thread (0: the calling one) and of all that it starts from now on.
  // Errors: kUnavailable.
  Result<void> add_thread(int thread);
  PerfBuffers() = default;
  PerfBuffers(const PerfBuffers&) = delete;
  PerfBuffers& operator=(const PerfBuffers&) = delete;
  ~PerfBuffers();

  // Whole records, those of a processor in the order in which it wrote them.
  void read(const std::function<void(std::span<const std::byte>)>& take);

 private:
  struct Buffer {
    int event = -1;  // the one whose buffer it is
    void* map = nullptr;
    size_t bytes = 0;  // of the data behind the first page
  };
  // The error of the system, where there is one.
  std::optional<int> open_buffer(int thread, int processor);

  std::vector<Buffer> buffers_;
  std::vector<int> events_;
  std::vector<std::byte> wrapped_;  // a record that goes over the buffer's end
};

}  // namespace aaco
