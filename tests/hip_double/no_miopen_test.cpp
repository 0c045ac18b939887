// SPDX-License-Identifier: MIT
// The HIP module where there is no MIOpen: this program does not find the double of it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/test_skip.h"
#include "child.h"
#include "device/check/check_op.h"

namespace aaco {
namespace {

TEST(HipWithoutMiopen, ConvolutionIsOurs) {
  if (dlopen("libMIOpen.so.1", RTLD_NOW) != nullptr) {
    AACO_SKIP("this machine has MIOpen");
  }
  EXPECT_EQ(in_child_with_device({},
                                 [](Device& device) -> Result<void> {
                                   if (device.properties().conv_library != "implicit GEMM: libMIOpen.so.1 not found") {
                                     return wrong(device.properties().conv_library);
                                   }
                                   for (const OpCase& op_case : conv_cases()) {
                                     AACO_ASSIGN(const CaseResult result, check_case(device, op_case, 7));
                                     if (!result.passed()) {
                                       return wrong(op_case.name + ": " + result.failure);
                                     }
                                   }
                                   return {};
                                 }),
            "");
}

}  // namespace
}  // namespace aaco
