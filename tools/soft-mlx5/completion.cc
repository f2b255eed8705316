// Completion queues: entries in the layout of mlx5dv.h, and events.
#include <infiniband/verbs.h>
#include <rdma/ib_user_verbs.h>
#include <sys/socket.h>

#include <array>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/device.h"

namespace soft_mlx5 {

namespace {

constexpr std::uint8_t kRequest = 0;
constexpr std::uint8_t kImmediateWritten = 1;
constexpr std::uint8_t kReceived = 2;
constexpr std::uint8_t kReceivedImmediate = 3;
constexpr std::uint8_t kReceivedInvalidate = 4;
constexpr std::uint8_t kRequestError = 13;
constexpr std::uint8_t kReceiveError = 14;
constexpr std::uint8_t kScattered32 = 0x4;

constexpr std::uint32_t kIndexMask = 0xff'ffff;
constexpr std::uint32_t kSolicitedOnly = 1U << 24;

void send_event(int to, const Event& event) {
  if (to >= 0) ::send(to, &event, sizeof event, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

void Device::complete(Cq& cq, const Completion& completion) {
  const std::uint32_t consumed = read_record(cq.record);
  if (((cq.produced - consumed) & kIndexMask) >= cq.entries && !cq.ignores_overrun)
    die("CQ 0x%x of %u entries is overrun: it was not polled while completions came", cq.number,
        cq.entries);
  std::array<std::byte, 128> entry = {};
  std::byte* const at = entry.data() + (cq.entry_bytes - 64);
  if (completion.inlined != nullptr)
    std::memcpy(at, completion.inlined, completion.inlined_bytes);
  else
    store_be32(at + 24, completion.remote_qp);
  store_be32(at + 32, completion.user_index);
  std::uint8_t owner = (cq.produced & cq.entries) != 0 ? 1 : 0;
  if (completion.syndrome == kFine) {
    store(at + 36, completion.immediate);
    store_be32(at + 44, completion.bytes);
    store_be64(at + 48, Pages::cycles());
    if (completion.inlined != nullptr) owner |= kScattered32;
  } else {
    at[54] = std::byte{0x77};
    at[55] = std::byte{completion.syndrome};
  }
  store_be32(at + 56, static_cast<std::uint32_t>(completion.opcode) << 24 | completion.qp);
  store_be16(at + 60, completion.wqe);
  at[63] = static_cast<std::byte>(completion.code << 4 | owner);
  publish_entry(cq.buffer + (cq.produced & (cq.entries - 1)) * cq.entry_bytes, entry.data(),
                cq.entry_bytes);
  ++cq.produced;
  check_armed(cq, completion.solicited || completion.syndrome != kFine);
}

// An event is due when the queue is armed at an index that completions have passed. Arming carries
// a serial number, which software increments for each event that it takes.
void Device::check_armed(Cq& cq, bool solicited) {
  if (cq.channel == nullptr) return;
  const std::uint32_t armed = read_record(cq.record + 1);
  if (armed == kNotArmed) return;
  const std::uint32_t serial = armed >> 28 & 3;
  if (serial == cq.armed_serial) return;
  const std::uint32_t passed = (cq.produced - armed) & kIndexMask;
  if (passed == 0 || passed > kIndexMask / 2) return;
  if ((armed & kSolicitedOnly) != 0 && !solicited) return;
  cq.armed_serial = serial;
  send_event(cq.channel->write_end,
             {cq.user_handle, 0, 0, cq.handle, sizeof(ib_uverbs_comp_event_desc)});
}

void Device::raise(const Object& object, std::uint32_t type, std::uint64_t element) {
  send_event(object.context->async_write,
             {element, type, 0, object.handle, sizeof(ib_uverbs_async_event_desc)});
}

bool Device::count_event(const Event& event) {
  if (event.bytes == sizeof(ib_uverbs_comp_event_desc)) {
    const auto found = cqs.find(event.handle);
    if (found != cqs.end()) ++found->second->events_read;
    return found != cqs.end();
  }
  const auto srq = srqs.find(event.handle);
  if (srq != srqs.end()) ++srq->second->async_events_read;
  return srq != srqs.end();
}

void Device::complete_send(Qp& qp, const Entry& entry) {
  if (entry.syndrome == kFine && !entry.wqe.signalled && !qp.signals_all) return;
  Completion completion;
  completion.code = entry.syndrome == kFine ? kRequest : kRequestError;
  completion.syndrome = entry.syndrome;
  completion.opcode = entry.wqe.opcode;
  completion.qp = qp.number;
  completion.user_index = qp.user_index;
  completion.wqe = entry.wqe.index;
  if (has_result(entry.wqe.opcode)) completion.bytes = static_cast<std::uint32_t>(entry.wqe.bytes);
  if (!entry.result.empty()) {
    completion.inlined = entry.result.data();
    completion.inlined_bytes = entry.result.size();
  }
  complete(*qp.send_cq, completion);
}

void Device::complete_receive(Qp& qp, std::uint16_t index, const Request& request,
                              std::uint8_t syndrome) {
  Completion completion;
  switch (request.opcode) {
    case kWriteImmediate:
      completion.code = kImmediateWritten;
      break;
    case kSendImmediate:
      completion.code = kReceivedImmediate;
      break;
    case kSendInvalidate:
      completion.code = kReceivedInvalidate;
      break;
    default:
      completion.code = kReceived;
  }
  if (syndrome != kFine) completion.code = kReceiveError;
  completion.syndrome = syndrome;
  completion.qp = qp.number;
  completion.user_index = qp.user_index;
  completion.wqe = index;
  completion.bytes = static_cast<std::uint32_t>(request.bytes);
  completion.immediate = request.opcode == kSend ? 0 : request.immediate;
  completion.remote_qp = request.dc ? request.from : 0;
  completion.solicited = request.solicited;
  complete(*qp.recv_cq, completion);
}

}  // namespace soft_mlx5
