// SPDX-License-Identifier: MIT
#include "base/http/http_access.h"

#include <fstream>
#include <gtest/gtest.h>

#include "base/test_folder.h"

namespace aaco {
namespace {

HttpRequest request(const std::string& host, const std::string& authorization = "") {
  HttpRequest request{.method = "GET", .path = "/", .query = {}, .headers = {}, .body = {}};
  if (!host.empty()) {
    request.headers.emplace_back("host", host);
  }
  if (!authorization.empty()) {
    request.headers.emplace_back("authorization", authorization);
  }
  return request;
}

int status(const std::string& host, const std::string& token = "", const std::string& authorization = "") {
  const auto refusal = refuse_client(request(host, authorization), {token});
  return refusal ? refusal->status : 200;
}

constexpr const char* kToken = "0123456789abcdef";

TEST(HttpAccess, WithoutTokenOnlyNamesOfTheLoopback) {
  for (const char* host : {"localhost", "localhost:9464", "127.0.0.1:8080", "[::1]", "[::1]:9464", "LocalHost"}) {
    EXPECT_EQ(status(host), 200) << host;
  }
  for (const char* host : {"evil.example", "evil.example:9464", "localhost.evil.example", "127.0.0.1.evil.example:9464",
                           "10.0.0.1", "[::2]", "user@localhost", "localhost:evil.example", "[::1]:evil.example",
                           "localhost:", "localhost:+1", "localhost:123456"}) {
    EXPECT_EQ(status(host), 421) << host;
  }
  EXPECT_EQ(status(""), 400);
}

TEST(HttpAccess, WithTokenAnyNameAndOnlyWhoKnowsIt) {
  EXPECT_EQ(status("gpu-node-3:9464", kToken, "Bearer 0123456789abcdef"), 200);
  EXPECT_EQ(status("gpu-node-3:9464", kToken, "bearer  0123456789abcdef "), 200);
  for (const char* authorization : {"", "Bearer", "Bearer ", "Bearer 0123456789abcdeF", "Bearer 0123456789abcde",
                                    "Bearer 0123456789abcdef0", "Basic 0123456789abcdef", "0123456789abcdef"}) {
    EXPECT_EQ(status("gpu-node-3:9464", kToken, authorization), 401) << authorization;
    EXPECT_EQ(status("localhost:9464", kToken, authorization), 401) << authorization;
  }
}

TEST(HttpAccess, TwoAuthorizationsAreNone) {
  HttpRequest twice = request("localhost", "Bearer 0123456789abcdef");
  twice.headers.emplace_back("authorization", "Bearer 0123456789abcdef");
  EXPECT_EQ(refuse_client(twice, {kToken})->status, 401);
}

TEST(HttpAccess, ATokenIsTheFirstLineOfItsFile) {
  const TestFolder folder;
  const auto write = [&](const std::string& text) {
    std::ofstream(folder.path() / "token") << text;
    return read_token(folder.path() / "token");
  };
  EXPECT_EQ(*write("  0123456789abcdef \nrest\n"), kToken);
  for (const char* text : {"", "\n0123456789abcdef", "0123456789abcde", "01234567 89abcdef", "0123456789abcde\xff"}) {
    EXPECT_EQ(write(text).error().kind, ErrorKind::kUsage) << text;
  }
  EXPECT_FALSE(read_token(folder.path() / "no_such_file"));
}

}  // namespace
}  // namespace aaco
