// SPDX-License-Identifier: MIT
// Code for several devices, one after the other behind a table, as clang-offload-bundler lays it out and as host code
// of HIP registers it: https://clang.llvm.org/docs/ClangOffloadBundler.html, "Bundled Binary File Layout".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco::amd {

struct BundleEntry {
  std::string target;        // hipv4-amdgcn-amd-amdhsa--gfx942, host-x86_64-unknown-linux--
  std::string architecture;  // gfx942, without features; empty for the host
  std::span<const std::byte> code;
};

// `bytes` begin with the bundle and may go on beyond it. Errors: no bundle, one that is damaged, or a compressed one
// (-offload-compress, which this project's modules are not built with).
Result<std::vector<BundleEntry>> read_bundle(std::span<const std::byte> bytes);

// The code of `architecture` in the bundle. Errors: as above, or that there is none.
Result<std::span<const std::byte>> code_for(std::span<const std::byte> bundle, const std::string& architecture);

// What a registered fat binary (__hipRegisterFatBinary) points to, to the end of the loaded segment that it lies in:
// nothing says how long it is. Errors: no segment of this process.
Result<std::span<const std::byte>> loaded_bytes_from(const void* start);

// Every bundle of the section .hip_fatbin of a host library, in order. Errors: no ELF file of 64 bits, no such section.
Result<std::vector<std::span<const std::byte>>> bundles_of_library(std::span<const std::byte> file);

}  // namespace aaco::amd
