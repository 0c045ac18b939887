// SPDX-License-Identifier: MIT
#include <cstddef>

#include "device/ops/array_list.h"

namespace aaco {

OpWork work_of(const SpinArgs& args) {
  OpWork work;
  add_array(work, offsetof(SpinArgs, stamp), args.stamp, sizeof(SpinStamp), Access::kReadWrite, Dtype::kU8);
  return work;
}

OpWork work_of(const GateArgs& args) {
  OpWork work;
  add_array(work, offsetof(GateArgs, flag), args.flag, 1, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(GateArgs, timed_out), args.timed_out, 1, Access::kWrite, Dtype::kI32);
  return work;
}

OpWork work_of(const NullArgs& /*args*/) { return {}; }

}  // namespace aaco
