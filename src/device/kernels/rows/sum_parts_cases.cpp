// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "device/check/op_case.h"

namespace aaco {

std::vector<OpCase> sum_parts_cases() {
  constexpr int64_t kShapes[][3] = {{1, 1, 1}, {3, 256, 512}, {2, 7, 33}, {5, 100, 1000}, {2, 0, 40}, {0, 4, 8}};
  std::vector<OpCase> cases;
  for (const auto& [groups, parts, cols] : kShapes) {
    cases.push_back(make_case<SumPartsArgs>(
        fmt::format("{} groups of {} x {}", groups, parts, cols), 1e-6, "fp32 sums; relative to the number of terms",
        [groups, parts, cols](CaseMemory& memory, SumPartsArgs& args) {
          args.in = memory.floats(groups * parts * cols, -1, 1);
          args.out = static_cast<float*>(memory.output(Dtype::kF32, groups * cols, static_cast<double>(parts) + 1));
          args.groups = groups;
          args.parts = parts;
          args.cols = cols;
        }));
  }
  return cases;
}

}  // namespace aaco
