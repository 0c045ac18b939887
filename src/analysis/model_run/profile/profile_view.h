// SPDX-License-Identifier: MIT
// The kernel rows of the profiled inferences, taken apart by inference. One kind of activity is looked at: device
// kernels where there are any, else what the host recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "record/recording.h"

namespace aaco {

struct ProfiledInference {
  int64_t process = 0;
  int64_t iter_idx = 0;
  std::vector<const KernelRow*> rows;  // into the recording
};

struct ProfileView {
  NodeActivity activity = NodeActivity::kUnknown;  // kUnknown without any row
  std::vector<ProfiledInference> inferences;       // with at least one row, by process and iteration
  int64_t stray_rows = 0;                          // rows of no profiled iteration, or with impossible times: left out
};

ProfileView profile_view(const Recording& recording);

// False for times that no session has (a damaged bundle): before the clock's start, reversed, or so late that
// arithmetic on them could overflow.
bool is_plausible(int64_t start_ns, int64_t end_ns);

// A GPU run whose device activity was not recorded: what only it can tell is "no data".
bool lacks_device_activity(const Recording& recording);

}  // namespace aaco
