// SPDX-License-Identifier: MIT
// What the arguments of a kernel, and of its operator, say of its collective, as PyTorch writes them.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "analysis/timeline/communication/operator_sequences.h"
#include "record/events/event_table.h"

namespace aaco {

// Collectives that are alike.
struct CollectiveKind {
  StringId name = kEmptyString;         // of the collective; of the kernel where the arguments do not say
  StringId group = kEmptyString;        // process group
  StringId group_ranks = kEmptyString;  // "[0, 1]"
  StringId element = kEmptyString;      // its type
  int64_t group_size = kNoId;
  int64_t in_elements = kNoId;
  int64_t out_elements = kNoId;
  int64_t communicator = kNoId;  // the communication library's id of it, or the StringId of that
  friend auto operator<=>(const CollectiveKind&, const CollectiveKind&) = default;
};

struct KernelCollective {
  CollectiveKind kind;
  int64_t sequence = kNoId;  // its number in the process group, from 0
};

class CollectiveArguments {
 public:
  explicit CollectiveArguments(const EventTable& events) : events_(events), operators_(events) {}

  KernelCollective collective(size_t event);

 private:
  uint8_t meaning_of(StringId key);

  const EventTable& events_;
  OperatorSequences operators_;
  std::vector<uint8_t> meanings_;  // by key, each looked at once
};

}  // namespace aaco
