// SPDX-License-Identifier: MIT
#include "guard/subject/guard_entry.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/devices/throttling.h"
#include "base/clock.h"
#include "base/files/file.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "guard/store/journal.h"
#include "guard/store/slug.h"
#include "guard/subject/machine_slug.h"
#include "kind/all_kinds.h"
#include "verdict/compare.h"
#include "verdict/identity/value_kind.h"

namespace aaco {

namespace {

// Members of a record's sample, beside those of a baseline file.
constexpr const char* kSamplesMember = "samples";
constexpr const char* kEnvironmentMember = "environment";
constexpr const char* kCommandMember = "command";
constexpr const char* kProgramMember = "aaco_sha256";

struct ProcessFigure {
  const char* id;
  size_t quantile;     // index in ProcessSample::quantiles_ns
  int64_t iterations;  // that a process needs for an interval of it, as in reports and verdicts
};
constexpr std::array kQuantileFigures{ProcessFigure{"p90", 180, 29}, ProcessFigure{"p99", 198, 299}};

std::string first_variable(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') {
      return value;
    }
  }
  return "";
}

std::string commit_of(const Json& environment, const EntryLabels& labels) {
  if (!labels.commit.empty()) {
    return labels.commit;
  }
  const std::string named = first_variable({"GITHUB_SHA", "CI_COMMIT_SHA"});
  const Json::json_pointer path("/git/commit");
  const bool recorded = environment.is_object() && environment.contains(path) && environment[path].is_string() &&
                        !environment[path].get<std::string>().starts_with("not available");
  return !named.empty() || !recorded ? named : environment[path].get<std::string>();
}

class EntryWriter {
 public:
  EntryWriter(const char* source, const std::string& title, const std::string& backend, const Json& environment,
              bool on_gpu, const EntryLabels& labels) {
    GuardRecord& record = entry_.record;
    record.recorded_ns = wall_clock_ns();
    record.record_id = next_record_id(record.recorded_ns);
    record.title = labels.subject.empty() ? title : labels.subject;
    record.place = {subject_slug(record.title), slug_of(backend), machine_slug(environment, on_gpu)};
    record.commit = commit_of(environment, labels);
    record.branch = labels.branch.empty() ? first_variable({"GITHUB_REF_NAME", "CI_COMMIT_BRANCH"}) : labels.branch;
    record.source = source;
    record.valid = 0;
  }

  // A recording is valid where one of its samples is.
  void add_sample(const NamedSample& named) {
    const std::string why = why_no_baseline(named.sample);
    if (why.empty()) {
      entry_.record.valid = 1;
    } else if (entry_.record.reason.empty()) {
      entry_.record.reason = why;
    }
    valid_ = why.empty() ? 1 : 0;
    name_ = named.name;
    clock_mhz_ = named.sample.cpu_frequency_mhz;
  }
  // Of the sample that was added last.
  void add_value(const char* figure, const std::string& unit, size_t process, double value) {
    const GuardRecord& record = entry_.record;
    entry_.values.push_back({.record_id = record.record_id,
                             .recorded_ns = record.recorded_ns,
                             .place = record.place,
                             .commit = record.commit,
                             .valid = valid_,
                             .name = name_,
                             .figure = figure,
                             .unit = unit,
                             .process = static_cast<int64_t>(process),
                             .value = value,
                             .clock_mhz = clock_mhz_});
  }
  GuardRecord& record() { return entry_.record; }
  GuardEntry finish(const Json& sample) {
    entry_.record.sample = json_text(sample);
    entry_.record.reason = entry_.record.valid != 0 ? "" : entry_.record.reason;
    return std::move(entry_);
  }

 private:
  GuardEntry entry_;
  std::string name_;
  int64_t valid_ = 1;
  std::optional<double> clock_mhz_;
};

// A figure of the processes, where each has it: a median over those that have it would pass a gate on a part of them.
template <class Process, class Figure>
void add_where_all_have(const char* id, const std::string& unit, const std::vector<Process>& processes,
                        const Figure& figure, EntryWriter& writer) {
  std::vector<double> values;
  for (const Process& process : processes) {
    const std::optional<double> value = figure(process);
    if (!value) {
      return;
    }
    values.push_back(*value);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    writer.add_value(id, unit, i, values[i]);
  }
}

std::optional<double> quantile_of(const ProcessSample& process, const ProcessFigure& figure) {
  const bool has = process.quantiles_ns.size() == kSampleQuantiles && process.iterations >= figure.iterations;
  return has ? std::optional<double>(process.quantiles_ns[figure.quantile]) : std::nullopt;
}

void add_run_values(const RunSample& sample, const char* median, EntryWriter& writer) {
  for (size_t i = 0; i < sample.process_medians_ns.size(); ++i) {
    writer.add_value(median, "ns", i, sample.process_medians_ns[i]);
  }
  for (size_t i = 0; i < sample.processes.size(); ++i) {
    writer.add_value("mean", "ns", i, sample.processes[i].mean_ns);
  }
  for (const ProcessFigure& figure : kQuantileFigures) {
    add_where_all_have(
        figure.id, "ns", sample.processes, [&](const ProcessSample& process) { return quantile_of(process, figure); },
        writer);
  }
  add_where_all_have(
      "elapsed", "ns", sample.processes, [](const ProcessSample& process) { return process.elapsed_ns; }, writer);
}

Result<JsonValue> sample_json(const GuardRecord& record) {
  AACO_ASSIGN(Json json, parse_json(record.sample, "recording " + record.record_id));
  return JsonValue(std::move(json));
}

}  // namespace

std::string why_no_baseline(const RunSample& sample) {
  if (std::string why = why_not_comparable(sample, "recorded"); !why.empty()) {
    return why;
  }
  if (sample.throttled_share.value_or(0) > kThrottledShare) {
    return "throttled: " + sample.throttled_words;
  }
  if (sample.others_share.value_or(0) > kCrowdedShare) {
    return fmt::format("crowded: other programs held {} of the machine's processors",
                       format_percent(*sample.others_share, 0));
  }
  return "";
}

GuardEntry session_entry(const ComparedSession& session, const EntryLabels& labels) {
  const RunSample& first = session.samples.front().sample;
  const std::string& backend = first.configuration.backend;
  const bool on_gpu = first.device_kind == DeviceKind::kGpu || (!backend.empty() && !backend.starts_with("cpu"));
  const std::string& model = first.configuration.model_name;
  const Json& environment = *session.environment;
  EntryWriter writer(guard_source::kSession, model.empty() ? std::string(session.kind.word()) : model,
                     backend.empty() ? "cpu" : backend, environment, on_gpu, labels);
  writer.record().session_id = session.session_id;
  writer.record().session_path = session.path.string();
  // Of queues the medians are divided by the units of work of an iteration.
  const Kind* const kind = find_kind(session.kind);
  const bool by_unit = kind != nullptr && kind->is_per_unit;
  for (const NamedSample& named : session.samples) {
    writer.add_sample(named);
    add_run_values(named.sample, by_unit ? "time_per_unit" : "median", writer);
  }
  Json sample = baseline_sample(session);
  if (const Result<std::string> sha256 = sha256_of_file("/proc/self/exe"); sha256 && sample.is_object()) {
    sample[kProgramMember] = *sha256;
  }
  return writer.finish(sample);
}

GuardEntry command_entry(const TimedCommand& command, const Json& environment, const EntryLabels& labels) {
  EntryWriter writer(guard_source::kCommand, command.title, "cpu", environment, false, labels);
  const NamedSample named = command_sample(command, environment, format_utc(writer.record().recorded_ns), "");
  writer.add_sample(named);
  for (size_t i = 0; i < command.processes.size(); ++i) {
    writer.add_value("median", "ns", i, static_cast<double>(command.processes[i].wall_ns));
  }
  add_where_all_have(
      "cycles", "1", command.processes, [](const ProcessTimes& process) { return process.cycles; }, writer);
  return writer.finish(
      {{kSamplesMember, Json::array({named})}, {kEnvironmentMember, environment}, {kCommandMember, command}});
}

NamedSample value_sample(const GivenValue& value, const Json& environment, const std::string& created_utc) {
  std::vector<double> times = value.values;
  if (value.higher_is_better) {
    std::ranges::transform(times, times.begin(), time_of_rate);
  }
  NamedSample named = measured_sample(value.name, created_utc, std::move(times));
  named.sample.configuration.model_name = value.name;
  named.sample.configuration.backend = "cpu";
  describe_values(value.unit, value.higher_is_better, named.sample.configuration.work);
  named.sample.environment = environment;
  return named;
}

GuardEntry value_entry(const std::vector<GivenValue>& values, const Json& environment, const EntryLabels& labels) {
  EntryWriter writer(guard_source::kValue, "values", "cpu", environment, false, labels);
  Json samples = Json::array();
  for (const GivenValue& value : values) {
    const NamedSample named = value_sample(value, environment, format_utc(writer.record().recorded_ns));
    writer.add_sample(named);
    for (size_t i = 0; i < value.values.size(); ++i) {
      writer.add_value(value.higher_is_better ? kRateFigure : kValueFigure, value.unit, i, value.values[i]);
    }
    samples.push_back(named);
  }
  return writer.finish({{kSamplesMember, samples}, {kEnvironmentMember, environment}});
}

Result<TimedCommand> recorded_command(const GuardRecord& record) {
  AACO_ASSIGN(const JsonValue json, sample_json(record));
  const std::string source = "recording " + record.record_id;
  if (!json->is_object() || !json->contains(kCommandMember)) {
    return Error{ErrorKind::kUsage, source + ": holds no command", "record it with aaco guard record -- COMMAND"};
  }
  return from_json_value<TimedCommand>((*json)[kCommandMember], source);
}

Result<std::vector<NamedSample>> recorded_samples(const GuardRecord& record) {
  AACO_ASSIGN(const JsonValue json, sample_json(record));
  return baseline_samples(*json, "recording " + record.record_id);
}

std::set<std::string> expected_samples(const GuardEntry& entry) {
  std::set<std::string> names;
  if (entry.record.source == guard_source::kValue) {
    return names;
  }
  for (const GuardValue& value : entry.values) {
    names.insert(value.name);
  }
  if (const Result<std::vector<NamedSample>> samples = recorded_samples(entry.record)) {
    for (const NamedSample& named : *samples) {
      names.insert(named.name);
    }
  }
  return names;
}

std::string recorded_program(const GuardRecord& record) {
  const Result<JsonValue> json = sample_json(record);
  return json && (*json)->is_object() ? (*json)->value(kProgramMember, "") : "";
}

Result<JsonValue> recorded_environment(const GuardRecord& record) {
  AACO_ASSIGN(const JsonValue json, sample_json(record));
  return JsonValue(json->is_object() ? json->value(kEnvironmentMember, Json()) : Json());
}

}  // namespace aaco
