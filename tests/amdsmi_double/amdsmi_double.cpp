// SPDX-License-Identifier: MIT
// Stands in for libamd_smi.so: two devices on two sockets, whose figures and failures a test sets. As the library's
// newer versions do, it writes structs that are larger than those of amd-smi 24.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>

namespace {

struct State {
  std::map<std::string, uint32_t> failures;  // by function
  std::map<std::string, uint64_t> values;    // by what is asked for; not set: all ones, the library's mark of no value
  int started = 0;
  bool removed = false;  // of the second device
};

State& state() {
  static State one;
  return one;
}

char handles[2];
char sockets[2];

uint32_t status_of(const char* function, const void* handle = nullptr) {
  if (handle == &handles[1] && state().removed) {
    return 31;
  }
  const auto found = state().failures.find(function);
  return found == state().failures.end() ? 0 : found->second;
}

template <class T>
void put(void* to, size_t offset, const char* what) {
  const auto found = state().values.find(what);
  const T value = found == state().values.end() ? static_cast<T>(~T{0}) : static_cast<T>(found->second);
  std::memcpy(static_cast<char*>(to) + offset, &value, sizeof(value));
}

constexpr size_t kBytesOfMetrics = 16'384;

}  // namespace

extern "C" {

void amdsmi_double_reset() { state() = {}; }
void amdsmi_double_set(const char* what, uint64_t value) { state().values[what] = value; }
void amdsmi_double_fail(const char* function, uint32_t status) { state().failures[function] = status; }
void amdsmi_double_remove() { state().removed = true; }
int amdsmi_double_started() { return state().started; }

uint32_t amdsmi_init(uint64_t flags) {
  const uint32_t status = flags == 2 ? status_of("amdsmi_init") : 1;
  state().started += status == 0 ? 1 : 0;
  return status;
}
uint32_t amdsmi_shut_down() {
  --state().started;
  return 0;
}
uint32_t amdsmi_status_code_to_string(uint32_t status, const char** text) {
  static const std::map<uint32_t, const char*> texts{{2, "Not supported"},
                                                     {10, "Permission denied"},
                                                     {30, "Device busy"},
                                                     {31, "Device not found"},
                                                     {34, "Driver not loaded"}};
  const auto found = texts.find(status);
  *text = found == texts.end() ? nullptr : found->second;
  return found == texts.end() ? 1 : 0;
}
uint32_t amdsmi_get_socket_handles(uint32_t* count, void** to) {
  *count = 2;
  to[0] = &sockets[0];
  to[1] = &sockets[1];
  return status_of("amdsmi_get_socket_handles");
}
uint32_t amdsmi_get_processor_handles(void* socket, uint32_t* count, void** to) {
  *count = 1;
  to[0] = &handles[socket == &sockets[0] ? 0 : 1];
  return status_of("amdsmi_get_processor_handles");
}
// 0000:43:00.0 and 0001:83:00.1.
uint32_t amdsmi_get_gpu_device_bdf(void* handle, uint64_t* bdf) {
  *bdf = handle == &handles[0] ? 0x43U << 8 : 1U << 16 | 0x83U << 8 | 1;
  return status_of("amdsmi_get_gpu_device_bdf");
}
uint32_t amdsmi_get_gpu_metrics_info(void* handle, void* to) {
  if (const uint32_t status = status_of("amdsmi_get_gpu_metrics_info", handle); status != 0) {
    return status;
  }
  std::memset(to, 0xff, kBytesOfMetrics);
  put<uint8_t>(to, 2, "format");
  put<uint8_t>(to, 3, "content");
  put<uint16_t>(to, 4, "edge");
  put<uint16_t>(to, 6, "hotspot");
  put<uint16_t>(to, 8, "memory temperature");
  put<uint16_t>(to, 16, "busy");
  put<uint16_t>(to, 18, "memory busy");
  put<uint16_t>(to, 22, "average power");
  put<uint64_t>(to, 32, "boot time");
  put<uint16_t>(to, 54, "core clock");
  put<uint16_t>(to, 58, "memory clock");
  put<uint64_t>(to, 112, "throttle status");
  put<uint16_t>(to, 120, "current power");
  return 0;
}
uint32_t amdsmi_get_gpu_vram_usage(void* handle, void* to) {
  std::memset(to, 0, 512);
  put<uint32_t>(to, 0, "memory total");
  put<uint32_t>(to, 4, "memory used");
  return status_of("amdsmi_get_gpu_vram_usage", handle);
}
uint32_t amdsmi_get_power_cap_info(void* handle, uint32_t sensor, void* to) {
  std::memset(to, 0, 512);
  put<uint64_t>(to, 0, "power cap");
  return sensor == 0 ? status_of("amdsmi_get_power_cap_info", handle) : 1;
}
uint32_t amdsmi_get_energy_count(void* handle, uint64_t* count, float* microjoules, uint64_t* time) {
  put<uint64_t>(count, 0, "energy");
  *microjoules = 15.259F;
  *time = 0;
  return status_of("amdsmi_get_energy_count", handle);
}
uint32_t amdsmi_get_gpu_total_ecc_count(void* handle, void* to) {
  std::memset(to, 0, 512);
  put<uint64_t>(to, 0, "corrected");
  put<uint64_t>(to, 8, "uncorrected");
  return status_of("amdsmi_get_gpu_total_ecc_count", handle);
}

}  // extern "C"
