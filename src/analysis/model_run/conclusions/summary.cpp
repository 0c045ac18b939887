// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/summary.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <iterator>

#include "analysis/model_run/conclusions/bottleneck.h"
#include "analysis/model_run/conclusions/offenders.h"
#include "analysis/model_run/op_map.h"
#include "base/format.h"
#include "base/text/shell_words.h"

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

constexpr size_t kNamedGroups = 3;

std::string operator_of(const KernelGroupRow& group) { return group.group_name.substr(group.group_name.find(':') + 1); }

// ", of it Conv 28.00 ms, Relu 1.000 ms", the largest first: times, and no shares of an unknown whole.
std::string known_groups(std::vector<KernelGroupRow> groups) {
  std::erase_if(groups, [](const KernelGroupRow& group) { return !group.time_ns; });
  std::ranges::stable_sort(groups, std::greater(), [](const KernelGroupRow& group) { return *group.time_ns; });
  std::string text;
  for (size_t i = 0; i < std::min(kNamedGroups, groups.size()); ++i) {
    text += fmt::format("{}{} {}", i == 0 ? ", of it " : ", ", operator_of(groups[i]),
                        format_duration_ns(*groups[i].time_ns));
  }
  return text;
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
  for (size_t i = 0; i < std::min(kNamedGroups, context.analysis.groups.size()); ++i) {
    const KernelGroupRow& group = context.analysis.groups[i];
    if (group.share) {
      parts +=
          fmt::format("{}{} of the node time is in {} {} node{}", parts.empty() ? "" : ", ",
                      format_percent(*group.share, 0), group.nodes, operator_of(group), group.nodes == 1 ? "" : "s");
    }
  }
  const bool any_known =
      std::ranges::any_of(context.analysis.ops, [](const OpKernelRow& op) { return op.time_ns.has_value(); });
  if (any_known && known && *known < kLeastKnownTimeShare) {
    return fmt::format(
        "Where the time goes is known in part: the nodes whose time is known hold only {} of the profiled time, under "
        "{}{} (a quieter machine, or more --processes, would tell more).",
        format_percent(*known, 0), format_percent(kLeastKnownTimeShare, 0), known_groups(context.analysis.groups));
  }
  if (parts.empty()) {
    const auto mean_node = context.value("mean_node_time");
    const auto& nodes = context.nodes.nodes;
    const bool disagree = std::ranges::any_of(
        nodes, [](const NodeTime& node) { return node.quality == TimeQuality::kProcessesDisagree; });
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
                      : fmt::format("{}; {} of {} executed nodes were too short to time and are left out.", parts,
                                    all - timed, all);
}

struct Missing {
  std::vector<std::string> what;
  std::vector<std::string> flags;  // that a run like this one needs besides
  bool doctor = false;             // `aaco doctor --measure` before it
  bool left_out = false;           // it had --quick or --no-roofs, and may not
};

// What a run like this one can also record.
Missing missing_measurements(const Recording& recording) {
  Missing missing;
  const auto not_requested = [&](const char* plane, const char* name, const char* flag) {
    const auto state = recording.planes.find(plane);
    if (state != recording.planes.end() && state->second.state == PlaneStatus::kNotRequested) {
      missing.what.emplace_back(name);
      missing.flags.emplace_back(flag);
    }
  };
  not_requested("profiler", "the time of each node", "--profile");
  not_requested("telemetry_host", "the processors' clock, pressure and run queue", "--telemetry");
  // Those of a GPU are measured by the run itself; a processor's by doctor, as a run without them declined them or was
  // disturbed, and may lack them again.
  const bool on_gpu = recording.facts.device_kind == DeviceKind::kGpu;
  if (!recording.facts.roofs && (on_gpu || recording.facts.device_kind == DeviceKind::kCpu)) {
    missing.what.insert(missing.what.begin(), fmt::format("the {}'s roofs ({})", on_gpu ? "device" : "machine",
                                                          recording.facts.roofs_unavailable));
    missing.doctor = !on_gpu;
    missing.left_out = on_gpu;
  }
  return missing;
}

std::string words_of(const Missing& missing) {
  return fmt::format(
      "{}the same run {}{}", missing.doctor ? "aaco doctor --measure, then " : "",
      missing.flags.empty() ? std::string("again") : fmt::format("with {}", fmt::join(missing.flags, " ")),
      missing.left_out ? ", without --quick and --no-roofs" : "");
}

std::string missing_text(const Recording& recording) {
  const Missing missing = missing_measurements(recording);
  return missing.what.empty() ? ""
                              : fmt::format("Missing: {}. To get {}: {}.", fmt::join(missing.what, "; "),
                                            missing.what.size() == 1 ? "it" : "them", words_of(missing));
}

// What was measured to save that much goes before the upper bounds of others, which hold the same time.
const Offender* slowed_by_denormals(const Analysis& analysis) {
  constexpr double kMuch = 0.2;
  const auto position = std::ranges::find_if(analysis.offenders, [](const Offender& offender) {
    return offender.rule == "denormals-as-zero" && offender.share >= kMuch;
  });
  return position == analysis.offenders.end() ? nullptr : &*position;
}

std::string limit(const Context& context) {
  if (const Offender* denormals = slowed_by_denormals(context.analysis)) {
    return fmt::format("It is slowed by denormal numbers: {}.", denormals->evidence);
  }
  const Bottleneck& bottleneck = context.analysis.bottleneck;
  if (bottleneck.bottleneck_class == BottleneckClass::kUndetermined) {
    const std::string missing = missing_text(context.recording);
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
  if (first.stake_basis.ends_with("no roof to compare with")) {
    return fmt::format("The largest part is {} ({} an inference); what it could save is unknown without a roof: {}",
                       first.subject, format_duration_ns(first.time_ns), first.recommendation);
  }
  if (first.stake_basis.starts_with(kUnknownStake)) {
    return fmt::format("What {} could save is {}: {}", first.subject, first.stake_basis, first.recommendation);
  }
  return fmt::format("Most is at stake in {} ({} an inference, {}): {}", first.subject,
                     format_duration_ns(first.stake_ns), first.stake_basis, first.recommendation);
}

std::string how_sure(const Bottleneck& bottleneck) {
  return fmt::format("How sure: {} of the evidence for {} was measured; it scores {:.2f} of 1, the next class {:.2f}.",
                     format_percent(bottleneck.coverage, 0), word_of(bottleneck.leading_class), bottleneck.confidence,
                     bottleneck.confidence - bottleneck.lead);
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

std::string command_for_missing(const Recording& recording, const std::vector<std::string>& command_line) {
  const Missing missing = missing_measurements(recording);
  if (missing.what.empty()) {
    return "";
  }
  if (command_line.size() < 2 || command_line[1] != "run") {
    return words_of(missing);
  }
  std::vector<std::string> words{"aaco"};
  std::copy_if(command_line.begin() + 1, command_line.end(), std::back_inserter(words), [&](const std::string& word) {
    return !missing.left_out || (word != "--quick" && word != "--no-roofs");
  });
  words.insert(words.end(), missing.flags.begin(), missing.flags.end());
  return (missing.doctor ? "aaco doctor --measure && " : "") + shell_command(words);
}

std::vector<std::string> executive_summary(const Context& context) {
  if (context.latency() == nullptr) {
    return {"Nothing was measured: no unprofiled iteration was recorded."};
  }
  const Bottleneck& bottleneck = context.analysis.bottleneck;
  std::vector<std::string> sentences{how_long(context), where(context), limit(context), what_to_do(context)};
  if (bottleneck.bottleneck_class != BottleneckClass::kUndetermined) {
    sentences.push_back(how_sure(bottleneck));
  }
  sentences.push_back(data_quality(context));
  return sentences;
}

}  // namespace aaco
