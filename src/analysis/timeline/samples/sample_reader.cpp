// SPDX-License-Identifier: MIT
#include "analysis/timeline/samples/sample_reader.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

namespace aaco {

namespace {

bool is_category(std::string_view text) {
  return text == "PC_SAMPLING" || text == "pc_sample_host_trap" || text == "pc_sample_stochastic";
}

// Numbers beyond what an integer holds are texts.
std::optional<uint64_t> unsigned_of(const EventTable& events, const Argument& argument) {
  if (argument.type == ArgumentType::kInteger) {
    return argument.bits;
  }
  if (argument.type != ArgumentType::kText && argument.type != ArgumentType::kJson) {
    return std::nullopt;
  }
  const std::string_view text = events.text_of(argument);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

WaveOutcome outcome_of(const EventTable& events, const Argument& argument) {
  using enum WaveOutcome;
  switch (argument.type) {
    case ArgumentType::kInteger:
      return argument.bits == 0 ? kNotIssued : argument.bits == 1 ? kIssued : kNotRecorded;
    case ArgumentType::kTrue:
      return kIssued;
    case ArgumentType::kFalse:
      return kNotIssued;
    case ArgumentType::kText: {
      const std::string_view text = events.text_of(argument);
      return text == "true" || text == "True"     ? kIssued
             : text == "false" || text == "False" ? kNotIssued
                                                  : kNotRecorded;
    }
    default:
      return kNotRecorded;
  }
}

}  // namespace

SampleReader::Role SampleReader::role_of(std::string_view text) {
  if (is_category(text)) {
    return Role::kCategory;
  }
  struct Key {
    std::string_view text;
    Role role;
  };
  static constexpr Key kKeys[] = {
      {"Dispatch_Id", Role::kDispatch},
      {"dispatch_id", Role::kDispatch},
      {"record.dispatch_id", Role::kDispatch},
      {"dispatch_info.dispatch_id", Role::kDispatch},
      {"dispatch_data.dispatch_info.dispatch_id", Role::kDispatch},
      {"Wave_Issued_Instruction", Role::kIssued},
      {"record.wave_issued", Role::kIssued},
      {"Instruction_Type", Role::kType},
      {"record.inst_type", Role::kType},
      {"Stall_Reason", Role::kReason},
      {"record.snapshot.stall_reason", Role::kReason},
      {"Instruction_Comment", Role::kSource},
      {"record.pc.code_object_id", Role::kCodeObject},
      {"record.pc.code_object_offset", Role::kOffset},
      {"Wave_Count", Role::kWaves},
      {"record.wave_cnt", Role::kWaves},
      {"Exec_Mask", Role::kLanes},
      {"record.exec_mask", Role::kLanes},
  };
  const auto* position =
      std::find_if(std::begin(kKeys), std::end(kKeys), [&](const Key& key) { return key.text == text; });
  return position == std::end(kKeys) ? Role::kNone : position->role;
}

SampleReader::SampleReader(const EventTable& events) : events_(events) {
  for (size_t id = 0; id < events.strings.size() && !finds_any_; ++id) {
    finds_any_ = is_category(events.strings[static_cast<StringId>(id)]);
  }
  if (finds_any_) {
    roles_.resize(events.strings.size());
    for (size_t id = 0; id < roles_.size(); ++id) {
      roles_[id] = role_of(events.strings[static_cast<StringId>(id)]);
    }
  }
}

bool SampleReader::is_sample(size_t event) const {
  return events_.shape[event] == EventShape::kInstant && roles_[events_.category[event]] == Role::kCategory;
}

PcSample SampleReader::read(size_t event) const {
  PcSample sample;
  StringId type = kEmptyString;
  StringId reason = kEmptyString;
  const auto text_in = [](const Argument& argument) {
    return argument.type == ArgumentType::kText ? static_cast<StringId>(argument.bits) : kEmptyString;
  };
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    const Argument argument = events_.arguments[i];
    switch (roles_[argument.key]) {
      case Role::kDispatch:
        if (argument.type == ArgumentType::kInteger) {
          sample.dispatch = static_cast<int64_t>(argument.bits);
        }
        break;
      case Role::kIssued:
        sample.outcome = outcome_of(events_, argument);
        break;
      case Role::kType:
        type = text_in(argument);
        break;
      case Role::kReason:
        reason = text_in(argument);
        break;
      case Role::kSource:
        sample.source = text_in(argument);
        break;
      case Role::kCodeObject:
        sample.code_object = unsigned_of(events_, argument).value_or(0);
        break;
      case Role::kOffset:
        sample.offset = unsigned_of(events_, argument).value_or(0);
        break;
      case Role::kWaves:
        if (argument.type == ArgumentType::kInteger) {
          sample.active_waves = static_cast<int64_t>(argument.bits);
        }
        break;
      case Role::kLanes:
        sample.active_lanes = unsigned_of(events_, argument);
        break;
      case Role::kNone:
      case Role::kCategory:
        break;
    }
  }
  sample.cause = sample.outcome == WaveOutcome::kIssued      ? type
                 : sample.outcome == WaveOutcome::kNotIssued ? reason
                                                             : kEmptyString;
  return sample;
}

std::optional<int64_t> SampleReader::dispatch_of(size_t event) const {
  for (size_t i = events_.arguments.begin(event); i < events_.arguments.end(event); ++i) {
    const Argument argument = events_.arguments[i];
    if (roles_[argument.key] == Role::kDispatch && argument.type == ArgumentType::kInteger) {
      return static_cast<int64_t>(argument.bits);
    }
  }
  return std::nullopt;
}

}  // namespace aaco
