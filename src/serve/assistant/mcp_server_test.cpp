// SPDX-License-Identifier: MIT
#include "serve/assistant/mcp_server.h"

#include <gtest/gtest.h>
#include <string>

#include "base/json/json.h"
#include "base/test_folder.h"

namespace aaco::serve {
namespace {

class Mcp : public testing::Test {
 protected:
  // Null where there is no answer.
  Json ask(const std::string& message) {
    const std::optional<std::string> answer = server_.answer(message);
    return answer ? Json::parse(*answer) : Json();
  }
  int code(const std::string& message) { return ask(message).at("error").at("code").get<int>(); }
  // Whether a call of a tool fails with a text that holds `words`.
  bool fails(const std::string& tool, const std::string& arguments, const std::string& words) {
    const Json answer = ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
                            R"(","arguments":)" + arguments + "}}");
    return answer["result"]["isError"] == true &&
           answer["result"]["content"][0]["text"].get<std::string>().find(words) != std::string::npos;
  }

  TestFolder folder_;
  McpServer server_{folder_.path(), "/nowhere"};
};

constexpr const char* kPing = R"({"jsonrpc":"2.0","id":7,"method":"ping"})";

TEST_F(Mcp, WhatIsNoRequestGetsAnError) {
  for (const char* text : {"{", "nothing", "{} {}", "\xff", "[1,", "{\"a\":\"\xff\"}"}) {
    EXPECT_EQ(code(text), -32700) << text;
  }
  for (const char* text :
       {"1", "null", "\"x\"", "{}", "[]", R"({"jsonrpc":"2.0","id":1})", R"({"id":1,"method":"ping"})",
        R"({"jsonrpc":"2.0","id":1,"method":5})", R"({"jsonrpc":"2.0","id":{},"method":"ping"})",
        R"({"jsonrpc":2.0,"id":1,"method":"ping"})"}) {
    EXPECT_EQ(code(text), -32600) << text;
  }
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"\u0000"})"), -32601);
  EXPECT_EQ(ask(kPing)["id"], 7);
  EXPECT_EQ(Json::parse(McpServer::answer_to_long_message())["error"]["code"], -32600);
}

TEST_F(Mcp, ABatchHasAnAnswerForEachRequest) {
  const std::string ping = kPing;
  const Json answers = ask("[" + ping + R"(,{"jsonrpc":"2.0","method":"notifications/x"},5,)" + ping + "]");
  ASSERT_EQ(answers.size(), 3);
  EXPECT_EQ(answers[0]["id"], 7);
  EXPECT_EQ(answers[1]["error"]["code"], -32600);
  EXPECT_TRUE(ask(R"([{"jsonrpc":"2.0","method":"x"}])").is_null());
  EXPECT_TRUE(ask(R"({"jsonrpc":"2.0","id":1,"result":{}})").is_null());
  std::string large = "[" + ping;
  for (int i = 0; i < 100; ++i) {
    large += "," + ping;
  }
  EXPECT_EQ(code(large + "]"), -32600);
}

TEST_F(Mcp, ArgumentsOfAWrongTypeAreNamed) {
  for (const char* parameters : {"[]", "5", "null", "{}", R"({"name":5})", R"({"name":"sql","arguments":[]})"}) {
    EXPECT_EQ(code(std::string(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":)") + parameters + "}"),
              -32602)
        << parameters;
  }
  EXPECT_TRUE(fails("list_sessions", R"({"kind":5})", "kind is not a text"));
  EXPECT_TRUE(fails("summary", R"({"session":["a"]})", "session is not a text"));
  EXPECT_TRUE(fails("summary", "{}", "session is missing"));
  EXPECT_TRUE(
      fails("list_sessions", R"({"tags":"a"})", "list_sessions has no argument \"tags\"\nits arguments: kind, tag"));
  EXPECT_TRUE(fails("sql", R"({"session":"a","statement":"SELECT 1","rows":5})", "session, statement, limit"));
  EXPECT_TRUE(fails("none", "{}", "no such tool"));
  EXPECT_TRUE(fails("sql", R"({"session":"../..","statement":"SELECT 1"})", "no such session"));
}

}  // namespace
}  // namespace aaco::serve
