// SPDX-License-Identifier: MIT
// Any bytes as ONNX Runtime's profile: kernels that end no earlier than they begin, or an error with a hint.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/ort_profile.h"
#include "input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto profile = aaco::parse_ort_profile({reinterpret_cast<const char*>(data), size}, "input", {});
  if (!profile) {
    aaco::fuzz::require(!profile.error().message.empty() && !profile.error().hint.empty());
    return 0;
  }
  aaco::fuzz::require(profile->events >= static_cast<int64_t>(profile->kernels.size()));
  for (const aaco::KernelRow& kernel : profile->kernels) {
    aaco::fuzz::require(kernel.dur_ns >= 0 && kernel.t_end_ns >= kernel.t_start_ns);
  }
  return 0;
}
