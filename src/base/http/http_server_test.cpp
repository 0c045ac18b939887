// SPDX-License-Identifier: MIT
#include "base/http/http_server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/http/http_stream.h"
#include "base/net/socket.h"
#include "base/process/event_file.h"

namespace aaco {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

HttpResponse echo(const HttpRequest& request) {
  if (request.path == "/throws") {
    throw std::runtime_error("no luck");
  }
  return {.status = 200,
          .body = request.method + " " + request.path + "?" + request.query + " " + request.body,
          .headers = {{"X-Test", "yes"}}};
}

std::unique_ptr<HttpServer> server(HttpServerOptions options = {}) {
  auto started = HttpServer::start(std::move(options), echo);
  EXPECT_TRUE(started) << started.error().message;
  return std::move(*started);
}

Socket client(const HttpServer& server) {
  auto socket = connect_tcp("127.0.0.1", server.port(), monotonic_ns() + 5 * kSecondNs);
  EXPECT_TRUE(socket) << socket.error().message;
  return std::move(*socket);
}

// Until the server closes, or `wanted` stands in the text.
std::string receive(const Socket& socket, const std::string& wanted = "\x01", int64_t limit_ns = 10 * kSecondNs) {
  const int64_t deadline_ns = monotonic_ns() + limit_ns;
  std::string text;
  char piece[4096];
  while (text.find(wanted) == std::string::npos && socket.wait(deadline_ns)) {
    const ssize_t got = ::recv(socket.descriptor(), piece, sizeof piece, 0);
    if (got <= 0) {
      break;
    }
    text.append(piece, static_cast<size_t>(got));
  }
  return text;
}

void send(const Socket& socket, const std::string& text) { (void)socket.send_all(text.data(), text.size()); }

std::string answer_to(const HttpServer& server, const std::string& request) {
  const Socket socket = client(server);
  send(socket, request);
  return receive(socket);
}

std::string request(const std::string& line, const std::string& more = "") {
  return line + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + more + "\r\n";
}

TEST(HttpServer, AnswersWithWhatTheHandlerGives) {
  const auto running = server();
  const std::string answer = answer_to(*running, request("GET /a?b=c"));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_NE(answer.find("X-Test: yes\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nGET /a?b=c ")) << answer;
  EXPECT_EQ(running->url(), "http://127.0.0.1:" + std::to_string(running->port()));
}

TEST(HttpServer, KeepsAConnectionForMoreRequests) {
  const auto running = server();
  const Socket socket = client(*running);
  for (const char* path : {"/one", "/two", "/three"}) {
    send(socket, std::string("GET ") + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_NE(receive(socket, std::string(path) + "? ").find("200 OK"), std::string::npos) << path;
  }
}

TEST(HttpServer, AnswersRequestsThatCameTogether) {
  const auto running = server();
  const Socket socket = client(*running);
  send(socket, "GET /one HTTP/1.1\r\nHost: localhost\r\n\r\nGET /two HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(receive(socket, "/two? ").find("GET /one? "), std::string::npos);
}

TEST(HttpServer, ItsOwnRefusalsHaveTheFormThatWasChosen) {
  HttpServerOptions options;
  options.access.by_handler = true;
  options.refusal = [](int status, const std::string& reason) {
    return HttpResponse{.status = status, .content_type = "a/b", .body = "<" + reason + ">", .headers = {}};
  };
  const auto running = server(options);
  const std::string large = answer_to(*running, request("POST /", "Content-Length: 70000\r\n"));
  EXPECT_NE(large.find("HTTP/1.1 413 "), std::string::npos) << large;
  EXPECT_NE(large.find("Content-Type: a/b\r\n"), std::string::npos) << large;
  EXPECT_TRUE(large.ends_with("\r\n\r\n<the request's body is too large>")) << large;
  EXPECT_TRUE(answer_to(*running, "no HTTP at all\r\n\r\n").ends_with("<the request is not HTTP/1.1>"));
  EXPECT_TRUE(
      answer_to(*running, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").ends_with("<the request has no Host header>"));
  EXPECT_TRUE(answer_to(*running, request("GET /throws")).ends_with("<failed: no luck>"));
}

// A reset would take the answer from it.
TEST(HttpServer, AClientThatGoesOnSendingReadsWhyItIsRefused) {
  const auto running = server();
  const Socket socket = client(*running);
  send(socket, request("POST /", "Content-Length: 4000000\r\n"));
  const std::string answer = receive(socket, "too large");
  EXPECT_NE(answer.find(" 413 "), std::string::npos) << answer;
  const std::string piece(100'000, 'x');
  for (int i = 0; i < 40; ++i) {
    EXPECT_TRUE(socket.send_all(piece.data(), piece.size())) << i;
  }
}

TEST(HttpServer, AHeadHasTheLengthAndNoBody) {
  const auto running = server();
  const std::string answer = answer_to(*running, request("HEAD /a"));
  EXPECT_NE(answer.find("Content-Length: 9\r\n"), std::string::npos) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
}

TEST(HttpServer, RefusesWhatIsTooLargeOrNoHttp) {
  const auto running = server();
  EXPECT_NE(answer_to(*running, request("GET /", "X: " + std::string(9000, 'x') + "\r\n")).find(" 431 "),
            std::string::npos);
  EXPECT_NE(answer_to(*running, request("GET /" + std::string(9000, 'x'))).find(" 431 "), std::string::npos);
  EXPECT_NE(answer_to(*running, request("POST /", "Content-Length: 70000\r\n")).find(" 413 "), std::string::npos);
  EXPECT_NE(answer_to(*running, "no HTTP at all\r\n\r\n").find(" 400 "), std::string::npos);
  EXPECT_NE(answer_to(*running, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n").find(" 400 "), std::string::npos);
  EXPECT_NE(answer_to(*running, "GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n").find(" 421 "),
            std::string::npos);
  EXPECT_NE(answer_to(*running, request("GET /after")).find(" 200 "), std::string::npos);
}

TEST(HttpServer, ATargetMayNameItsHost) {
  const auto running = server();
  EXPECT_NE(answer_to(*running, request("GET http://localhost:9464/a?b=c")).find("GET /a?b=c "), std::string::npos);
  EXPECT_NE(answer_to(*running, request("GET HTTP://127.0.0.1?b")).find("GET /?b "), std::string::npos);
  EXPECT_NE(answer_to(*running, request("GET http://a.example/a")).find(" 421 "), std::string::npos);
  EXPECT_NE(answer_to(*running, request("GET http://localhost@a.example/a")).find(" 421 "), std::string::npos);
  EXPECT_NE(answer_to(*running, "GET http://localhost/a HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n")
                .find(" 421 "),
            std::string::npos);
}

TEST(HttpServer, AHandlerThatThrowsIsAnErrorOfItsRequest) {
  const auto running = server();
  EXPECT_NE(answer_to(*running, request("GET /throws")).find(" 500 "), std::string::npos);
  EXPECT_NE(answer_to(*running, request("GET /")).find(" 200 "), std::string::npos);
}

TEST(HttpServer, DropsWhoSendsARequestTooSlowly) {
  HttpServerOptions options;
  options.request_seconds = 1;
  const auto running = server(options);
  const Socket socket = client(*running);
  const int64_t start_ns = monotonic_ns();
  send(socket, "GET / HTTP/1.1\r\nX:");
  std::thread drip([&] {  // a byte now and then would hold the connection if each began the time anew
    while (monotonic_ns() - start_ns < 8 * kSecondNs && socket.send_all("x", 1)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  EXPECT_EQ(receive(socket), "");
  socket.shut();
  drip.join();
  EXPECT_LT(monotonic_ns() - start_ns, 6 * kSecondNs);
}

TEST(HttpServer, AtTheLimitTheLongestWaitingGoes) {
  HttpServerOptions options;
  options.max_connections = 4;
  options.request_seconds = 60;
  const auto running = server(options);
  std::vector<Socket> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(client(*running));
  }
  EXPECT_NE(answer_to(*running, request("GET /")).find(" 200 "), std::string::npos);
  EXPECT_EQ(receive(silent.front(), "\x01", kSecondNs), "");
  char byte = 0;
  EXPECT_EQ(::recv(silent.front().descriptor(), &byte, 1, MSG_DONTWAIT), 0);  // closed by the server
}

TEST(HttpServer, AnotherAddressNeedsAToken) {
  HttpServerOptions options;
  options.host = "0.0.0.0";
  const auto refused = HttpServer::start(options, echo);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_NE(refused.error().hint.find("--token-file"), std::string::npos);
  options.access.token = "0123456789abcdef";
  const auto running = server(options);
  EXPECT_NE(answer_to(*running, request("GET /")).find(" 401 "), std::string::npos);
  EXPECT_NE(answer_to(*running, request("GET /", "Authorization: Bearer 0123456789abcdef\r\n")).find(" 200 "),
            std::string::npos);
}

TEST(HttpServer, APortInUseSaysWhatToDo) {
  const auto running = server();
  HttpServerOptions options;
  options.port = running->port();
  const auto second = HttpServer::start(options, echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kResource);
  EXPECT_EQ(second.error().message, "port " + std::to_string(options.port) + " is in use");
  EXPECT_NE(second.error().hint.find("--port"), std::string::npos);
}

TEST(HttpServer, RefusesAHostThatIsNoAddress) {
  HttpServerOptions options;
  options.host = "gpu-node-3";
  EXPECT_EQ(HttpServer::start(options, echo).error().kind, ErrorKind::kUsage);
}

TEST(HttpServer, StopsWithClientsConnected) {
  const auto running = server();
  const Socket idle = client(*running);
  const Socket speaking = client(*running);
  send(speaking, "GET / HTTP/1.1\r\n");
  running->stop();
  running->stop();
}

TEST(HttpServer, AnAnswerMayComeLaterFromAnotherThread) {
  HttpReply kept;
  EventFile asked = std::move(EventFile::create()).value();
  const auto running = HttpServer::start_later({}, [&](const HttpRequest&, HttpReply reply) {
    kept = std::move(reply);
    wake(asked.descriptor());
  });
  ASSERT_TRUE(running);
  const Socket socket = client(**running);
  send(socket, request("GET /late"));
  pollfd polled{asked.descriptor(), POLLIN, 0};
  ASSERT_EQ(::poll(&polled, 1, 5'000), 1);
  kept({.status = 200, .body = "late", .headers = {}});
  kept({.status = 500, .body = "again", .headers = {}});  // counts for nothing
  EXPECT_TRUE(receive(socket).ends_with("\r\n\r\nlate"));
  (*running)->stop();
  kept({.status = 200, .body = "", .headers = {}});  // nobody is there
}

TEST(HttpServer, AStreamComesPieceByPiece) {
  const auto stream = std::make_shared<HttpStream>();
  const auto running = HttpServer::start_later({}, [&](const HttpRequest&, const HttpReply& reply) {
    reply({.status = 200, .body = "", .headers = {}, .stream = stream});
  });
  ASSERT_TRUE(running);
  const Socket socket = client(**running);
  send(socket, request("GET /live"));
  EXPECT_TRUE(stream->push("one\n"));
  EXPECT_NE(receive(socket, "one\n").find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_TRUE(stream->push("two\n"));
  EXPECT_EQ(receive(socket, "two\n\r\n"), "4\r\ntwo\n\r\n");
  stream->end();
  EXPECT_EQ(receive(socket), "0\r\n\r\n");
  EXPECT_FALSE(stream->push("three\n"));
}

// Piece by piece, however long; one that cannot be read on has no end.
TEST(HttpServer, ABodyIsAskedForPieceByPiece) {
  constexpr size_t kPiece = 200'000;
  int asked = 0;
  bool breaks = false;
  const auto running = HttpServer::start_later({}, [&](const HttpRequest&, const HttpReply& reply) {
    asked = 0;
    const auto next = [&]() -> Result<std::string> {
      ++asked;
      if (asked == 3 && breaks) {
        return Error{ErrorKind::kResource, "the disk is gone", ""};
      }
      return asked <= 3 ? std::string(kPiece, 'x') : "";
    };
    reply({.status = 200, .body = "", .headers = {}, .stream = std::make_shared<HttpStream>(next)});
  });
  ASSERT_TRUE(running);
  const std::string whole = answer_to(**running, request("GET /file"));
  EXPECT_GT(whole.size(), 3 * kPiece);
  EXPECT_TRUE(whole.ends_with("0\r\n\r\n"));
  breaks = true;
  const std::string part = answer_to(**running, request("GET /file"));
  EXPECT_GT(part.size(), 2 * kPiece);
  EXPECT_FALSE(part.ends_with("0\r\n\r\n"));
}

TEST(HttpStream, AReaderWhoTakesNothingLosesIt) {
  HttpStream stream;
  const std::string piece(HttpStream::kMostWaitingBytes / 4, 'x');
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(stream.push(piece));
  }
  EXPECT_FALSE(stream.push(piece));
  EXPECT_FALSE(stream.is_open());
  EXPECT_FALSE(stream.take());
}

}  // namespace
}  // namespace aaco
