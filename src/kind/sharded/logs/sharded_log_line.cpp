// SPDX-License-Identifier: MIT
#include "kind/sharded/logs/sharded_log_line.h"

#include <cmath>
#include <fmt/format.h>
#include <initializer_list>

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"

namespace aaco::imports {

namespace {

constexpr const char* kHint = "a line is what one rank tells of one step";

Error wrong(const std::string& what) { return {ErrorKind::kUsage, what, kHint}; }

// As it stands in the line, cut where it is long.
std::string shown(const Json& value) {
  constexpr size_t kLongest = 40;
  return printable(shorten(json_text(value), kLongest));
}

// The number at `path`, none where the line does not have it.
Result<std::optional<double>> number_at(const Json& line, std::initializer_list<const char*> path) {
  const Json* at = &line;
  std::string name;
  for (const char* key : path) {
    if (at->is_null()) {
      return std::optional<double>();
    }
    if (!at->is_object()) {
      return wrong(fmt::format("{} is {}, not an object", name, shown(*at)));
    }
    if (!at->contains(key)) {
      return std::optional<double>();
    }
    at = &at->at(key);
    name += fmt::format("{}{}", name.empty() ? "" : ".", key);
  }
  if (at->is_null()) {
    return std::optional<double>();
  }
  if (!at->is_number() || !std::isfinite(at->get<double>())) {
    return wrong(fmt::format("{} is {}, not a number", name, shown(*at)));
  }
  return std::optional(at->get<double>());
}

}  // namespace

Result<ShardedLogLine> parse_sharded_log_line(std::string_view line, int64_t skip_steps) {
  const auto json = parse_json(line, "");
  if (!json) {
    return wrong(json.error().message.substr(2));  // without the source's colon
  }
  if (!json->is_object()) {
    return wrong("is no object");
  }
  ShardedLogLine read;
  AACO_ASSIGN(const auto step, number_at(*json, {"global_step"}));
  if (step && *step < static_cast<double>(skip_steps)) {
    read.skipped = true;
    return read;
  }
  AACO_ASSIGN(read.loss, number_at(*json, {"loss"}));
  AACO_ASSIGN(read.total_ms, number_at(*json, {"profile", "total_ms"}));
  AACO_ASSIGN(read.compute_ms, number_at(*json, {"profile", "overlap", "per_stream_ms", "compute"}));
  AACO_ASSIGN(read.communication_ms, number_at(*json, {"profile", "overlap", "per_stream_ms", "communication"}));
  AACO_ASSIGN(read.overlap_ms, number_at(*json, {"profile", "overlap", "overlap_ms", "compute_comm"}));
  AACO_ASSIGN(read.exposed_ms, number_at(*json, {"profile", "overlap", "exposed_communication_ms"}));
  read.has_profile = json->contains("profile") && json->at("profile").is_object();
  return read;
}

}  // namespace aaco::imports
