// SPDX-License-Identifier: MIT
// Numbers of collectives in their process group that only PyTorch's operators have: "record_param_comms" bears the
// number
// ("Seq", or the second of its concrete inputs) and the external id of the kernel.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "record/events/event_table.h"

namespace aaco {

class OperatorSequences {
 public:
  explicit OperatorSequences(const EventTable& events) : events_(events) {}

  // kNoId where no operator tells, or several tell different ones. The first call looks through all events.
  int64_t sequence(size_t kernel);

 private:
  using Key = std::tuple<uint32_t, int64_t, int64_t>;  // recording, rank, external id

  Key key_of(size_t event) const;
  void find_operators();

  const EventTable& events_;
  bool is_searched_ = false;
  std::map<Key, int64_t> numbers_;
};

}  // namespace aaco
