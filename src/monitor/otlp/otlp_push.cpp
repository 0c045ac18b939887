// SPDX-License-Identifier: MIT
#include "monitor/otlp/otlp_push.h"

#include <chrono>
#include <fmt/format.h>
#include <pthread.h>
#include <utility>

#include "base/clock.h"
#include "base/process/thread_start.h"

namespace aaco {

namespace {

constexpr int kOtlpPort = 4318;
constexpr int64_t kFirstPauseNs = 1'000'000'000;
constexpr int64_t kAnswerLimitNs = 5'000'000'000;

// As the protocol has it: others are refused for good.
bool is_worth_another_try(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

}  // namespace

Result<HttpUrl> parse_otlp_url(std::string_view text) {
  AACO_ASSIGN(HttpUrl url, parse_http_url(text, kOtlpPort));
  if (url.path == "/") {
    url.path = "/v1/metrics";
  }
  return url;
}

Result<std::unique_ptr<OtlpPush>> OtlpPush::start(HttpUrl url) {
  std::unique_ptr<OtlpPush> push(new OtlpPush(std::move(url)));
  AACO_ASSIGN(push->thread_, start_thread([&self = *push] { self.run(); }));
  return push;
}

OtlpPush::~OtlpPush() { stop(); }

void OtlpPush::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void OtlpPush::offer(std::string body) {
  {
    const std::lock_guard lock(mutex_);
    counts_.lost += waiting_ ? 1 : 0;
    waiting_ = std::move(body);
  }
  changed_.notify_all();
}

OtlpPush::Counts OtlpPush::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void OtlpPush::run() {
  pthread_setname_np(pthread_self(), "aaco-otlp");
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopped_ || waiting_; });
    if (stopped_) {
      return;
    }
    const std::string body = std::move(*std::exchange(waiting_, std::nullopt));
    lock.unlock();
    send(body);
    lock.lock();
  }
}

void OtlpPush::send(const std::string& body) {
  int64_t pause_ns = kFirstPauseNs;
  for (int i = 0; i < kMostTries; ++i) {
    const Result<int> status = http_post(url_, "application/json", body, monotonic_ns() + kAnswerLimitNs);
    const bool accepted = status && *status >= 200 && *status < 300;
    {
      const std::lock_guard lock(mutex_);
      counts_.sent += accepted ? 1 : 0;
      counts_.last_failure = accepted ? "" : status ? fmt::format("status {}", *status) : status.error().message;
    }
    if (accepted) {
      return;
    }
    if ((status && !is_worth_another_try(*status)) || i + 1 == kMostTries || !pause(pause_ns)) {
      break;
    }
    pause_ns *= 2;
  }
  const std::lock_guard lock(mutex_);
  ++counts_.lost;
}

bool OtlpPush::pause(int64_t ns) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return stopped_ || waiting_; });
}

}  // namespace aaco
