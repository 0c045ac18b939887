// SPDX-License-Identifier: MIT
// One client of an HTTP server. For http_server.cpp: Boost.Beast comes with it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/http/http_message.h"
#include "base/http/http_server.h"
#include "base/http/http_stream.h"

namespace aaco {

class HttpConnection;

// The way from other threads to the server's, for as long as it runs.
class HttpGate {
 public:
  explicit HttpGate(boost::asio::io_context& io) : io_(&io) {}
  void post(std::function<void()> work);
  void close();

 private:
  std::mutex mutex_;
  boost::asio::io_context* io_;
};

struct HttpServerState {
  HttpServerOptions options;
  HttpLaterHandler handler;
  std::shared_ptr<HttpGate> gate;
  std::list<HttpConnection*> connections;
};

// It lives as long as an operation on it is under way, or an answer is awaited.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(boost::asio::ip::tcp::socket socket, HttpServerState& state);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start() { await_request(std::chrono::seconds(request_seconds())); }
  // Since when it owes a request; none while it is answered.
  std::optional<int64_t> waiting_since() const { return waiting_since_; }
  void drop();
  // Of a server that has stopped: nothing is awaited any more, which may end this.
  void forget_answer();

 private:
  using Response = boost::beast::http::response<boost::beast::http::string_body>;
  struct RequestFacts {
    unsigned version = 11;
    bool keep_alive = false;
    bool head = false;
  };

  int request_seconds() const;
  void await_request(std::chrono::seconds limit);
  void read_request();
  void answer(const boost::system::error_code& error);
  void refuse(HttpResponse refusal);
  void ask_handler(HttpRequest request);
  void respond(HttpResponse response);
  void send_header(const std::shared_ptr<HttpStream>& stream);
  void send_pieces();
  void end_pieces();
  void after_response(const boost::system::error_code& error, bool keep_alive);
  void discard(size_t left);

  HttpServerState& state_;
  boost::beast::tcp_stream stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  RequestFacts request_;
  Response response_;
  std::optional<int64_t> waiting_since_;
  std::list<HttpConnection*>::iterator place_;
  std::shared_ptr<HttpConnection> awaited_;  // itself, while another thread owes the answer or its pieces
  uint64_t answers_ = 0;                     // so that a second reply to one request counts for nothing
  std::shared_ptr<HttpStream> pieces_;
  std::string piece_;  // under way
  bool sending_ = false;
  bool unread_ = false;  // a request was refused before its end
};

}  // namespace aaco
