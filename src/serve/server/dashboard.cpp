// SPDX-License-Identifier: MIT
#include "serve/server/dashboard.h"

#include <algorithm>
#include <cerrno>
#include <deque>
#include <exception>
#include <fmt/format.h>
#include <malloc.h>
#include <memory>
#include <mutex>
#include <poll.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/http/http_server.h"
#include "base/interrupt.h"
#include "base/process/event_file.h"
#include "base/process/limit_error.h"
#include "serve/access/page_access.h"
#include "serve/assets/page_assets.h"
#include "serve/server/api.h"
#include "serve/wire/answer.h"
#include "session/catalog/catalog.h"

namespace aaco::serve {

namespace {

// Answers of megabytes come and go: given back to the system each time, their pages would cost more than what is in
// them.
constexpr int kKeptHeapBytes = 64 << 20;
constexpr int kLongestWaitMs = 60'000;
constexpr size_t kMostQueued = 1024;
constexpr size_t kMostConnections = 256;
constexpr int kResponseSeconds = 30;

// Requests on their way from the server's thread to the one that answers.
class RequestQueue {
 public:
  explicit RequestQueue(EventFile wake) : wake_(std::move(wake)) {}

  void add(HttpRequest request, HttpReply reply) {
    {
      const std::lock_guard lock(mutex_);
      if (requests_.size() < kMostQueued) {
        requests_.emplace_back(std::move(request), std::move(reply));
        wake(wake_.descriptor());
        return;
      }
    }
    reply(error_answer(503, "too many requests wait", "try again in a while"));
  }
  std::deque<std::pair<HttpRequest, HttpReply>> take() {
    uint64_t count = 0;
    (void)::read(wake_.descriptor(), &count, sizeof count);  // nothing there: it was read before
    const std::lock_guard lock(mutex_);
    return std::exchange(requests_, {});
  }
  int descriptor() const { return wake_.descriptor(); }

 private:
  EventFile wake_;
  std::mutex mutex_;
  std::deque<std::pair<HttpRequest, HttpReply>> requests_;
};

HttpResponse asset_answer(const PageAsset& asset) {
  return text_answer(std::string(reinterpret_cast<const char*>(asset.bytes), asset.size), type_of_asset(asset));
}

// On the server's thread: what can be answered without a look at sessions.
void take_request(HttpRequest request, const HttpReply& reply, const PageAccess& access, RequestQueue& queue) {
  if (std::optional<HttpResponse> answer = answer_for_access(request, access)) {
    reply(std::move(*answer));
  } else if (const PageAsset* const asset = asset_of_path(request.path)) {
    reply(request.method == "GET" || request.method == "HEAD"
              ? asset_answer(*asset)
              : error_answer(405, "this path does not take that method", "use GET"));
  } else {
    queue.add(std::move(request), reply);
  }
}

void answer_requests(RequestQueue& queue, Api& api) {
  for (auto& [request, reply] : queue.take()) {
    try {
      api.handle(request, reply);
    } catch (const std::exception& exception) {
      reply(error_answer(error_of(exception)));
    }
  }
}

Result<void> serve_until_interrupted(RequestQueue& queue, Api& api) {
  while (!interrupted()) {
    const int64_t live_due_ns = api.live().step();
    std::vector<pollfd> polled{{queue.descriptor(), POLLIN, 0}, {interrupted_fd(), POLLIN, 0}};
    api.children().add_polled(polled);
    const int64_t left_ms = live_due_ns == INT64_MAX ? kLongestWaitMs : (live_due_ns - monotonic_ns()) / 1'000'000 + 1;
    const int wait_ms = api.children().wait_ms(static_cast<int>(std::clamp<int64_t>(left_ms, 0, kLongestWaitMs)));
    if (::poll(polled.data(), polled.size(), wait_ms) < 0 && errno != EINTR) {
      return limit_error("wait for requests", errno);
    }
    api.children().step();
    if ((polled[0].revents & POLLIN) != 0) {
      answer_requests(queue, api);
    }
  }
  return {};
}

}  // namespace

Result<void> run_dashboard(const DashboardRequest& request,
                           const std::function<void(const std::string& url)>& on_start) {
  AACO_TRY(list_sessions(request.sessions));
  (void)::mallopt(M_MMAP_THRESHOLD, kKeptHeapBytes);  // where it cannot be set it is slower
  (void)::mallopt(M_TRIM_THRESHOLD, kKeptHeapBytes);
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return Error{ErrorKind::kUnavailable, "/proc is not mounted: the program's own file is not known", "mount /proc"};
  }
  AACO_ASSIGN(EventFile wake, EventFile::create());
  RequestQueue queue(std::move(wake));
  PageAccess access;
  access.token = request.token;
  access.loopback_only = request.host == "127.0.0.1" || request.host == "localhost" || request.host == "::1";
  if (access.token.empty() && !access.loopback_only) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} can be reached from other machines, and there is no token", request.host),
                 "make one (openssl rand -hex 32 >token) and add --token-file token, or stay on 127.0.0.1"};
  }
  if (access.token.empty()) {
    AACO_ASSIGN(access.token, make_token());
  }
  HttpServerOptions options;
  options.host = request.host;
  options.port = request.port;
  options.access.by_handler = true;
  options.max_connections = kMostConnections;
  options.response_seconds = kResponseSeconds;
  options.refusal = [](int status, const std::string& reason) {
    return error_answer(status, reason, "docs/serve.md lists what can be asked");
  };
  Api api(std::filesystem::absolute(request.sessions, error).lexically_normal(),
          std::filesystem::absolute(request.history, error).lexically_normal(), program.string());
  AACO_ASSIGN(const std::unique_ptr<HttpServer> server,
              HttpServer::start_later(options, [&](HttpRequest asked, const HttpReply& reply) {
                take_request(std::move(asked), reply, access, queue);
              }));
  access.cookie = fmt::format("aaco_token_{}", server->port());
  on_start(fmt::format("{}/?token={}", server->url(), access.token));
  const Result<void> served = serve_until_interrupted(queue, api);
  server->stop();
  return served;
}

}  // namespace aaco::serve
