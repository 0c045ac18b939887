// SPDX-License-Identifier: MIT
#include "observe/telemetry/nvml/nvml_device.h"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace aaco::nvml {

namespace {

constexpr int kCorrected = 0;
constexpr int kUncorrected = 1;
constexpr int kSinceDriverStarted = 0;  // "volatile" counters
constexpr double kKib = 1024;

FieldValue asked(Field field, unsigned scope = 0) {
  FieldValue value;
  value.field = field;
  value.scope = scope;
  return value;
}

// None: the library's mark of no value, or a type that this version does not know.
std::optional<double> number_of(const FieldValue& value) {
  switch (value.type) {
    case kDouble:
      return value.value.real;
    case kUint:
      return value.value.uint == kNoInt ? std::nullopt : std::optional<double>(value.value.uint);
    case kUlong:
    case kUlonglong:
      return value.value.ulonglong == kNoLong ? std::nullopt
                                              : std::optional<double>(static_cast<double>(value.value.ulonglong));
    case kLonglong:
      return static_cast<double>(value.value.longlong);
    case kInt:
      return value.value.int_value;
    case kUshort:
      return value.value.ushort_value;
    default:
      return std::nullopt;
  }
}

std::optional<int64_t> integer(std::optional<double> number, double scale = 1) {
  return number ? std::optional(static_cast<int64_t>(*number * scale)) : std::nullopt;
}

}  // namespace

DeviceReader::DeviceReader(const Library& library, PlaneAccount<GpuSampleRow>& account, std::string address,
                           Device device)
    : library_(library), account_(account), address_(std::move(address)), device_(device), gpm_(library, device) {}

void DeviceReader::read(GpuSampleRow& row, int64_t realtime_ns) {
  read_clocks(row);
  read_power(row);
  read_use(row);
  read_memory(row);
  read_errors(row);
  read_clock_events(row);
  read_fields(row, realtime_ns);
  read_gpm(row);
}

bool DeviceReader::worked(int status, std::string_view function, std::initializer_list<const char*> columns) {
  if (status == kSuccess) {
    return true;
  }
  for (const char* column : columns) {
    account_.unread(column, library_.words(std::string(function), status));
  }
  return false;
}

template <class T, class Function, class... Arguments>
std::optional<T> DeviceReader::value(Function* function, const char* name, const char* column, T sentinel,
                                     Arguments... arguments) {
  if (function == nullptr) {
    account_.unread(column, fmt::format("the driver has no {}", name));
    return std::nullopt;
  }
  T number{};
  if (!worked(function(device_, arguments..., &number), name, {column})) {
    return std::nullopt;
  }
  if (number == sentinel) {
    account_.unread(column, fmt::format("{} gave NVML's mark of no value", name));
    return std::nullopt;
  }
  return number;
}

void DeviceReader::read_clocks(GpuSampleRow& row) {
  const Functions& call = library_.call();
  const auto clock = [&](auto* function, const char* name, const char* column, ClockType type) {
    return value<unsigned>(function, name, column, kNoInt, int{type});
  };
  row.core_clock_mhz = clock(call.clock, "nvmlDeviceGetClockInfo", "core_clock_mhz", kClockSm);
  row.memory_clock_mhz = clock(call.clock, "nvmlDeviceGetClockInfo", "memory_clock_mhz", kClockMemory);
  row.core_clock_max_mhz = clock(call.max_clock, "nvmlDeviceGetMaxClockInfo", "core_clock_max_mhz", kClockSm);
  row.memory_clock_max_mhz = clock(call.max_clock, "nvmlDeviceGetMaxClockInfo", "memory_clock_max_mhz", kClockMemory);
  // Of graphics: the SM's clock has no setting of its own.
  row.core_clock_target_mhz =
      value<unsigned>(call.target_clock, "nvmlDeviceGetApplicationsClock", "core_clock_target_mhz", kNoInt, 0);
}

void DeviceReader::read_power(GpuSampleRow& row) {
  const Functions& call = library_.call();
  if (const auto mw = value<unsigned>(call.power_mw, "nvmlDeviceGetPowerUsage", "power_w", kNoInt)) {
    row.power_w = *mw / 1000.0;
  }
  if (const auto mw = value<unsigned>(call.power_limit_mw, "nvmlDeviceGetEnforcedPowerLimit", "power_cap_w", kNoInt)) {
    row.power_cap_w = *mw / 1000.0;
  }
  if (const auto mj =
          value<unsigned long long>(call.energy_mj, "nvmlDeviceGetTotalEnergyConsumption", "energy_j", kNoLong)) {
    row.energy_j = static_cast<double>(*mj) / 1000.0;
  }
  row.temperature_c =
      value<unsigned>(call.temperature, "nvmlDeviceGetTemperature", "temperature_c", kNoInt, kTemperatureOfChip);
  if (call.temperature_v1 == nullptr) {
    account_.unread("hotspot_c", "the driver has no nvmlDeviceGetTemperatureV");
    return;
  }
  TemperatureV1 hotspot;
  hotspot.sensor = kTemperatureOfHotspot;
  if (worked(call.temperature_v1(device_, &hotspot), "nvmlDeviceGetTemperatureV of the hotspot", {"hotspot_c"})) {
    row.hotspot_c = hotspot.celsius;
  }
}

void DeviceReader::read_use(GpuSampleRow& row) {
  Utilization use{kNoInt, kNoInt};
  if (!worked(library_.call().utilization(device_, &use), "nvmlDeviceGetUtilizationRates",
              {"busy_pct", "memory_busy_pct"})) {
    return;
  }
  const auto percent = [&](unsigned share, const char* column) -> std::optional<double> {
    if (share == kNoInt) {
      account_.unread(column, "nvmlDeviceGetUtilizationRates gave NVML's mark of no value");
      return std::nullopt;
    }
    return share;
  };
  row.busy_pct = percent(use.gpu, "busy_pct");
  row.memory_busy_pct = percent(use.memory, "memory_busy_pct");
}

// The older struct counts what the driver keeps for itself as used.
void DeviceReader::read_memory(GpuSampleRow& row) {
  const Functions& call = library_.call();
  MemoryV2 memory;
  int status = call.memory_v2 == nullptr ? kFunctionNotFound : call.memory_v2(device_, &memory);
  if ((status == kFunctionNotFound || status == kVersionMismatch) && call.memory_v1 != nullptr) {
    MemoryV1 older;
    status = call.memory_v1(device_, &older);
    memory.total = older.total;
    memory.used = older.used;
  }
  if (!worked(status, "nvmlDeviceGetMemoryInfo", {"memory_used_bytes", "memory_total_bytes"})) {
    return;
  }
  const auto bytes = [&](unsigned long long count, const char* column) -> std::optional<int64_t> {
    if (count == kNoLong) {
      account_.unread(column, "nvmlDeviceGetMemoryInfo gave NVML's mark of no value");
      return std::nullopt;
    }
    return static_cast<int64_t>(count);
  };
  row.memory_used_bytes = bytes(memory.used, "memory_used_bytes");
  row.memory_total_bytes = bytes(memory.total, "memory_total_bytes");
}

void DeviceReader::read_errors(GpuSampleRow& row) {
  const auto errors = [&](int kind, const char* column) -> std::optional<int64_t> {
    const auto count = value<unsigned long long>(library_.call().ecc_errors, "nvmlDeviceGetTotalEccErrors", column,
                                                 kNoLong, kind, kSinceDriverStarted);
    return count ? std::optional(static_cast<int64_t>(*count)) : std::nullopt;
  };
  row.ecc_corrected = errors(kCorrected, "ecc_corrected");
  row.ecc_uncorrected = errors(kUncorrected, "ecc_uncorrected");
}

void DeviceReader::read_clock_events(GpuSampleRow& row) {
  const auto function = library_.call().clock_events;
  unsigned long long bits = kNoLong;
  const int status = function == nullptr ? kNotSupported : function(device_, &bits);
  const auto columns = {"clock_event_bits", "clock_events", "throttled"};
  if (!worked(status, "nvmlDeviceGetCurrentClocksEventReasons", columns)) {
    return;
  }
  if (bits == kNoLong) {
    for (const char* column : columns) {
      account_.unread(column, "nvmlDeviceGetCurrentClocksEventReasons gave NVML's mark of no value");
    }
    return;
  }
  set_clock_events(row, bits);
}

std::optional<double> DeviceReader::field(const FieldValue& value, std::initializer_list<const char*> columns) {
  if (!worked(value.status, fmt::format("nvmlDeviceGetFieldValues of {}", value.field), columns)) {
    return std::nullopt;
  }
  const std::optional<double> number = number_of(value);
  if (!number) {
    for (const char* column : columns) {
      account_.unread(column, fmt::format("field {} has NVML's mark of no value", value.field));
    }
  }
  return number;
}

// One call for all fields: nvmlDeviceGetPcieThroughput would stand still for 20 ms.
void DeviceReader::read_fields(GpuSampleRow& row, int64_t realtime_ns) {
  std::array values{
      asked(kFieldMemoryTemperature),        asked(kFieldPowerInstant),     asked(kFieldNvlinkReceiveKib, kAllLinks),
      asked(kFieldNvlinkSendKib, kAllLinks), asked(kFieldPcieReceiveBytes), asked(kFieldPcieSendBytes)};
  const auto function = library_.call().fields;
  const int status =
      function == nullptr ? kFunctionNotFound : function(device_, static_cast<int>(values.size()), values.data());
  if (!worked(status, "nvmlDeviceGetFieldValues",
              {"memory_temperature_c", "age_ns", "link_receive_bytes", "link_send_bytes", "pcie_receive_bytes_s",
               "pcie_send_bytes_s"})) {
    return;
  }
  row.memory_temperature_c = field(values[0], {"memory_temperature_c"});
  if (field(values[1], {"age_ns"}) && values[1].timestamp_us > 0) {
    const int64_t age_ns = realtime_ns - values[1].timestamp_us * 1000;
    if (age_ns >= 0) {
      row.age_ns = age_ns;
    } else {
      account_.unread("age_ns", "NVML dates the power after the time of reading: a clock was set");
    }
  }
  row.link_receive_bytes = integer(field(values[2], {"link_receive_bytes"}), kKib);
  row.link_send_bytes = integer(field(values[3], {"link_send_bytes"}), kKib);
  row.pcie_receive_bytes_s = pcie_receive_.next(field(values[4], {"pcie_receive_bytes_s"}), row.t_ns);
  row.pcie_send_bytes_s = pcie_send_.next(field(values[5], {"pcie_send_bytes_s"}), row.t_ns);
}

void DeviceReader::read_gpm(GpuSampleRow& row) {
  const Result<GpmFigures> figures = gpm_.next();
  if (!figures) {
    for (const char* column : {"sm_busy_pct", "sm_occupancy_pct", "tensor_busy_pct", "memory_bandwidth_pct"}) {
      account_.unread(column, figures.error().message);
    }
    return;
  }
  row.sm_busy_pct = figures->sm_busy_pct;
  row.sm_occupancy_pct = figures->sm_occupancy_pct;
  row.tensor_busy_pct = figures->tensor_busy_pct;
  row.memory_bandwidth_pct = figures->memory_bandwidth_pct;
}

}  // namespace aaco::nvml
