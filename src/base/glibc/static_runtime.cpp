// SPDX-License-Identifier: MIT
// What GCC 12's static libstdc++ and libgcc want of a glibc newer than 2.34, for the libraries that link them:
// random_device calls arc4random (2.36), the unwinder _dl_find_object (2.35). Hidden: glibc's own stay what others in
// the process call.
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#if defined(__x86_64__) && defined(__GLIBC__) && __GLIBC_PREREQ(2, 36)

namespace {

struct Search {
  uintptr_t address = 0;
  dl_find_object* object = nullptr;
};

int look_at_object(dl_phdr_info* info, size_t /*size*/, void* data) {
  const auto* search = static_cast<Search*>(data);
  uintptr_t start = UINTPTR_MAX;
  uintptr_t end = 0;
  uintptr_t frames = 0;
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const uintptr_t from = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) {
      frames = from;
    } else if (part.p_type == PT_LOAD) {
      start = from < start ? from : start;
      end = from + part.p_memsz > end ? from + part.p_memsz : end;
      holds = holds || (search->address >= from && search->address < from + part.p_memsz);
    }
  }
  if (!holds || frames == 0) {
    return 0;
  }
  // NOLINTBEGIN(performance-no-int-to-ptr): addresses of the loader
  *search->object = {};
  search->object->dlfo_map_start = reinterpret_cast<void*>(start);
  search->object->dlfo_map_end = reinterpret_cast<void*>(end);
  search->object->dlfo_eh_frame = reinterpret_cast<void*>(frames);  // all that the unwinder reads
  // NOLINTEND(performance-no-int-to-ptr)
  return 1;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): glibc's names
extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(void* address, dl_find_object* object) noexcept {
  Search search{reinterpret_cast<uintptr_t>(address), object};
  return dl_iterate_phdr(look_at_object, &search) == 1 ? 0 : -1;
}

extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() noexcept {
  uint32_t value = 0;
  while (getrandom(&value, sizeof value, 0) != sizeof value) {
    if (errno != EINTR) {
      std::abort();  // as glibc's does: a constant in place of a random number would be worse
    }
  }
  return value;
}
// NOLINTEND(bugprone-reserved-identifier)

#endif
