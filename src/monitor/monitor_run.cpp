// SPDX-License-Identifier: MIT
#include "monitor/monitor_run.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "monitor/monitor_pages.h"
#include "monitor/otlp/otlp_metrics.h"
#include "monitor/otlp/otlp_push.h"

namespace aaco {

namespace {

constexpr int64_t kFirstSampleLimitNs = 3'000'000'000;
constexpr int64_t kNsPerMs = 1'000'000;

const FamilyInfo kStoreFailures{"aaco_store_failed_writes", MetricType::kCounter, "",
                                "Parquet files that could not be written"};
const FamilyInfo kStoreLost{"aaco_store_lost_rows", MetricType::kCounter, "", "samples that found no room"};
const FamilyInfo kOtlpSent{"aaco_otlp_sent_requests", MetricType::kCounter, "", "requests that the collector took"};
const FamilyInfo kOtlpLost{"aaco_otlp_lost_requests", MetricType::kCounter, "",
                           "requests that it refused, or that came to nobody"};

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

// Says once that an output fails, and once that it works again.
class Trouble {
 public:
  Trouble(const char* output, const std::function<void(const std::string&)>& say) : output_(output), say_(say) {}
  void tell(const std::string& failure) {
    if (failure.empty() != failure_.empty()) {
      say_(std::string(output_) + (failure.empty() ? ": works again" : ": " + failure));
    }
    failure_ = failure;
  }

 private:
  const char* output_;
  const std::function<void(const std::string&)>& say_;
  std::string failure_;
};

class MonitorRun {
 public:
  MonitorRun(const MonitorRequest& request, const MonitorEvents& events)
      : request_(request),
        events_(events),
        alerts_(request.rules),
        store_trouble_("--store", events.on_trouble),
        otlp_trouble_("--otlp", events.on_trouble) {}

  Result<void> start() {
    MonitorOptions options;
    options.interval_ns = request_.interval_ns;
    if (request_.store) {
      AACO_ASSIGN(store_, SampleStore::start(*request_.store));
      options.on_sample = [this](const CollectorReading& reading) { store_->take(reading.rows); };
    }
    if (request_.otlp) {
      AACO_ASSIGN(push_, OtlpPush::start(*request_.otlp));
    }
    AACO_ASSIGN(monitor_, Monitor::start(options));
    AACO_ASSIGN(server_, HttpServer::start(request_.server, [this](const HttpRequest& request) {
                  return monitor_response(request, [this] { return metrics(); });
                }));
    monitor_->wait_for_steps(1, monotonic_ns() + kFirstSampleLimitNs);
    events_.on_start(server_->url() + "/metrics", monitor_->readings());
    return {};
  }

  void run() {
    int64_t due_ns = monotonic_ns();
    int64_t push_due_ns = due_ns;
    while (wait_until(due_ns)) {
      const MetricSet now = metrics();
      alert(now);
      if (push_ && monotonic_ns() >= push_due_ns) {
        push_->offer(json_text(otlp_request(now, {start_wall_ns_, wall_clock_ns()}, host_)));
        push_due_ns += std::max(request_.interval_ns, MonitorRequest::kPushIntervalNs);
        otlp_trouble_.tell(push_->counts().last_failure);
      }
      if (store_) {
        store_trouble_.tell(store_->counts().last_failure);
      }
      due_ns += (std::max<int64_t>(0, monotonic_ns() - due_ns) / request_.interval_ns + 1) * request_.interval_ns;
    }
  }

  // Who asks first, then who is asked.
  void stop() {
    server_->stop();
    monitor_->stop();
    if (store_) {
      store_->stop();
      store_trouble_.tell(store_->counts().last_failure);
    }
    if (push_) {
      push_->stop();
    }
  }

 private:
  static bool wait_until(int64_t due_ns) {
    pollfd ended{interrupted_fd(), POLLIN, 0};
    while (!interrupted()) {
      const int64_t left_ns = due_ns - monotonic_ns();
      if (left_ns <= 0) {
        return true;
      }
      (void)::poll(&ended, 1, static_cast<int>(left_ns / kNsPerMs + 1));  // an early end is looked at above
    }
    return false;
  }

  void alert(const MetricSet& metrics) {
    std::vector<AlertChange> changes;
    {
      const std::lock_guard lock(mutex_);
      changes = alerts_.step(metrics, monotonic_ns());
    }
    for (const AlertChange& change : changes) {
      events_.on_alert(change);
    }
  }

  MetricSet metrics() {
    MetricSet metrics = monitor_->metrics();
    if (store_) {
      const SampleStore::Counts counts = store_->counts();
      metrics.add(kStoreFailures, {}, static_cast<double>(counts.failed_writes));
      metrics.add(kStoreLost, {}, static_cast<double>(counts.lost_rows));
    }
    if (push_) {
      const OtlpPush::Counts counts = push_->counts();
      metrics.add(kOtlpSent, {}, static_cast<double>(counts.sent));
      metrics.add(kOtlpLost, {}, static_cast<double>(counts.lost));
    }
    const std::lock_guard lock(mutex_);
    alerts_.add_metrics(metrics);
    return metrics;
  }

  const MonitorRequest& request_;
  const MonitorEvents& events_;
  const int64_t start_wall_ns_ = wall_clock_ns();
  const std::string host_ = host_name();
  std::mutex mutex_;  // of the alerts, which the server's thread reads
  AlertStates alerts_;
  Trouble store_trouble_;
  Trouble otlp_trouble_;
  std::unique_ptr<SampleStore> store_;
  std::unique_ptr<OtlpPush> push_;
  std::unique_ptr<Monitor> monitor_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace

Result<void> run_monitor(const MonitorRequest& request, const MonitorEvents& events) {
  MonitorRun run(request, events);
  AACO_TRY(run.start());
  run.run();
  run.stop();
  return {};
}

}  // namespace aaco
