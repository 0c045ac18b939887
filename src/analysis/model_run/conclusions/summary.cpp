// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/model_run/conclusions/bottleneck.h"
#include "analysis/model_run/op_map.h"
#include "base/format.h"

namespace aaco {

namespace {

std::string how_long(const Context& context) {
  const LatencySummary& latency = *context.latency();
  const RunFacts& facts = context.recording.facts;
  return fmt::format("One inference of {} on {} at batch {} takes {} (median over {}, {}).", facts.model_name,
                     facts.backend, facts.batch, format_estimate_ns(latency.p50_ns),
                     counted(latency.processes, "process", "processes"),
                     counted(latency.iterations, "iteration", "iterations"));
}

std::string where(const Context& context) {
  if (context.lacks_device) {
    return "Where the time goes on the device is not known: it needs device activity.";
  }
  if (!context.nodes.available()) {
    return fmt::format("Where the time goes is not known: {}.", context.nodes.unavailable);
  }
  std::string parts;
  const auto known = known_time_share(context.analysis.ops);
  for (size_t i = 0; i < std::min<size_t>(3, context.analysis.groups.size()); ++i) {
    const KernelGroupRow& group = context.analysis.groups[i];
    if (group.share) {
      parts += fmt::format("{}{} of the node time is in {} {} node{}", parts.empty() ? "" : ", ",
                           format_percent(*group.share, 0), group.nodes,
                           group.group_name.substr(group.group_name.find(':') + 1), group.nodes == 1 ? "" : "s");
    }
  }
  const bool any_known =
      std::ranges::any_of(context.analysis.ops, [](const OpKernelRow& op) { return op.time_ns.has_value(); });
  if (any_known && known && *known < kLeastKnownTimeShare) {
    return fmt::format(
        "Where the time goes is not known: the nodes whose time is known hold only {} of the profiled time, under {} "
        "(a quieter machine, or more --processes, would tell).",
        format_percent(*known, 0), format_percent(kLeastKnownTimeShare, 0));
  }
  if (parts.empty()) {
    const auto mean_node = context.value("mean_node_time");
    const auto& nodes = context.nodes.nodes;
    const bool disagree = std::ranges::any_of(
        nodes, [](const NodeTime& node) { return node.quality == time_quality::kProcessesDisagree; });
    return fmt::format(
        "Where the time goes is not known: {}{}.",
        disagree ? fmt::format("the profiled processes disagree by more than the times of the {} executed nodes (a "
                               "quieter machine, or more --processes, would tell)",
                               nodes.size())
                 : fmt::format("all {} executed nodes are shorter than the profiler resolves", nodes.size()),
        mean_node ? fmt::format("; on average a node takes {}", format_duration_ns(*mean_node)) : "");
  }
  const auto timed =
      std::ranges::count_if(context.analysis.ops, [](const OpKernelRow& op) { return op.time_ns.has_value(); });
  const auto all = static_cast<int64_t>(context.analysis.ops.size());
  return timed == all ? parts + "."
                      : fmt::format(
                            "{}; that is of the {} executed nodes out of {} whose time is known: of the others the "
                            "bound exceeds the value.",
                            parts, timed, all);
}

// What a run like this one can also record, and the one command that gets it; "" where nothing is missing.
std::string missing_measurements(const Recording& recording) {
  std::vector<std::string> what, flags;
  const auto not_requested = [&](const char* plane, const char* name, const char* flag) {
    const auto found = recording.planes.find(plane);
    if (found != recording.planes.end() && found->second.state == PlaneStatus::kNotRequested) {
      what.emplace_back(name);
      flags.emplace_back(flag);
    }
  };
  not_requested("profiler", "the time of each node", "--profile");
  not_requested("telemetry_host", "the processors' clock, pressure and run queue", "--telemetry");
  const bool roofs = recording.facts.device_kind == "cpu" && !recording.facts.roofs;
  if (roofs) {
    what.insert(what.begin(), fmt::format("the machine's roofs ({})", recording.facts.roofs_unavailable));
  }
  if (what.empty()) {
    return "";
  }
  // A run without roofs declined them or was disturbed: the same run may lack them again.
  const std::string again =
      flags.empty() ? "the same run again" : fmt::format("the same run with {}", fmt::join(flags, " "));
  const std::string command = roofs ? "aaco doctor --measure, then " + again : again;
  return fmt::format("Missing: {}. To get {}: {}.", fmt::join(what, "; "), what.size() == 1 ? "it" : "them", command);
}

// What was measured to save that much goes before the upper bounds of others, which hold the same time.
const Offender* slowed_by_denormals(const Analysis& analysis) {
  constexpr double kMuch = 0.2;
  const auto found = std::ranges::find_if(analysis.offenders, [](const Offender& offender) {
    return offender.rule == "denormals-as-zero" && offender.share >= kMuch;
  });
  return found == analysis.offenders.end() ? nullptr : &*found;
}

std::string limit(const Context& context) {
  if (const Offender* denormals = slowed_by_denormals(context.analysis)) {
    return fmt::format("It is slowed by denormal numbers: {}.", denormals->evidence);
  }
  const Bottleneck& bottleneck = context.analysis.bottleneck;
  if (bottleneck.bottleneck_class == kUndetermined) {
    const std::string missing = missing_measurements(context.recording);
    return fmt::format(
        "What limits it is undetermined: {}. {}", bottleneck.reason,
        missing.empty() ? "Such a run records nothing more: the ranked offenders say what limits each part." : missing);
  }
  return fmt::format("It is {}: {}.", bottleneck_words(bottleneck.bottleneck_class), bottleneck.reason);
}

bool profiled(const Recording& recording) {
  const auto plane = recording.planes.find("profiler");
  return plane != recording.planes.end() && plane->second.state == PlaneStatus::kRecorded;
}

std::string what_to_do(const Context& context) {
  if (context.analysis.offenders.empty()) {
    return context.lacks_device ? std::string("What to do next cannot be ranked without device activity.")
           : profiled(context.recording)
               ? fmt::format("What to do next cannot be ranked: {}.",
                             context.nodes.available() ? "no node's time is known" : context.nodes.unavailable)
               : "What to do next cannot be ranked: run again with --profile.";
  }
  const Offender* denormals = slowed_by_denormals(context.analysis);
  const Offender& first = denormals != nullptr ? *denormals : context.analysis.offenders.front();
  return fmt::format("Most is at stake in {} ({} an inference, {}): {}", first.subject,
                     format_duration_ns(first.stake_ns), first.stake_basis, first.recommendation);
}

std::string how_sure(const Bottleneck& bottleneck) {
  return fmt::format("That class, {}, scores {:.2f} with {} of its evidence measured, {:.2f} ahead of the next.",
                     bottleneck.leading_class, bottleneck.confidence, format_percent(bottleneck.coverage, 0),
                     bottleneck.lead);
}

std::string data_quality(const Context& context) {
  const auto& warnings = context.analysis.warnings;
  if (warnings.empty()) {
    const auto cv = context.value("latency_cv_between");
    return cv ? fmt::format("Processes differ by {} (standard deviation over mean), and no plane reported a loss.",
                            format_percent(*cv))
              : "No plane reported a loss.";
  }
  return fmt::format("Data quality: {}{}.", warnings.front(),
                     warnings.size() > 1
                         ? fmt::format(" (and {})", counted(warnings.size() - 1, "more warning", "more warnings"))
                         : "");
}

}  // namespace

std::vector<std::string> executive_summary(const Context& context) {
  if (context.latency() == nullptr) {
    return {"Nothing was measured: no unprofiled iteration was recorded."};
  }
  const Bottleneck& bottleneck = context.analysis.bottleneck;
  std::vector<std::string> sentences{how_long(context), where(context), limit(context), what_to_do(context)};
  if (bottleneck.bottleneck_class != kUndetermined) {
    sentences.push_back(how_sure(bottleneck));
  }
  sentences.push_back(data_quality(context));
  return sentences;
}

}  // namespace aaco
