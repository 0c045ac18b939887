// SPDX-License-Identifier: MIT
#include "kind/queue_probe/probes/clock_probe.h"

#include "kind/queue_probe/probes/spin_stamps.h"

namespace aaco {

Result<std::vector<KernelStamp>> probe_clock(Device& device) {
  constexpr size_t kKernels = 256;
  constexpr int64_t kShortest = 2'000;
  constexpr int64_t kStep = 7;  // prime, so that the lengths fall on different places within a step of the clock
  AACO_ASSIGN(std::unique_ptr<Stream> stream, device.make_stream(device.properties().lowest_priority));
  AACO_ASSIGN(SpinStamps stamps, SpinStamps::make(device, kKernels));
  AACO_TRY(stamps.clear(*stream));
  for (size_t i = 0; i < kKernels; ++i) {
    stream->launch(SpinArgs{stamps.of(i), kShortest + kStep * static_cast<int64_t>(i), 1});
  }
  return stamps.read(*stream, std::vector<int32_t>(kKernels, 0));
}

}  // namespace aaco
