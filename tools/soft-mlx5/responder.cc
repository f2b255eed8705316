// The responder: the effect of a request on memory and on the queues of its QP.
#include <infiniband/verbs.h>

#include <algorithm>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/config.h"
#include "tools/soft-mlx5/device.h"

namespace soft_mlx5 {

namespace {

constexpr std::uint32_t kInvalidKey = 0x100;  // ends a list of scatter entries

bool is_masked(std::uint8_t opcode) {
  return opcode == kMaskedCas || opcode == kMaskedFaa;
}

unsigned right_for(std::uint8_t opcode) {
  if (is_atomic(opcode)) return IBV_ACCESS_REMOTE_ATOMIC;
  if (opcode == kRead) return IBV_ACCESS_REMOTE_READ;
  return is_send(opcode) ? 0 : IBV_ACCESS_REMOTE_WRITE;
}

}  // namespace

Reply Device::respond(const Request& request) {
  Reply reply;
  reply.to = request.from;
  reply.ticket = request.ticket;
  Qp* const qp = numbered(request.to);
  reply.verdict = qp == nullptr ? Verdict::silence : respond_to(*qp, request, reply);
  return reply;
}

Verdict Device::respond_to(Qp& qp, const Request& request, Reply& reply) {
  reply.rnr_timer = qp.min_rnr_timer;
  if (qp.state != QpState::rtr && qp.state != QpState::rts) return Verdict::silence;
  if (request.dc != (qp.kind == QpKind::dct)) return Verdict::silence;
  if (request.dc) {
    qp.dead = qp.dead || draw(Fault::dct);
    if (qp.dead || request.dc_key != qp.dc_key) return Verdict::silence;
  } else if (qp.remote_number != request.from || qp.recv_psn != request.psn) {
    return Verdict::silence;
  }
  Verdict verdict = Verdict::done;
  const unsigned right = right_for(request.opcode);
  if ((qp.access & right) != right || (is_masked(request.opcode) && config().no_masks)) {
    verdict = Verdict::invalid_request;
  } else if (is_send(request.opcode)) {
    verdict = receive(qp, request);
  } else {
    std::byte* memory = nullptr;
    if (request.bytes > 0) {
      memory = resolve(request.remote_key, qp.pd, request.remote, request.bytes, right);
      if (memory == nullptr) verdict = Verdict::access_error;
    }
    Receive recv;
    if (verdict == Verdict::done && request.opcode == kWriteImmediate) {
      recv = take_receive(qp);
      if (!recv.found) return Verdict::not_ready;
    }
    if (verdict == Verdict::done && memory != nullptr) {
      if (request.opcode == kRead) {
        reply.payload.resize(request.bytes);
        copy_shared(reply.payload.data(), memory, request.bytes);
      } else if (is_atomic(request.opcode)) {
        std::uint64_t before[8] = {};
        execute_atomic(memory, request.operands, before);
        reply.payload.resize(request.operands.bytes);
        std::memcpy(reply.payload.data(), before, request.operands.bytes);
      } else {
        copy_shared(memory, request.payload.data(), request.payload.size());
      }
    }
    if (recv.found) complete_receive(qp, recv.index, request, kFine);
  }
  if (verdict == Verdict::not_ready) return verdict;
  qp.recv_psn = (qp.recv_psn + 1) & 0xff'ffff;
  if (verdict != Verdict::done && !request.dc) enter_error(qp);
  return verdict;
}

Verdict Device::receive(Qp& qp, const Request& request) {
  const Receive recv = take_receive(qp);
  if (!recv.found) return Verdict::not_ready;
  std::uint64_t room = 0;
  for (const DataSegment& segment : recv.segments) room += segment.bytes;
  std::uint8_t syndrome = kFine;
  if (room < request.bytes)
    syndrome = kLocalLength;
  else if (!scatter(qp.pd, recv.segments, request.payload.data(), request.payload.size()))
    syndrome = kLocalProtection;
  complete_receive(qp, recv.index, request, syndrome);
  if (syndrome == kFine) return Verdict::done;
  return syndrome == kLocalLength ? Verdict::invalid_request : Verdict::operation_error;
}

Device::Receive Device::take_receive(Qp& qp) {
  Receive taken;
  const std::byte* segments = nullptr;
  std::size_t most = 0;
  if (qp.srq != nullptr) {
    Srq& srq = *qp.srq;
    const auto posted = static_cast<std::uint16_t>(read_record(srq.record));
    const auto available = static_cast<std::uint16_t>(posted - srq.consumed);
    if (available > srq.max_wr)
      die("SRQ 0x%x has %u RECVs and room for %u", srq.number, available, srq.max_wr);
    if (available == 0) return taken;
    std::byte* const wqe = srq.buffer + static_cast<std::size_t>(srq.head) * srq.stride;
    taken.index = srq.head;
    srq.head = static_cast<std::uint16_t>(read_record(reinterpret_cast<std::uint32_t*>(wqe)));
    if (srq.head >= srq.entries)
      die("SRQ 0x%x: RECV %u names %u of %u as its next", srq.number, taken.index, srq.head,
          srq.entries);
    ++srq.consumed;
    if (srq.limit > 0 && available - 1U < srq.limit) {
      srq.limit = 0;
      raise(srq, IBV_EVENT_SRQ_LIMIT_REACHED, srq.user_handle);
    }
    segments = wqe + kOctoword;
    most = srq.stride / kOctoword - 1;
  } else {
    const auto posted = static_cast<std::uint16_t>(read_record(qp.record));
    const auto available = static_cast<std::uint16_t>(posted - qp.rq_head);
    if (available > qp.rq_entries)
      die("QP 0x%x has %u RECVs and room for %u", qp.number, available, qp.rq_entries);
    if (available == 0) return taken;
    taken.index = qp.rq_head;
    segments = qp.rq + static_cast<std::size_t>(qp.rq_head & (qp.rq_entries - 1)) * qp.rq_stride;
    most = qp.rq_stride / kOctoword;
    ++qp.rq_head;
  }
  taken.found = true;
  for (std::size_t i = 0; i < most; ++i) {
    std::byte copy[kOctoword];
    copy_shared(copy, segments + i * kOctoword, kOctoword);
    const DataSegment segment = {load_be64(copy + 8), load_be32(copy), load_be32(copy + 4)};
    if (segment.bytes == 0 && segment.key == kInvalidKey) break;
    if (segment.bytes > 0) taken.segments.push_back(segment);
  }
  return taken;
}

void Device::flush_receives(Qp& qp) {
  if (qp.srq != nullptr || qp.rq_entries == 0 || qp.recv_cq == nullptr) return;
  const Request nothing;
  while (true) {
    const Receive recv = take_receive(qp);
    if (!recv.found) return;
    complete_receive(qp, recv.index, nothing, kFlushed);
  }
}

bool Device::gather(const Qp& qp, const Wqe& wqe, std::vector<std::byte>& payload) {
  if (has_result(wqe.opcode)) {  // nothing is sent, but the result needs valid memory
    for (const DataSegment& segment : wqe.segments)
      if (resolve(segment.key, qp.pd, segment.address, segment.bytes, IBV_ACCESS_LOCAL_WRITE) ==
          nullptr)
        return false;
    return true;
  }
  payload = wqe.inlined;
  payload.reserve(wqe.bytes < (1U << 31) ? wqe.bytes : 0);
  for (const DataSegment& segment : wqe.segments) {
    const std::byte* const from = resolve(segment.key, qp.pd, segment.address, segment.bytes, 0);
    if (from == nullptr) return false;
    const std::size_t at = payload.size();
    payload.resize(at + segment.bytes);
    copy_shared(payload.data() + at, from, segment.bytes);
  }
  return true;
}

bool Device::scatter(const Pd* pd, const std::vector<DataSegment>& segments, const std::byte* data,
                     std::size_t bytes) {
  for (const DataSegment& segment : segments) {
    const std::size_t part = std::min<std::size_t>(bytes, segment.bytes);
    if (part == 0) break;
    std::byte* const to =
        resolve(segment.key, pd, segment.address, segment.bytes, IBV_ACCESS_LOCAL_WRITE);
    if (to == nullptr) return false;
    copy_shared(to, data, part);
    data += part;
    bytes -= part;
  }
  return true;
}

}  // namespace soft_mlx5
