// SPDX-License-Identifier: MIT
// Convolution through MIOpen's double: what goes to the library, what stays with our kernel, in a capture too, and what
// is said when the library fails.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "child.h"
#include "device/check/check_op.h"
#include "device/ops/op_work.h"

namespace aaco {
namespace {

using ::testing::StartsWith;

// -1 where MIOpen is not loaded.
int miopen_count(const char* name) {
  void* library = dlopen("libMIOpen.so.1", RTLD_NOW | RTLD_NOLOAD);
  const auto count = library == nullptr ? nullptr : reinterpret_cast<int (*)()>(dlsym(library, name));
  return count != nullptr ? count() : -1;
}

Result<void> expect_count(const char* name, int expected) {
  const int counted = miopen_count(name);
  return counted == expected ? Result<void>{} : wrong(std::string(name) + ": " + std::to_string(counted));
}

// [2, 3, 5, 4] and four filters of 3 x 3, on the device and on the host. Of integers, so that all sums are exact.
struct Convolution {
  std::unique_ptr<Buffer> memory;
  std::unique_ptr<Stream> stream;
  ConvArgs args{.n = 2, .c = 3, .h = 5, .w = 4, .o = 4, .r = 3, .s = 3, .pad = 1, .relu = 1};
  static constexpr int64_t kOut = 2 * 4 * 5 * 4;

  static Result<Convolution> make(Device& device, int64_t shift = 0) {
    Convolution made;
    AACO_ASSIGN(made.memory, device.allocate(4096, MemoryKind::kDevice));
    AACO_ASSIGN(made.stream, device.make_stream(0));
    float* const floats = made.floats();  // the double's device memory is the host's
    for (int64_t i = 0; i < 1024; ++i) {
      floats[i] = static_cast<float>(i * 7 % 11 - 5);
    }
    made.args.in = floats;
    made.args.weight = floats + 128;
    made.args.bias = floats + 256;
    made.args.out = floats + 512 + shift;
    return made;
  }

  float* floats() const { return static_cast<float*>(memory->data()); }
  void poison() const { stream->launch(FillArgs{.out = args.out, .n = kOut, .value = -1}); }

  Result<void> check() const {
    AACO_TRY(stream->synchronize());
    std::vector<float> expected(kOut);
    ConvArgs on_host = args;
    on_host.out = expected.data();
    run_on_cpu(on_host);
    const auto* got = static_cast<const float*>(args.out);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (got[i] != expected[i]) {
        return wrong("element " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " +
                     std::to_string(expected[i]));
      }
    }
    const int misuses = miopen_count("miopen_double_misuses");
    return misuses > 0 ? wrong(std::to_string(misuses) + " misuses of MIOpen") : Result<void>{};
  }
};

Result<void> convolve(Device& device) {
  AACO_ASSIGN(const Convolution conv, Convolution::make(device));
  conv.poison();
  conv.stream->launch(conv.args);
  return conv.check();
}

TEST(HipConvolution, IsTheLibrarys) {
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {
                                   if (device.properties().conv_library != "MIOpen 3.2.1") {
                                     return wrong(device.properties().conv_library);
                                   }
                                   AACO_TRY(convolve(device));
                                   return expect_count("miopen_double_convolutions", 1);
                                 }),
            "");
}

TEST(HipConvolution, IsOursWhereTheLibraryIsDeclined) {
  EXPECT_EQ(in_child_with_device({{"AACO_CONV_LIBRARY", "0"}},
                                 [](Device& device) -> Result<void> {
                                   AACO_ASSIGN(const Convolution convolution, Convolution::make(device));
                                   convolution.poison();
                                   convolution.stream->launch(convolution.args);
                                   AACO_TRY(convolution.check());
                                   AACO_TRY(expect_count("miopen_double_convolutions", -1));
                                   const std::string& said = device.properties().conv_library;
                                   return said == "implicit GEMM: AACO_CONV_LIBRARY=0" ? Result<void>{} : wrong(said);
                                 }),
            "");
}

// Those that have results at all: the library was asked for all of them, and computed as the CPU did.
TEST(HipConvolution, AllCasesGoToTheLibrary) {
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {
                                   int with_results = 0;
                                   for (const OpCase& op_case : conv_cases()) {
                                     if (op_case.op == OpId::kConv) {
                                       AACO_ASSIGN(const CaseResult result, check_case(device, op_case, 7));
                                       if (!result.passed()) {
                                         return wrong(op_case.name + ": " + result.failure);
                                       }
                                       with_results += result.compared > 0 ? 1 : 0;
                                     }
                                   }
                                   AACO_TRY(expect_count("miopen_double_misuses", 0));
                                   return with_results > 0 ? expect_count("miopen_double_convolutions", with_results)
                                                           : wrong("no cases");
                                 }),
            "");
}

// One kernel of the library, one of ours for bias and ReLU.
TEST(HipConvolution, ItsFirstUseMayBeCaptured) {
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {
                                   AACO_ASSIGN(const Convolution conv, Convolution::make(device));
                                   conv.stream->begin_capture();
                                   conv.stream->launch(conv.args);
                                   AACO_ASSIGN(const auto graph, conv.stream->end_capture());
                                   if (graph->kernels() != 2) {
                                     return wrong("kernels: " + std::to_string(graph->kernels()));
                                   }
                                   for (int i = 0; i < 2; ++i) {
                                     conv.poison();
                                     conv.stream->launch(*graph);
                                     AACO_TRY(conv.check());
                                   }
                                   return expect_count("miopen_double_convolutions", 2);
                                 }),
            "");
}

TEST(HipConvolution, TheLibrarysThingsGoWithTheStream) {
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {
                                   AACO_TRY(convolve(device));
                                   AACO_ASSIGN(const Convolution conv, Convolution::make(device));
                                   conv.stream->launch(conv.args);
                                   conv.stream->launch(conv.args);
                                   AACO_TRY(conv.check());
                                   // The Winograd solution's; a handle, three tensors and a convolution.
                                   if (device.memory_use().library_bytes != 128) {
                                     return wrong(std::to_string(device.memory_use().library_bytes) + " bytes");
                                   }
                                   return expect_count("miopen_double_live", 5);
                                 }),
            "");
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {
                                   AACO_TRY(convolve(device));
                                   if (device.memory_use().library_bytes != 0) {
                                     return wrong(std::to_string(device.memory_use().library_bytes) + " bytes");
                                   }
                                   return expect_count("miopen_double_live", 0);
                                 }),
            "");
}

TEST(HipConvolution, WhatTheLibraryDoesNotTakeIsOurs) {
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {  // 4 bytes beyond an address that 16 divides
                                   AACO_ASSIGN(const Convolution conv, Convolution::make(device, 1));
                                   conv.poison();
                                   conv.stream->launch(conv.args);
                                   AACO_TRY(conv.check());
                                   return expect_count("miopen_double_convolutions", 0);
                                 }),
            "");
  for (const char* unsupported : {"solutions:1:1", "miopenConvolutionForwardGetSolutionCount:6:1",
                                  "miopenConvolutionForwardGetSolution:8:1", "miopenConvolutionForwardImmediate:6:1"}) {
    EXPECT_EQ(in_child_with_device({{"AACO_HIP_DOUBLE_FAIL", unsupported}},
                                   [](Device& device) -> Result<void> {
                                     AACO_TRY(convolve(device));
                                     return expect_count("miopen_double_convolutions", 0);
                                   }),
              "")
        << unsupported;
  }
}

// A solution that turns out not to be compiled for the device: the next one.
TEST(HipConvolution, ASolutionThatIsNotSupportedIsPassedOver) {
  EXPECT_EQ(in_child_with_device({{"AACO_HIP_DOUBLE_FAIL", "miopenConvolutionForwardCompileSolution:8:1"}},
                                 [](Device& device) -> Result<void> {
                                   AACO_TRY(convolve(device));
                                   return expect_count("miopen_double_convolutions", 1);
                                 }),
            "");
}

TEST(HipConvolution, FailuresNameTheCall) {
  for (const char* call :
       {"miopenCreateWithStream", "miopenCreateTensorDescriptor", "miopenSet4dTensorDescriptor",
        "miopenCreateConvolutionDescriptor", "miopenInitConvolutionDescriptor", "miopenSetConvolutionAttribute",
        "miopenConvolutionForwardGetSolutionCount", "miopenConvolutionForwardGetSolution",
        "miopenConvolutionForwardCompileSolution", "miopenConvolutionForwardImmediate"}) {
    EXPECT_THAT(in_child_with_device({{"AACO_HIP_DOUBLE_FAIL", std::string(call) + ":5:1"}}, convolve),
                StartsWith("6 " + std::string(call) + ": miopenStatusOfTheDouble at "));
  }
  EXPECT_THAT(in_child_with_device({{"AACO_HIP_DOUBLE_FAIL", "hipMalloc:2:2"}}, convolve),
              StartsWith("6 hipMalloc: hipErrorOutOfMemory"));
}

}  // namespace
}  // namespace aaco
