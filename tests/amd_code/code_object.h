// SPDX-License-Identifier: MIT
// A code object of an AMD device (an ELF library: https://llvm.org/docs/AMDGPUUsage.html, "ELF Code Object"), laid out
// as a loader would, with its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "amd_isa/machine.h"
#include "base/result.h"
#include "kernel_metadata.h"

namespace aaco::amd {

struct LoadedKernel {
  KernelMetadata metadata;
  KernelCode code;               // points into the code object
  std::uint64_t code_bytes = 0;  // of its function, from the entry on
};

class CodeObject {
 public:
  // Errors: no code object, one for another architecture, a damaged one, a relocation that is not known, a kernel
  // without a descriptor, or one whose descriptor and metadata differ.
  static Result<CodeObject> load(std::span<const std::byte> elf, const std::string& architecture);

  const std::string& architecture() const { return architecture_; }
  const std::vector<LoadedKernel>& kernels() const { return kernels_; }
  const LoadedKernel* find(std::string_view name) const;  // mangled, or nullptr
  // All that is loaded, from virtual address 0.
  std::span<std::byte> image() const { return {image_.get(), image_bytes_}; }

 private:
  struct AlignedDelete {
    void operator()(std::byte* memory) const;
  };

  std::string architecture_;
  std::unique_ptr<std::byte[], AlignedDelete> image_;
  std::size_t image_bytes_ = 0;
  std::vector<LoadedKernel> kernels_;
};

}  // namespace aaco::amd
