// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_works.h"

#include <string>

#include "analysis/timeline/operators/framework_calls.h"

namespace aaco {

OperatorKey OperatorWorks::key_of(uint64_t op) {
  OperatorKey key = keys_.key(events_, op);
  if (!has_formula(key)) {
    key.strides = kEmptyString;
    key.values = kEmptyString;
  }
  return key;
}

bool OperatorWorks::has_formula(const OperatorKey& key) {
  if (key.provider != kEmptyString) {
    return true;
  }
  const auto [entry, added] = formulas_.try_emplace(key.name);
  if (added) {
    entry->second = torch_work({std::string(events_.strings[key.name]), {}}).family != OpFamily::kUnknown;
  }
  return entry->second;
}

const CallWork& OperatorWorks::work(const OperatorKey& key) {
  const auto [entry, added] = works_.try_emplace(key);
  if (added) {
    const StringTable& strings = events_.strings;
    entry->second =
        key.provider == kEmptyString ? torch_work(torch_call(strings, key)) : ort_work(ort_node(strings, key));
  }
  return entry->second;
}

}  // namespace aaco
