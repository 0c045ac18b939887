// SPDX-License-Identifier: MIT
#include "base/net/socket.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/interrupt.h"

namespace aaco {

namespace {

constexpr int kPollMs = 20;
constexpr int64_t kMillisecondNs = 1'000'000;

int wait_ms(int64_t deadline_ns) {
  if (deadline_ns == 0) {
    return kPollMs * 50;
  }
  return static_cast<int>(std::clamp<int64_t>((deadline_ns - monotonic_ns()) / kMillisecondNs + 1, 0, kPollMs * 50));
}

// False as Socket::wait().
bool wait_for(int descriptor, int16_t events, int64_t deadline_ns) {
  for (;;) {
    std::array<pollfd, 2> polled{pollfd{descriptor, events, 0}, pollfd{interrupted_fd(), POLLIN, 0}};
    const int ready = ::poll(polled.data(), polled.size(), wait_ms(deadline_ns));
    if (interrupted() || (ready < 0 && errno != EINTR)) {
      return false;
    }
    if (ready > 0 && polled.front().revents != 0) {
      return true;
    }
    if (deadline_ns != 0 && monotonic_ns() > deadline_ns) {
      return false;
    }
  }
}

Error socket_error(const std::string& what) {
  return {ErrorKind::kResource, fmt::format("{}: {}", what, std::strerror(errno)), "close some files (ulimit -n)"};
}

void set(int descriptor, int level, int option, int value) {
  (void)::setsockopt(descriptor, level, option, &value, sizeof value);  // goes on without, only slower
}

// Small messages go at once, and a machine that has gone while nothing is said is noticed.
void prepare(int descriptor) {
  constexpr int kIdleSeconds = 20;
  constexpr int kProbeSeconds = 10;
  constexpr int kProbes = 4;
  set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1);
  set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  set(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, kProbeSeconds);
  set(descriptor, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
}

// The port is free as soon as the socket is closed: whoever is to listen there may come at any time.
void leave_without_wait(int descriptor) {
  const linger at_once{1, 0};
  (void)::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);  // else it waits
}

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Result<Addresses> addresses_of(const std::string& host, int port) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* addresses = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &addresses);
  if (problem != 0) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {}", host, ::gai_strerror(problem)),
                 "set MASTER_ADDR to a name or address that all nodes know"};
  }
  return Addresses(addresses, &::freeaddrinfo);
}

// 0, or the error's number. It does not wait longer than to the deadline.
int try_connect(const Socket& socket, const addrinfo& address, int64_t deadline_ns) {
  socket.block(false);
  int failure = ::connect(socket.descriptor(), address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (failure == EINPROGRESS) {
    failure = ETIMEDOUT;
    if (wait_for(socket.descriptor(), POLLOUT, deadline_ns)) {
      socklen_t size = sizeof failure;
      failure = ::getsockopt(socket.descriptor(), SOL_SOCKET, SO_ERROR, &failure, &size) == 0 ? failure : errno;
    }
  }
  socket.block(true);
  return failure;
}

struct NumericAddress {
  std::string host;
  int port = 0;
};

// A socket of both families shows IPv4 as "::ffff:10.0.0.2".
NumericAddress numeric(int descriptor, int (*name_of)(int, sockaddr*, socklen_t*)) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (name_of(descriptor, plain, &size) != 0 || ::getnameinfo(plain, size, host.data(), host.size(), port.data(),
                                                              port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  std::string text = host.data();
  constexpr std::string_view kMapped = "::ffff:";
  if (text.starts_with(kMapped) && text.find('.') != std::string::npos) {
    text.erase(0, kMapped.size());
  }
  int number = 0;
  std::from_chars(port.data(), port.data() + ::strnlen(port.data(), port.size()), number);
  return {text, number};
}

bool listen_at(const Socket& socket, const sockaddr& address, socklen_t size) {
  set(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, 1);
  return ::bind(socket.descriptor(), &address, size) == 0 && ::listen(socket.descriptor(), SOMAXCONN) == 0;
}

Error port_error(int port) {
  Error error = socket_error(fmt::format("cannot listen on port {}", port));
  error.hint = "set MASTER_PORT to a port that is free on rank 0's node, the same for all ranks";
  return error;
}

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    constexpr uint32_t kNetwork = 127;
    return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24 == kNetwork;
  }
  return address.sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

bool same_host(const sockaddr& a, const sockaddr& b) {
  if (a.sa_family != b.sa_family) {
    return false;
  }
  if (a.sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(b).sin_addr.s_addr;
  }
  return a.sa_family == AF_INET6 && IN6_ARE_ADDR_EQUAL(&reinterpret_cast<const sockaddr_in6&>(a).sin6_addr,
                                                       &reinterpret_cast<const sockaddr_in6&>(b).sin6_addr);
}

using Interfaces = std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)>;

// All of 127.0.0.0/8 is this machine's, whatever the interface has.
bool is_of_this_machine(const sockaddr& address, const ifaddrs* interfaces) {
  if (is_loopback(address)) {
    return true;
  }
  for (const ifaddrs* interface = interfaces; interface != nullptr; interface = interface->ifa_next) {
    if (interface->ifa_addr != nullptr && same_host(*interface->ifa_addr, address)) {
      return true;
    }
  }
  return false;
}

bool is_number(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(AF_INET, host.c_str(), address.data()) == 1 || host.find(':') != std::string::npos;
}

// Why the host's addresses are not those to listen on; empty where they are.
std::string why_everywhere(const std::string& host, const addrinfo& addresses) {
  ifaddrs* interface_list = nullptr;
  if (::getifaddrs(&interface_list) != 0) {
    return "the addresses of this machine cannot be read";
  }
  const Interfaces interfaces(interface_list, &::freeifaddrs);
  for (const addrinfo* address = &addresses; address != nullptr; address = address->ai_next) {
    if (!is_of_this_machine(*address->ai_addr, interfaces.get())) {
      return fmt::format("{} is no address of this machine", host);
    }
    if (is_loopback(*address->ai_addr) && !is_number(host) && host != "localhost") {
      return fmt::format("{} is the loopback here, and may be another address elsewhere", host);
    }
  }
  return "";
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Socket::~Socket() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

bool Socket::send_all(const void* data, size_t bytes) const {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(descriptor_, from, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR && !interrupted()) {
      continue;
    }
    if (sent <= 0) {
      return false;
    }
    from += sent;
    bytes -= static_cast<size_t>(sent);
  }
  return true;
}

bool Socket::receive_all(void* data, size_t bytes, int64_t deadline_ns) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    if (deadline_ns != 0 && !wait(deadline_ns)) {
      return false;
    }
    const ssize_t got = ::recv(descriptor_, to, bytes, 0);
    if (got < 0 && errno == EINTR && !interrupted()) {
      continue;
    }
    if (got <= 0) {
      return false;
    }
    to += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool Socket::wait(int64_t deadline_ns) const { return wait_for(descriptor_, POLLIN, deadline_ns); }

void Socket::end_when_unanswered() const {
  constexpr int kUnansweredMs = 60'000;
  set(descriptor_, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnansweredMs);
}

void Socket::block(bool wait) const {
  const int flags = ::fcntl(descriptor_, F_GETFL);
  (void)::fcntl(descriptor_, F_SETFL, wait ? flags & ~O_NONBLOCK : flags | O_NONBLOCK);  // fails for no open socket
}

void Socket::shut() const {
  if (descriptor_ >= 0) {
    ::shutdown(descriptor_, SHUT_RDWR);
  }
}

std::string Socket::own_address() const { return numeric(descriptor_, ::getsockname).host; }
std::string Socket::peer_address() const { return numeric(descriptor_, ::getpeername).host; }
int Socket::own_port() const { return numeric(descriptor_, ::getsockname).port; }

bool Socket::leads_to_itself() const {
  const NumericAddress own = numeric(descriptor_, ::getsockname);
  const NumericAddress peer = numeric(descriptor_, ::getpeername);
  return own.port != 0 && own.port == peer.port && own.host == peer.host;
}

std::string address_text(const std::string& host, int port) {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

Result<Socket> listen_tcp(int port) {
  // Where the kernel has no IPv6, IPv4 alone.
  for (const int family : {AF_INET6, AF_INET}) {
    Socket socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) {
      continue;
    }
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(static_cast<uint16_t>(port));
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(static_cast<uint16_t>(port));
    const bool both = family == AF_INET6;
    if (both) {
      set(socket.descriptor(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    }
    const auto* const address = both ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
    const socklen_t size = both ? sizeof six : sizeof four;
    if (listen_at(socket, *address, size)) {
      return socket;
    }
    if (errno != EADDRNOTAVAIL && errno != EAFNOSUPPORT) {
      break;
    }
  }
  return port_error(port);
}

Result<ListeningSockets> listen_tcp_at(const std::string& host, int port) {
  ListeningSockets all;
  const Result<Addresses> addresses = addresses_of(host, port);
  if (!addresses) {
    all.everywhere_because = fmt::format("{} has no address here", host);
  } else {
    all.everywhere_because = why_everywhere(host, **addresses);
  }
  if (all.everywhere_because.empty()) {
    for (const addrinfo* address = addresses->get(); address != nullptr; address = address->ai_next) {
      bool again = false;  // a file of hosts may name an address twice
      for (const addrinfo* before = addresses->get(); before != address; before = before->ai_next) {
        again = again || same_host(*before->ai_addr, *address->ai_addr);
      }
      Socket socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (!again && socket && listen_at(socket, *address->ai_addr, address->ai_addrlen)) {
        all.sockets.push_back(std::move(socket));
      } else if (!again && (errno == EADDRINUSE || errno == EACCES)) {
        return port_error(port);
      }
    }
    if (!all.sockets.empty()) {
      return all;
    }
    all.everywhere_because = fmt::format("nothing can listen on {} alone", host);
  }
  AACO_ASSIGN(Socket socket, listen_tcp(port));
  all.sockets.push_back(std::move(socket));
  return all;
}

Socket accept_waiting(const Socket& listening) {
  Socket socket(::accept4(listening.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
  if (socket) {
    prepare(socket.descriptor());
  }
  return socket;
}

Result<Socket> accept_from(const Socket& listening, int64_t deadline_ns) {
  for (;;) {
    // Those that keep coming do not put it off.
    if ((deadline_ns != 0 && monotonic_ns() > deadline_ns) || !listening.wait(deadline_ns)) {
      return interrupted() ? Error{ErrorKind::kInterrupted, "interrupted", ""}
                           : Error{ErrorKind::kResource, "nobody has come", "start all ranks within the limit"};
    }
    Socket socket = accept_waiting(listening);
    if (socket) {
      return socket;
    }
    if (errno != EINTR && errno != ECONNABORTED && errno != EAGAIN) {
      return socket_error("cannot take a connection");
    }
  }
}

Result<Socket> connect_tcp(const std::string& host, int port, int64_t deadline_ns) {
  constexpr int64_t kTryNs = 3'000'000'000;  // where another address may answer
  AACO_ASSIGN(const Addresses addresses, addresses_of(host, port));
  const bool several = addresses->ai_next != nullptr;
  int problem = 0;
  do {
    for (const addrinfo* address = addresses.get(); address != nullptr; address = address->ai_next) {
      Socket socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const int64_t until_ns = several ? std::min(deadline_ns, monotonic_ns() + kTryNs) : deadline_ns;
      problem = socket ? try_connect(socket, *address, until_ns) : EMFILE;
      if (problem == 0 && socket.leads_to_itself()) {
        leave_without_wait(socket.descriptor());
        problem = ECONNREFUSED;
      }
      if (problem == 0) {
        prepare(socket.descriptor());
        return socket;
      }
    }
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    (void)::poll(nullptr, 0, kPollMs);  // a pause, which a signal may end
  } while (monotonic_ns() < deadline_ns);
  return Error{ErrorKind::kResource,
               fmt::format("no connection to {}: {}", address_text(host, port), std::strerror(problem)),
               "rank 0 must run at MASTER_ADDR and its port must be open between the nodes"};
}

}  // namespace aaco
