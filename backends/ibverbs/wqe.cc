#include "backends/ibverbs/wqe.h"

#include <bit>
#include <cstring>

#include "core/base/check.h"

namespace latchlab::ib {

namespace {

constexpr std::uint8_t kOpcodeMaskedCas = 0x14;
constexpr std::uint8_t kOpcodeMaskedFaa = 0x15;
constexpr std::uint8_t kExtendedAtomic = 8;  // bit of opmod
constexpr std::uint8_t kTellCompletion = 0x08;
constexpr std::uint8_t kFence = 0x80;          // as for IBV_SEND_FENCE
constexpr std::uint64_t kTopBit = 1ULL << 63;  // of a boundary: no field is wider than 64 bits
constexpr std::uint32_t kSegment = 16;
constexpr std::uint32_t kFlagsAt = 11;  // offset in the control segment
// In an address vector: key:64 | extended:1 number:31; the rest is as in the address handle.
constexpr std::uint32_t kNumberAt = 8;
constexpr std::uint32_t kExtendedAddress = 0x8000'0000;

template <class T>
void put_at(std::byte* at, T value) {  // big endian
  for (std::size_t i = sizeof(T); i-- > 0;) *at++ = static_cast<std::byte>(value >> 8 * i);
}

class WqeWriter {
 public:
  template <class T>
  void put(T value) {
    put_at(&made.bytes[made.length], value);
    made.length += sizeof(T);
  }
  void put_operand(const Words& words, std::uint32_t bytes) {
    put(words.lo);
    if (bytes > 8) put(words.hi);
  }
  void put_bytes(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;  // empty on an RC QP
    std::memcpy(&made.bytes[made.length], bytes.data(), bytes.size());
    made.length += static_cast<std::uint32_t>(bytes.size());
  }

  Wqe made;
};

}  // namespace

AddressVector to_dc_target(const AddressVector& to_port, std::uint32_t number, std::uint64_t key) {
  AddressVector made = to_port;
  put_at(made.data(), key);
  put_at(&made[kNumberAt], number | kExtendedAddress);
  return made;
}

Wqe encode_masked(const WorkRequest& request, std::uint32_t qp,
                  std::span<const std::byte> address) {
  const Verb& verb = *request.masked;
  const std::uint32_t bytes = request.bytes;
  LATCHLAB_CHECK(bytes == 8 || bytes == 16, "masked atomics are of 8 or 16 bytes");
  LATCHLAB_CHECK(address.empty() || address.size() == kAddressVectorBytes, "an address vector");
  const bool cas = request.kind == WorkRequest::Kind::masked_cas;
  const std::uint32_t operands = (cas ? 4 : 2) * bytes;
  const auto length = static_cast<std::uint32_t>(3 * kSegment + address.size() + operands);
  const auto width = static_cast<std::uint32_t>(std::countr_zero(bytes));
  WqeWriter to;
  to.put((kExtendedAtomic | (width - 2)) << 24 | (cas ? kOpcodeMaskedCas : kOpcodeMaskedFaa));
  to.put(qp << 8 | length / kSegment);
  to.put(std::uint64_t{0});
  to.made.bytes[kFlagsAt] = static_cast<std::byte>((request.signalled ? kTellCompletion : 0) |
                                                   (request.fenced ? kFence : 0));
  to.put_bytes(address);
  to.put(request.remote);
  to.put(std::uint64_t{request.remote_key} << 32);
  to.put_operand(verb.value, bytes);
  if (cas) {
    to.put_operand(verb.compare, bytes);
    to.put_operand(verb.swap_mask, bytes);
    to.put_operand(verb.compare_mask, bytes);
  } else {
    to.put_operand({verb.boundary.lo | kTopBit, verb.boundary.hi | kTopBit}, bytes);
  }
  to.put(bytes);
  to.put(request.local_key);
  to.put(reinterpret_cast<std::uint64_t>(request.local));
  return to.made;
}

Words masked_reply(const Words& landed, std::uint32_t bytes) {
  if (bytes == 8) return {landed.lo, 0};
  return {__builtin_bswap64(landed.lo), __builtin_bswap64(landed.hi)};
}

}  // namespace latchlab::ib
