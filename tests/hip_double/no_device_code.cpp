// SPDX-License-Identifier: MIT
// Where there is no LLVM to disassemble with.
#include "device_code.h"

namespace aaco::hip_double {

std::unique_ptr<DeviceCode> open_device_code(const void* /*bundle*/, const std::string& /*architecture*/,
                                             std::string& failure) {
  failure = "the interpreter of AMD's machine code is not built here (llvm-19-dev is missing)";
  return nullptr;
}

}  // namespace aaco::hip_double
