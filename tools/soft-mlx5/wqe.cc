#include "tools/soft-mlx5/wqe.h"

#include "tools/soft-mlx5/bits.h"

namespace soft_mlx5 {

namespace {

constexpr std::uint32_t kExtendedAddress = 0x8000'0000;
constexpr std::uint32_t kInline = 0x8000'0000;
constexpr std::uint8_t kSignalled = 0x08;
constexpr std::uint8_t kSolicited = 0x02;
constexpr std::uint8_t kFences = 0xe0;
constexpr std::uint8_t kControlReserved = 0x11;

class Decoder {
 public:
  Decoder(const std::byte* wqe, const WqeContext& context) : wqe_(wqe), context_(context) {}

  Wqe decode() {
    control();
    if (result_.opcode == kNop || result_.malformed) return result_;
    if (context_.dc) address_vector();
    if (!is_send(result_.opcode)) remote();
    if (is_atomic(result_.opcode)) operands();
    if (!result_.malformed) data();
    return result_;
  }

 private:
  [[noreturn]] void broken(const std::string& what) const {
    die("QP 0x%x, WQE %u, opcode 0x%02x: %s", context_.qp, context_.index, result_.opcode,
        what.c_str());
  }
  const std::byte* take(std::size_t bytes, const char* what) {
    const std::byte* const at = wqe_ + at_;
    at_ += bytes;
    if (at_ > octowords_ * kOctoword)
      broken("its " + std::to_string(octowords_) + " octowords (ds) end within " + what);
    return at;
  }
  void zero(const std::byte* at, std::size_t bytes, const char* what) const {
    for (std::size_t i = 0; i < bytes; ++i)
      if (at[i] != std::byte{0}) broken(std::string("a reserved bit is set in ") + what);
  }

  void control() {
    const std::uint32_t first = load_be32(wqe_);
    const std::uint32_t second = load_be32(wqe_ + 4);
    result_.opcode = static_cast<std::uint8_t>(first);
    result_.opmod = static_cast<std::uint8_t>(first >> 24);
    result_.index = static_cast<std::uint16_t>(first >> 8);
    octowords_ = second & 0x3f;
    if (result_.index != context_.index)
      broken("the doorbell includes it, but what is there is WQE " + std::to_string(result_.index) +
             ": an overrun of the send queue, or a WQE that was not written");
    if (second >> 8 != context_.qp)
      broken("its control segment names QP " + std::to_string(second >> 8));
    if ((second & 0xc0) != 0) broken("a reserved bit is set beside ds");
    if (octowords_ < 1) broken("ds is 0");
    if (wqe_[8] != std::byte{0}) broken("a signature, which the QP does not have");
    const auto flags = static_cast<std::uint8_t>(wqe_[11]);
    if ((flags & kControlReserved) != 0) broken("a reserved bit is set in fm_ce_se");
    result_.signalled = (flags & kSignalled) != 0;
    result_.solicited = (flags & kSolicited) != 0;
    result_.fenced = (flags & kFences) != 0;
    result_.stream = load_be16(wqe_ + 9);
    if (result_.stream >= context_.streams)
      broken("its stream is " + std::to_string(result_.stream) + " of " +
             std::to_string(context_.streams));
    result_.blocks = static_cast<std::uint16_t>((octowords_ * kOctoword + kBlock - 1) / kBlock);
    result_.immediate = load<std::uint32_t>(wqe_ + 12);
    at_ = kOctoword;
    switch (result_.opcode) {
      case kSendInvalidate:
      case kWriteImmediate:
      case kSendImmediate:
      case kNop:  // for this and the opcodes below, libmlx5 does not clear this field
      case kWrite:
      case kSend:
      case kRead:
      case kCas:
      case kFaa:
        break;
      case kMaskedCas:
      case kMaskedFaa:
        zero(wqe_ + 12, 4, "the immediate of a control segment");
        break;
      default:
        result_.malformed = true;
    }
    if (result_.opcode < kMaskedCas && result_.opmod != 0) result_.malformed = true;
  }

  void address_vector() {
    const std::byte* const av = take(48, "the address vector");
    result_.peer.dc_key = load_be64(av);
    const std::uint32_t target = load_be32(av + 8);
    if ((target & kExtendedAddress) == 0)
      broken("its address vector does not say that it has 48 bytes (bit 31 of dqp_dct)");
    if ((target & 0x7f00'0000) != 0) broken("a reserved bit is set beside the DCT's number");
    result_.peer.dct = target & 0xff'ffff;
    result_.peer.lid = load_be16(av + 14);
    zero(av + 16, 4, "an address vector");
    const std::uint32_t route = load_be32(av + 28);
    if ((route & 0x8000'0000) != 0) broken("a reserved bit is set before the GID's index");
    result_.peer.global = (route >> 30 & 1) != 0;
    result_.peer.sgid_index = static_cast<std::uint8_t>(route >> 20);
    std::memcpy(result_.peer.gid.data(), av + 32, 16);
  }

  void remote() {
    const std::byte* const at = take(kOctoword, "the remote address");
    result_.remote = load_be64(at);
    result_.remote_key = load_be32(at + 8);
    zero(at + 12, 4, "a remote address segment");
  }

  void operands() {
    AtomicOperands& all = result_.operands;
    const std::uint8_t opcode = result_.opcode;
    const bool masked = opcode >= kMaskedCas;
    all.compares = opcode == kCas || opcode == kMaskedCas;
    all.bytes = 8;
    if (masked) {
      const unsigned log = result_.opmod & 7U;
      if ((result_.opmod & 0xf8U) != 8 || log > 3) {
        result_.malformed = true;
        return;
      }
      all.bytes = 4U << log;
    }
    if (result_.remote % all.bytes != 0)
      broken("an atomic of " + std::to_string(all.bytes) + " bytes at an address that is no " +
             "multiple of it");
    for (auto& mask : all.compare_mask) mask = ~0ULL;
    words(all.swap);
    if (all.compares) words(all.compare);
    for (auto& mask : all.swap_mask) mask = all.compares ? ~0ULL : 0;
    if (masked) words(all.swap_mask);
    if (masked && all.compares) words(all.compare_mask);
    if (!masked && !all.compares) take(8, "the operands");  // libmlx5 does not clear these 8 bytes
    if (masked && !all.compares && all.bytes == 4)
      zero(take(8, "the operands"), 8, "an atomic segment");
    if (masked && !all.compares)
      for (std::size_t i = 0; i + 1 < all.bytes / 8; ++i)
        if (all.swap_mask[i] >> 63 == 0)
          broken("a field of a masked FAA has more than 64 bits: bit 63 of its boundary is 0");
  }

  void words(std::uint64_t* to) {
    const std::size_t bytes = result_.operands.bytes;
    const std::byte* const at = take(bytes, "the operands");
    if (bytes == 4) {
      to[0] = load_be32(at);
      return;
    }
    for (std::size_t i = 0; i < bytes / 8; ++i) to[i] = load_be64(at + 8 * i);
  }

  void data() {
    const std::size_t end = octowords_ * kOctoword;
    while (at_ < end) {
      const std::uint32_t count = load_be32(wqe_ + at_);
      if ((count & kInline) != 0) {
        const std::size_t bytes = count & ~kInline;
        const std::byte* const at = take(4 + bytes, "inline data") + 4;
        result_.inlined.insert(result_.inlined.end(), at, at + bytes);
        at_ = (at_ + kOctoword - 1) / kOctoword * kOctoword;
        result_.bytes += bytes;
        if (has_result(result_.opcode)) broken("a result cannot be inline");
        continue;
      }
      const std::byte* const at = take(kOctoword, "a data segment");
      DataSegment segment;
      segment.bytes = count == 0 ? 1ULL << 31 : count;
      segment.key = load_be32(at + 4);
      segment.address = load_be64(at + 8);
      if (!result_.inlined.empty()) broken("data segments after inline data");
      result_.segments.push_back(segment);
      result_.bytes += segment.bytes;
    }
    if (is_atomic(result_.opcode) && result_.bytes != result_.operands.bytes)
      broken("an atomic of " + std::to_string(result_.operands.bytes) + " bytes with a result of " +
             std::to_string(result_.bytes));
  }

  const std::byte* const wqe_;
  const WqeContext& context_;
  std::size_t octowords_ = 0;
  std::size_t at_ = 0;
  Wqe result_;
};

}  // namespace

Wqe decode_wqe(const std::byte* wqe, const WqeContext& context) {
  return Decoder(wqe, context).decode();
}

// ---- atomics ----

namespace {

template <class T>
SOFT_MLX5_SHARED void execute(T* at, const AtomicOperands& operands, std::uint64_t* before) {
  const std::size_t words = operands.bytes / sizeof(T);
  bool equal = true;
  for (std::size_t i = 0; i < words; ++i) {
    const T old = __atomic_load_n(at + i, __ATOMIC_SEQ_CST);
    before[i] = old;
    equal = equal && ((old ^ static_cast<T>(operands.compare[i])) &
                      static_cast<T>(operands.compare_mask[i])) == 0;
  }
  for (std::size_t i = 0; i < words; ++i) {
    const T old = static_cast<T>(before[i]);
    const T value = static_cast<T>(operands.swap[i]);
    const T mask = static_cast<T>(operands.swap_mask[i]);
    T next = old;
    if (!operands.compares)
      // Adds the highest bits of fields without their carries.
      next = ((old & ~mask) + (value & ~mask)) ^ ((old ^ value) & mask);
    else if (equal)
      next = (old & ~mask) | (value & mask);
    if (next != old) __atomic_store_n(at + i, next, __ATOMIC_SEQ_CST);
  }
}

}  // namespace

void execute_atomic(void* at, const AtomicOperands& operands, std::uint64_t* before) {
  if (operands.bytes == 4)
    execute(static_cast<std::uint32_t*>(at), operands, before);
  else
    execute(static_cast<std::uint64_t*>(at), operands, before);
}

}  // namespace soft_mlx5
