// SPDX-License-Identifier: MIT
#include "base/http/http_server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cctype>
#include <chrono>
#include <fmt/format.h>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/net/socket.h"
#include "base/process/thread_start.h"

namespace aaco {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;
using Tcp = asio::ip::tcp;

constexpr auto kPauseWithoutFiles = std::chrono::milliseconds(100);
constexpr size_t kFirstReadBytes = 1024;

std::string text_of(beast::string_view text) { return {text.data(), text.size()}; }

// The authority off the front of a target in absolute form, which leaves its path; empty for any other target.
std::string take_authority(std::string& target) {
  constexpr std::string_view kScheme = "http://";
  if (!beast::iequals(beast::string_view(target).substr(0, kScheme.size()), {kScheme.data(), kScheme.size()})) {
    return "";
  }
  const size_t end = std::min(target.find_first_of("/?", kScheme.size()), target.size());
  std::string authority = target.substr(kScheme.size(), end - kScheme.size());
  if (!authority.empty()) {
    target.erase(0, end);
    target.insert(0, target.starts_with('/') ? "" : "/");
  }
  return authority;
}

HttpRequest plain_request(const http::request<http::string_body>& request) {
  HttpRequest plain;
  plain.method = text_of(request.method_string());
  std::string target = text_of(request.target());
  plain.authority = take_authority(target);
  const size_t mark = target.find('?');
  plain.path = target.substr(0, mark);
  plain.query = mark == std::string::npos ? "" : target.substr(mark + 1);
  for (const auto& field : request) {
    std::string name = text_of(field.name_string());
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    plain.headers.emplace_back(std::move(name), text_of(field.value()));
  }
  plain.body = request.body();
  return plain;
}

// The status for a request that the parser refused; none where the connection is not worth an answer.
std::optional<int> status_of(const error_code& error) {
  if (error == http::error::header_limit) {
    return 431;
  }
  if (error == http::error::body_limit) {
    return 413;
  }
  const bool is_protocol = error.category() == http::make_error_code(http::error::bad_method).category();
  const bool is_cut_short = error == http::error::end_of_stream || error == http::error::partial_message;
  return is_protocol && !is_cut_short ? std::optional(400) : std::nullopt;
}

struct ServerState;

// One client. It lives as long as an operation on it is under way.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Tcp::socket socket, ServerState& state);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() { await_request(std::chrono::seconds(request_seconds())); }
  // Since when it owes a request; none while it is answered.
  std::optional<int64_t> waiting_since() const { return waiting_since_; }
  void drop() {
    waiting_since_.reset();
    stream_.close();
  }

 private:
  int request_seconds() const;
  void await_request(std::chrono::seconds limit);
  void read_request();
  void answer(const error_code& error);
  HttpResponse response_to(const HttpRequest& request) const;
  void send(HttpResponse response, unsigned version, bool keep_alive, bool head);

  ServerState& state_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
  std::optional<int64_t> waiting_since_;
  std::list<Connection*>::iterator place_;
};

struct ServerState {
  HttpServerOptions options;
  HttpHandler handler;
  std::list<Connection*> connections;
};

Connection::Connection(Tcp::socket socket, ServerState& state)
    : state_(state),
      stream_(std::move(socket)),
      buffer_(state.options.max_header_bytes + state.options.max_body_bytes + kFirstReadBytes),
      place_(state.connections.insert(state.connections.end(), this)) {}

Connection::~Connection() { state_.connections.erase(place_); }

int Connection::request_seconds() const { return state_.options.request_seconds; }

// For the first byte apart: a connection that is kept may be silent for long, one that speaks has to come to the end.
void Connection::await_request(std::chrono::seconds limit) {
  waiting_since_ = monotonic_ns();
  if (buffer_.size() > 0) {
    read_request();
    return;
  }
  stream_.expires_after(limit);
  stream_.async_read_some(buffer_.prepare(kFirstReadBytes),
                          [self = shared_from_this()](const error_code& error, size_t bytes) {
                            if (!error) {
                              self->buffer_.commit(bytes);
                              self->read_request();
                            }
                          });
}

void Connection::read_request() {
  parser_.emplace();
  parser_->header_limit(state_.options.max_header_bytes);
  parser_->body_limit(state_.options.max_body_bytes);
  stream_.expires_after(std::chrono::seconds(request_seconds()));
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](const error_code& error, size_t) { self->answer(error); });
}

void Connection::answer(const error_code& error) {
  waiting_since_.reset();
  if (error) {
    if (const std::optional<int> status = status_of(error)) {
      const std::string words = text_of(http::obsolete_reason(static_cast<http::status>(*status)));
      send({.status = *status, .body = words + "\n", .headers = {}}, 11, false, false);
    }
    return;
  }
  const http::request<http::string_body> request = parser_->release();
  const HttpRequest plain = plain_request(request);
  send(response_to(plain), request.version(), request.keep_alive(), request.method() == http::verb::head);
}

// What the handler throws is its failure, not the server's.
HttpResponse Connection::response_to(const HttpRequest& request) const {
  if (std::optional<HttpResponse> refusal = refuse_client(request, state_.options.access)) {
    return std::move(*refusal);
  }
  try {
    return state_.handler(request);
  } catch (const std::exception& exception) {
    return {.status = 500, .body = fmt::format("failed: {}\n", exception.what()), .headers = {}};
  }
}

void Connection::send(HttpResponse response, unsigned version, bool keep_alive, bool head) {
  response_ = {};
  response_.version(version);
  response_.result(static_cast<unsigned>(response.status));
  response_.set(http::field::server, "aaco");
  response_.set(http::field::content_type, response.content_type);
  response_.set(http::field::cache_control, "no-store");
  response_.set("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) {
    response_.set(name, value);
  }
  response_.keep_alive(keep_alive);
  if (head) {
    response_.content_length(response.body.size());
  } else {
    response_.body() = std::move(response.body);
    response_.prepare_payload();
  }
  stream_.expires_after(std::chrono::seconds(state_.options.response_seconds));
  const auto sent = [self = shared_from_this(), keep_alive](const error_code& error, size_t) {
    if (error || !keep_alive) {
      error_code ignored;
      self->stream_.socket().shutdown(Tcp::socket::shutdown_send, ignored);  // the client may have gone already
      return;
    }
    self->await_request(std::chrono::seconds(self->state_.options.idle_seconds));
  };
  if (head) {
    // The length is that of a body which does not come.
    auto serializer = std::make_shared<http::response_serializer<http::string_body>>(response_);
    serializer->split(true);
    http::async_write_header(stream_, *serializer,
                             [sent, serializer](const error_code& error, size_t bytes) { sent(error, bytes); });
    return;
  }
  http::async_write(stream_, response_, sent);
}

Result<asio::ip::address> address_of(const HttpServerOptions& options) {
  error_code error;
  const asio::ip::address address =
      asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
  if (error) {
    return Error{ErrorKind::kUsage, fmt::format("{} is not an IP address", options.host),
                 "give an address of this machine as numbers, 0.0.0.0 for all of them"};
  }
  if (!address.is_loopback() && options.access.token.empty()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} can be reached from other machines, and there is no token", options.host),
                 "make one (openssl rand -hex 32 >token) and add --token-file token, or stay on 127.0.0.1"};
  }
  return address;
}

Error listening_error(const HttpServerOptions& options, const error_code& error) {
  if (error == asio::error::address_in_use) {
    return {ErrorKind::kResource, fmt::format("port {} is in use", options.port),
            fmt::format("choose another with --port, or 0 for one that is free; who has it: ss -ltnp sport = :{}",
                        options.port)};
  }
  return {error == asio::error::access_denied ? ErrorKind::kResource : ErrorKind::kUsage,
          fmt::format("cannot listen on {} port {}: {}", options.host, options.port, error.message()),
          "choose an address of this machine, and a port from 1024 on"};
}

}  // namespace

class HttpServer::Core {
 public:
  Core(HttpServerOptions options, HttpHandler handler) : state_{std::move(options), std::move(handler), {}} {}
  ~Core() { stop(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  Result<void> start() {
    AACO_ASSIGN(const asio::ip::address address, address_of(state_.options));
    const Tcp::endpoint place(address, static_cast<uint16_t>(state_.options.port));
    error_code error;
    acceptor_.open(place.protocol(), error);
    if (!error) {
      acceptor_.set_option(Tcp::acceptor::reuse_address(true), error);
      acceptor_.bind(place, error);
    }
    if (!error) {
      acceptor_.listen(asio::socket_base::max_listen_connections, error);
    }
    if (error) {
      return listening_error(state_.options, error);
    }
    place_ = acceptor_.local_endpoint();
    accept();
    AACO_ASSIGN(thread_, start_thread([this] { io_.run(); }));
    return {};
  }

  void stop() {
    io_.stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  const Tcp::endpoint& place() const { return place_; }

 private:
  void accept() {
    acceptor_.async_accept([this](const error_code& error, Tcp::socket socket) {
      if (error) {  // no more files, mostly: to try again at once would only heat the processor
        pause_.expires_after(kPauseWithoutFiles);
        pause_.async_wait([this](const error_code&) { accept(); });
        return;
      }
      if (state_.connections.size() < state_.options.max_connections || drop_longest_waiting()) {
        std::make_shared<Connection>(std::move(socket), state_)->start();
      }
      accept();
    });
  }

  bool drop_longest_waiting() {
    Connection* longest = nullptr;
    for (Connection* connection : state_.connections) {
      if (connection->waiting_since() &&
          (longest == nullptr || *connection->waiting_since() < *longest->waiting_since())) {
        longest = connection;
      }
    }
    if (longest != nullptr) {
      longest->drop();
    }
    return longest != nullptr;
  }

  ServerState state_;  // outlives the connections, which io_ holds
  asio::io_context io_{1};
  Tcp::acceptor acceptor_{io_};
  asio::steady_timer pause_{io_};
  Tcp::endpoint place_;
  std::thread thread_;
};

HttpServer::HttpServer(std::unique_ptr<Core> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::start(HttpServerOptions options, HttpHandler handler) {
  auto core = std::make_unique<Core>(std::move(options), std::move(handler));
  AACO_TRY(core->start());
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

int HttpServer::port() const { return core_->place().port(); }

std::string HttpServer::url() const { return "http://" + address_text(core_->place().address().to_string(), port()); }

void HttpServer::stop() { core_->stop(); }

}  // namespace aaco
