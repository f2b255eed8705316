// Frames decoded from a byte stream, for any division of the bytes.
#include "core/launch/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace latchlab::launch {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

TEST(Frames, survive_any_division_of_the_bytes) {
  std::string blob = "binary";
  blob.push_back('\0');
  blob += "\xff\n";
  const std::string bytes =
      *encode(FrameKind::part, 7, 0x01020304, blob) + *encode(FrameKind::stop, 0xffffffff, 0);
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    FrameReader reader(1024);
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.add(std::string_view(bytes).substr(at, step));
      for (auto next = reader.next().value(); next; next = reader.next().value())
        frames.push_back(*next);
    }
    ASSERT_EQ(frames.size(), 2U) << "in steps of " << step;
    EXPECT_EQ(frames[0].kind, FrameKind::part);
    EXPECT_EQ(frames[0].rank, 7U);
    EXPECT_EQ(frames[0].number, 0x01020304U);
    EXPECT_EQ(frames[0].payload, blob);
    EXPECT_EQ(frames[1].kind, FrameKind::stop);
    EXPECT_EQ(frames[1].rank, 0xffffffffU);
    EXPECT_EQ(frames[1].payload, "");
  }
}

TEST(Frames, have_a_layout_that_no_version_changes) {
  using std::string_literals::operator""s;
  EXPECT_EQ(*encode(FrameKind::hello, 1, 2, "ab"),
            "\x00\x00\x00\x0b\x01\x00\x00\x00\x01\x00\x00\x00\x02"s + "ab");
  EXPECT_EQ(static_cast<int>(FrameKind::refused), 2);
}

TEST(Frames, that_are_too_long_are_refused_by_their_header) {
  FrameReader reader(20);
  reader.add(*encode(FrameKind::part, 0, 0, "0123456789a"));
  EXPECT_TRUE(reader.next().value().has_value());
  reader.add(std::string_view(*encode(FrameKind::part, 0, 0, "0123456789ab")).substr(0, 4));
  EXPECT_THAT(reader.next().error().message, HasSubstr("a frame of 21 bytes, more than 20"));
  EXPECT_TRUE(fits("0123456789a", 20));
  EXPECT_FALSE(fits("0123456789ab", 20));
}

TEST(Frames, joined_blobs_are_split_only_into_the_right_number) {
  const std::vector<std::string> blobs = {"one", "", std::string("\0\0", 2)};
  const std::string joined = join_slices(blobs);
  EXPECT_THAT(cut_slices(joined, 3).value(), ElementsAreArray(blobs));
  EXPECT_FALSE(cut_slices(joined, 2).has_value());
  EXPECT_FALSE(cut_slices(joined, 4).has_value());
  for (std::size_t bytes = 0; bytes < joined.size(); ++bytes)
    EXPECT_FALSE(cut_slices(std::string_view(joined).substr(0, bytes), 3).has_value()) << bytes;
}

TEST(Frames, of_unknown_layout_are_refused) {
  FrameReader reader(1024);
  reader.add(std::string_view("\0\0\0\3", 4));
  EXPECT_THAT(reader.next().error().message, HasSubstr("no frames"));
  FrameReader other(1024);
  other.add(std::string_view("\0\0\0\x09\x63", 5));
  EXPECT_THAT(other.next().error().message, HasSubstr("unknown kind 99"));
}

}  // namespace
}  // namespace latchlab::launch
