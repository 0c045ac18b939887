// SPDX-License-Identifier: MIT
// An operator's arguments as PyTorch's profiler writes them ("Input Dims", "Input type", "Input Strides", "Concrete
// Inputs"), in the terms of src/cost.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "cost/torch_cost.h"
#include "trace/event_table.h"

namespace aaco {

// The arguments that decide the work of a call, as written; operators with equal keys do the same work.
struct TorchCallKey {
  StringId name = kEmptyString;
  StringId dims = kEmptyString;
  StringId types = kEmptyString;
  StringId strides = kEmptyString;
  StringId values = kEmptyString;
  friend auto operator<=>(const TorchCallKey&, const TorchCallKey&) = default;
};

class TorchCallKeys {
 public:
  explicit TorchCallKeys(const StringTable& strings);
  TorchCallKey of(const EventTable& events, size_t op) const;

 private:
  std::vector<std::pair<StringId, StringId TorchCallKey::*>> keys_;
};

// What could not be read of it is an argument of kind kAbsent. No arguments where no shapes are recorded.
TorchCall torch_call(const StringTable& strings, const TorchCallKey& key);

// The work of calls, worked out once for equal arguments.
class TorchWorks {
 public:
  explicit TorchWorks(const EventTable& events) : events_(events), keys_(events.strings) {}
  const TorchWork& of(uint64_t op) { return of(keys_.of(events_, op)); }
  const TorchWork& of(const TorchCallKey& key);
  TorchCallKey key_of(uint64_t op) const { return keys_.of(events_, op); }

 private:
  const EventTable& events_;
  TorchCallKeys keys_;
  std::map<TorchCallKey, TorchWork> works_;
};

}  // namespace aaco
