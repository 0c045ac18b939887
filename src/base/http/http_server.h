// SPDX-License-Identifier: MIT
// HTTP/1.1 for a few clients of one machine: asynchronous, one thread, bounded in everything that a client could make
// large. Boost.Beast does the protocol, in http_connection.h alone, which takes seconds to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/http/http_access.h"
#include "base/http/http_message.h"
#include "base/result.h"

namespace aaco {

struct HttpServerOptions {
  std::string host = "127.0.0.1";  // an address as numbers, or "localhost"
  int port = 0;                    // 0: one that is free
  HttpAccess access;               // needed on any other address than the loopback
  size_t max_connections = 64;     // when another comes, the one that has been waiting longest goes
  uint32_t max_header_bytes = 8192;
  uint64_t max_body_bytes = 65'536;
  int request_seconds = 5;    // from the first byte of a request to its last; none of a new connection
  int response_seconds = 10;  // for a client to take an answer
  int idle_seconds = 75;      // between two requests on one connection: longer than Prometheus' default of a minute
  // The form of the server's own answers: to what it cannot read, what is too large, and a handler that failed. Without
  // one, a line of text.
  std::function<HttpResponse(int status, const std::string& reason)> refusal = nullptr;
};

class HttpServer {
 public:
  // Errors: kUsage for an address that is none, or is not the loopback and has no token; kResource where the port is
  // taken or there can be no thread.
  static Result<std::unique_ptr<HttpServer>> start(HttpServerOptions options, HttpHandler handler);
  static Result<std::unique_ptr<HttpServer>> start_later(HttpServerOptions options, HttpLaterHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  int port() const;
  std::string url() const;  // "http://127.0.0.1:9464"
  // Drops all connections; the handler is not called any more. Harmless when called twice.
  void stop();

 private:
  class Core;
  explicit HttpServer(std::unique_ptr<Core> core);

  std::unique_ptr<Core> core_;
};

}  // namespace aaco
