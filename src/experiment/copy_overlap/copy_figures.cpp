// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json.h"
#include "experiment/copy_overlap/copy_document.h"

namespace aaco {

AACO_JSON_FIELDS(CopyRecords, rounds, copies, other_bytes, copy_ns, hidden, engine)

namespace {

constexpr std::array kVariantNames = {"serial", "overlapped", "products", "copy"};

double of(const CopyTimes& times, CopyVariant variant) { return times[static_cast<size_t>(variant)]; }

Estimate mean_with_interval(const std::vector<double>& values) {
  Estimate estimate{mean(values).value_or(0), std::nullopt};
  if (const auto half = half_width_over_processes(values)) {
    estimate.interval = {estimate.value - *half, estimate.value + *half};
  }
  return estimate;
}

void add_savings(CopyFigures& figures) {
  std::vector<double> saved;
  for (const CopyTimes& times : figures.processes) {
    saved.push_back(of(times, CopyVariant::kSerial) - of(times, CopyVariant::kOverlapped));
  }
  const auto value = [&](CopyVariant variant) { return figures.times_ns[static_cast<size_t>(variant)]->value; };
  const double products = value(CopyVariant::kProducts);
  const double copy = value(CopyVariant::kCopy);
  const double serial = value(CopyVariant::kSerial);
  figures.saved_ns = mean_with_interval(saved);
  figures.saved_share = figures.saved_ns->value / serial;
  figures.ideal_ns = std::max(products, copy);
  if (serial > *figures.ideal_ns) {
    figures.ideal_share = figures.saved_ns->value / (serial - *figures.ideal_ns);
  }
  const double surely = figures.saved_ns->interval ? figures.saved_ns->interval->low : figures.saved_ns->value;
  if (surely > std::min(products, copy)) {
    figures.implausible = "more was saved than the shorter of both takes alone: the serial rounds were disturbed";
  }
}

Json estimate_json(const std::optional<Estimate>& estimate) {
  if (!estimate) {
    return nullptr;
  }
  Json json = {{"value", estimate->value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate->interval) {
    json["low"] = estimate->interval->low;
    json["high"] = estimate->interval->high;
  }
  return json;
}

std::string percent_or_none(const std::optional<double>& share) { return share ? format_percent(*share) : "no data"; }

std::string direction_text(const CopyFigures& figures, int64_t bytes) {
  std::string text = fmt::format("\n{}\n", word_of(figures.direction));
  for (size_t i = 0; i < kCopyVariants; ++i) {
    text += fmt::format("  {:<12}{}\n", kVariantNames[i],
                        figures.times_ns[i] ? format_estimate_ns(*figures.times_ns[i]) : "no data");
  }
  if (figures.saved_ns) {
    const double copy_ns = figures.times_ns[static_cast<size_t>(CopyVariant::kCopy)]->value;
    text += fmt::format("  {:<12}{}, {} of the serial time; {} of what could be saved (ideal {})\n", "saved",
                        format_estimate_ns(*figures.saved_ns), percent_or_none(figures.saved_share),
                        percent_or_none(figures.ideal_share), format_duration_ns(*figures.ideal_ns));
    text += fmt::format("  {:<12}{} a copy, {} alone\n", "bytes", bytes,
                        format_si(static_cast<double>(bytes) / copy_ns * 1e9, "B/s"));
  }
  if (!figures.implausible.empty()) {
    text += fmt::format("  {:<12}{}\n", "warning", figures.implausible);
  }
  if (figures.records) {
    text += fmt::format("  {:<12}{} copies of that size in {} rounds, {} beside products; engine {}\n", "records",
                        figures.records->copies, figures.records->rounds, format_percent(figures.records->hidden),
                        figures.records->engine);
  }
  return text;
}

}  // namespace

CopyFigures copy_figures(CopyDirection direction, std::vector<CopyTimes> processes) {
  CopyFigures figures;
  figures.direction = direction;
  figures.processes = std::move(processes);
  for (size_t i = 0; i < kCopyVariants; ++i) {
    std::vector<double> values;
    std::transform(figures.processes.begin(), figures.processes.end(), std::back_inserter(values),
                   [&](const CopyTimes& times) { return times[i]; });
    figures.times_ns[i] = estimate_over_processes(values);
  }
  if (std::all_of(figures.times_ns.begin(), figures.times_ns.end(), [](const auto& one) { return one.has_value(); })) {
    add_savings(figures);
  }
  return figures;
}

Json copy_json(const CopyDocument& document) {
  Json directions = Json::array();
  for (const CopyFigures& figures : document.directions) {
    Json json = {{"direction", word_of(figures.direction)}};
    for (size_t i = 0; i < kCopyVariants; ++i) {
      json["times_ns"][kVariantNames[i]] = estimate_json(figures.times_ns[i]);
      for (const CopyTimes& times : figures.processes) {
        json["process_medians_ns"][kVariantNames[i]].push_back(times[i]);
      }
    }
    json["saved_ns"] = estimate_json(figures.saved_ns);
    json["saved_share"] = figures.saved_share;
    json["ideal_ns"] = figures.ideal_ns;
    json["ideal_share"] = figures.ideal_share;
    json["implausible"] = figures.implausible;
    json["records"] = figures.records;
    directions.push_back(std::move(json));
  }
  return {{"kind", "copy_overlap"},
          {"request", document.request},
          {"device", document.device_name},
          {"copy_bytes", document.request.copy_bytes()},
          {"directions", std::move(directions)}};
}

std::string copy_text(const CopyDocument& document) {
  const CopyRequest& request = document.request;
  std::string text = fmt::format(
      "device      {} ({})\nproducts    {} of {} x {} in {}, with ReLU\ncopy        {:g} MiB, "
      "{} bytes, on a stream of the highest priority\nrounds      {} of each variant in turns, "
      "{} before them, {} processes\n",
      request.device, document.device_name, request.products, request.matrix_size, request.matrix_size,
      request.precision, request.copy_mb, request.copy_bytes(), request.rounds, request.warmup, request.processes);
  for (const CopyFigures& figures : document.directions) {
    text += direction_text(figures, request.copy_bytes());
  }
  return text;
}

}  // namespace aaco
