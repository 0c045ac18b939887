// SPDX-License-Identifier: MIT
// Any bytes either parse, and then survive a round trip, or are refused with a message and a hint.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json/json.h"
#include "input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed = aaco::parse_json({reinterpret_cast<const char*>(data), size}, "input");
  if (!parsed) {
    aaco::fuzz::require(!parsed.error().message.empty() && !parsed.error().hint.empty());
    return 0;
  }
  const std::string text = parsed->dump(2, ' ', false, aaco::Json::error_handler_t::replace);
  aaco::fuzz::require(aaco::parse_json(text, "written").has_value());
  return 0;
}
