// SPDX-License-Identifier: MIT
#include "kind/copy/copy_document.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/text/enum_words.h"
#include "kind/queue_run/document/queue_run_document.h"

namespace aaco {

AACO_JSON_FIELDS(CopyState, clock_mhz, power_w)
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

// Of variants with products, whose time goes with the clock; "": they were alike, or the device does not tell.
std::string differing_clocks(const std::vector<CopyStates>& states) {
  constexpr double kTolerance = 0.02;
  struct VariantClock {
    const char* variant;
    double mhz;
  };
  std::vector<VariantClock> clocks;
  for (const CopyVariant variant : {CopyVariant::kSerial, CopyVariant::kOverlapped, CopyVariant::kProducts}) {
    std::vector<double> of_processes;
    for (const CopyStates& process : states) {
      if (const auto& clock = process[static_cast<size_t>(variant)].clock_mhz) {
        of_processes.push_back(*clock);
      }
    }
    if (const auto clock = median(of_processes)) {
      clocks.push_back({kVariants.word(variant), *clock});
    }
  }
  const auto [least, most] =
      std::minmax_element(clocks.begin(), clocks.end(), [](const auto& a, const auto& b) { return a.mhz < b.mhz; });
  return clocks.empty() || most->mhz - least->mhz <= kTolerance * most->mhz
             ? ""
             : fmt::format("the clocks differed: {:.0f} MHz {}, {:.0f} MHz {}", least->mhz, least->variant, most->mhz,
                           most->variant);
}

// Each process's own, of what its rounds took in turns; the mean over processes.
std::optional<Estimate> share_of(const std::vector<CopyTimes>& processes) {
  std::vector<double> shares;
  for (const CopyTimes& times : processes) {
    const double serial = of(times, CopyVariant::kSerial);
    const double ideal = std::max(of(times, CopyVariant::kProducts), of(times, CopyVariant::kCopy));
    if (serial > ideal) {
      shares.push_back((serial - of(times, CopyVariant::kOverlapped)) / (serial - ideal));
    }
  }
  return shares.empty() ? std::nullopt : std::optional(mean_with_interval(shares));
}

std::string why_no_share(const CopyFigures& figures, const Estimate& share) {
  if (const std::string clocks = differing_clocks(figures.states); !clocks.empty()) {
    return clocks;
  }
  if (share.value >= 0 && share.value <= 1) {
    return "";
  }
  const double end = share.value < 0 ? 0 : 1;
  if (share.interval && share.interval->low <= end && share.interval->high >= end) {
    return fmt::format("{}, as far as processes differ: {:.1f} to {:.1f} %", end == 0 ? "nothing" : "all of it",
                       100 * share.interval->low, 100 * share.interval->high);
  }
  return share.value < 0
             ? fmt::format("beside each other they take longer than one after the other: {:.1f} %", 100 * share.value)
             : fmt::format("beside each other they take less than the longer of both alone: {:.1f} %",
                           100 * share.value);
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
  if (const std::optional<Estimate> share = share_of(figures.processes)) {
    figures.no_ideal_share = why_no_share(figures, *share);
    if (figures.no_ideal_share.empty()) {
      figures.ideal_share = share->value;
    }
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
  std::vector<CopyStates> states;
  if (json.contains("states")) {
    json.at("states").get_to(states);
  }
  CopyFigures figures = copy_figures(*direction, std::move(processes), std::move(states));
  if (const Json& records = json.at("records"); !records.is_null()) {
    figures.records = records.get<CopyRecords>();
    // Earlier versions wrote 0 for what nothing was recorded of.
    if (figures.records->copies == 0) {
      figures.records->copy_ns.reset();
      figures.records->hidden.reset();
    }
  }
  return figures;
}

}  // namespace

const char* word_of(CopyDirection direction) { return kDirections.word(direction); }
const char* word_of(CopyVariant variant) { return kVariants.word(variant); }
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

CopyFigures copy_figures(CopyDirection direction, std::vector<CopyTimes> processes, std::vector<CopyStates> states) {
  CopyFigures figures;
  figures.states = std::move(states);
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
    json["states"] = figures.states;
    json["saved_ns"] = estimate_json(figures.saved_ns);
    json["saved_share"] = figures.saved_share;
    json["ideal_ns"] = figures.ideal_ns;
    json["ideal_share"] = figures.ideal_share;
    json["no_ideal_share"] = figures.no_ideal_share;
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
    return damaged(source, json_problem(exception));
  }
  return document;
}

}  // namespace aaco
