// SPDX-License-Identifier: MIT
#include "analysis/learned/learned_limit.h"

#include <algorithm>
#include <array>
#include <cmath>
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
  std::vector<std::string> shown;  // classes that the rules lack, or that the trees know better
  double sure = 1;                 // the least chance to be right; below it nothing is said
  // Likewise: what is unlike every run has a small share, and no chance is known of it. At least a half, so that no
  // other answer, that of no class included, has more.
  double least_share = 1;
  // Of each class the metrics that mark it (an index of the forest's features), each with its least and its most value:
  // no run outside is given the class. A forest calls a limit that it never saw by its neighbour.
  std::vector<std::vector<std::vector<double>>> marks;
  std::vector<std::vector<double>> chance;     // least share, and how often it was right on models not seen; both grow
  std::vector<std::array<int64_t, 2>> judged;  // of each class: answers on models not seen, and how many were right
};
void from_json(const Json& json, ClassifierFacts& facts) {
  json.at("shown").get_to(facts.shown);
  json.at("sure").get_to(facts.sure);
  json.at("least_share").get_to(facts.least_share);
  json.at("marks").get_to(facts.marks);
  json.at("chance").get_to(facts.chance);
  json.at("judged").get_to(facts.judged);
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

// Why a run does not bear the mark of a class; empty where it does.
std::string why_unmarked(const std::string& name, const std::string& metric, double value,
                         const std::vector<double>& mark) {
  if (std::isnan(value)) {
    return fmt::format("the likeliest is {}, and {}, which marks it, was not measured", name, metric);
  }
  const bool below = value < mark[1];
  return !below && value <= mark[2]
             ? ""
             : fmt::format("the likeliest is {}, yet {} is {:.3g}, {} than the {:.3g} of such runs", name, metric,
                           value, below ? "less" : "more", mark[below ? 1 : 2]);
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
  limit.share = shares[leading];
  limit.answers = facts.judged[leading][0];
  limit.right = facts.judged[leading][1];
  if (limit.share < facts.least_share) {
    limit.reason = fmt::format("too little is like the runs that it learned from (the likeliest is {})", limit.leading);
    return limit;
  }
  if (const double chance = chance_of(limit.share, facts.chance); chance < facts.sure) {
    limit.reason = fmt::format("it is not sure: the likeliest, {}, is right {} of the time, and {} is the least",
                               limit.leading, format_percent(chance, 0), format_percent(facts.sure, 0));
    return limit;
  }
  for (const std::vector<double>& mark : facts.marks[leading]) {
    const auto marking = static_cast<size_t>(mark[0]);
    limit.reason = why_unmarked(limit.leading, forest.features()[marking], values[marking], mark);
    if (!limit.reason.empty()) {
      return limit;
    }
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
