// SPDX-License-Identifier: MIT
#include "guard/command/interleaved_commands.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "base/clock.h"

namespace aaco {

Result<int64_t> InterleavedCommands::warm_up(int64_t runs) {
  int64_t longest_ns = 0;
  for (int64_t i = 0; i < runs; ++i) {
    const int64_t start_ns = monotonic_ns();
    for (const TimedCommand* side : {&baseline_, &test_}) {
      AACO_ASSIGN([[maybe_unused]] const ProcessTimes unused, time_process(side->arguments));
    }
    longest_ns = std::max(longest_ns, monotonic_ns() - start_ns);
  }
  return longest_ns;
}

Result<bool> InterleavedCommands::measure(int64_t pairs, int64_t end_ns, const PairProgress& progress) {
  if (!first_pair_) {
    first_pair_ = processor_times(HostFiles(), {});
  }
  while (static_cast<int64_t>(test_.processes.size()) < pairs) {
    if (monotonic_ns() >= end_ns) {
      return false;
    }
    const bool test_first = test_.processes.size() % 2 == 1;
    // Of a pair both are kept or none.
    std::array<ProcessTimes, 2> times;
    for (const bool is_test : {test_first, !test_first}) {
      AACO_ASSIGN(times[is_test ? 1 : 0], time_process((is_test ? test_ : baseline_).arguments));
    }
    baseline_.processes.push_back(times[0]);
    test_.processes.push_back(times[1]);
    if (progress) {
      progress(static_cast<int64_t>(baseline_.processes.size() + test_.processes.size()));
    }
  }
  return true;
}

std::optional<double> InterleavedCommands::others_share() const {
  std::vector<ProcessTimes> of_both = baseline_.processes;
  std::ranges::copy(test_.processes, std::back_inserter(of_both));
  return others_share_since(first_pair_, of_both);
}

}  // namespace aaco
