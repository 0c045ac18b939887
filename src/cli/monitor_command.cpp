// SPDX-License-Identifier: MIT
// aaco monitor: what this machine's processors and GPUs do, for as long as it runs.
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

#include "cli/command/command.h"

#include "base/clock.h"
#include "base/http/http_access.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "base/text/duration_text.h"
#include "monitor/event_lines.h"
#include "monitor/exposition.h"
#include "monitor/monitor.h"
#include "monitor/monitor_run.h"
#include "monitor/otlp/otlp_push.h"

namespace aaco {

namespace {

constexpr int kDefaultPort = 9464;  // that of OpenTelemetry's exporters for Prometheus
constexpr int64_t kShortestIntervalNs = 10'000'000;
constexpr int64_t kLongestIntervalNs = 3'600'000'000'000;
// Long enough for a tick of the kernel's processor times (10 ms) to be a small share.
constexpr int64_t kOnceIntervalNs = 250'000'000;
constexpr int64_t kOnceLimitNs = 3'000'000'000;
constexpr int64_t kShortestStretchNs = 10'000'000'000;
constexpr int64_t kLongestStretchNs = 3'660 * 86'400 * int64_t{1'000'000'000};

struct MonitorFlags {
  int32_t port = kDefaultPort;
  std::string host = "127.0.0.1";
  std::string token_file;
  std::string interval = "1s";
  std::string otlp;
  std::string store;
  std::string rotate = "1h";
  std::string keep = "7d";
  std::string rules;
  bool once = false;
};

Result<int64_t> duration_within(const char* flag, const std::string& text, int64_t least_ns, int64_t most_ns) {
  const std::optional<int64_t> ns = duration_ns_of_text(text);
  if (!ns || *ns < least_ns || *ns > most_ns) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("{} {}: not a duration from {} to {}", flag, text, duration_text(least_ns), duration_text(most_ns)),
        "for example 500ms, 10s, 1h30m"};
  }
  return *ns;
}

Json collectors_json(const std::vector<CollectorReading>& readings) {
  Json collectors = Json::array();
  for (const CollectorReading& reading : readings) {
    collectors.push_back({{"collector", reading.collector},
                          {"state", reading.state},
                          {"reason", reading.why},
                          {"remedy", reading.remedy},
                          {"gpus", reading.rows.gpus.size()}});
  }
  return collectors;
}

std::string collector_line(const CollectorReading& reading) {
  std::string line = fmt::format("  {:<8} {}", reading.collector, word_of(reading.state));
  if (!reading.rows.gpus.empty()) {
    line += fmt::format(", {} GPU{}", reading.rows.gpus.size(), reading.rows.gpus.size() == 1 ? "" : "s");
  }
  return line + (reading.why.empty() ? "" : ": " + printable(reading.why)) + "\n";
}

Result<int> print_once(const Invocation& invocation) {
  AACO_ASSIGN(const auto monitor, Monitor::start({.interval_ns = kOnceIntervalNs, .collectors = {}, .on_sample = {}}));
  monitor->wait_for_steps(2, monotonic_ns() + kOnceLimitNs);
  const std::vector<CollectorReading> readings = monitor->readings();
  if (invocation.json) {
    fmt::print("{}", indented_json_text(
                         {{"collectors", collectors_json(readings)}, {"metrics", metrics_json(monitor->metrics())}}));
    return 0;
  }
  fmt::print("{}", exposition_text(monitor->metrics(), ExpositionFormat::kPrometheusText));
  for (const CollectorReading& reading : readings) {
    if (reading.state != CollectorState::kUp) {
      write_note(collector_line(reading));
    }
  }
  return 0;
}

std::string start_text(const std::string& url, const std::vector<CollectorReading>& readings, bool json) {
  if (json) {
    return json_text({{"event", "start"}, {"url", url}, {"collectors", collectors_json(readings)}}) + "\n";
  }
  std::string text = fmt::format("metrics  {}\n", url);
  for (const CollectorReading& reading : readings) {
    text += collector_line(reading);
  }
  return text + "Ctrl-C ends it\n";
}

std::string alert_text(const AlertChange& change, bool json) {
  const std::string time = format_utc(wall_clock_ns());
  if (!json) {
    return fmt::format("{} {}\n", time, printable(alert_words(change)));
  }
  Json labels = Json::object();
  for (const auto& [name, value] : change.labels) {
    labels[name] = value;
  }
  return json_text({{"event", "alert"},
                    {"time", time},
                    {"alert", change.rule->name},
                    {"state", change.to},
                    {"was", change.from},
                    {"labels", labels},
                    {"value", change.value},
                    {"annotations", change.rule->annotations}}) +
         "\n";
}

Result<MonitorRequest> request_of(const MonitorFlags& flags) {
  MonitorRequest request;
  AACO_ASSIGN(request.interval_ns,
              duration_within("--interval", flags.interval, kShortestIntervalNs, kLongestIntervalNs));
  request.server.host = flags.host;
  request.server.port = flags.port;
  if (!flags.token_file.empty()) {
    AACO_ASSIGN(request.server.access.token, read_token(flags.token_file));
  }
  if (!flags.otlp.empty()) {
    AACO_ASSIGN(request.otlp, parse_otlp_url(flags.otlp));
  }
  if (!flags.store.empty()) {
    request.store.emplace();
    request.store->folder = flags.store;
    AACO_ASSIGN(request.store->rotate_ns,
                duration_within("--rotate", flags.rotate, kShortestStretchNs, kLongestStretchNs));
    AACO_ASSIGN(request.store->keep_ns,
                duration_within("--keep-for", flags.keep, kShortestStretchNs, kLongestStretchNs));
  }
  if (!flags.rules.empty()) {
    AACO_ASSIGN(request.rules, read_alert_rules(flags.rules));
  }
  return request;
}

Result<int> monitor_machine(const MonitorFlags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const MonitorRequest request, request_of(flags));
  if (flags.once) {
    return print_once(invocation);
  }
  const bool json = invocation.json;
  (void)std::signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough must not end what serves, pushes and stores
  const auto say = [](const std::string& what) { note("aaco: {}\n", printable(what)); };
  EventLines lines(STDOUT_FILENO, say);
  AACO_TRY(run_monitor(request, {.on_start =
                                     [&](const std::string& url, const std::vector<CollectorReading>& readings) {
                                       lines.write(start_text(url, readings, json));
                                     },
                                 .on_alert = [&](const AlertChange& change) { lines.write(alert_text(change, json)); },
                                 .on_trouble = say}));
  return lines.lost() ? static_cast<int>(ErrorKind::kResource) : 0;
}

}  // namespace

void add_monitor_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("monitor", "Watch processors and GPUs for days: metrics for Prometheus");
  const auto flags = std::make_shared<MonitorFlags>();
  command.add_flag("--once", flags->once, "Print the metrics, and end");
  command.add_option("--port", flags->port, {0, 65535}, "Port to serve /metrics on; 0 takes one that is free")
      .type_name("PORT")
      .capture_default_str();
  command.add_option("--interval", flags->interval, "Time between two samples").type_name("TIME").capture_default_str();
  command.add_option("--host", flags->host, "Address to serve on; any other than the loopback needs --token-file")
      .type_name("ADDRESS")
      .capture_default_str();
  command
      .add_option("--token-file", flags->token_file,
                  "File with the token that clients must send as Authorization: Bearer TOKEN")
      .type_name("FILE");
  command.add_option("--rules", flags->rules, "Alert rules, in YAML as Prometheus has them").type_name("FILE");
  command.add_option("--otlp", flags->otlp, "Push to an OpenTelemetry collector too, every 10 s: http://localhost:4318")
      .type_name("URL");
  command.add_option("--store", flags->store, "Folder to keep all samples in, as Parquet").type_name("DIR");
  command.add_option("--rotate", flags->rotate, "Stretch of time of one file of --store")
      .type_name("TIME")
      .capture_default_str()
      .needs("--store");
  command.add_option("--keep-for", flags->keep, "Time after which files of --store are removed")
      .type_name("TIME")
      .capture_default_str()
      .needs("--store");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco monitor --once              # what can be read here\n"
               "  aaco monitor                     # then: curl localhost:9464/metrics\n"
               "  aaco monitor --rules alerts.yaml --store samples --keep-for 30d\n"
               "  aaco monitor --host 0.0.0.0 --token-file token --interval 10s");
  command.callback([flags, &invocation] { invocation.finish(monitor_machine(*flags, invocation)); });
}

}  // namespace aaco
