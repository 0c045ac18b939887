// SPDX-License-Identifier: MIT
#include "cost/call_work.h"

#include <cmath>
#include <utility>

namespace aaco {

CallWork unknown_work(OpFamily family, std::string missing) {
  CallWork work;
  work.family = family;
  work.missing = std::move(missing);
  return work;
}

CallWork checked(CallWork work) {
  if (work.flops && !std::isfinite(*work.flops)) {
    work.flops.reset();
  }
  if (work.missing.empty() && (!work.flops || !work.bytes)) {
    work.missing = "its shapes are not such that it can have";
  }
  return work;
}

}  // namespace aaco
