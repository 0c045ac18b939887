// SPDX-License-Identifier: MIT
// Stands in for libnvidia-ml.so.1: two devices, whose figures and failures a test sets through nvml_double_set() and
// nvml_double_fail().
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

struct Field {
  int type = 3;
  unsigned long long value = 0;
  long long timestamp_us = 0;
};
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

struct State {
  std::map<std::string, int> failures;     // by function
  std::map<std::string, unsigned> values;  // by what is asked for
  std::map<unsigned, Field> fields;
  std::map<std::string, std::vector<Process>> processes;  // by function
  unsigned slices = 0;                                    // of the first device; 0: MIG is off
  int gpm_samples = 0;
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
char slice_handles[8];
constexpr unsigned kNone = ~0U;

// A value that no test set is not supported, as on a device that lacks it.
template <class T>
int give_if_set(const char* function, const std::string& what, T* value) {
  const auto found = state().values.find(what);
  if (found == state().values.end()) {
    return 3;
  }
  *value = found->second == kNone ? ~T{0} : T{found->second};
  return status_of(function);
}

int list(const char* function, unsigned* count, Process* to) {
  const std::vector<Process>& from = state().processes[function];
  const bool fits = from.size() <= *count;
  *count = static_cast<unsigned>(from.size());
  if (const int status = status_of(function); status != 0 || !fits) {
    return status != 0 ? status : 7;
  }
  std::copy(from.begin(), from.end(), to);
  return 0;
}

}  // namespace

extern "C" {

struct NvmlDoubleFieldValue {
  unsigned field, scope;
  long long timestamp_us, latency_us;
  int type, status;
  unsigned long long value;
};
struct NvmlDoubleMemoryV1 {
  unsigned long long total, free, used;
};
struct NvmlDoubleMemoryV2 {
  unsigned version;
  unsigned long long total, reserved, free, used;
};
struct NvmlDoubleTemperature {
  unsigned version, sensor;
  int celsius;
};
struct NvmlDoubleMetric {
  unsigned id;
  int status;
  double value;
  const char* names[3];
};
struct NvmlDoubleMetrics {
  unsigned version, count;
  int *before, *after;
  NvmlDoubleMetric metrics[1];  // as many as the caller has
};
struct NvmlDoublePci {
  char legacy_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char id[32];
};

void nvml_double_reset() { state() = {}; }
void nvml_double_set(const char* what, unsigned value) { state().values[what] = value; }
void nvml_double_fail(const char* function, int status) { state().failures[function] = status; }
int nvml_double_started() { return state().started; }
int nvml_double_gpm_samples() { return state().gpm_samples; }
void nvml_double_field(unsigned field, int type, unsigned long long value, long long timestamp_us) {
  state().fields[field] = {type, value, timestamp_us};
}
void nvml_double_process(const char* function, unsigned pid, unsigned long long memory) {
  state().processes[function].push_back({pid, memory, kNone, kNone});
}
void nvml_double_slices(unsigned count) { state().slices = count; }

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
int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* mhz) {
  return give_if_set("nvmlDeviceGetMaxClockInfo", type == 1 ? "sm max" : "memory max", mhz);
}
int nvmlDeviceGetApplicationsClock(void*, int, unsigned* mhz) {
  return give_if_set("nvmlDeviceGetApplicationsClock", "target", mhz);
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return give_if_set("nvmlDeviceGetEnforcedPowerLimit", "power limit", milliwatts);
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  return give_if_set("nvmlDeviceGetTotalEnergyConsumption", "energy", millijoules);
}
// As a driver of before the second layout does: it refuses what it does not know.
int nvmlDeviceGetMemoryInfo_v2(void*, NvmlDoubleMemoryV2* memory) {
  if (memory->version != 0x2000028) {
    return 25;
  }
  const int status = give_if_set("nvmlDeviceGetMemoryInfo_v2", "memory used", &memory->used);
  memory->total = 80'000;
  return status;
}
int nvmlDeviceGetMemoryInfo(void*, NvmlDoubleMemoryV1* memory) {
  *memory = {80'000, 0, 0};
  return give_if_set("nvmlDeviceGetMemoryInfo", "memory used of v1", &memory->used);
}
int nvmlDeviceGetTemperatureV(void*, NvmlDoubleTemperature* temperature) {
  if (temperature->version != 0x100000C || temperature->sensor != 1) {
    return 25;
  }
  return give_if_set("nvmlDeviceGetTemperatureV", "hotspot", reinterpret_cast<unsigned*>(&temperature->celsius));
}
int nvmlDeviceGetTotalEccErrors(void*, int kind, int counter, unsigned long long* count) {
  return counter != 0 ? 2 : give_if_set("nvmlDeviceGetTotalEccErrors", kind == 0 ? "corrected" : "uncorrected", count);
}
int nvmlDeviceGetFieldValues(void*, int count, NvmlDoubleFieldValue* values) {
  for (int i = 0; i < count; ++i) {
    const auto found = state().fields.find(values[i].field);
    values[i].status = found == state().fields.end() ? 3 : 0;
    if (values[i].status == 0) {
      values[i].type = found->second.type;
      values[i].value = found->second.value;
      values[i].timestamp_us = found->second.timestamp_us;
    }
  }
  return status_of("nvmlDeviceGetFieldValues");
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, Process* to) {
  return list("nvmlDeviceGetComputeRunningProcesses_v3", count, to);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void*, unsigned* count, Process* to) {
  return list("nvmlDeviceGetGraphicsRunningProcesses_v3", count, to);
}
int nvmlDeviceGetMPSComputeRunningProcesses_v3(void*, unsigned* count, Process* to) {
  return list("nvmlDeviceGetMPSComputeRunningProcesses_v3", count, to);
}
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  *current = *pending = device == &handles[0] && state().slices > 0 ? 1 : 0;
  return status_of("nvmlDeviceGetMigMode");
}
int nvmlDeviceGetMaxMigDeviceCount(void*, unsigned* count) {
  *count = 7;
  return 0;
}
int nvmlDeviceGetMigDeviceHandleByIndex(void*, unsigned index, void** device) {
  *device = &slice_handles[index];
  return index < state().slices ? 0 : 6;
}
int nvmlDeviceGetGpuInstanceId(void* device, unsigned* id) {
  *id = static_cast<unsigned>(static_cast<char*>(device) - slice_handles) + 3;
  return 0;
}
int nvmlDeviceGetComputeInstanceId(void*, unsigned* id) {
  *id = 0;
  return 0;
}
// A metric is the difference of two samples, which are numbers here: the id times how many samples lie between.
int nvmlGpmQueryDeviceSupport(void*, unsigned* support) {
  support[1] = state().values["gpm"];
  return status_of("nvmlGpmQueryDeviceSupport");
}
int nvmlGpmSampleAlloc(int** sample) {
  *sample = new int(0);
  ++state().gpm_samples;
  return 0;
}
int nvmlGpmSampleFree(int* sample) {
  delete sample;
  --state().gpm_samples;
  return 0;
}
int nvmlGpmSampleGet(void*, int* sample) {
  *sample = static_cast<int>(++state().values["gpm clock"]);
  return status_of("nvmlGpmSampleGet");
}
int nvmlGpmMetricsGet(NvmlDoubleMetrics* metrics) {
  if (metrics->version != 1) {
    return 25;
  }
  for (unsigned i = 0; i < metrics->count; ++i) {
    metrics->metrics[i].value = metrics->metrics[i].id * static_cast<double>(*metrics->after - *metrics->before);
    metrics->metrics[i].status = metrics->metrics[i].id == state().values["gpm missing"] ? 3 : 0;
  }
  return status_of("nvmlGpmMetricsGet");
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
