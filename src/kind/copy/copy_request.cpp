// SPDX-License-Identifier: MIT
#include "kind/copy/copy_request.h"

#include <fmt/format.h>

#include "device/backend.h"

namespace aaco {

namespace {

Error usage(std::string what, std::string hint) { return {ErrorKind::kUsage, std::move(what), std::move(hint)}; }

Result<void> check_ranges(const CopyRequest& request) {
  struct Range {
    const char* flag;
    int64_t value;
    int64_t low;
    int64_t high;
  };
  for (const Range& range :
       {Range{"--matrix-size", request.matrix_size, 1, 65536}, Range{"--products", request.products, 1, 10000},
        Range{"--iterations", request.rounds, 1, 1'000'000}, Range{"--cold-iters", request.warmup, 0, 1'000'000},
        Range{"--processes", request.processes, 1, 1000}}) {
    if (range.value < range.low || range.value > range.high) {
      return usage(fmt::format("{} {}: not from {} to {}", range.flag, range.value, range.low, range.high),
                   "choose a number in that range");
    }
  }
  if (!(request.copy_mb <= 1 << 17) || request.copy_bytes() < 1) {
    return usage(fmt::format("--copy-mb {}: not a byte to 128 GiB", request.copy_mb), "choose a size in that range");
  }
  if (request.precision != "fp32" && request.precision != "bf16") {
    return usage(fmt::format("--precision {}: no such products here", request.precision), "choose fp32 or bf16");
  }
  return {};
}

}  // namespace

Result<CopyRequest> complete_copy_request(CopyRequest request, const std::vector<std::string>& directions) {
  AACO_TRY(backend_of(request.device));
  const bool on_cpu = request.device.starts_with("cpu");
  if (request.matrix_size == 0) {
    request.matrix_size = on_cpu ? 256 : 4096;
  }
  if (request.copy_mb == 0) {
    request.copy_mb = on_cpu ? 4 : 64;
  }
  if (request.precision.empty()) {
    request.precision = on_cpu ? "fp32" : "bf16";
  }
  request.directions.clear();
  for (const std::string& word : directions) {
    const auto direction = copy_direction_named(word);
    if (!direction) {
      return usage(fmt::format("--directions {}: there is no such direction", word), "choose of d2h, h2d, peer");
    }
    request.directions.push_back(*direction);
  }
  if (directions.empty()) {
    request.directions = {CopyDirection::kDeviceToHost, CopyDirection::kHostToDevice};
    if (!request.peer.empty()) {
      request.directions.push_back(CopyDirection::kPeer);
    }
  }
  for (const CopyDirection direction : request.directions) {
    if (direction == CopyDirection::kPeer && (request.peer.empty() || request.peer == request.device)) {
      return usage("a peer copy needs a second device", "name it: --peer cuda:1");
    }
  }
  AACO_TRY(check_ranges(request));
  return request;
}

}  // namespace aaco
