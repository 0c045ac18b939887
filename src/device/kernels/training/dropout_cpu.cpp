// SPDX-License-Identifier: MIT
// The reference: fp64 within an element, but the mask's scale, which is fp32 everywhere.
#include <algorithm>
#include <array>

#include "device/kernels/elementwise/gelu_reference.h"
#include "device/kernels/training/dropout_mask.h"
#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

constexpr int64_t kStretch = 1024;
using Stretch = std::array<float, kStretch>;

// What element i of the arrays is multiplied with.
class Keeper {
 public:
  explicit Keeper(const DropoutMask& mask)
      : mask_(mask),
        step_(mask.clock->step),
        below_(dropped_below(mask.probability)),
        scale_(static_cast<double>(scale_of_kept(mask.probability))) {}

  double factor(int64_t i) {
    const auto number = static_cast<uint64_t>(mask_.first + i);
    if (!made_ || number / 4 != block_) {
      block_ = number / 4;
      words_ = dropout_words(mask_, step_, block_);
      made_ = true;
    }
    return words_.word[number % 4] < below_ ? 0 : scale_;
  }

 private:
  const DropoutMask& mask_;
  int32_t step_;
  uint32_t below_;
  double scale_;
  bool made_ = false;
  uint64_t block_ = 0;
  PhiloxBlock words_{};
};

// Of what is not kept nothing is left, whatever it was.
double kept(double value, double factor) { return factor == 0 ? 0 : value * factor; }

// body(first, count) over [0, n).
template <class Body>
void for_stretches(int64_t n, Body&& body) {
  for (int64_t first = 0; first < n; first += kStretch) {
    body(first, std::min(kStretch, n - first));
  }
}

}  // namespace

void run_on_cpu(const DropoutArgs& args) {
  Keeper keeper(args.mask);
  Stretch values;
  Stretch add;
  for_stretches(args.n, [&](int64_t first, int64_t count) {
    read_floats(args.in, args.dtype, first, count, values.data());
    add.fill(0);
    if (args.add != nullptr) {
      read_floats(args.add, args.dtype, first, count, add.data());
    }
    for (int64_t i = 0; i < count; ++i) {
      const double x = values[i];
      const double active = args.op == UnaryOp::kGelu ? gelu(x) : x;
      values[i] = static_cast<float>(add[i] + kept(active, keeper.factor(first + i)));
    }
    write_floats(args.out, args.dtype, first, count, values.data());
  });
}

void run_on_cpu(const DropoutGradArgs& args) {
  Keeper keeper(args.mask);
  Stretch values;
  Stretch grad;
  for_stretches(args.n, [&](int64_t first, int64_t count) {
    read_floats(args.out_grad, args.dtype, first, count, grad.data());
    if (args.op == UnaryOp::kGelu) {
      read_floats(args.in, args.dtype, first, count, values.data());
    }
    for (int64_t i = 0; i < count; ++i) {
      const double slope = args.op == UnaryOp::kGelu ? gelu_derivative(values[i]) : 1;
      grad[i] = static_cast<float>(kept(grad[i], keeper.factor(first + i)) * slope);
    }
    write_floats(args.in_grad, args.dtype, first, count, grad.data());
  });
}

}  // namespace aaco
