// Heads as they are written, of fields that stand side by side in memory and of ones that don't.
#include "http1/serializer.h"

#include <gtest/gtest.h>

#include <string>

#include "http1/field_reader.h"

namespace http1 {
namespace {

// The fields of a section as they were received, views into it.
http::Fields read_fields(std::string_view section) {
  http::Fields fields;
  FieldReader reader;
  reader.begin(0);
  EXPECT_EQ(reader.read(section, {8192, 65536, 100}, fields, false), ParseStatus::done);
  return fields;
}

std::string written(const http::Fields& fields) {
  std::string out(request_head_bound("GET", "/", fields, {}), '\0');
  out.resize(write_request_head(out.data(), "GET", "/", fields, {}, {}));
  EXPECT_TRUE(out.starts_with("GET / HTTP/1.1\r\n"));
  return out.substr(16);
}

TEST(SerializerTest, WhatWasReceivedIsWrittenAsItWas) {
  const std::string section =
      "Host: a\r\nx-one: 1\r\nX-Two: two words\r\nX-Long: " + std::string(100, 'v') + "\r\n\r\n";
  EXPECT_EQ(written(read_fields(section)), section);
}

TEST(SerializerTest, OtherSpacesBecomeOne) {
  EXPECT_EQ(
      written(read_fields("A:\t1\r\nB:2\r\nC:  3\r\nD: 4 \r\nE: 5\r\nF:\r\nG: \r\nH: 8\r\n\r\n")),
      "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\nE: 5\r\nF: \r\nG: \r\nH: 8\r\n\r\n");
}

TEST(SerializerTest, WhatIsLeftOutLeavesNoTrace) {
  const std::string section =
      "X-A: 1\r\nConnection: x\r\nX-B: 2\r\nExpect: y\r\nX-C: 3\r\nTransfer-Encoding: z\r\n\r\n";
  EXPECT_EQ(written(read_fields(section)), "X-A: 1\r\nX-B: 2\r\nX-C: 3\r\n\r\n");
}

TEST(SerializerTest, FieldsOfOtherOriginStandBetween) {
  const std::string section = "X-A: 1\r\nX-B: 2\r\nX-C: 3\r\n\r\n";
  http::Fields received = read_fields(section);
  http::Fields fields;
  fields.push(received.all()[0]);
  fields.add("X-New", "n");
  fields.push(received.all()[2]);
  fields.push(received.all()[1]);  // in another order than they stand
  EXPECT_EQ(written(fields), "X-A: 1\r\nX-New: n\r\nX-C: 3\r\nX-B: 2\r\n\r\n");
}

TEST(SerializerTest, S32_NoControlIsWrittenFromAnywhere) {
  std::string section = "X-A: 1\r\nX-B: 2\r\nX-C: 3\r\n\r\n";
  const http::Fields fields = read_fields(section);
  for (char byte : {'\r', '\n', '\0', '\x7f'}) {
    section[13] = byte;  // X-B's value, changed behind the parser's back
    EXPECT_EQ(written(fields), "X-A: 1\r\nX-C: 3\r\n\r\n");
  }
}

TEST(SerializerTest, AChangedSeparatorIsWrittenAnew) {
  std::string section = "X-A: 1\r\nX-B: 2\r\n\r\n";
  const http::Fields fields = read_fields(section);
  section[6] = '\n';   // between the fields: no longer CR LF
  section[11] = '\t';  // and not ": "
  EXPECT_EQ(written(fields), "X-A: 1\r\nX-B: 2\r\n\r\n");
}

}  // namespace
}  // namespace http1
