// Masked atomics as mlx5's send queue entries, byte by byte. The expected bytes were written by
// hand from the published layouts (backends/ibverbs/wqe.h names them), one line for each segment or
// operand. No device is needed.

#include "backends/ibverbs/wqe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace latchlab::ib {
namespace {

using Kind = WorkRequest::Kind;

constexpr std::uint32_t kQp = 0x012345;
constexpr std::uint32_t kNarrow = 8;
constexpr std::uint32_t kWideBytes = 16;

std::string hex_text(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += digits[std::to_integer<std::size_t>(byte >> 4)];
    text += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

// All words of all operands differ.
Verb operands() {
  Verb verb;
  verb.value = {0x0102030405060708, 0x090a0b0c0d0e0f10};
  verb.compare = {0x1112131415161718, 0x191a1b1c1d1e1f20};
  verb.swap_mask = {0x2122232425262728, 0x292a2b2c2d2e2f30};
  verb.compare_mask = {0x3132333435363738, 0x393a3b3c3d3e3f40};
  verb.boundary = {0x8000000080000000, 0x8000000000008000};
  return verb;
}

std::string encoded(Kind kind, std::uint32_t bytes, bool signalled, bool fenced,
                    std::span<const std::byte> address = {}) {
  const Verb verb = operands();
  WorkRequest request;
  request.kind = kind;
  request.bytes = bytes;
  request.signalled = signalled;
  request.fenced = fenced;
  request.remote = 0x1122334455667788;
  request.remote_key = 0xa1b2c3d4;
  request.local = reinterpret_cast<const void*>(0x00007f1234567890);
  request.local_key = 0x0badcafe;
  request.masked = &verb;
  const Wqe wqe = encode_masked(request, kQp, address);
  return hex_text(std::span(wqe.bytes).first(wqe.length));
}

TEST(Wqe, a_masked_cas_of_8_bytes) {
  EXPECT_EQ(encoded(Kind::masked_cas, kNarrow, true, false),
            "09000014"  // 8 | 1, index 0, masked CAS
            "01234505"  // QP, five segments
            "00000008"  // signalled
            "00000000"
            "1122334455667788a1b2c3d400000000"
            "0102030405060708"
            "1112131415161718"
            "2122232425262728"
            "3132333435363738"
            "000000080badcafe00007f1234567890");
}

TEST(Wqe, a_masked_cas_of_16_bytes_behind_a_fence) {
  EXPECT_EQ(encoded(Kind::masked_cas, kWideBytes, false, true),
            "0a000014"
            "01234507"
            "00000080"
            "00000000"
            "1122334455667788a1b2c3d400000000"
            "0102030405060708090a0b0c0d0e0f10"
            "1112131415161718191a1b1c1d1e1f20"
            "2122232425262728292a2b2c2d2e2f30"
            "3132333435363738393a3b3c3d3e3f40"
            "000000100badcafe00007f1234567890");
}

TEST(Wqe, a_masked_faa_of_8_bytes_in_two_fields) {
  EXPECT_EQ(encoded(Kind::masked_faa, kNarrow, true, true),
            "09000015"
            "01234504"
            "00000088"
            "00000000"
            "1122334455667788a1b2c3d400000000"
            "0102030405060708"
            "8000000080000000"
            "000000080badcafe00007f1234567890");
}

TEST(Wqe, an_unsignalled_masked_faa_of_16_bytes) {
  EXPECT_EQ(encoded(Kind::masked_faa, kWideBytes, false, false),
            "0a000015"
            "01234505"
            "00000000"
            "00000000"
            "1122334455667788a1b2c3d400000000"
            "0102030405060708090a0b0c0d0e0f10"
            "80000000800000008000000000008000"
            "000000100badcafe00007f1234567890");
}

// No carry leaves a word: fields have 64 bits at most.
TEST(Wqe, a_masked_faa_of_16_bytes_without_fields_has_one_field_per_word) {
  Verb verb;
  verb.value = {0x0102030405060708, 0x090a0b0c0d0e0f10};
  WorkRequest request;
  request.kind = Kind::masked_faa;
  request.bytes = kWideBytes;
  request.masked = &verb;
  const Wqe wqe = encode_masked(request, kQp);
  constexpr std::size_t kBoundaryAt = 16 + 16 + kWideBytes;
  EXPECT_EQ(hex_text(std::span(wqe.bytes).subspan(kBoundaryAt, kWideBytes)),
            "80000000000000008000000000000000");
}

// The layout of libmlx5 for a port: the fields of a DC target are empty.
constexpr std::string_view kToPort =
    "0000000000000000"
    "00000000"                           // number
    "03"                                 // rate, service level
    "05"                                 // source path bits
    "1234"                               // LID
    "00000000"                           // reserved
    "020406080a0c"                       // MAC
    "60"                                 // traffic class
    "40"                                 // hop limit
    "40300001"                           // global, GID index, flow label
    "00000000000000000000ffff0a4d0002";  // GID

AddressVector to_port() {
  AddressVector made = {};
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = std::byte(std::stoi(std::string(kToPort.substr(2 * i, 2)), nullptr, 16));
  return made;
}

const std::string kToTarget =
    "00c0ffee12345678"
    "800a0b0c"
    "03"
    "05"
    "1234"
    "00000000"
    "020406080a0c"
    "60"
    "40"
    "40300001"
    "00000000000000000000ffff0a4d0002";

TEST(Wqe, the_address_of_a_dc_target_has_its_key_and_number) {
  EXPECT_EQ(hex_text(to_dc_target(to_port(), 0x0a0b0c, 0x00c0ffee12345678)), kToTarget);
}

TEST(Wqe, a_masked_cas_of_16_bytes_to_a_dc_target) {
  EXPECT_EQ(encoded(Kind::masked_cas, kWideBytes, true, false,
                    to_dc_target(to_port(), 0x0a0b0c, 0x00c0ffee12345678)),
            "0a000014"
            "0123450a"
            "00000008"
            "00000000" +
                kToTarget +
                "1122334455667788a1b2c3d400000000"
                "0102030405060708090a0b0c0d0e0f10"
                "1112131415161718191a1b1c1d1e1f20"
                "2122232425262728292a2b2c2d2e2f30"
                "3132333435363738393a3b3c3d3e3f40"
                "000000100badcafe00007f1234567890");
}

TEST(Wqe, a_masked_faa_of_8_bytes_to_a_dc_target) {
  EXPECT_EQ(encoded(Kind::masked_faa, kNarrow, false, false,
                    to_dc_target(to_port(), 0x0a0b0c, 0x00c0ffee12345678)),
            "09000015"
            "01234507"
            "00000000"
            "00000000" +
                kToTarget +
                "1122334455667788a1b2c3d400000000"
                "0102030405060708"
                "8000000080000000"
                "000000080badcafe00007f1234567890");
}

// The reply of 8 bytes is in host order, that of 16 bytes is two big-endian words.
TEST(Wqe, replies_are_converted_to_host_order) {
  const Words landed{0x0807060504030201, 0x1817161514131211};
  EXPECT_EQ(masked_reply(landed, kNarrow), (Words{0x0807060504030201, 0}));
  EXPECT_EQ(masked_reply(landed, kWideBytes), (Words{0x0102030405060708, 0x1112131415161718}));
}

}  // namespace
}  // namespace latchlab::ib
