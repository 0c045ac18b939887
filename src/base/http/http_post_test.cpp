// SPDX-License-Identifier: MIT
#include "base/http/http_post.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <thread>

#include "base/clock.h"
#include "base/http/http_server.h"
#include "base/net/socket.h"

namespace aaco {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

std::string url(const char* text) {
  const auto url = parse_http_url(text, 4318);
  return url ? url->host + "|" + std::to_string(url->port) + "|" + url->path : "";
}

// The status that a server's words give, 0 where they are no answer. The server leaves the connection open.
int status_of_answer(const std::string& answer) {
  const auto listening = listen_tcp(0);
  EXPECT_TRUE(listening);
  Socket connection;
  std::thread server([&] {
    if (listening->wait(monotonic_ns() + 5 * kSecondNs)) {
      connection = Socket(::accept(listening->descriptor(), nullptr, nullptr));
      (void)connection.send_all(answer.data(), answer.size());
    }
  });
  const auto status = http_post({"127.0.0.1", listening->own_port(), "/"}, "a/b", "x", monotonic_ns() + kSecondNs / 2);
  server.join();
  return status ? *status : 0;
}

TEST(HttpPost, ReadsAddresses) {
  EXPECT_EQ(url("http://localhost"), "localhost|4318|/");
  EXPECT_EQ(url("http://10.0.0.2:80/v1/metrics"), "10.0.0.2|80|/v1/metrics");
  EXPECT_EQ(url("http://[::1]:1/"), "::1|1|/");
  for (const char* text : {"", "localhost:4318", "https://localhost", "http://", "http://:1", "http://a:0",
                           "http://a:x", "http://a:65536", "http://a b", "http://u@a", "http://a\r\nX: y", "ftp://a"}) {
    EXPECT_EQ(url(text), "") << text;
  }
}

TEST(HttpPost, GivesTheStatusAndSendsTheWholeBody) {
  std::string received;
  HttpServerOptions options;
  options.max_body_bytes = 2'000'000;
  const auto server = HttpServer::start(options, [&](const HttpRequest& request) {
    received = request.method + request.path + request.header("content-type") + request.body;
    return HttpResponse{.status = 503, .body = {}, .headers = {}};
  });
  ASSERT_TRUE(server) << server.error().message;
  const std::string body(1'000'000, 'x');
  const auto status =
      http_post({"127.0.0.1", (*server)->port(), "/v1/metrics"}, "a/b", body, monotonic_ns() + 10 * kSecondNs);
  ASSERT_TRUE(status) << status.error().message;
  EXPECT_EQ(*status, 503);
  EXPECT_EQ(received, "POST/v1/metricsa/b" + body);
}

TEST(HttpPost, AnAnswerHasItsWholeFirstLine) {
  EXPECT_EQ(status_of_answer("HTTP/1.1 200 OK\r\n\r\n"), 200);
  EXPECT_EQ(status_of_answer("HTTP/1.0 204\r\n\r\n"), 204);
  EXPECT_EQ(status_of_answer("HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
                             "HTTP/1.1 200 OK\r\n\r\n"),
            200);
  for (const char* answer : {"HTTP/1.1 200 OK", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 +20 OK\r\n",
                             "HTTP/1.1 -20 OK\r\n", "HTTP/1.1 099 OK\r\n", "HTTP/1.x 200 OK\r\n", "HTTP/2 200 OK\r\n",
                             "HTTP/1.1 100 Continue\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "\r\n"}) {
    EXPECT_EQ(status_of_answer(answer), 0) << answer;
  }
}

TEST(HttpPost, ASilentReceiverEndsAtTheDeadline) {
  const auto listening = listen_tcp(0);
  ASSERT_TRUE(listening);
  const int64_t start_ns = monotonic_ns();
  const auto status = http_post({"127.0.0.1", listening->own_port(), "/"}, "a/b", "x", start_ns + kSecondNs / 5);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kResource);
  EXPECT_LT(monotonic_ns() - start_ns, 5 * kSecondNs);
}

}  // namespace
}  // namespace aaco
