// Text that is no scenario, or was written to break the reader, gives one short message without
// delay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/scenario/fixture.h"

namespace latchlab::scenario_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string repeated(const std::string& part, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += part;
  return all;
}

TEST(HostileText, a_document_that_is_not_a_mapping_is_refused) {
  EXPECT_THAT(problem("- 1\n- 2\n"), StartsWith("test.yaml:1: the document holds a list"));
  EXPECT_THAT(problem("hello"), StartsWith("test.yaml:1: the document holds a single value"));
  EXPECT_THAT(problem(""), StartsWith("test.yaml:1: the document holds nothing"));
  EXPECT_THAT(problem("# only a comment\n"), StartsWith("test.yaml:1: the document holds nothing"));
}

TEST(HostileText, a_second_document_is_refused_where_it_begins) {
  EXPECT_THAT(problem("schema: 1\nname: x\n---\nschema: 1\n"),
              StartsWith("test.yaml:3: a second YAML document begins here"));
}

TEST(HostileText, bytes_that_are_not_text_are_refused) {
  EXPECT_THAT(problem(std::string("schema: 1\nname: a\0b\n", 19)),
              StartsWith("test.yaml:2: the byte 0x00 is not text"));
  EXPECT_THAT(problem("schema: 1\nname: \xff\xfe\n"),
              StartsWith("test.yaml:2: the byte 0xff is not text"));
  EXPECT_THAT(problem("\x7f"
                      "ELF\x02\x01\x01"),
              StartsWith("test.yaml:1: the byte 0x7f"));
}

TEST(HostileText, alias_bombs_are_refused_before_they_grow) {
  std::string bomb = "schema: 1\nname: x\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + below +
            repeated(", " + below, 9) + "]\n";
  }
  EXPECT_EQ(problem(bomb),
            "test.yaml:7: more than 100000 values once aliases are expanded; write less or use "
            "fewer aliases");
  const std::string long_text =
      "a: &a " + std::string(1'000'000, 'x') + "\nb: [*a" + repeated(", *a", 1'000) + "]\n";
  EXPECT_THAT(problem(long_text), StartsWith("test.yaml:2: more than"));
  EXPECT_THAT(problem("a: &a [*a]\n"), HasSubstr("inside the value that it names"));
}

TEST(HostileText, deep_nesting_is_refused_in_every_style) {
  EXPECT_THAT(problem(std::string(1'000'000, '[')), HasSubstr("is a bracket left open?"));
  EXPECT_THAT(problem(repeated("{a: ", 100'000)), HasSubstr("is a bracket left open?"));
  EXPECT_THAT(problem(repeated("- ", 100'000)), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(problem(repeated("? ", 100'000)), HasSubstr("a key must be one word"));
  std::string indented;
  for (int i = 0; i < 500; ++i) indented += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_EQ(problem(indented),
            "test.yaml:65: nested deeper than 64 levels; a scenario needs fewer than ten");
}

TEST(HostileText, brackets_in_quotes_and_comments_do_not_count_as_nesting) {
  const std::string many(100, '[');
  EXPECT_EQ(problem(scenario("description: \"" + many + "\" # " + many + "\n")), "fine");
}

TEST(HostileText, long_documents_are_refused_by_size) {
  EXPECT_THAT(problem(std::string(5'000'000, ' ')), HasSubstr("bytes of YAML; at most 2097152"));
  std::string many_keys;
  for (int i = 0; i < 200'000; ++i) many_keys += "k" + std::to_string(i) + ": 1\n";
  EXPECT_THAT(problem(many_keys), HasSubstr("more than 100000 values"));
}

TEST(HostileText, a_megabyte_key_is_clipped_in_the_message) {
  const std::string text = problem(scenario(std::string(1'000, 'k') + ": 1\n"));
  EXPECT_THAT(text, StartsWith("test.yaml:4: unknown key 'kkkk"));
  EXPECT_LT(text.size(), 300u);
}

TEST(HostileText, unknown_tags_keys_that_are_no_words_and_undefined_aliases_are_refused) {
  EXPECT_EQ(problem("schema: !!int 1\n"),
            "test.yaml:1: the tag 'tag:yaml.org,2002:int' has no meaning here; remove it");
  EXPECT_EQ(
      problem("{[a, b]: c}\n"),
      "test.yaml:1: a key must be one word, not a list or a mapping (is a bracket left open?)");
  EXPECT_THAT(problem("schema: 1\nname: [a\n"), StartsWith("test.yaml:"));
  EXPECT_THAT(problem("schema: *unknown\n"), StartsWith("test.yaml:1: not YAML"));
}

TEST(HostileText, random_bytes_are_one_short_message) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    SCOPED_TRACE(seed);
    std::string bytes(1'000'000, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<char>(hash_of(seed, i) & 0xff);
    const std::string text = problem(bytes);
    EXPECT_THAT(text, StartsWith("test.yaml:"));
    EXPECT_LT(text.size(), 300u);
  }
}

TEST(HostileText, random_yaml_punctuation_is_one_short_message) {
  constexpr char kAlphabet[] = "ab: \n-[]{},&*!|>'\"%@?#\t0";
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::string text(seed % 10 == 0 ? 100'000 : 500, '\0');
    for (std::size_t i = 0; i < text.size(); ++i)
      text[i] = kAlphabet[hash_of(seed, i) % (sizeof(kAlphabet) - 1)];
    const std::string message = problem(text);
    EXPECT_THAT(message, StartsWith("test.yaml:"));
    EXPECT_LT(message.size(), 400u);
  }
}

TEST(HostileText, a_megabyte_of_one_letter_is_read_in_bounded_time) {
  for (const char c : std::string("a'\"|>:-?*&!%@# \t\n,]}")) {
    SCOPED_TRACE(c);
    EXPECT_THAT(problem(std::string(1'000'000, c)), StartsWith("test.yaml:"));
    EXPECT_THAT(problem(repeated(std::string(1, c) + " ", 300'000)), StartsWith("test.yaml:"));
    EXPECT_THAT(problem("a: " + repeated(std::string(1, c) + "\n ", 300'000)),
                StartsWith("test.yaml:"));
  }
}

}  // namespace
}  // namespace latchlab::scenario_test
