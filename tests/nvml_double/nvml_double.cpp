// SPDX-License-Identifier: MIT
// Stands in for libnvidia-ml.so.1: two devices, whose figures and failures a test sets through nvml_double_set() and
// nvml_double_fail().
#include <cstdio>
#include <cstring>
#include <map>
#include <string>

namespace {

struct State {
  std::map<std::string, int> failures;     // by function
  std::map<std::string, unsigned> values;  // by what is asked for
  int started = 0;
};

State& state() {
  static State one;
  return one;
}

int status_of(const char* function) {
  const auto found = state().failures.find(function);
  return found == state().failures.end() ? 0 : found->second;
}

int give(const char* function, const std::string& what, unsigned* value) {
  *value = state().values[what];
  return status_of(function);
}

char handles[2];

}  // namespace

extern "C" {

struct NvmlDoublePci {
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char id[32];
};

void nvml_double_reset() { state() = {}; }
void nvml_double_set(const char* what, unsigned value) { state().values[what] = value; }
void nvml_double_fail(const char* function, int status) { state().failures[function] = status; }
int nvml_double_started() { return state().started; }

int nvmlInit_v2() {
  const int status = status_of("nvmlInit_v2");
  state().started += status == 0 ? 1 : 0;
  return status;
}
int nvmlShutdown() {
  --state().started;
  return 0;
}
const char* nvmlErrorString(int status) {
  switch (status) {
    case 3:
      return "Not Supported";
    case 4:
      return "Insufficient Permissions";
    case 6:
      return "Not Found";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}
int nvmlDeviceGetCount_v2(unsigned* count) { return give("nvmlDeviceGetCount_v2", "count", count); }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = &handles[index];
  return status_of("nvmlDeviceGetHandleByIndex_v2");
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
  if (std::strcmp(id, "0000:1b:00.0") != 0 && std::strcmp(id, "0000:5d:00.0") != 0) {
    return 6;
  }
  *device = &handles[id[5] == '1' ? 0 : 1];
  return status_of("nvmlDeviceGetHandleByPciBusId_v2");
}
int nvmlDeviceGetPciInfo_v3(void* device, NvmlDoublePci* info) {
  *info = {};
  info->bus = device == &handles[0] ? 0x1b : 0x5d;
  return status_of("nvmlDeviceGetPciInfo_v3");
}
int nvmlDeviceGetClockInfo(void*, int type, unsigned* mhz) {
  return give(type == 1 ? "sm clock" : "memory clock", type == 1 ? "sm" : "memory", mhz);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  return give("nvmlDeviceGetPowerUsage", "power", milliwatts);
}
int nvmlDeviceGetTemperature(void*, int, unsigned* celsius) {
  return give("nvmlDeviceGetTemperature", "temperature", celsius);
}
int nvmlDeviceGetUtilizationRates(void*, unsigned* rates) {
  rates[1] = 0;
  return give("nvmlDeviceGetUtilizationRates", "busy", rates);
}
int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* bits) {
  *bits = state().values["events"];
  return status_of("nvmlDeviceGetCurrentClocksEventReasons");
}

}  // extern "C"
