// SPDX-License-Identifier: MIT
#include <cstddef>

#include "device/op_work.h"

namespace aaco {

OpWork work_of(const SpinArgs& args) {
  OpWork work;
  if (args.stamp != nullptr) {
    constexpr auto kBytes = static_cast<int64_t>(sizeof(SpinStamp));
    work.arrays.push_back({offsetof(SpinArgs, stamp), args.stamp, kBytes, kBytes, Access::kReadWrite, Dtype::kU8});
  }
  return work;
}

OpWork work_of(const GateArgs& args) {
  constexpr auto kBytes = static_cast<int64_t>(sizeof(uint32_t));
  OpWork work;
  work.arrays.push_back({offsetof(GateArgs, flag), args.flag, kBytes, kBytes, Access::kRead, Dtype::kI32});
  if (args.timed_out != nullptr) {
    work.arrays.push_back({offsetof(GateArgs, timed_out), args.timed_out, kBytes, kBytes, Access::kWrite, Dtype::kI32});
  }
  return work;
}

OpWork work_of(const NullArgs& /*args*/) { return {}; }

}  // namespace aaco
