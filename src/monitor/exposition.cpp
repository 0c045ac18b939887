// SPDX-License-Identifier: MIT
#include "monitor/exposition.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <vector>

#include "base/json/json.h"
#include "base/text/number_text.h"
#include "observe/host_files.h"

namespace aaco {

namespace {

constexpr std::string_view kOpenMetricsType = "application/openmetrics-text";

struct AcceptedType {
  std::string_view type;
  std::string_view version;
  double quality = 1;
};

AcceptedType accepted_type(std::string_view text) {
  AcceptedType accepted;
  const std::vector<std::string_view> parts = split(text, ';');
  accepted.type = parts.empty() ? std::string_view() : trimmed(parts.front());
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string_view parameter = trimmed(parts[i]);
    if (parameter.starts_with("q=")) {
      accepted.quality = number_of_text<double>(parameter.substr(2)).value_or(0);
    } else if (parameter.starts_with("version=")) {
      accepted.version = parameter.substr(8);
    }
  }
  return accepted;
}

// A label's value: these three alone are special. Help text of 0.0.4 keeps its quotes.
std::string escaped(std::string_view text, bool quotes) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c == '\\' || (c == '"' && quotes) ? "\\" : "";
      result += c;
    }
  }
  return result;
}

std::string labels_text(const MetricLabels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escaped(value, true));
  }
  return text.empty() ? "" : "{" + text + "}";
}

// The older format knows no info, and its families have the names of their samples.
void append_head(std::string& text, const FamilyInfo& info, bool open_metrics) {
  const std::string name = open_metrics ? info.name : sample_name(info);
  const char* const type = info.type == MetricType::kInfo && !open_metrics ? "gauge" : word_of(info.type);
  auto out = std::back_inserter(text);
  if (open_metrics) {
    fmt::format_to(out, "# TYPE {} {}\n", name, type);
    if (!info.unit.empty()) {
      fmt::format_to(out, "# UNIT {} {}\n", name, info.unit);
    }
    fmt::format_to(out, "# HELP {} {}\n", name, escaped(info.help, true));
  } else {
    fmt::format_to(out, "# HELP {} {}\n# TYPE {} {}\n", name, escaped(info.help, false), name, type);
  }
}

}  // namespace

ExpositionFormat exposition_format(std::string_view accept) {
  double open_metrics = 0;
  double text = 0;
  for (const std::string_view entry : split(accept, ',')) {
    const AcceptedType accepted = accepted_type(entry);
    if (accepted.type == kOpenMetricsType && (accepted.version.empty() || accepted.version == "1.0.0")) {
      open_metrics = std::max(open_metrics, accepted.quality);
    } else if (accepted.type == "text/plain" && (accepted.version.empty() || accepted.version == "0.0.4")) {
      text = std::max(text, accepted.quality);
    }
  }
  return open_metrics > 0 && open_metrics >= text ? ExpositionFormat::kOpenMetrics : ExpositionFormat::kPrometheusText;
}

const char* content_type(ExpositionFormat format) {
  return format == ExpositionFormat::kOpenMetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                                  : "text/plain; version=0.0.4; charset=utf-8";
}

std::string exposition_text(const MetricSet& metrics, ExpositionFormat format) {
  const bool open_metrics = format == ExpositionFormat::kOpenMetrics;
  std::string text;
  for (const MetricFamily& family : metrics.families()) {
    append_head(text, family.info, open_metrics);
    const std::string name = sample_name(family.info);
    for (const MetricPoint& point : family.points) {
      fmt::format_to(std::back_inserter(text), "{}{} {}\n", name, labels_text(point.labels), point.value);
    }
  }
  return text + (open_metrics ? "# EOF\n" : "");
}

Json metrics_json(const MetricSet& metrics) {
  Json families = Json::array();
  for (const MetricFamily& family : metrics.families()) {
    Json points = Json::array();
    for (const MetricPoint& point : family.points) {
      Json labels = Json::object();
      for (const auto& [name, value] : point.labels) {
        labels[name] = value;
      }
      points.push_back({{"labels", labels}, {"value", point.value}});
    }
    families.push_back({{"name", family.info.name},
                        {"type", family.info.type},
                        {"unit", family.info.unit},
                        {"help", family.info.help},
                        {"points", points}});
  }
  return families;
}

}  // namespace aaco
