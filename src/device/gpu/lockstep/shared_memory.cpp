// SPDX-License-Identifier: MIT
#include "device/gpu/lockstep/shared_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <link.h>
#include <new>

#include "device/gpu/lockstep/block.h"

namespace aaco::gpu::lockstep {
namespace {

constexpr int kPoison = 0xff;
constexpr unsigned char kMargin = 0xa5;
constexpr size_t kMarginBytes = 256;
constexpr std::align_val_t kAlignment{256};

struct ThreadLocals {
  void* start = nullptr;
  size_t bytes = 0;
};

bool holds(const dl_phdr_info& library, uintptr_t address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& segment = library.dlpi_phdr[i];
    const uintptr_t start = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= start && address - start < segment.p_memsz) {
      return true;
    }
  }
  return false;
}

int find_thread_locals(dl_phdr_info* library, size_t /*size*/, void* result) {
  if (!holds(*library, reinterpret_cast<uintptr_t>(&find_thread_locals))) {
    return 0;
  }
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    if (library->dlpi_phdr[i].p_type == PT_TLS) {
      *static_cast<ThreadLocals*>(result) = {library->dlpi_tls_data, library->dlpi_phdr[i].p_memsz};
    }
  }
  return 1;
}

}  // namespace

void DynamicShared::Free::operator()(unsigned char* memory) const { ::operator delete(memory, kAlignment); }

DynamicShared::DynamicShared(size_t bytes)
    : bytes_(bytes), memory_(static_cast<unsigned char*>(::operator new(bytes + kMarginBytes, kAlignment))) {
  std::memset(memory_.get() + bytes_, kMargin, kMarginBytes);
}

void DynamicShared::poison() const { std::memset(memory_.get(), kPoison, bytes_); }

bool DynamicShared::overrun() const {
  const unsigned char* margin = memory_.get() + bytes_;
  return std::any_of(margin, margin + kMarginBytes, [](unsigned char byte) { return byte != kMargin; });
}

StaticShared::StaticShared() {
  this_thread = nullptr;  // touched, so that the calling thread has its variables
  ThreadLocals thread_locals;
  dl_iterate_phdr(&find_thread_locals, &thread_locals);
  start_ = thread_locals.start;
  bytes_ = thread_locals.bytes;
}

void StaticShared::poison() const {
  if (start_ != nullptr) {
    std::memset(start_, kPoison, bytes_);
    this_thread = nullptr;
  }
}

}  // namespace aaco::gpu::lockstep
