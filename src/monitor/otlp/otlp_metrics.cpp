// SPDX-License-Identifier: MIT
#include "monitor/otlp/otlp_metrics.h"

#include <array>
#include <string_view>

#include "base/json/json.h"
#include "base/version.h"

namespace aaco {

namespace {

enum class PointKind { kGauge, kSum, kCounter };
constexpr int kCumulative = 2;  // AGGREGATION_TEMPORALITY_CUMULATIVE

struct HardwareName {
  std::string_view family;
  const char* name;
  PointKind kind;  // as the conventions say: an UpDownCounter is a sum
};
constexpr HardwareName kHardwareNames[] = {
    {"aaco_gpu_busy_ratio", "hw.gpu.utilization", PointKind::kGauge},
    {"aaco_gpu_power_watts", "hw.power", PointKind::kGauge},
    {"aaco_gpu_energy_joules", "hw.energy", PointKind::kCounter},
    {"aaco_gpu_memory_used_bytes", "hw.gpu.memory.usage", PointKind::kSum},
    {"aaco_gpu_memory_total_bytes", "hw.gpu.memory.limit", PointKind::kSum},
    {"aaco_gpu_temperature_celsius", "hw.temperature", PointKind::kGauge},
};

struct UnitCode {
  std::string_view unit;
  const char* code;  // of UCUM
};
constexpr UnitCode kUnitCodes[] = {{"hertz", "Hz"}, {"watts", "W"},   {"celsius", "Cel"}, {"ratio", "1"},
                                   {"bytes", "By"}, {"seconds", "s"}, {"joules", "J"},    {"bytes_per_second", "By/s"}};

const char* unit_code(std::string_view unit) {
  for (const UnitCode& candidate : kUnitCodes) {
    if (candidate.unit == unit) {
      return candidate.code;
    }
  }
  return "1";
}

// "aaco_gpu_core_clock_hertz" -> "aaco.gpu.core_clock": the unit has a field of its own. A duration ends with time, as
// in OpenTelemetry's names, which also keeps aaco_gpu_throttled_seconds apart from aaco_gpu_throttled.
std::string own_name(const FamilyInfo& info) {
  std::string_view rest = info.name;
  if (rest.starts_with("aaco_")) {
    rest.remove_prefix(5);
  }
  if (!info.unit.empty() && rest.ends_with("_" + info.unit)) {
    rest.remove_suffix(info.unit.size() + 1);
  }
  const bool is_duration = info.unit == "seconds" && !rest.ends_with("timestamp");
  const size_t subject = rest.find('_');
  return "aaco." + std::string(rest.substr(0, subject)) +
         (subject == std::string_view::npos ? "" : "." + std::string(rest.substr(subject + 1))) +
         (is_duration ? "_time" : "");
}

Json attribute(const std::string& key, const std::string& value) {
  return {{"key", key}, {"value", {{"stringValue", value}}}};
}

// A temperature is that of a sensor, whose parent is the GPU; everything else is the GPU's.
Json attributes(const MetricLabels& labels, bool is_sensor) {
  Json list = Json::array();
  for (const auto& [name, value] : labels) {
    if (name == "device") {
      list.push_back(attribute("hw.id", is_sensor ? value + "/temperature" : value));
      list.push_back(attribute("hw.type", is_sensor ? "temperature" : "gpu"));
      if (is_sensor) {
        list.push_back(attribute("hw.parent", value));
      }
    } else {
      list.push_back(attribute(name == "vendor" ? "hw.vendor" : name, value));
    }
  }
  return list;
}

Json metric(const MetricFamily& family, const OtlpTimes& times) {
  const FamilyInfo& info = family.info;
  std::string name = own_name(info);
  PointKind kind = info.type == MetricType::kCounter ? PointKind::kCounter : PointKind::kGauge;
  for (const HardwareName& hardware : kHardwareNames) {
    if (hardware.family == info.name) {
      name = hardware.name;
      kind = hardware.kind;
    }
  }
  Json points = Json::array();
  for (const MetricPoint& point : family.points) {
    // 64-bit integers are texts in JSON of Protocol Buffers.
    Json json = {{"attributes", attributes(point.labels, name == "hw.temperature")},
                 {"timeUnixNano", std::to_string(times.wall_ns)},
                 {"asDouble", point.value}};
    if (kind != PointKind::kGauge) {
      json["startTimeUnixNano"] = std::to_string(times.start_wall_ns);
    }
    points.push_back(std::move(json));
  }
  Json data = {{"dataPoints", std::move(points)}};
  if (kind != PointKind::kGauge) {
    data["aggregationTemporality"] = kCumulative;
    data["isMonotonic"] = kind == PointKind::kCounter;
  }
  return {{"name", name},
          {"description", info.help},
          {"unit", unit_code(info.unit)},
          {kind == PointKind::kGauge ? "gauge" : "sum", std::move(data)}};
}

}  // namespace

Json otlp_request(const MetricSet& metrics, const OtlpTimes& times, const std::string& host) {
  Json list = Json::array();
  for (const MetricFamily& family : metrics.families()) {
    if (family.info.type != MetricType::kInfo) {
      list.push_back(metric(family, times));
    }
  }
  const Json resource = {
      {"attributes", Json::array({attribute("service.name", "aaco-monitor"),
                                  attribute("service.version", program_version()), attribute("host.name", host)})}};
  const Json scope = {{"name", "aaco.monitor"}, {"version", program_version()}};
  const Json scope_metrics = {{"scope", scope}, {"metrics", std::move(list)}};
  const Json resource_metrics = {{"resource", resource}, {"scopeMetrics", Json::array({scope_metrics})}};
  return {{"resourceMetrics", Json::array({resource_metrics})}};
}

}  // namespace aaco
