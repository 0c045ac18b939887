// SPDX-License-Identifier: MIT
// Which of the streams that a workload is given does what. Roles (compute lanes, weight gradients, communication) get
// streams in turn until each has as many as it can use; with fewer streams than roles they share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload/program.h"

namespace aaco {

class StreamRoles {
 public:
  // wants[r]: the most streams that role r can use, at least 1.
  StreamRoles(int32_t streams, std::vector<int32_t> wants) : counts_(wants.size(), 0), firsts_(wants.size(), 0) {
    const auto roles = static_cast<int32_t>(wants.size());
    if (streams < roles) {
      for (int32_t role = 0; role < roles; ++role) {
        counts_[static_cast<size_t>(role)] = 1;
        firsts_[static_cast<size_t>(role)] = role % streams;
      }
      used_ = streams;
      return;
    }
    for (bool given = true; given && used_ < streams;) {
      given = false;
      for (size_t role = 0; role < wants.size() && used_ < streams; ++role) {
        if (counts_[role] < wants[role]) {
          ++counts_[role];
          ++used_;
          given = true;
        }
      }
    }
    for (size_t role = 1; role < wants.size(); ++role) {
      firsts_[role] = firsts_[role - 1] + counts_[role - 1];
    }
  }

  // Of the role's part number `part`: stream 0 to used() - 1.
  int32_t at(size_t role, int64_t part) const { return firsts_[role] + static_cast<int32_t>(part % counts_[role]); }
  int32_t count(size_t role) const { return counts_[role]; }
  int32_t used() const { return used_; }

 private:
  std::vector<int32_t> counts_;
  std::vector<int32_t> firsts_;
  int32_t used_ = 0;
};

// The streams first + 1 to first + count - 1 begin after what `first` was given so far. An iteration that begins with
// fork and ends with join may follow itself without a race, whatever its streams do in between.
inline void fork(Program& program, int32_t first, int32_t count) {
  if (count > 1) {
    const int32_t event = program.record(first);
    for (int32_t stream = first + 1; stream < first + count; ++stream) {
      program.wait(stream, event);
    }
  }
}

// `first` goes on after what the streams first + 1 to first + count - 1 were given so far.
inline void join(Program& program, int32_t first, int32_t count) {
  for (int32_t stream = first + 1; stream < first + count; ++stream) {
    program.after(first, stream);
  }
}

}  // namespace aaco
