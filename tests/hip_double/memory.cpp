// SPDX-License-Identifier: MIT
#include "memory.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>

#include "observer.h"

namespace aaco::hip_double {
namespace {

struct Allocation {
  size_t bytes = 0;
  int device = kHost;
};

constexpr std::align_val_t kAlignment{256};
constexpr size_t kPage = 4096;
std::mutex memory_mutex;

// Device memory lies where the lower half of an address is no number that arguments hold. A number's padding holds what
// the stack held before, maybe the upper half of a pointer: the two look like an address whose lower half is that
// number, and reach is judged by what looks like an address (kernels.cpp). No address is used twice: late use is a
// crash.
class DeviceAddresses {
 public:
  void* take(size_t bytes) {
    const size_t needed = (bytes + kPage - 1) / kPage * kPage;
    if (needed + kPage > left_ && !open_window()) {
      return nullptr;
    }
    if (needed + kPage > left_ || ::mprotect(next_, needed, PROT_READ | PROT_WRITE) != 0) {
      return nullptr;
    }
    void* const taken = next_;
    next_ += needed + kPage;  // a page that nobody may touch lies between any two
    left_ -= needed + kPage;
    return taken;
  }

  static void give_back(void* memory, size_t bytes) {
    if (::mmap(memory, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
        MAP_FAILED) {
      std::abort();  // late use would go unseen
    }
  }

 private:
  static constexpr uint64_t kHalf = uint64_t{1} << 32;
  static constexpr uint64_t kLowest = 0x8400'0000;   // above all positive numbers, and above -0.0
  static constexpr uint64_t kHighest = 0xfff0'0000;  // below small negative ones

  bool open_window() {
    void* const mapped = ::mmap(nullptr, 2 * kHalf, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) {
      return false;
    }
    const auto start = reinterpret_cast<uintptr_t>(mapped);
    const uint64_t half = (start & (kHalf - 1)) <= kLowest ? start & ~(kHalf - 1) : (start & ~(kHalf - 1)) + kHalf;
    next_ = static_cast<char*>(mapped) + (half + kLowest - start);
    left_ = kHighest - kLowest;
    return true;
  }

  char* next_ = nullptr;
  size_t left_ = 0;
};

DeviceAddresses& device_addresses() {
  static DeviceAddresses all;
  return all;
}

std::map<uintptr_t, Allocation>& allocations() {
  static auto* const all = new std::map<uintptr_t, Allocation>;  // outlives what frees late
  return *all;
}

hipError_t kind_of_copy(hipMemcpyKind kind, bool& to_device, bool& from_device) {
  if (kind > hipMemcpyDefault) {
    return hipErrorInvalidMemcpyDirection;
  }
  to_device = kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice;
  from_device = kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice;
  return hipSuccess;
}

hipMemcpyKind direction_of(const void* to, const void* from) {
  if (owner_of(to) < 0) {
    return owner_of(from) < 0 ? hipMemcpyHostToHost : hipMemcpyDeviceToHost;
  }
  return owner_of(from) < 0 ? hipMemcpyHostToDevice : hipMemcpyDeviceToDevice;
}

}  // namespace

hipError_t allocate(void** memory, size_t bytes, int device) {
  if (memory == nullptr) {
    return hipErrorInvalidValue;
  }
  *memory = nullptr;
  if (bytes == 0) {
    return hipSuccess;
  }
  const std::lock_guard lock(memory_mutex);
  if (device == kHost) {
    *memory = ::operator new(bytes, kAlignment);
  } else {
    auto& used = machine().devices[static_cast<size_t>(device)].used_bytes;
    *memory = bytes > machine().memory_bytes - used ? nullptr : device_addresses().take(bytes);
    if (*memory == nullptr) {
      return hipErrorOutOfMemory;
    }
    used += bytes;
  }
  std::memset(*memory, 0xff, bytes);
  allocations()[reinterpret_cast<uintptr_t>(*memory)] = {bytes, device};
  return hipSuccess;
}

hipError_t free_memory(void* memory, bool host) {
  if (memory == nullptr) {
    return hipSuccess;
  }
  const std::lock_guard lock(memory_mutex);
  const auto found = allocations().find(reinterpret_cast<uintptr_t>(memory));
  if (found == allocations().end() || (found->second.device == kHost) != host) {
    return hipErrorInvalidValue;
  }
  if (host) {
    ::operator delete(memory, kAlignment);
  } else {
    machine().devices[static_cast<size_t>(found->second.device)].used_bytes -= found->second.bytes;
    DeviceAddresses::give_back(memory, found->second.bytes);
  }
  allocations().erase(found);
  return hipSuccess;
}

int owner_of(const void* memory) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const std::lock_guard lock(memory_mutex);
  auto found = allocations().upper_bound(address);
  if (found == allocations().begin()) {
    return kNobody;
  }
  --found;
  return address - found->first < found->second.bytes ? found->second.device : kNobody;
}

std::vector<AllocatedRange> allocated_ranges() {
  const std::lock_guard lock(memory_mutex);
  std::vector<AllocatedRange> all;
  all.reserve(allocations().size());
  for (const auto& [address, allocation] : allocations()) {
    all.push_back({reinterpret_cast<void*>(address), allocation.bytes, allocation.device});
  }
  return all;
}

hipError_t check_range(const void* memory, size_t bytes, bool must_be_device) {
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const std::lock_guard lock(memory_mutex);
  auto found = allocations().upper_bound(address);
  if (found == allocations().begin()) {
    return memory == nullptr || must_be_device ? hipErrorInvalidValue : hipSuccess;
  }
  --found;
  const size_t offset = address - found->first;
  if (offset >= found->second.bytes) {
    return must_be_device ? hipErrorInvalidValue : hipSuccess;
  }
  if (bytes > found->second.bytes - offset || (must_be_device && found->second.device == kHost)) {
    say("a range of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset) + " of an allocation of " +
        std::to_string(found->second.bytes));
    return hipErrorInvalidValue;
  }
  return hipSuccess;
}

}  // namespace aaco::hip_double

using namespace aaco::hip_double;

extern "C" {

hipError_t hipMalloc(void** ptr, size_t size) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (const hipError_t captured = check_no_capture(); captured != hipSuccess) {
    return returns(captured);
  }
  return returns(allocate(ptr, size, current_device()));
}

hipError_t hipHostMalloc(void** ptr, size_t size, unsigned int /*flags*/) {
  HIP_DOUBLE_CALL();
  const std::lock_guard lock(api_mutex());
  if (const hipError_t captured = check_no_capture(); captured != hipSuccess) {
    return returns(captured);
  }
  return returns(allocate(ptr, size, kHost));
}

// Waits for the device first, as the real one does.
hipError_t hipFree(void* ptr) {
  HIP_DOUBLE_CALL();
  wait_for_streams();
  return returns(free_memory(ptr, false));
}

hipError_t hipHostFree(void* ptr) {
  HIP_DOUBLE_CALL();
  wait_for_streams();
  return returns(free_memory(ptr, true));
}

hipError_t hipMemGetInfo(size_t* free, size_t* total) {
  HIP_DOUBLE_CALL();
  *total = machine().memory_bytes;
  *free = machine().memory_bytes - machine().devices[static_cast<size_t>(current_device())].used_bytes;
  return hipSuccess;
}

hipError_t hipMemcpyAsync(void* dst, const void* src, size_t bytes, hipMemcpyKind kind, hipStream_t stream) {
  const ObservedCall call(__func__, stream);
  HIP_DOUBLE_CALL();
  bool to_device = false;
  bool from_device = false;
  hipError_t status = kind_of_copy(kind, to_device, from_device);
  status = status != hipSuccess ? status : check_range(dst, bytes, to_device);
  status = status != hipSuccess ? status : check_range(src, bytes, from_device);
  if (status != hipSuccess || bytes == 0) {
    return returns(status);
  }
  const std::lock_guard lock(api_mutex());
  const WorkRecord copy{.kernel = "", .direction = direction_of(dst, src), .bytes = bytes, .device = stream->device};
  return returns(submit(*stream, hipGraphNodeTypeMemcpy, observed(copy, [dst, src, bytes] {
    std::memcpy(dst, src, bytes);
    return hipSuccess;
  })));
}

// HIP sets memory by a kernel of its own.
hipError_t hipMemsetAsync(void* dst, int value, size_t bytes, hipStream_t stream) {
  const ObservedCall call(__func__, stream);
  HIP_DOUBLE_CALL();
  const hipError_t status = check_range(dst, bytes, false);
  if (status != hipSuccess || bytes == 0) {
    return returns(status);
  }
  const std::lock_guard lock(api_mutex());
  const WorkRecord fill{.kernel = "__amd_rocclr_fillBufferAligned", .device = stream->device};
  return returns(submit(*stream, hipGraphNodeTypeMemset, observed(fill, [dst, value, bytes] {
    std::memset(dst, value, bytes);
    return hipSuccess;
  })));
}

}  // extern "C"
