#pragma once
// What crosses a connection: frames of a kind, two numbers and bytes that nobody here looks into.
//
// Inside TLS (secure.h): length (4 bytes, of all that follows), kind (1), rank (4), number (4),
// payload; integers big-endian. This form, and hello and refused with it, stay what they are in
// every later version, so that two versions can tell each other that they do not match.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace latchlab::launch {

// Raised whenever an older program would misunderstand a newer one.
inline constexpr std::uint32_t kWireVersion = 2;

inline constexpr std::size_t kMaxHelloBytes = 64 << 10;
inline constexpr std::size_t kMaxFrameBytes = 64 << 20;

enum class FrameKind : std::uint8_t {
  hello = 1,        // member: who it is (hello.h)
  refused,          // coordinator: payload says why; the connection ends
  welcome,          // coordinator: rank and, as number, how many members there are
  job_common,       // coordinator: what all members get; number: the job's
  job,              // coordinator: what this member gets; the job begins
  part,             // member: its blob of exchange `number`; coordinator: that of `rank`
  broadcast,        // member: a blob for all others; coordinator: the one of `rank`
  peer_lost,        // coordinator: `rank` is lost; payload says how
  exchange_failed,  // coordinator: no exchange of this job succeeds any more; payload says why
  stop,             // coordinator: end the job early
  finish,           // member: its result; the job is over for it
  dismissed,        // coordinator: no more jobs
  slices,           // member: as `part`, but its blob is cut into one for each member
};

struct Frame {
  FrameKind kind = FrameKind::refused;
  std::uint32_t rank = 0;
  std::uint32_t number = 0;
  std::string payload;
};

// Encoded once, however many connections it goes out on.
using Bytes = std::shared_ptr<const std::string>;
Bytes encode(FrameKind kind, std::uint32_t rank, std::uint32_t number,
             std::string_view payload = {});

// Blobs as one payload, and back; nullopt: these are not exactly `count` of them.
std::string join_slices(const std::vector<std::string>& slices);
std::optional<std::vector<std::string_view>> cut_slices(std::string_view joined, std::size_t count);

// False: a frame cannot carry so much.
bool fits(std::string_view payload, std::size_t max_frame = kMaxFrameBytes);

// Cuts a stream of bytes into frames.
class FrameReader {
 public:
  explicit FrameReader(std::size_t max_frame) : max_frame_(max_frame) {}

  void set_limit(std::size_t max_frame) { max_frame_ = max_frame; }
  void add(std::string_view bytes);
  // The next whole frame; nullopt: it has not arrived yet. An error (longer than the limit, or no
  // frame at all) is final: what follows cannot be cut.
  Result<std::optional<Frame>> next();

 private:
  std::size_t max_frame_;
  std::string bytes_;
  std::size_t at_ = 0;  // what lies before it has been handed out
};

}  // namespace latchlab::launch
