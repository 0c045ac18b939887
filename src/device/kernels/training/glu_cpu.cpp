// SPDX-License-Identifier: MIT
// The reference: fp64 within an element.
#include <cmath>
#include <vector>

#include "device/ops/float_array.h"
#include "device/ops/op_work.h"

namespace aaco {

namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

void run_on_cpu(const GluArgs& args) {
  std::vector<float> gate(static_cast<size_t>(args.cols));
  std::vector<float> up(static_cast<size_t>(args.cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.gate, args.dtype, r * args.pitch, args.cols, gate.data());
    read_floats(args.up, args.dtype, r * args.pitch, args.cols, up.data());
    for (int64_t c = 0; c < args.cols; ++c) {
      const double x = gate[c];
      up[c] = static_cast<float>(x * sigmoid(x) * up[c]);
    }
    write_floats(args.out, args.dtype, r * args.cols, args.cols, up.data());
  }
}

// With s = sigmoid(x): d silu / dx = s * (1 + x * (1 - s)).
void run_on_cpu(const GluGradArgs& args) {
  std::vector<float> gate(static_cast<size_t>(args.cols));
  std::vector<float> up(static_cast<size_t>(args.cols));
  std::vector<float> grad(static_cast<size_t>(args.cols));
  std::vector<float> active(static_cast<size_t>(args.cols));
  for (int64_t r = 0; r < args.rows; ++r) {
    read_floats(args.gate, args.dtype, r * args.pitch, args.cols, gate.data());
    read_floats(args.up, args.dtype, r * args.pitch, args.cols, up.data());
    read_floats(args.out_grad, args.dtype, r * args.cols, args.cols, grad.data());
    for (int64_t c = 0; c < args.cols; ++c) {
      const double x = gate[c];
      const double s = sigmoid(x);
      active[static_cast<size_t>(c)] = static_cast<float>(x * s * up[c]);
      gate[c] = static_cast<float>(grad[c] * (s * (1 + x * (1 - s))) * up[c]);
      up[c] = static_cast<float>(grad[c] * (x * s));
    }
    if (args.active != nullptr) {
      write_floats(args.active, args.dtype, r * args.cols, args.cols, active.data());
    }
    write_floats(args.gate_grad, args.dtype, r * args.pitch, args.cols, gate.data());
    write_floats(args.up_grad, args.dtype, r * args.pitch, args.cols, up.data());
  }
}

}  // namespace aaco
