// SPDX-License-Identifier: MIT
// Code objects of the module that this build made, and damaged ones.
#include <algorithm>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include "kernel_arguments.h"
#include "test_module.h"

namespace aaco::amd {
namespace {

using ::testing::HasSubstr;

const LoadedKernel* find(const std::vector<CodeObject>& objects, std::string_view name) {
  for (const CodeObject& object : objects) {
    if (const LoadedKernel* kernel = object.find(name)) {
      return kernel;
    }
  }
  return nullptr;
}

class Architecture : public ::testing::TestWithParam<const char*> {
 protected:
  std::string name() const { return GetParam(); }
  std::uint32_t lanes() const { return name() == "gfx942" ? 64 : 32; }
};
INSTANTIATE_TEST_SUITE_P(AmdCode, Architecture, ::testing::Values("gfx942", "gfx1100"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST_P(Architecture, EveryBundleHasItsCode) {
  const auto bundles = bundles_of_library(module_bytes());
  ASSERT_TRUE(bundles) << bundles.error().message;
  ASSERT_GT(bundles->size(), 20U);
  for (const auto& bundle : *bundles) {
    const auto code = code_for(bundle, name());
    ASSERT_TRUE(code) << code.error().message;
    const auto object = CodeObject::load(*code, name());
    ASSERT_TRUE(object) << object.error().message;
    EXPECT_FALSE(object->kernels().empty());
  }
}

// The source says these: a shared array of 32 floats, the arguments' size, a kernel of nothing.
TEST_P(Architecture, KernelsAreAsTheirSourcesSay) {
  const auto objects = objects_of_module(name());
  const LoadedKernel* null = find(objects, "_ZN4aaco3gpu11null_kernelENS_8NullArgsE");
  ASSERT_NE(null, nullptr);
  EXPECT_EQ(null->metadata.wave_lanes, lanes());
  EXPECT_EQ(null->metadata.lds_bytes, 0U);
  EXPECT_EQ(null->metadata.scratch_bytes, 0U);
  const LoadedKernel* loss =
      find(objects, "_ZN4aaco3gpu12_GLOBAL__N_118cross_entropy_heldIfLi4ELb1EEEvNS_16CrossEntropyArgsE");
  ASSERT_NE(loss, nullptr);
  EXPECT_EQ(loss->metadata.lds_bytes, 32 * sizeof(float));
  EXPECT_EQ(loss->metadata.most_threads, 512U);  // AACO_WITHIN, of a wide row
  ASSERT_GE(loss->metadata.arguments.size(), 1U);
  EXPECT_EQ(loss->metadata.arguments[0].kind, "by_value");
  EXPECT_EQ(loss->metadata.arguments[0].offset, 0U);
  EXPECT_EQ(loss->metadata.arguments[0].bytes, 56U);  // 3 pointers, 2 extents, a float, a type
  EXPECT_EQ(loss->code.architecture, name());
  EXPECT_EQ(loss->code.entry % 256, 0U);
}

// Every kernel, as the backend's guide has it: the metadata's argument ranges do not overlap, hidden ones come last.
TEST_P(Architecture, ArgumentsLieOneAfterTheOther) {
  for (const CodeObject& object : objects_of_module(name())) {
    for (const LoadedKernel& kernel : object.kernels()) {
      std::uint32_t end = 0;
      bool hidden = false;
      for (const KernelArgument& argument : kernel.metadata.arguments) {
        EXPECT_GE(argument.offset, end) << kernel.metadata.name;
        EXPECT_TRUE(argument.hidden() || !hidden) << kernel.metadata.name;
        end = argument.offset + argument.bytes;
        hidden = hidden || argument.hidden();
      }
      EXPECT_LE(end, kernel.metadata.kernarg_bytes) << kernel.metadata.name;
      EXPECT_EQ(kernel.metadata.wave_lanes, lanes());
      EXPECT_GT(kernel.code_bytes, 0U);
    }
  }
}

TEST(AmdCode, BothArchitecturesHaveTheSameKernels) {
  std::set<std::string> wide;
  std::set<std::string> narrow;
  for (const CodeObject& object : objects_of_module("gfx942")) {
    for (const LoadedKernel& kernel : object.kernels()) {
      EXPECT_TRUE(wide.insert(kernel.metadata.name).second) << kernel.metadata.name << " is there twice";
    }
  }
  for (const CodeObject& object : objects_of_module("gfx1100")) {
    for (const LoadedKernel& kernel : object.kernels()) {
      narrow.insert(kernel.metadata.name);
    }
  }
  EXPECT_GT(wide.size(), 400U);
  EXPECT_EQ(wide, narrow);
}

std::uint64_t number_in(const std::vector<std::byte>& bytes, const KernelMetadata& kernel, const char* kind) {
  for (const KernelArgument& argument : kernel.arguments) {
    if (argument.kind == kind) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + argument.offset, argument.bytes);
      return value;
    }
  }
  ADD_FAILURE() << "no " << kind;
  return 0;
}

KernelMetadata kernel_with(std::vector<KernelArgument> arguments) {
  KernelMetadata kernel;
  kernel.name = "test";
  kernel.arguments = std::move(arguments);
  kernel.kernarg_bytes = 96;
  kernel.most_threads = 1024;
  return kernel;
}

TEST(KernelArguments, AreTheLaunch) {
  const KernelMetadata kernel = kernel_with({{"by_value", 0, 4},
                                             {"by_value", 8, 8},
                                             {"hidden_block_count_x", 16, 4},
                                             {"hidden_block_count_y", 20, 4},
                                             {"hidden_block_count_z", 24, 4},
                                             {"hidden_group_size_x", 28, 2},
                                             {"hidden_group_size_y", 30, 2},
                                             {"hidden_group_size_z", 32, 2},
                                             {"hidden_remainder_x", 34, 2},
                                             {"hidden_global_offset_x", 40, 8},
                                             {"hidden_grid_dims", 80, 2},
                                             {"hidden_dynamic_lds_size", 84, 4}});
  const std::uint32_t first = 7;
  const std::uint64_t second = 0x1234567890abcdef;
  const void* const arguments[] = {&first, &second};
  const auto bytes = kernarg_of(kernel, {{70000, 3, 2}, {256, 2, 1}, 4096}, copy_explicit(kernel, arguments));
  ASSERT_TRUE(bytes) << bytes.error().message;
  ASSERT_EQ(bytes->size(), 96U);
  std::uint64_t copied = 0;
  std::memcpy(&copied, bytes->data() + 8, sizeof(copied));
  EXPECT_EQ(copied, second);
  EXPECT_EQ(number_in(*bytes, kernel, "by_value"), 7U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_block_count_x"), 70000U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_block_count_y"), 3U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_block_count_z"), 2U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_group_size_x"), 256U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_group_size_y"), 2U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_group_size_z"), 1U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_remainder_x"), 0U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_global_offset_x"), 0U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_grid_dims"), 3U);
  EXPECT_EQ(number_in(*bytes, kernel, "hidden_dynamic_lds_size"), 4096U);
}

TEST(KernelArguments, WhatIsNotKnownIsRefused) {
  const auto unknown = kernarg_of(kernel_with({{"hidden_hostcall_buffer", 0, 8}}), {}, {});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("test wants hidden_hostcall_buffer of 8 bytes"));
  EXPECT_FALSE(kernarg_of(kernel_with({{"hidden_group_size_x", 0, 8}}), {}, {}));
  EXPECT_FALSE(kernarg_of(kernel_with({{"by_value", 0, 8}}), {}, {}));
  EXPECT_FALSE(kernarg_of(kernel_with({}), {{1, 1, 1}, {1025, 1, 1}, 0}, {}));
  EXPECT_TRUE(kernarg_of(kernel_with({}), {{1, 1, 1}, {1024, 1, 1}, 0}, {}));
}

// The first bundle of the module, and its code for gfx942.
std::vector<std::byte> some_bundle() {
  const auto bundles = bundles_of_library(module_bytes());
  return bundles ? std::vector<std::byte>((*bundles)[0].begin(), (*bundles)[0].end()) : std::vector<std::byte>();
}

std::vector<std::byte> some_object() {
  const auto bundle = some_bundle();
  const auto code = code_for(bundle, "gfx942");
  return code ? std::vector<std::byte>(code->begin(), code->end()) : std::vector<std::byte>();
}

TEST(DamagedCode, WhatIsCutOffIsRefused) {
  const auto bundle = some_bundle();
  const auto object = some_object();
  for (std::size_t size = 0; size < 200; ++size) {
    EXPECT_FALSE(read_bundle(std::span(bundle).first(size)));
  }
  for (std::size_t size = 0; size + 1 < object.size(); size += 97) {
    EXPECT_FALSE(CodeObject::load(std::span(object).first(size), "gfx942")) << size;
  }
}

// Whatever it says, it comes to an end within its bounds.
TEST(DamagedCode, ChangedBytesDoNoHarm) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same bytes each time
  const auto object = some_object();
  const auto bundle = some_bundle();
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    auto damaged = object;
    const bool in_headers = round % 2 == 0;
    for (int i = 0; i < 8; ++i) {
      const std::size_t place = random() % (in_headers ? 0x240 : damaged.size());
      damaged[place] = static_cast<std::byte>(random());
    }
    refused += CodeObject::load(damaged, "gfx942") ? 0 : 1;
  }
  EXPECT_GT(refused, 100);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::byte> damaged(bundle.begin(), bundle.begin() + 300000 % static_cast<long>(bundle.size()));
    damaged[random() % 256] = static_cast<std::byte>(random());
    const auto read = read_bundle(damaged);
    refused += read ? 0 : 1;
  }
}

TEST(DamagedCode, NestedMetadataIsRefused) {
  const std::vector<std::byte> nested(1'000'000, std::byte{0x91});  // an array of one array of one array ...
  EXPECT_FALSE(read_metadata(nested));
  EXPECT_FALSE(read_metadata({}));
}

TEST(DamagedCode, AnotherArchitectureIsRefused) {
  const auto wrong = CodeObject::load(some_object(), "gfx1100");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("not for gfx1100"));
  const auto missing = code_for(some_bundle(), "gfx906");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("no code for gfx906 among gfx1100, gfx942"));
}

TEST(DamagedCode, ACompressedBundleIsNamed) {
  const char text[] = "CCOB\2\0\1\0";
  const auto read = read_bundle(std::as_bytes(std::span(text)));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("compressed"));
}

}  // namespace
}  // namespace aaco::amd
