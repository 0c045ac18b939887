// SPDX-License-Identifier: MIT
#include <cmath>

#include "workload/checks/workload_run.h"
#include "workload/workload_list.h"

namespace aaco {

namespace {

constexpr size_t kSize = 24;
constexpr size_t kWeights = 4;
constexpr size_t kBatch = 3;
using Matrix = std::vector<double>;

// c[m, n] = a[m, k] b[k, n]; `ta`, `tb`: stored transposed.
Matrix product(const Matrix& a, bool ta, const Matrix& b, bool tb, size_t m, size_t n, size_t k) {
  Matrix c(m * n);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      for (size_t l = 0; l < k; ++l) {
        c[i * n + j] += (ta ? a[l * m + i] : a[i * k + l]) * (tb ? b[j * k + l] : b[l * n + j]);
      }
    }
  }
  return c;
}

// The same training on the host, in double, with everything in one place.
struct HostTraining {
  Matrix input;
  std::vector<Matrix> weights;
  std::vector<Matrix> momentum = std::vector<Matrix>(kWeights, Matrix(kSize* kSize));

  void step() {
    std::vector<Matrix> inputs{input};
    for (size_t i = 0; i < kWeights; ++i) {
      inputs.push_back(product(inputs[i], false, weights[i], false, kBatch, kSize, kSize));
      for (double& value : inputs.back()) {
        value = i % 2 == 0 ? std::max(0.0, value) : value;
      }
    }
    Matrix grad = inputs.back();
    for (double& value : grad) {
      value /= kBatch;
    }
    for (size_t i = kWeights; i-- > 0;) {
      for (size_t j = 0; i % 2 == 0 && j < grad.size(); ++j) {
        grad[j] = inputs[i + 1][j] > 0 ? grad[j] : 0;
      }
      const Matrix weight_grad = product(inputs[i], true, grad, false, kSize, kSize, kBatch);
      grad = product(grad, false, weights[i], true, kBatch, kSize, kSize);
      for (size_t j = 0; j < weight_grad.size(); ++j) {
        momentum[i][j] = 0.9 * momentum[i][j] + weight_grad[j];
        weights[i][j] -= 0.64 / kSize * momentum[i][j];
      }
    }
  }
};

TEST(ZeroOffloadTest, TrainsAsOnTheHost) {
  for (const int32_t streams : {1, 2, 3, 8, 33, 128}) {
    for (const DispatchMode mode : {DispatchMode::kSingle, DispatchMode::kThreads, DispatchMode::kGraph}) {
      auto run = make_workload_run(workloads::zero_offload, streams, 1, 1, {{"window", streams == 3 ? "1" : "2"}});
      ASSERT_TRUE(run) << run.error().message;
      expect_ok(run_setup(*run->instance, run->target));
      HostTraining host;
      for (const auto& input : run->output("input")) {
        host.input.push_back(input);
      }
      for (size_t i = 0; i < kWeights; ++i) {
        const std::vector<float> weight = run->output("weight " + std::to_string(i));
        host.weights.emplace_back(weight.begin(), weight.end());
      }
      run_and_check(*run, mode, 3);
      for (int i = 0; i < 3; ++i) {
        host.step();
      }
      for (size_t i = 0; i < kWeights; ++i) {
        const std::vector<float> weight = run->output("weight " + std::to_string(i));
        for (size_t j = 0; j < weight.size(); ++j) {
          ASSERT_NEAR(weight[j], host.weights[i][j], 1e-5) << streams << " streams, weight " << i;
        }
      }
    }
  }
}

// 3 products for each weight, but for the first one's input gradient; 2 batch size^2 each. Updates: at least 4 chunks
// of each weight, 3 kernels each.
TEST(ZeroOffloadTest, ChunksGrowWithTheStreams) {
  for (const auto& [streams, chunks] : std::map<int32_t, int64_t>{{1, 4}, {2, 4}, {3, 4}, {8, 4}, {33, 6}, {128, 22}}) {
    auto run = make_workload_run(workloads::zero_offload, streams);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->instance->iteration.used_streams(), streams);
    const int64_t passes = 4 + 2 + 1 + 2 + 3 + 4;  // products and ReLUs forward, the loss, ReLUs, products backward
    EXPECT_EQ(run->instance->iteration.kernels(), passes + 4 * chunks * 3) << streams;
    double products = 0;
    for (const Command& command : run->instance->iteration.commands()) {
      products +=
          command.kind == CommandKind::kOp && command.op == OpId::kGemm ? work_of(command.op, command.to).flops : 0;
    }
    EXPECT_EQ(products, (4 + 3 + 4) * 2.0 * 3 * 24 * 24);
    EXPECT_EQ(run->instance->units, 3);
    expect_no_hazards(*run);
  }
}

TEST(ZeroOffloadTest, WorksInEveryPrecision) {
  for (const char* dtype : {"tf32", "bf16", "fp16"}) {
    auto run = make_workload_run(workloads::zero_offload, 5, 1, 1, {{"dtype", dtype}});
    ASSERT_TRUE(run) << run.error().message;
    expect_no_hazards(*run);
    run_and_check(*run, DispatchMode::kSingle, 2);
  }
}

TEST(ZeroOffloadTest, TheCheckSeesAWrongWeight) {
  auto run = make_workload_run(workloads::zero_offload, 4);
  ASSERT_TRUE(run) << run.error().message;
  run_and_check(*run, DispatchMode::kSingle, 1);
  run->instance->outputs.back().tensor.as<float>()[3] += 0.01F;
  EXPECT_FALSE(run->instance->checks.back()(*run->reader, 1));
}

}  // namespace

}  // namespace aaco
