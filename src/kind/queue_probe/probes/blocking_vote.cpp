// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/blocking_vote.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"

namespace aaco {

namespace {

bool complete(const KernelStamp& kernel) { return kernel.start_ns >= 0 && kernel.end_ns > 0; }

}  // namespace

Result<ProbeVote> vote_behind(std::span<Stream* const> busy, Stream& last, SpinStamps& stamps,
                              const BlockingKernels& kernels) {
  AACO_TRY(stamps.clear(last));
  const int64_t before_ns = monotonic_ns();
  for (size_t i = 0; i < busy.size(); ++i) {
    busy[i]->launch(SpinArgs{stamps.of(2 * i), kernels.long_ns, 1});
    busy[i]->launch(SpinArgs{stamps.of(2 * i + 1), kernels.short_ns, 1});
  }
  last.launch(SpinArgs{stamps.of(2 * busy.size()), kernels.short_ns, 1});
  const int64_t enqueued_ns = monotonic_ns() - before_ns;
  for (Stream* stream : busy) {
    AACO_TRY(stream->synchronize());
  }
  AACO_TRY(last.synchronize());
  AACO_ASSIGN(const std::vector<KernelStamp> stamped, stamps.read(last, std::vector<int32_t>(2 * busy.size() + 1)));
  const KernelStamp& b = stamped.back();
  bool known = complete(b) && enqueued_ns < kernels.long_ns;  // no A1 began before the first launch
  int64_t first_end_ns = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < busy.size(); ++i) {
    known = known && complete(stamped[2 * i]);
    first_end_ns = std::min(first_end_ns, stamped[2 * i].end_ns);
  }
  return !known ? ProbeVote::kUnknown : b.start_ns >= first_end_ns ? ProbeVote::kWaited : ProbeVote::kRan;
}

}  // namespace aaco
