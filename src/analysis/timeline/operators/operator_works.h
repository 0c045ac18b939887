// SPDX-License-Identifier: MIT
// The work of a framework's operators, worked out once for equal arguments.
#pragma once

#include <cstdint>
#include <map>

#include "analysis/timeline/operators/operator_key.h"
#include "cost/call_work.h"
#include "record/events/event_table.h"

namespace aaco {

class OperatorWorks {
 public:
  explicit OperatorWorks(const EventTable& events) : events_(events), keys_(events.strings) {}
  const CallWork& work(uint64_t op) { return work(key_of(op)); }
  const CallWork& work(const OperatorKey& key);
  // Of an operator without a formula without its values, which would tell each call of a loop from the others.
  OperatorKey key_of(uint64_t op);
  // Whether one is known for operators of that name.
  bool has_formula(const OperatorKey& key);

 private:
  const EventTable& events_;
  OperatorKeys keys_;
  std::map<StringId, bool> formulas_;  // by name
  std::map<OperatorKey, CallWork> works_;
};

}  // namespace aaco
