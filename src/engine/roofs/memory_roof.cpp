// SPDX-License-Identifier: MIT
#include "engine/roofs/memory_roof.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/format.h"
#include "engine/orchestrator.h"
#include "engine/roofs/host_roofs.h"

namespace aaco {

namespace {

constexpr int64_t kFullNs = 100'000'000;
constexpr int64_t kMostRepeats = 10'000;
constexpr int kRounds = 3;
constexpr int64_t kThreads = 1;  // of the CPU device's streams

// Bytes a second of `enqueue`, which moves so many: the fastest of a few rounds.
Result<double> fastest(Stream& stream, double bytes, const std::function<void()>& enqueue) {
  const auto time = [&](int64_t repeats) -> Result<int64_t> {
    AACO_TRY(stream.synchronize());
    const int64_t begun = monotonic_ns();
    for (int64_t i = 0; i < repeats; ++i) {
      enqueue();
    }
    AACO_TRY(stream.synchronize());
    return std::max<int64_t>(monotonic_ns() - begun, 1);
  };
  AACO_ASSIGN([[maybe_unused]] const int64_t first, time(1));
  AACO_ASSIGN(const int64_t once, time(1));
  const int64_t repeats = std::clamp<int64_t>(kFullNs / once, 1, kMostRepeats);
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    AACO_TRY(check_interrupt());
    AACO_ASSIGN(const int64_t ns, time(repeats));
    best = std::max(best, bytes * static_cast<double>(repeats) / (static_cast<double>(ns) / 1e9));
  }
  return best;
}

}  // namespace

Result<MemoryRoof> measure_memory_roof(Device& device, int64_t array_bytes) {
  AACO_ASSIGN(const auto stream, device.make_stream(device.properties().lowest_priority));
  std::array<std::unique_ptr<Buffer>, 3> arrays;
  const auto elements = array_bytes / static_cast<int64_t>(sizeof(float));
  for (size_t i = 0; i < arrays.size(); ++i) {
    AACO_ASSIGN(arrays[i], device.allocate(static_cast<size_t>(array_bytes), MemoryKind::kDevice));
    stream->launch(RandomArgs{arrays[i]->data(), elements, i + 1, -1, 1, Dtype::kF32});
  }
  const BinaryArgs sum{arrays[0]->data(), arrays[1]->data(), arrays[2]->data(), elements, elements};
  const auto bytes = static_cast<double>(array_bytes);
  AACO_ASSIGN(const double added, fastest(*stream, 3 * bytes, [&] { stream->launch(sum); }));
  AACO_ASSIGN(const double copied, fastest(*stream, 2 * bytes, [&] {
                stream->copy(arrays[2]->data(), arrays[0]->data(), static_cast<size_t>(array_bytes));
              }));
  return MemoryRoof{std::max(added, copied),
                    fmt::format("{} arrays of {}, out of caches", copied > added ? "a copy of" : "a sum of two",
                                format_si(bytes, "B"))};
}

Result<FoundMemoryRoof> host_memory_roof(bool measure, const ProgressCallback& progress) {
  AACO_ASSIGN(const HostRoofs host, host_roofs(kThreads, measure, progress));
  const std::optional<Roofs>& roofs = host.roofs;
  if (roofs && roofs->threads != kThreads) {  // of more threads: no roof of one
    return FoundMemoryRoof{
        {}, host.note.empty() ? "not measured with one thread on this machine: run aaco doctor --measure" : host.note};
  }
  if (!roofs || !roofs->bytes_per_s) {
    const bool is_told = roofs && roofs->unavailable.contains("memory");
    return FoundMemoryRoof{{}, is_told ? roofs->unavailable.at("memory") : host.unavailable};
  }
  return FoundMemoryRoof{
      MemoryRoof{*roofs->bytes_per_s, fmt::format("a triad on {}, measured {}",
                                                  counted(roofs->threads, "thread", "threads"), roofs->measured_at)},
      ""};
}

}  // namespace aaco
