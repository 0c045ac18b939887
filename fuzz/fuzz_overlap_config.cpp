// SPDX-License-Identifier: MIT
// Any bytes are a configuration of `aaco overlap`, or an error that says where; so is any override. What is one comes
// back from its JSON as it was, and is the request of a training or is refused, whatever its numbers are.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "input_file.h"
#include "kind/sharded/config/read_config.h"
#include "kind/sharded/config/sharded_request.h"

namespace {

using aaco::Json;
using aaco::fuzz::require;
using aaco::sharded::ConfigReading;
using aaco::sharded::ShardedRunConfig;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

void check(const aaco::Result<ConfigReading>& read, std::string_view place) {
  if (!read) {
    require(read.error().message.starts_with(place) && !read.error().hint.empty());
    return;
  }
  const std::string written = text_of(Json(read->config));
  const Json again = Json(aaco::parse_json(written, "written").value().get<ShardedRunConfig>());
  require(text_of(again) == written);
  aaco::sharded::RankPlace where;
  for (const int32_t ranks : {1, 2, 8}) {
    where.ranks = ranks;
    if (const auto request = aaco::sharded::sharded_config_of(read->config, where); !request) {
      require(!request.error().message.empty());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(aaco::sharded::read_sharded_run_config_text(text, "input", {}), "input");
  check(aaco::sharded::read_sharded_run_config_text("", "input", {std::string(text)}), "--override ");
  return 0;
}
