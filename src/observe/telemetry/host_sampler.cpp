// SPDX-License-Identifier: MIT
#include "observe/telemetry/host_sampler.h"

#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "observe/host_files.h"
#include "observe/telemetry/clock_pairs.h"
#include "observe/telemetry/process_watch.h"
#include "observe/telemetry/processor_state.h"
#include "record/rows.h"

namespace aaco {

namespace {

constexpr const char* kPlane = "telemetry_host";
constexpr int64_t kPairPeriodNs = 1'000'000'000;

// A counter that only grows, and what it grew by since the previous sample.
class MonotonicCounter {
 public:
  std::optional<int64_t> next(std::optional<int64_t> now) {
    const std::optional<int64_t> before = std::exchange(last_, now);
    return now && before && *now >= *before ? std::optional(*now - *before) : std::nullopt;
  }

 private:
  std::optional<int64_t> last_;
};

class HostSampler final : public Collector {
 public:
  explicit HostSampler(CollectorOptions options)
      : options_(std::move(options)),
        stat_(options_.root / "proc/stat"),
        load_(options_.root / "proc/loadavg"),
        memory_(options_.root / "proc/meminfo"),
        pressure_cpu_(options_.root / "proc/pressure/cpu"),
        pressure_memory_(options_.root / "proc/pressure/memory"),
        pressure_io_(options_.root / "proc/pressure/io"),
        processors_(options_.processors.empty() ? allowed_processors() : options_.processors),
        state_(options_.root, processors_) {
    for (const int processor : processors_) {
      ProcFile file(options_.root / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor)) /
                    "cpufreq/scaling_cur_freq");
      if (file.is_open()) {
        frequencies_.push_back(std::move(file));
      }
    }
  }

  void sample() override {
    SystemRow row;
    row.t_ns = options_.now_ns();
    row.interval_ns = last_ns_ ? row.t_ns - *last_ns_ : 0;
    last_ns_ = row.t_ns;
    sample_process(row);
    sample_processors(row);
    row.psi_cpu_some_pct = pressure(pressure_cpu_, waited_cpu_us_, row.interval_ns);
    row.psi_memory_some_pct = pressure(pressure_memory_, waited_memory_us_, row.interval_ns);
    row.psi_io_some_pct = pressure(pressure_io_, waited_io_us_, row.interval_ns);
    sample_memory_and_load(row);
    row.cpu_frequency_mhz = frequency_mhz();
    state_.sample(row, buffer_);
    row.read_ns = options_.now_ns() - row.t_ns;
    account_.take(row);
    options_.sinks.push(row);
    if (!paired_ns_ || row.t_ns - *paired_ns_ >= kPairPeriodNs) {
      paired_ns_ = row.t_ns;
      for (const ClockPairRow& pair : read_clock_pairs(options_)) {
        options_.sinks.push(pair);
      }
    }
  }

  CollectorPlane plane() const override {
    PlaneAccount<SystemRow> account = account_;
    for (const auto& [file, path, column] : {std::tuple{&load_, "proc/loadavg", "load_1m"},
                                             {&memory_, "proc/meminfo", "memory_available_bytes"},
                                             {&pressure_cpu_, "proc/pressure/cpu", "psi_cpu_some_pct"},
                                             {&pressure_memory_, "proc/pressure/memory", "psi_memory_some_pct"},
                                             {&pressure_io_, "proc/pressure/io", "psi_io_some_pct"}}) {
      if (!file->is_open()) {
        account.unread(column, "cannot open " + (options_.root / path).string() + ": " +
                                   std::generic_category().message(file->open_error()));
      }
    }
    if (frequencies_.empty()) {
      account.unread("cpu_frequency_mhz", "the kernel shows no cpufreq/scaling_cur_freq");
    }
    state_.tell_unread(account);
    return {kPlane, account.columns()};
  }

 private:
  void sample_process(SystemRow& row) {
    const int64_t pid = options_.measured_pid == nullptr ? 0 : options_.measured_pid->load(std::memory_order_relaxed);
    if (pid <= 0) {
      process_.reset();
      return;
    }
    if (!process_ || process_->pid() != pid) {
      process_.emplace(options_.root, pid);
    }
    process_->sample(row, buffer_);
  }

  void sample_processors(SystemRow& row) {
    const auto text = stat_.read(buffer_);
    if (!text) {
      return;
    }
    if (const auto rest = after_key(*text, "ctxt ")) {
      row.context_switches = switches_.next(NumberReader(*rest).integer());
    }
    if (const auto rest = after_key(*text, "procs_running ")) {
      row.runnable_tasks = NumberReader(*rest).integer();
    }
    const auto ticks = processor_ticks(after_key(*text, "cpu ").value_or(""));
    if (!ticks) {
      return;
    }
    const std::optional<int64_t> all_delta = all_ticks_.next(ticks->all);
    const std::optional<int64_t> idle_delta = idle_ticks_.next(ticks->idle);
    if (all_delta && idle_delta && *all_delta > 0 && *idle_delta <= *all_delta) {
      row.cpu_pct = 100.0 * static_cast<double>(*all_delta - *idle_delta) / static_cast<double>(*all_delta);
    }
  }

  // From total=, in microseconds: the averages beside it look back over 10 s and more.
  std::optional<double> pressure(const ProcFile& file, MonotonicCounter& waited_us, int64_t interval_ns) {
    const auto text = file.read(buffer_);
    const auto some = text ? after_key(*text, "some ") : std::nullopt;
    const std::string_view line = some ? some->substr(0, some->find('\n')) : std::string_view();
    const size_t total = line.find("total=");
    std::optional<int64_t> now;
    if (total != std::string_view::npos) {
      now = NumberReader(line.substr(total + 6)).integer();
    }
    const std::optional<int64_t> delta = waited_us.next(now);
    if (!delta || interval_ns <= 0) {
      return std::nullopt;
    }
    return 100.0 * static_cast<double>(*delta) * 1000.0 / static_cast<double>(interval_ns);
  }

  void sample_memory_and_load(SystemRow& row) {
    if (const auto text = memory_.read(buffer_)) {
      if (const auto rest = after_key(*text, "MemAvailable:")) {
        const std::optional<int64_t> kib = NumberReader(*rest).integer();
        row.memory_available_bytes = kib ? std::optional(*kib * 1024) : std::nullopt;
      }
    }
    if (const auto text = load_.read(buffer_)) {
      row.load_1m = NumberReader(*text).real();
    }
  }

  // Only scaling_cur_freq: the "cpu MHz" of /proc/cpuinfo is a constant on a virtual machine.
  std::optional<double> frequency_mhz() {
    double sum_khz = 0;
    for (const ProcFile& file : frequencies_) {
      const auto text = file.read(buffer_);
      const std::optional<int64_t> khz = text ? NumberReader(*text).integer() : std::nullopt;
      if (!khz) {
        return std::nullopt;
      }
      sum_khz += static_cast<double>(*khz);
    }
    if (frequencies_.empty()) {
      return std::nullopt;
    }
    return sum_khz / static_cast<double>(frequencies_.size()) / 1000.0;
  }

  CollectorOptions options_;
  PlaneAccount<SystemRow> account_;
  ReadBuffer buffer_;
  ProcFile stat_, load_, memory_, pressure_cpu_, pressure_memory_, pressure_io_;
  std::vector<int> processors_;
  std::vector<ProcFile> frequencies_;
  ProcessorState state_;
  std::optional<ProcessWatch> process_;
  std::optional<int64_t> last_ns_;
  std::optional<int64_t> paired_ns_;
  MonotonicCounter switches_, all_ticks_, idle_ticks_, waited_cpu_us_, waited_memory_us_, waited_io_us_;
};

Result<std::unique_ptr<Collector>> make_host_sampler(CollectorOptions options) {
  const std::filesystem::path stat = options.root / "proc/stat";
  if (!ProcFile(stat).is_open()) {
    return Error{ErrorKind::kUnavailable, "host telemetry: cannot open " + stat.string(),
                 "mount /proc, or run without --telemetry"};
  }
  return std::unique_ptr<Collector>(std::make_unique<HostSampler>(std::move(options)));
}

}  // namespace

CollectorInfo host_collector() {
  return {
      "host",
      "processors, memory, pressure and the measured process, from /proc and /sys",
      "Samples processor time, frequency and its limit, heat, energy (RAPL), memory, context switches, run queue and "
      "pressure stalls of the machine, and "
      "processor time, memory, faults, switches and run delay of the measured process over all its threads. The "
      "machine's "
      "processor time counts in ticks (usually 10 ms), so that a short interval on few processors is coarse. In a "
      "container "
      "the machine's figures are those of the host.",
      "/proc/stat; the rest is null where it is missing",
      kPlane,
      {RowSchema<SystemRow>::kName, RowSchema<ClockPairRow>::kName},
      make_host_sampler};
}

}  // namespace aaco
