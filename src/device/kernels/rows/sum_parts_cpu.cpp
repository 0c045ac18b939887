// SPDX-License-Identifier: MIT
#include "device/ops/op_work.h"

namespace aaco {

void run_on_cpu(const SumPartsArgs& args) {
  for (int64_t group = 0; group < args.groups; ++group) {
    for (int64_t column = 0; column < args.cols; ++column) {
      double sum = 0;
      for (int64_t part = 0; part < args.parts; ++part) {
        sum += args.in[(group * args.parts + part) * args.cols + column];
      }
      args.out[group * args.cols + column] = static_cast<float>(sum);
    }
  }
}

}  // namespace aaco
