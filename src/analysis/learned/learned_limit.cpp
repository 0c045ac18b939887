// SPDX-License-Identifier: MIT
#include "analysis/learned/learned_limit.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "analysis/learned/forest.h"
#include "analysis/learned/trained_trees.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"

namespace aaco {

namespace {

constexpr size_t kMostEvidence = 4;

// What training leaves beside the trees, in the same line.
struct ClassifierFacts {
  std::vector<std::string> shown;  // classes that the trees know better than the rules
  double sure = 1;                 // the least chance to be right; below it nothing is said
  double least_share = 1;          // likewise: what is unlike every run has a small share, and no chance is known of it
  std::vector<std::vector<double>> chance;  // least share, and how often it was right on models not seen; both grow
};
void from_json(const Json& json, ClassifierFacts& facts) {
  json.at("shown").get_to(facts.shown);
  json.at("sure").get_to(facts.sure);
  json.at("least_share").get_to(facts.least_share);
  json.at("chance").get_to(facts.chance);
}

struct Classifier {
  Forest forest;
  ClassifierFacts facts;
};

Result<Classifier> read_classifier() {
  const std::string_view bytes(reinterpret_cast<const char*>(kTrainedTrees), kTrainedTreesBytes);
  Classifier read;
  AACO_ASSIGN(read.forest, Forest::read(bytes));
  AACO_ASSIGN(const Json json, parse_own_json(bytes.substr(0, bytes.find('\n')), "the classifier's trees"));
  AACO_ASSIGN(read.facts, from_json_value<ClassifierFacts>(json, "the classifier's trees"));
  return read;
}

const Result<Classifier>& classifier() {
  static const Result<Classifier> once = read_classifier();
  return once;
}

// Between two points of `chance` a straight line, outside them the nearer one.
double chance_of(double share, const std::vector<std::vector<double>>& chance) {
  for (size_t i = 0; i < chance.size(); ++i) {
    if (share <= chance[i][0]) {
      const std::vector<double>& low = chance[i == 0 ? 0 : i - 1];
      const double width = chance[i][0] - low[0];
      return width > 0 ? low[1] + (chance[i][1] - low[1]) * (share - low[0]) / width : chance[i][1];
    }
  }
  return chance.empty() ? 0 : chance.back()[1];
}

std::vector<double> values_of(const std::vector<MetricValue>& metrics, const std::vector<std::string>& features) {
  std::vector<double> values;
  for (const std::string& feature : features) {
    const auto metric = std::ranges::find(metrics, feature, &MetricValue::id);
    values.push_back(metric != metrics.end() && metric->value ? *metric->value
                                                              : std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

}  // namespace

LearnedLimit learned_limit(const std::vector<MetricValue>& metrics, DeviceKind device) {
  LearnedLimit limit;
  if (device == DeviceKind::kGpu) {
    limit.reason = "it learned from runs on processors only";
    return limit;
  }
  if (!classifier()) {
    limit.reason = classifier().error().message;
    return limit;
  }
  const auto& [forest, facts] = *classifier();
  const std::vector<double> values = values_of(metrics, forest.features());
  const std::vector<double> shares = forest.least_shares(values);
  const auto leading = static_cast<size_t>(std::max_element(shares.begin(), shares.end() - 1) - shares.begin());
  limit.leading = forest.classes()[leading];
  limit.confidence = chance_of(shares[leading], facts.chance);
  if (shares[leading] < facts.least_share) {
    limit.reason = fmt::format("too little is like the runs that it learned from (the likeliest is {})", limit.leading);
    return limit;
  }
  if (limit.confidence < facts.sure) {
    limit.reason = fmt::format("it is not sure: the likeliest, {}, is right {} of the time, and {} is the least",
                               limit.leading, format_percent(limit.confidence, 0), format_percent(facts.sure, 0));
    return limit;
  }
  if (std::ranges::find(facts.shown, limit.leading) == facts.shown.end()) {
    limit.reason = fmt::format("the rules know {} as well", limit.leading);
    return limit;
  }
  limit.name = limit.leading;
  const std::vector<double> parts = forest.contributions(values, leading);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] > 0) {
      limit.evidence.push_back({forest.features()[i], values[i], parts[i]});
    }
  }
  std::ranges::stable_sort(limit.evidence, std::greater{}, &LearnedEvidence::contribution);
  limit.evidence.resize(std::min(limit.evidence.size(), kMostEvidence));
  return limit;
}

}  // namespace aaco
