#include "base/template.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace base {
namespace {

enum Id { kPath, kHeader, kMethod, kClient };

constexpr VariableTable::Variable kVariables[] = {
    {"request.path", kPath, false, "the canonical path"},
    {"request.header", kHeader, true, "a request field"},
    {"request.method", kMethod, false, "the method"},
    {"client.address", kClient, false, "the client's address"},
};

VariableTable table() { return VariableTable(kVariables); }

struct Values final : Template::Resolver {
  std::map<int, std::string> values;
  void value(int id, std::string_view argument, std::string& out) override {
    out += values[id];
    if (id == kHeader) out += argument == "Empty" ? "" : "<" + std::string(argument) + ">";
  }
};

std::string evaluate(std::string_view text, Values values = {}, Escape escape = Escape::kNone) {
  const auto compiled = Template::compile(text, table());
  if (!compiled) return "error: " + compiled.error().message;
  std::string out = "=";
  compiled->evaluate(values, escape, out);
  return out.substr(1);
}

TEST(TemplateTest, LiteralsCostNothing) {
  const auto literal = Template::compile("plain {\"a\":{\"b\":[1]}} {{x} {", table());
  ASSERT_TRUE(literal);
  EXPECT_TRUE(literal->literal());
  EXPECT_EQ(literal->literal_text(), "plain {\"a\":{\"b\":[1]}} {x} {");
  EXPECT_FALSE(literal->has_controls());
  EXPECT_TRUE(Template().empty());
  EXPECT_TRUE(Template::compile("", table())->empty());
  EXPECT_EQ(Template::verbatim("{request.path}").literal_text(), "{request.path}");
}

TEST(TemplateTest, Evaluates) {
  Values values;
  values.values = {{kPath, "/a"}, {kMethod, "GET"}};
  EXPECT_EQ(evaluate("{request.method} {request.path}!", values), "GET /a!");
  EXPECT_EQ(evaluate("{request.path}{request.path}", values), "/a/a");
  EXPECT_EQ(evaluate("{request.header.X-Foo}", values), "<X-Foo>");
  EXPECT_EQ(evaluate("{request.header.a.b}", values), "<a.b>");
  EXPECT_EQ(evaluate("{{request.path}", values), "{request.path}");
  EXPECT_EQ(evaluate("{{{request.path}}", values), "{/a}");
}

TEST(TemplateTest, Defaults) {
  EXPECT_EQ(evaluate("[{client.address|none}]"), "[none]");
  EXPECT_EQ(evaluate("[{client.address|}]"), "[]");
  EXPECT_EQ(evaluate("[{client.address}]"), "[]");
  EXPECT_EQ(evaluate("[{request.header.Empty|a|b c}]"), "[a|b c]");
  EXPECT_EQ(evaluate("[{client.address|none}]", {}, Escape::kJson), "[none]");
}

TEST(TemplateTest, EscapesValuesForWhereTheyLand) {
  Values values;
  values.values = {{kPath, "/a b\"<\r\n%2F?"}};
  const std::string_view text = "<{request.path}>";
  EXPECT_EQ(evaluate(text, values, Escape::kField), "</a b\"<%2F?>");
  EXPECT_EQ(evaluate(text, values, Escape::kUrlPath), "</a%20b%22%3C%0D%0A%2F%3F>");
  EXPECT_EQ(evaluate(text, values, Escape::kUrl), "</a%20b%22%3C%0D%0A%2F?>");
  EXPECT_EQ(evaluate(text, values, Escape::kUrlComponent), "<%2Fa%20b%22%3C%0D%0A%252F%3F>");
  EXPECT_EQ(evaluate(text, values, Escape::kHtml), "</a b&quot;&lt;\r\n%2F?>");
  EXPECT_EQ(evaluate(text, values, Escape::kJson), "</a b\\\"<\\r\\n%2F?>");
  EXPECT_EQ(evaluate(text, values, Escape::kLog), "</a b\\x22<\\x0D\\x0A%2F?>");
}

TEST(TemplateTest, S32NoControlReachesAField) {
  Values values;
  values.values = {{kPath, std::string("a\r\nb\0c", 6)}};
  EXPECT_EQ(evaluate("x\r\n{request.path}\n{client.address|\ry}\n", values, Escape::kField),
            "xabcy");
  const auto compiled = Template::compile("a\n", table());
  EXPECT_TRUE(compiled->has_controls());
}

TEST(TemplateTest, LongValuesThatNeedEscaping) {
  Values values;
  values.values = {{kPath, std::string(10000, '"')}};
  EXPECT_EQ(evaluate("{request.path}", values, Escape::kHtml).size(), 60000u);
}

TemplateError error(std::string_view text) {
  return Template::compile(text, table()).error_or(TemplateError{});
}

TEST(TemplateTest, Errors) {
  EXPECT_EQ(error("ab {reqest.path}").offset, 3u);
  EXPECT_EQ(error("ab {reqest.path}").message, "there is no variable {reqest.path}");
  EXPECT_EQ(error("ab {reqest.path}").suggestion, "{request.path}");
  EXPECT_EQ(error("{request.headers.X-Foo}").suggestion, "{request.header.X-Foo}");
  EXPECT_EQ(error("{request.headr}").suggestion, "{request.header.NAME}");
  EXPECT_EQ(error("{request.header}").message, "{request.header} needs a name after it");
  EXPECT_EQ(error("{request.header}").suggestion, "{request.header.NAME}");
  EXPECT_EQ(error("{request.header.}").suggestion, "{request.header.NAME}");
  EXPECT_EQ(error("{request.path.x}").suggestion, "{request.path}");
  EXPECT_EQ(error("{color:red}").message, "there is no variable {color:red}");
  EXPECT_EQ(error("{color:red}").suggestion, "");
  EXPECT_EQ(error("a{request.path").offset, 1u);
  EXPECT_EQ(error("a{request.path").message, "the placeholder has no closing }");
}

TEST(TemplateTest, Uses) {
  const auto compiled = Template::compile("{request.path}", table());
  EXPECT_TRUE(compiled->uses(kPath));
  EXPECT_FALSE(compiled->uses(kClient));
}

}  // namespace
}  // namespace base
