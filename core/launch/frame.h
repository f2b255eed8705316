#pragma once
// The frames of a connection: a kind, two numbers, and bytes that this layer does not interpret.
//
// Inside TLS (secure.h): length (4 bytes, of all that follows), kind (1), rank (4), number (4),
// payload; integers are big-endian. This format and the frames hello and refused stay the same in
// all later versions, so that two versions can report that they do not match.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace latchlab::launch {

// To be raised when an older program would misinterpret a newer one.
inline constexpr std::uint32_t kWireVersion = 2;

inline constexpr std::size_t kMaxHelloBytes = 64 << 10;
inline constexpr std::size_t kMaxFrameBytes = 64 << 20;

enum class FrameKind : std::uint8_t {
  hello = 1,        // member: its identity (Hello)
  refused,          // coordinator: payload gives the reason; the connection ends
  welcome,          // coordinator: rank; number: how many members there are
  job_common,       // coordinator: blob for all members; number: the job's id
  job,              // coordinator: blob for this member; the job begins
  part,             // member: its blob of exchange `number`; coordinator: the blob of `rank`
  broadcast,        // member: a blob for all others; coordinator: the blob of `rank`
  peer_lost,        // coordinator: `rank` is lost; payload gives the reason
  exchange_failed,  // coordinator: all further exchanges of this job fail; payload: the reason
  stop,             // coordinator: end the job early
  finish,           // member: its result; the member's part of the job is over
  dismissed,        // coordinator: no more jobs
  slices,           // member: like `part`, but with one blob for each member
};

struct Frame {
  FrameKind kind = FrameKind::refused;
  std::uint32_t rank = 0;
  std::uint32_t number = 0;
  std::string payload;
};

// Encoded once for all connections that send it.
using Bytes = std::shared_ptr<const std::string>;
Bytes encode(FrameKind kind, std::uint32_t rank, std::uint32_t number,
             std::string_view payload = {});

// Joins blobs into one payload, and splits it again; nullopt: there are not exactly `count` blobs.
std::string join_slices(const std::vector<std::string>& slices);
std::optional<std::vector<std::string_view>> cut_slices(std::string_view joined, std::size_t count);

// True if a frame can carry the payload.
bool fits(std::string_view payload, std::size_t max_frame = kMaxFrameBytes);

// Splits a byte stream into frames.
class FrameReader {
 public:
  explicit FrameReader(std::size_t max_frame) : max_frame_(max_frame) {}

  void set_limit(std::size_t max_frame) { max_frame_ = max_frame; }
  void add(std::string_view bytes);
  // The next complete frame; nullopt: it has not arrived yet. An error (longer than the limit, or
  // not a frame) is final: the rest of the stream cannot be split.
  Result<std::optional<Frame>> next();

 private:
  std::size_t max_frame_;
  std::string bytes_;
  std::size_t at_ = 0;  // bytes before this were returned
};

// The first message of a member, and the coordinator's checks of it.
struct Hello {
  std::string program;  // version and build: equal in all processes of a run
  std::string host;
  std::int64_t pid = 0;
  std::optional<std::uint32_t> rank;  // the requested rank; nullopt: any
  std::string facts;                  // about its machine, for the caller; not interpreted here
};

// JSON text.
std::string write_hello(const Hello& hello);

// Parses a hello; the error says why it is refused: no latchlab node, or another wire version.
Result<Hello> read_hello(const std::string& text);

// Refuses another build of the program.
Status examine(const Hello& hello, const std::string& program);

}  // namespace latchlab::launch
