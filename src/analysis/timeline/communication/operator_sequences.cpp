// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/operator_sequences.h"

#include <charconv>
#include <optional>
#include <string_view>

namespace aaco {

namespace {

std::optional<int64_t> number_in(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= 0 ? std::optional(number) : std::nullopt;
}

// 66 of ["", "66", "", "0"]; none where the second is no number: later versions have a pair there.
std::optional<int64_t> second_of(std::string_view json) {
  constexpr std::string_view kBegin = R"(["",)";
  if (!json.starts_with(kBegin)) {
    return std::nullopt;
  }
  json.remove_prefix(kBegin.size());
  const size_t open = json.find('"');
  const size_t close = open == json.npos ? json.npos : json.find('"', open + 1);
  return close == json.npos ? std::nullopt : number_in(json.substr(open + 1, close - open - 1));
}

std::optional<int64_t> number_of(const EventTable& events, size_t op) {
  std::optional<int64_t> of_inputs;
  for (size_t i = events.arguments.begin(op); i < events.arguments.end(op); ++i) {
    const Argument argument = events.arguments[i];
    const std::string_view key = events.strings[argument.key];
    const bool is_text = argument.type == ArgumentType::kText || argument.type == ArgumentType::kJson;
    if (key == "Seq") {
      return argument.type == ArgumentType::kInteger ? std::optional(static_cast<int64_t>(argument.bits))
             : is_text                               ? number_in(events.text_of(argument))
                                                     : std::nullopt;
    }
    if (key == "Concrete Inputs" && is_text) {
      of_inputs = second_of(events.text_of(argument));
    }
  }
  return of_inputs;
}

}  // namespace

OperatorSequences::Key OperatorSequences::key_of(size_t event) const {
  const Track& track = events_.tracks[events_.track[event]];
  return {track.recording, track.rank, events_.external_id[event]};
}

void OperatorSequences::find_operators() {
  std::optional<StringId> name;
  for (size_t id = 0; id < events_.strings.size() && !name; ++id) {
    if (events_.strings[static_cast<StringId>(id)] == "record_param_comms") {
      name = static_cast<StringId>(id);
    }
  }
  for (size_t i = 0; name && i < events_.size(); ++i) {
    if (events_.name[i] != *name || events_.external_id[i] == kNoId || events_.shape[i] != EventShape::kSlice) {
      continue;
    }
    if (const auto number = number_of(events_, i)) {
      const auto [entry, added] = numbers_.try_emplace(key_of(i), *number);
      entry->second = added || entry->second == *number ? *number : kNoId;
    }
  }
}

int64_t OperatorSequences::sequence(size_t kernel) {
  if (!is_searched_) {
    is_searched_ = true;
    find_operators();
  }
  if (events_.external_id[kernel] == kNoId) {
    return kNoId;
  }
  const auto number = numbers_.find(key_of(kernel));
  return number == numbers_.end() ? kNoId : number->second;
}

}  // namespace aaco
