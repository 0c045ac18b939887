// SPDX-License-Identifier: MIT
// What graphs of a GPU need, on the CPU: outputs that stay where they are.
#include "model/runtime/inference_session.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <set>

#include "base/files/temporary_folder.h"
#include "model/builtin/builtin.h"

namespace aaco {
namespace {

constexpr int64_t kElements = 16;

HostTensor input_of(float first) {
  HostTensor tensor{"input", ElementType::kFloat, {1, kElements}, {}, {}};
  std::vector<float> values(kElements, first);
  tensor.data.resize(values.size() * sizeof(float));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

// One node: the absolute value.
Result<InferenceSession> open(const TemporaryFolder& folder, bool fixes_outputs) {
  const BuiltinRequest built{"fp32", 7, {{"nodes", 1}, {"elements", kElements}}};
  AACO_ASSIGN(const std::filesystem::path model, builtin_model_file("chain-tiny", built, folder.path()));
  SessionRequest request;
  request.model = model;
  request.intra_op_threads = 1;
  request.fixes_outputs = fixes_outputs;
  return InferenceSession::open(request);
}

float first_of(const OutputView& view) {
  float value = NAN;
  std::memcpy(&value, view.data, sizeof value);
  return value;
}

TEST(InferenceSession, FixedOutputsStayWhereTheFirstRunPutThem) {
  const TemporaryFolder folder = TemporaryFolder::create().value();
  auto session = open(folder, true);
  ASSERT_TRUE(session) << session.error().message;
  const std::vector<HostTensor> inputs{input_of(-3)};
  ASSERT_TRUE(session->bind(inputs));
  std::set<const uint8_t*> places;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(session->run()) << session->failure().message;
    const auto view = session->view_output(session->outputs().front().name);
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_EQ(first_of(*view), 3);
    places.insert(view->data);
  }
  EXPECT_EQ(places.size(), 1U);
}

TEST(InferenceSession, AnotherBindingIsRead) {
  const TemporaryFolder folder = TemporaryFolder::create().value();
  auto session = open(folder, true);
  ASSERT_TRUE(session) << session.error().message;
  const std::vector<HostTensor> inputs{input_of(-3)};
  ASSERT_TRUE(session->bind(inputs) && session->run() && session->run());
  const HostTensor other = input_of(-5);
  ASSERT_TRUE(session->bind_input(other));
  for (int i = 0; i < 3; ++i) {
    const auto outputs = session->fetch_outputs();
    ASSERT_TRUE(outputs) << outputs.error().message;
    EXPECT_EQ(element_as_double(outputs->front(), 0), 5.0);
    ASSERT_TRUE(session->run());
  }
}

}  // namespace
}  // namespace aaco
