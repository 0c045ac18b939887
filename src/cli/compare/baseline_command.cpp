// SPDX-License-Identifier: MIT
#include "cli/compare/baseline_command.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <memory>
#include <system_error>
#include <vector>

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "base/version.h"
#include "kind/compared_session.h"
#include "report/values.h"
#include "session/bundle/manifest.h"
#include "session/catalog/baseline.h"
#include "verdict/compare.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

std::string now_utc() { return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(std::time(nullptr))); }

// A name stays in the folder; a path is taken as it is.
Result<fs::path> file_of(const std::string& folder, const std::string& name) {
  if (name.find('/') != std::string::npos) {
    return fs::path(name);
  }
  if (name.empty() || name[0] == '.') {
    return Error{ErrorKind::kUsage, fmt::format("\"{}\" is no name of a baseline", name),
                 "give a name like resnet50_cpu_b1"};
  }
  return fs::path(folder) / (name.ends_with(".json") ? name : name + ".json");
}

std::string latency_of(const RunSample& sample) {
  return report::line_of(report::estimate_cell(estimate_over_processes(sample.process_medians_ns), "ns"));
}

using Rows = std::vector<std::vector<std::string>>;

void add_run(const RunSample& sample, Rows& rows) {
  const SampleConfiguration& configuration = sample.configuration;
  rows.insert(rows.end(), {{"model", configuration.model_name + " sha256 " + configuration.model_sha256},
                           {"backend", configuration.backend},
                           {"batch", std::to_string(configuration.batch)},
                           {"precision", configuration.precision},
                           {"latency", latency_of(sample)}});
  for (const auto& [group, facts] : configuration.work) {
    for (const auto& [name, fact] : facts) {
      rows.push_back({group + " " + name, text_of(fact)});
    }
  }
  if (!configuration.model_sha256.empty()) {
    for (const std::string& what : work_not_recorded(configuration.work)) {
      rows.push_back({what, "not recorded"});
    }
  }
  for (size_t i = 0; i < sample.process_medians_ns.size(); ++i) {
    rows.push_back(
        {fmt::format("process {}", i), report::shown_text(report::duration_cell(sample.process_medians_ns[i]))});
  }
  rows.push_back(
      {"nodes", sample.nodes.empty() ? "no data: " + sample.nodes_unavailable : std::to_string(sample.nodes.size())});
  rows.push_back({"bottleneck", word_of(sample.bottleneck_class)});
}

std::string text_of(const fs::path& path, const Baseline& baseline, const std::vector<NamedSample>& samples) {
  Rows rows{{"baseline", path.string()},
            {"session", baseline.session_id + " at " + baseline.session_path},
            {"measured", samples.front().sample.created_utc},
            {"saved", baseline.saved_utc + " by aaco " + baseline.aaco_version}};
  for (const NamedSample& named : samples) {
    if (named.name.empty()) {
      add_run(named.sample, rows);
    } else {
      rows.push_back({named.name, latency_of(named.sample)});
    }
  }
  return format_table(rows);
}

// Why nothing can be compared with the session; empty where one of its samples can.
std::string why_not_comparable(const std::vector<NamedSample>& samples) {
  std::string why = "the session holds no sample";
  for (const NamedSample& named : samples) {
    why = why_not_comparable(named.sample, "recorded");
    if (why.empty()) {
      break;
    }
  }
  return why;
}

std::string default_name(const ComparedSession& session) {
  const SampleConfiguration& configuration = session.samples.front().sample.configuration;
  const bool is_run = session.samples.front().name.empty();
  return baseline_file_name(is_run ? configuration.model_name : session.kind.word(), configuration.backend,
                            is_run ? configuration.batch : 0);
}

}  // namespace

Result<fs::path> save_baseline(const SaveBaselineFlags& flags) {
  AACO_ASSIGN(const Kind* const kind, kind_of_session(flags.sessions_folder, flags.session));
  AACO_TRY(expect_compared(*kind));
  const SampleFunction read = sample_function(*kind);
  AACO_ASSIGN(const ComparedSession session, load_session(read, flags.sessions_folder, flags.session));
  if (const std::string why = why_not_comparable(session.samples); !why.empty()) {
    return Error{ErrorKind::kInvalid, why,
                 "a baseline needs a complete run with measured, finite outputs: record another"};
  }
  AACO_ASSIGN(const fs::path path,
              file_of(flags.baselines_folder, flags.name.empty() ? default_name(session) : flags.name));
  AACO_TRY(expect_no_input(path, recorded_files(session.path)));
  Baseline baseline;
  baseline.schema_version = read == nullptr ? kBaselineOfRun : kBaselineOfSamples;
  baseline.saved_utc = now_utc();
  baseline.aaco_version = program_version();
  baseline.session_id = session.session_id;
  std::error_code failed;
  const fs::path absolute = fs::absolute(session.path, failed);
  baseline.session_path = failed ? session.path.string() : absolute.string();
  baseline.session_json_sha256 = session.reference->value("session_json_sha256", "");
  baseline.sample = baseline_sample(session);
  AACO_TRY(write_baseline(path, baseline, flags.force));
  return path;
}

Result<std::string> show_baseline(const std::string& baselines_folder, const std::string& what, bool json) {
  std::error_code ignored;
  fs::path path = what;
  if (!fs::is_regular_file(path, ignored)) {
    AACO_ASSIGN(path, file_of(baselines_folder, what));
  }
  AACO_ASSIGN(const Baseline baseline, read_baseline(path));
  AACO_ASSIGN(const std::vector<NamedSample> samples, baseline_samples(baseline.sample, path.string()));
  if (json) {
    AACO_ASSIGN(const Json document, read_json(path));
    return indented_json_text(document);
  }
  return text_of(path, baseline, samples);
}

Result<std::string> list_baselines_text(const std::string& baselines_folder, bool json) {
  AACO_ASSIGN(const std::vector<BaselineEntry> entries, list_baselines(baselines_folder));
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows{{"file", "model", "backend", "batch", "latency", "measured", "session"}};
  for (const BaselineEntry& entry : entries) {
    std::string problem = entry.problem;
    std::vector<NamedSample> samples;
    if (entry.baseline) {
      Result<std::vector<NamedSample>> parsed = baseline_samples(entry.baseline->sample, entry.path.string());
      problem = parsed ? "" : parsed.error().message;
      if (parsed) {
        samples = *std::move(parsed);
      }
    }
    if (samples.empty()) {
      rows.push_back({entry.path.filename().string(), "damaged: " + problem});
      list.push_back({{"file", entry.path.string()}, {"problem", problem}});
    }
    for (const NamedSample& named : samples) {
      const RunSample& sample = named.sample;
      const SampleConfiguration& configuration = sample.configuration;
      rows.push_back({entry.path.filename().string(), configuration.model_name, configuration.backend,
                      std::to_string(configuration.batch), latency_of(sample), sample.created_utc,
                      entry.baseline->session_id});
      list.push_back({{"file", entry.path.string()},
                      {"model", configuration.model_name},
                      {"backend", configuration.backend},
                      {"batch", configuration.batch},
                      {"process_medians_ns", sample.process_medians_ns},
                      {"created_utc", sample.created_utc},
                      {"session_id", entry.baseline->session_id}});
      if (!named.name.empty()) {
        rows.back()[1] = named.name;
        list.back()["name"] = named.name;
      }
    }
  }
  if (json) {
    return indented_json_text(list);
  }
  return entries.empty() ? "no baselines in " + baselines_folder + "\n" : format_table(rows);
}

namespace {

Result<int> print(Result<std::string> text) {
  if (!text) {
    return text.error();
  }
  fmt::print("{}", *text);
  return 0;
}

Result<int> run_save(const SaveBaselineFlags& flags, bool json) {
  AACO_ASSIGN(const fs::path path, save_baseline(flags));
  fmt::print("{}\n", json ? json_text({{"baseline", path.string()}}) : printable(path.string()));
  return 0;
}

void add_baselines_folder(cli::Command command, std::string& folder) {
  command.add_option("--baselines", folder, "Folder that holds the baseline files")
      .capture_default_str()
      .type_name("DIR");
}

void add_save(cli::Command parent, Invocation& invocation) {
  cli::Command command = parent.add_subcommand("save", "Keep a session as a baseline");
  auto flags = std::make_shared<SaveBaselineFlags>();
  command.add_option("NAME", flags->name, "name or path of the file; default <model>_<backend>_b<batch>")
      .type_name("FILE");
  command.add_option("--session", flags->session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
  command.add_flag("--force", flags->force, "replace a baseline of another session");
  add_baselines_folder(command, flags->baselines_folder);
  add_sessions_folder(command, flags->sessions_folder);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco baseline save --session latest\n"
               "  aaco baseline save before-upgrade --session 20260101_1200");
  command.callback([flags, &invocation] { invocation.finish(run_save(*flags, invocation.json)); });
}

void add_show_and_list(cli::Command parent, Invocation& invocation) {
  struct Flags {
    std::string what;
    std::string folder = "baselines";
  };
  auto flags = std::make_shared<Flags>();
  cli::Command show = parent.add_subcommand("show", "What a baseline holds");
  show.add_option("NAME", flags->what, "name or path of a baseline").required().type_name("FILE");
  add_baselines_folder(show, flags->folder);
  add_json_flag(show, invocation);
  set_examples(show, "  aaco baseline show resnet50_cpu_b1");
  show.callback(
      [flags, &invocation] { invocation.finish(print(show_baseline(flags->folder, flags->what, invocation.json))); });
  cli::Command list = parent.add_subcommand("list", "The baselines of a folder");
  add_baselines_folder(list, flags->folder);
  add_json_flag(list, invocation);
  set_examples(list, "  aaco baseline list --json");
  list.callback(
      [flags, &invocation] { invocation.finish(print(list_baselines_text(flags->folder, invocation.json))); });
}

}  // namespace

void add_baseline_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("baseline", "Sessions kept as files to compare with");
  command.require_subcommand();
  add_save(command, invocation);
  add_show_and_list(command, invocation);
  set_examples(command,
               "  aaco baseline save --session latest\n"
               "  aaco baseline save before-upgrade --session 20260101_1200\n"
               "  aaco diff --baseline baselines/resnet50_cpu_b1.json --session latest");
}

}  // namespace aaco
