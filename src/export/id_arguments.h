// SPDX-License-Identifier: MIT
// Arguments by which readers of PyTorch's traces, ours too, join calls with kernels and find devices: where the trace
// knows that otherwise they are added, and what has such a name and says something else gets another.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "record/events/event_table.h"

namespace aaco {

class IdArguments {
 public:
  static constexpr std::string_view kOtherName = "source ";  // before such a name

  // `file_rank`: of all events without one of their own; kNoId.
  IdArguments(const EventTable& events, int64_t file_rank)
      : events_(events), file_rank_(file_rank), ids_of_keys_(events.strings.size(), kUnseen) {}

  void begin(size_t event);
  // Whether an argument of the event needs another name; all of the event are to be shown here, each once.
  bool says_otherwise(const Argument& argument);
  bool is_id(StringId key) { return id_of(key) < kIds && ids_[id_of(key)].means; }

  // Calls add(name, value) for what its arguments did not say.
  template <class Add>
  void add_missing(Add add) {
    ids_[kExternalId].said = ids_[kExternalId].said || ids_[kExternalId2021].said;
    ids_[kExternalId2021].said = true;
    for (size_t i = 0; i < kIds; ++i) {
      if (ids_[i].means && !ids_[i].said && ids_[i].value != kNoId) {
        add(kNames[i], ids_[i].value);
      }
    }
  }

 private:
  enum IdName : uint8_t { kCorrelation, kExternalId, kExternalId2021, kDevice, kStream, kRank, kIds, kUnseen };
  static constexpr std::array<std::string_view, kIds> kNames = {"correlation", "External id", "external id",
                                                                "device",      "stream",      "rank"};
  struct Id {
    bool means = false;     // to the reader of this event
    int64_t value = kNoId;  // what the table says
    bool said = false;
  };

  IdName id_of(StringId key) {
    if (ids_of_keys_[key] == kUnseen) {
      look_up(key);
    }
    return ids_of_keys_[key];
  }
  void look_up(StringId key);

  const EventTable& events_;
  int64_t file_rank_;
  std::vector<IdName> ids_of_keys_;
  std::array<Id, kIds> ids_;  // of the event at hand
};

}  // namespace aaco
