// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/identity/default_options.h"
#include "model/identity/tensor_hash.h"

namespace aaco {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(TensorHash, IsOfTypeShapeAndValuesNotOfTheName) {
  const HostTensor x{
      .name = "x", .type = ElementType::kInt64, .dims = {2}, .data = std::vector<uint8_t>(16, 1), .strings = {}};
  HostTensor other = x;
  other.name = "y";
  EXPECT_EQ(hash_of_values(other), hash_of_values(x));
  other.data[15] = 2;
  EXPECT_NE(hash_of_values(other), hash_of_values(x));
  other = x;
  other.type = ElementType::kDouble;
  EXPECT_NE(hash_of_values(other), hash_of_values(x));
  other = x;
  other.dims = {2, 1};
  EXPECT_NE(hash_of_values(other), hash_of_values(x));
}

TEST(TensorHash, TextsDoNotRunTogether) {
  HostTensor a{.name = "", .type = ElementType::kString, .dims = {2}, .data = {}, .strings = {"ab", "c"}};
  HostTensor b = a;
  b.strings = {"a", "bc"};
  EXPECT_NE(hash_of_values(a), hash_of_values(b));
  b.strings = {"ab 1:c", ""};
  EXPECT_NE(hash_of_values(a), hash_of_values(b));
}

TEST(DefaultOptions, OneThatIsWrittenOutIsNotSet) {
  EXPECT_THAT(options_set("CPUExecutionProvider", {{"use_arena", "1"}}, {{"session.set_denormal_as_zero", "0"}}),
              IsEmpty());
  EXPECT_THAT(options_set("CPUExecutionProvider", {{"use_arena", "0"}}, {{"session.set_denormal_as_zero", "1"}}),
              ElementsAre(Pair("session.set_denormal_as_zero", "1"), Pair("use_arena", "0")));
  EXPECT_TRUE(is_default_option("CUDAExecutionProvider", "use_tf32", "1"));
  EXPECT_FALSE(is_default_option("OpenVINOExecutionProvider", "use_tf32", "1")) << "another provider's";
  EXPECT_FALSE(is_default_option("CPUExecutionProvider", "session.never_heard_of", "0"));
}

}  // namespace
}  // namespace aaco
