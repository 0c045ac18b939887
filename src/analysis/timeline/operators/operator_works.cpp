// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/operator_works.h"

#include <string>

#include "analysis/timeline/operators/framework_calls.h"

namespace aaco {

OperatorKey OperatorWorks::key_of(uint64_t op) {
  OperatorKey key = keys_.of(events_, op);
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
  const auto [found, added] = formulas_.try_emplace(key.name);
  if (added) {
    found->second = torch_work({std::string(events_.strings[key.name]), {}}).family != OpFamily::kUnknown;
  }
  return found->second;
}

const CallWork& OperatorWorks::of(const OperatorKey& key) {
  const auto [found, added] = works_.try_emplace(key);
  if (added) {
    const StringTable& strings = events_.strings;
    found->second =
        key.provider == kEmptyString ? torch_work(torch_call(strings, key)) : ort_work(ort_node(strings, key));
  }
  return found->second;
}

}  // namespace aaco
