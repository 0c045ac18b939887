// SPDX-License-Identifier: MIT
// Any bytes are gates of `aaco guard`, or an error that says where. What are gates is judged, whatever their limits
// are.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "guard/gates/guard_gates.h"
#include "input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto gates = aaco::parse_gates(text, "input");
  if (!gates) {
    aaco::fuzz::require(gates.error().message.starts_with("input:") && !gates.error().hint.empty());
    return 0;
  }
  aaco::GuardEntry entry;
  aaco::GuardValue value;
  value.figure = "p99";
  value.unit = "ns";
  value.value = 1e6;
  entry.values.assign(3, value);
  for (const aaco::JudgedGate& gate : aaco::judge_gates(*gates, entry, {})) {
    aaco::fuzz::require(!gate.words.empty() && !gate.value_words.empty() && gate.value.has_value() >= gate.passed);
  }
  return 0;
}
