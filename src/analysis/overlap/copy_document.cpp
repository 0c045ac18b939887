// SPDX-License-Identifier: MIT
#include "analysis/overlap/copy_document.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "analysis/documents/queue_run_document.h"
#include "base/json.h"
#include "base/text/enum_words.h"

namespace aaco {

AACO_JSON_FIELDS(CopyRecords, rounds, copies, other_bytes, copy_ns, hidden, engine)

namespace {

constexpr EnumWords<CopyDirection, 3> kDirections({"d2h", "h2d", "peer"});
constexpr EnumWords<CopyVariant, kCopyVariants> kVariants({"serial", "overlapped", "products", "copy"});
constexpr std::array kAllVariants = {CopyVariant::kSerial, CopyVariant::kOverlapped, CopyVariant::kProducts,
                                     CopyVariant::kCopy};

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

Error damaged(std::string_view source, std::string_view what) {
  return {ErrorKind::kUsage, fmt::format("{}: not what aaco overlap copy wrote: {}", source, what),
          "the file is damaged: run it again with aaco overlap copy"};
}

Result<CopyFigures> read_direction(const Json& json, std::string_view source) {
  const auto direction = copy_direction_named(json.value("direction", ""));
  if (!direction) {
    return damaged(source, "a direction that there is not");
  }
  std::vector<CopyTimes> processes;
  for (const CopyVariant variant : kAllVariants) {
    const auto medians = json.at("process_medians_ns").at(word_of(variant)).get<std::vector<double>>();
    if (variant == kAllVariants.front()) {
      processes.resize(medians.size());
    }
    if (medians.size() != processes.size()) {
      return damaged(source, "variants of other numbers of processes");
    }
    for (size_t i = 0; i < processes.size(); ++i) {
      if (!std::isfinite(medians[i]) || medians[i] <= 0) {
        return damaged(source, "a time that is none");
      }
      processes[i][static_cast<size_t>(variant)] = medians[i];
    }
  }
  CopyFigures figures = copy_figures(*direction, std::move(processes));
  if (const Json& records = json.at("records"); !records.is_null()) {
    figures.records = records.get<CopyRecords>();
  }
  return figures;
}

}  // namespace

const char* word_of(CopyDirection direction) { return kDirections.of(direction); }
const char* word_of(CopyVariant variant) { return kVariants.of(variant); }
std::optional<CopyDirection> copy_direction_named(std::string_view word) { return kDirections.parse(word); }

void to_json(Json& json, const CopyRequest& request) {
  json = {{"device", request.device},
          {"peer", request.peer},
          {"directions", Json::array()},
          {"precision", request.precision},
          {"matrix_size", request.matrix_size},
          {"copy_mb", request.copy_mb},
          {"products", request.products},
          {"rounds", request.rounds},
          {"warmup", request.warmup},
          {"processes", request.processes},
          {"seed", request.seed}};
  for (const CopyDirection direction : request.directions) {
    json["directions"].push_back(word_of(direction));
  }
}

void from_json(const Json& json, CopyRequest& request) {
  json.at("device").get_to(request.device);
  json.at("peer").get_to(request.peer);
  json.at("precision").get_to(request.precision);
  json.at("matrix_size").get_to(request.matrix_size);
  json.at("copy_mb").get_to(request.copy_mb);
  json.at("products").get_to(request.products);
  json.at("rounds").get_to(request.rounds);
  json.at("warmup").get_to(request.warmup);
  json.at("processes").get_to(request.processes);
  json.at("seed").get_to(request.seed);
  for (const Json& word : json.at("directions")) {
    if (const auto direction = kDirections.parse(word.get<std::string>())) {
      request.directions.push_back(*direction);
    }
  }
}

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
    for (const CopyVariant variant : kAllVariants) {
      const char* const word = word_of(variant);
      json["times_ns"][word] = estimate_json(figures.times_ns[static_cast<size_t>(variant)]);
      json["process_medians_ns"][word] = Json::array();
      for (const CopyTimes& times : figures.processes) {
        json["process_medians_ns"][word].push_back(of(times, variant));
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
  return {{"kind", CopyDocument::kKind},
          {"version", document.version},
          {"bundle", document.bundle},
          {"created_utc", document.created_utc},
          {"request", document.request},
          {"device", document.device_name},
          {"copy_bytes", document.request.copy_bytes()},
          {"directions", std::move(directions)}};
}

Result<CopyDocument> read_copy_document(const Json& json, std::string_view source) {
  if (document_kind(json) != CopyDocument::kKind) {
    return damaged(source, "another kind of file");
  }
  CopyDocument document;
  try {
    json.at("version").get_to(document.version);
    json.at("bundle").get_to(document.bundle);
    json.at("created_utc").get_to(document.created_utc);
    json.at("request").get_to(document.request);
    json.at("device").get_to(document.device_name);
    for (const Json& direction : json.at("directions")) {
      AACO_ASSIGN(document.directions.emplace_back(), read_direction(direction, source));
    }
  } catch (const Json::exception& exception) {
    return damaged(source, exception.what());
  }
  return document;
}

}  // namespace aaco
