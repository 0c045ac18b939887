// SPDX-License-Identifier: MIT
#include "base/net/socket.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <thread>

#include "base/clock.h"

namespace aaco {
namespace {

using testing::HasSubstr;

constexpr int64_t kMillisecondNs = 1'000'000;

int64_t in(int64_t milliseconds) { return monotonic_ns() + milliseconds * kMillisecondNs; }

TEST(Socket, CarriesBytesBothWays) {
  const auto listening = listen_tcp(0);
  ASSERT_TRUE(listening) << listening.error().message;
  ASSERT_GT(listening->own_port(), 0);
  const auto there = connect_tcp("127.0.0.1", listening->own_port(), in(5000));
  ASSERT_TRUE(there) << there.error().message;
  const auto here = accept_from(*listening, in(5000));
  ASSERT_TRUE(here) << here.error().message;
  EXPECT_EQ(here->own_address(), "127.0.0.1");
  EXPECT_EQ(here->peer_address(), "127.0.0.1");
  std::array<char, 5> got{};
  EXPECT_TRUE(there->send_all("hello", 5));
  EXPECT_TRUE(here->receive_all(got.data(), got.size(), in(5000)));
  EXPECT_EQ(std::string(got.data(), got.size()), "hello");
  EXPECT_TRUE(here->send_all("there", 5));
  EXPECT_TRUE(there->receive_all(got.data(), got.size()));
  EXPECT_EQ(std::string(got.data(), got.size()), "there");
}

TEST(Socket, NoticesThatTheOtherEndHasGone) {
  const auto listening = listen_tcp(0);
  auto there = connect_tcp("localhost", listening->own_port(), in(5000));
  ASSERT_TRUE(there) << there.error().message;
  const auto here = accept_from(*listening, in(5000));
  ASSERT_TRUE(there->send_all("ab", 2));
  there = Socket();
  std::array<char, 4> got{};
  EXPECT_FALSE(here->receive_all(got.data(), got.size(), in(5000)));
}

TEST(Socket, EndsWhenUnansweredOnlyWhereToldTo) {
  const auto listening = listen_tcp(0);
  const auto there = connect_tcp("127.0.0.1", listening->own_port(), in(5000));
  ASSERT_TRUE(there) << there.error().message;
  const auto limit_ms = [&] {
    int limit = -1;
    socklen_t size = sizeof limit;
    return ::getsockopt(there->descriptor(), IPPROTO_TCP, TCP_USER_TIMEOUT, &limit, &size) == 0 ? limit : -1;
  };
  EXPECT_EQ(limit_ms(), 0);
  there->end_when_unanswered();
  EXPECT_EQ(limit_ms(), 60'000);
}

TEST(Socket, WaitsNoLongerThanToTheDeadline) {
  const auto listening = listen_tcp(0);
  EXPECT_EQ(accept_from(*listening, in(30)).error().kind, ErrorKind::kResource);
  const auto there = connect_tcp("127.0.0.1", listening->own_port(), in(5000));
  EXPECT_EQ(accept_from(*listening, in(-1)).error().kind, ErrorKind::kResource);
  const auto here = accept_from(*listening, in(5000));
  char got = 0;
  EXPECT_FALSE(here->receive_all(&got, 1, in(30)));
  EXPECT_TRUE(there->send_all("x", 1));
  EXPECT_TRUE(here->receive_all(&got, 1, in(5000)));
}

TEST(Socket, SaysWhatCannotBe) {
  int port = 0;
  {
    const auto listening = listen_tcp(0);
    port = listening->own_port();
    const auto second = listen_tcp(port);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr(std::to_string(port)));
  }
  const auto nobody = connect_tcp("127.0.0.1", port, in(60));
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().kind, ErrorKind::kResource);
  EXPECT_THAT(nobody.error().message, HasSubstr("127.0.0.1:" + std::to_string(port)));
  EXPECT_EQ(connect_tcp("no.such.host.invalid", 1, in(60)).error().kind, ErrorKind::kUsage);
}

TEST(Socket, IsToldFromOneThatLeadsToItself) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    FAIL() << std::strerror(errno);
  }
  const Socket alone(descriptor);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(descriptor, plain, sizeof address), 0);
  address.sin_port = htons(static_cast<uint16_t>(alone.own_port()));
  EXPECT_FALSE(alone.leads_to_itself());
  ASSERT_EQ(::connect(descriptor, plain, sizeof address), 0) << "TCP connects one that nobody listens to";
  EXPECT_TRUE(alone.leads_to_itself());

  const auto listening = listen_tcp(0);
  const auto there = connect_tcp("127.0.0.1", listening->own_port(), in(5000));
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_FALSE(there->leads_to_itself());
}

TEST(Socket, WritesAddressesOfBothFamilies) {
  EXPECT_EQ(address_text("10.0.0.2", 80), "10.0.0.2:80");
  EXPECT_EQ(address_text("::1", 80), "[::1]:80");
}

}  // namespace
}  // namespace aaco
