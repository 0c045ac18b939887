// SPDX-License-Identifier: MIT
#include "cost/op_work.h"

#include <cmath>
#include <utility>

namespace aaco {

const char* op_family_name(OpFamily family) {
  static constexpr const char* kNames[] = {"unknown",       "product",   "convolution", "attention",
                                           "normalization", "reduction", "elementwise", "movement"};
  return kNames[static_cast<size_t>(family)];
}

OpWork unknown_work(OpFamily family, std::string missing) {
  OpWork work;
  work.family = family;
  work.missing = std::move(missing);
  return work;
}

OpWork checked(OpWork work) {
  if (work.flops && !std::isfinite(*work.flops)) {
    work.flops.reset();
  }
  if (work.missing.empty() && (!work.flops || !work.bytes)) {
    work.missing = "its shapes are not such that it can have";
  }
  return work;
}

}  // namespace aaco
