// SPDX-License-Identifier: MIT
#include "ingest/kineto/odd_values.h"

#include <algorithm>
#include <iterator>
#include <simdjson.h>
#include <string_view>

#include "ingest/chrome/argument_reader.h"
#include "ingest/chrome/members.h"

namespace aaco {

using chrome::RawEvent;
using chrome::RawType;
using chrome::RawValue;

namespace {

// Whether figures need an argument of that name.
bool is_needed(std::string_view key) {
  constexpr std::string_view kKeys[] = {
      "correlation",    "External id",    "external id", "device", "stream",
      "rank",           "name",           "bytes",       "dtype",  "Collective name",
      "In msg nelems",  "Out msg nelems", "Group size",  "Bytes",  "Process Group Name",
      "wait_on_stream", "Device Type",    "Device Id",   "Seq",    "wait_on_cuda_event_record_corr_id",
  };
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

}  // namespace

std::optional<int64_t> whole_number(const chrome::RawValue& value) {
  const std::string_view text = value.text;
  const size_t point = std::min(text.find('.'), text.size());
  const bool is_whole = text.find_first_not_of('0', std::min(point + 1, text.size())) == std::string_view::npos;
  return is_whole ? chrome::integer_of(text.substr(0, point)) : std::nullopt;
}

std::optional<Loss> loss_of_unread(const chrome::UnreadValue& value) {
  if (value.is_argument) {
    return is_needed(value.key) ? Loss::kBadField : Loss::kBadArgument;
  }
  if (value.key == "ts" || value.key == "dur") {
    return std::nullopt;
  }
  return chrome::member_of(value.key) != nullptr || value.key == "args" ? Loss::kBadField : Loss::kBadArgument;
}

bool says_nothing(const RawEvent& event) {
  const RawValue* const members[] = {&event.phase,  &event.category, &event.name,     &event.process,
                                     &event.thread, &event.time,     &event.duration, &event.id};
  return event.arguments.empty() && event.others.empty() &&
         std::all_of(std::begin(members), std::end(members),
                     [](const RawValue* member) { return member->type == RawType::kAbsent; });
}

std::optional<int64_t> rank_of_file(std::string_view json, bool& is_json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  int64_t rank = 0;
  std::string_view text;
  is_json = parser.parse(json.data(), json.size()).get(root) == simdjson::SUCCESS;
  if (is_json && root["rank"].get(rank) == simdjson::SUCCESS) {
    return rank;
  }
  return is_json && root["rank"].get(text) == simdjson::SUCCESS ? chrome::integer_of(text) : std::nullopt;
}

}  // namespace aaco
