// SPDX-License-Identifier: MIT
// What `aaco overlap copy` is asked for: matrix products on one stream, a copy on another of high priority.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace aaco {

enum class CopyDirection : uint8_t { kDeviceToHost, kHostToDevice, kPeer };
const char* word_of(CopyDirection direction);  // "d2h", "h2d", "peer"

struct CopyRequest {
  std::string device = "cpu:0";
  std::string peer;  // device that peer copies go to; "": there are none
  std::vector<CopyDirection> directions;
  std::string precision;    // of the products: "fp32", "bf16"; "": as the device is
  int64_t matrix_size = 0;  // 0: 4096, on a CPU 256
  double copy_mb = 0;       // MiB; 0: 64, on a CPU 4
  int64_t products = 1;     // beside one copy
  int64_t rounds = 20;      // of each variant, in turns, in every process
  int64_t warmup = 3;
  int64_t processes = 5;
  uint64_t seed = 1;

  int64_t copy_bytes() const { return static_cast<int64_t>(copy_mb * (1 << 20)); }
};

void to_json(Json& json, const CopyRequest& request);
void from_json(const Json& json, CopyRequest& request);

// Sizes that are 0 become the device's, and directions are those that the devices have. Errors: kUsage.
Result<CopyRequest> complete_copy_request(CopyRequest request, const std::vector<std::string>& directions);

}  // namespace aaco
