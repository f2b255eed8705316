// The ioctl() ABI, where libmlx5 has no other: UARs, device memory, DEVX. Other methods fail with
// EPROTONOSUPPORT, as in a kernel that is older than the method: libibverbs then uses write().
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include <algorithm>
#include <cerrno>

#include "tools/soft-mlx5/bits.h"
#include "tools/soft-mlx5/commands.h"

namespace soft_mlx5 {

namespace {

class Attributes {
 public:
  explicit Attributes(ib_uverbs_ioctl_hdr& header) : header_(header) {}

  ib_uverbs_attr* find(std::uint32_t id) const {
    for (unsigned i = 0; i < header_.num_attrs; ++i)
      if (header_.attrs[i].attr_id == id) return &header_.attrs[i];
    return nullptr;
  }
  const std::byte* data(std::uint32_t id, std::size_t& bytes) const {
    const ib_uverbs_attr* const attr = find(id);
    bytes = attr == nullptr ? 0 : attr->len;
    if (attr == nullptr) return nullptr;
    if (attr->len <= sizeof attr->data) return reinterpret_cast<const std::byte*>(&attr->data);
    return reinterpret_cast<const std::byte*>(attr->data);
  }
  template <class T>
  T in(std::uint32_t id) const {
    std::size_t bytes = 0;
    const std::byte* const from = data(id, bytes);
    T value = {};
    if (from != nullptr) std::memcpy(&value, from, std::min(bytes, sizeof value));
    return value;
  }
  std::uint32_t handle(std::uint32_t id) const {
    const ib_uverbs_attr* const attr = find(id);
    return attr == nullptr ? 0 : static_cast<std::uint32_t>(attr->data);
  }
  template <class T>
  void out(std::uint32_t id, const T& value) const {
    ib_uverbs_attr* const attr = find(id);
    if (attr == nullptr) return;
    std::memcpy(reinterpret_cast<void*>(attr->data), &value,
                std::min<std::size_t>(attr->len, sizeof value));
    attr->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
  }
  void out_handle(std::uint32_t id, std::uint32_t value) const {
    if (ib_uverbs_attr* const attr = find(id); attr != nullptr) attr->data = value;
  }

 private:
  ib_uverbs_ioctl_hdr& header_;
};

int allocate_uar(Device& device, Context& context, const Attributes& attributes) {
  const std::uint32_t page = device.pages().allocate_uar();
  if (page == 0) return ENOSPC;
  Uar* const uar = device.add(device.uars, &context);
  uar->page = page;
  attributes.out(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET,
                 std::uint64_t{kUarOffset} + std::uint64_t{page} * kPage);
  attributes.out(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, static_cast<std::uint32_t>(kPage));
  attributes.out(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, page);
  attributes.out_handle(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, uar->handle);
  return 0;
}

int allocate_dm(Device& device, Context& context, const Attributes& attributes) {
  const auto bytes = attributes.in<std::uint64_t>(UVERBS_ATTR_ALLOC_DM_LENGTH);
  const auto alignment = attributes.in<std::uint32_t>(UVERBS_ATTR_ALLOC_DM_ALIGNMENT);
  if (attributes.in<std::uint64_t>(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE) != MLX5_IB_UAPI_DM_TYPE_MEMIC)
    return EOPNOTSUPP;
  if (bytes == 0 || bytes > Pages::kMemoryPages * kPage || alignment > 12) return EINVAL;
  const auto pages = static_cast<std::uint32_t>((bytes + kPage - 1) / kPage);
  const std::uint32_t first = device.pages().allocate_memory(pages);
  if (first == 0) return ENOMEM;
  Dm* const dm = device.add(device.dms, &context);
  dm->first_page = first;
  dm->pages = pages;
  dm->memory = device.pages().at(first);
  dm->bytes = bytes;
  attributes.out(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, std::uint64_t{0});
  attributes.out(MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, static_cast<std::uint16_t>(first));
  attributes.out_handle(UVERBS_ATTR_ALLOC_DM_HANDLE, dm->handle);
  return 0;
}

int register_dm(Device& device, Context& context, const Attributes& attributes) {
  Pd* const pd =
      Device::find(device.pds, &context, attributes.handle(UVERBS_ATTR_REG_DM_MR_PD_HANDLE));
  Dm* const dm =
      Device::find(device.dms, &context, attributes.handle(UVERBS_ATTR_REG_DM_MR_DM_HANDLE));
  const auto offset = attributes.in<std::uint64_t>(UVERBS_ATTR_REG_DM_MR_OFFSET);
  const auto bytes = attributes.in<std::uint64_t>(UVERBS_ATTR_REG_DM_MR_LENGTH);
  const auto access = attributes.in<std::uint32_t>(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS);
  if (pd == nullptr || dm == nullptr) return ENOENT;
  if (offset > dm->bytes || bytes > dm->bytes - offset) return EINVAL;
  constexpr unsigned kWrites = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  if ((access & kWrites) != 0 && (access & IBV_ACCESS_LOCAL_WRITE) == 0) return EINVAL;
  Mr* const mr = device.add(device.mrs, &context);
  mr->pd = pd;
  mr->dm = dm;
  mr->address = 0;
  mr->bytes = bytes;
  mr->memory = dm->memory + offset;
  mr->access = access;
  mr->key = device.new_key(mr);
  ++pd->users;
  ++dm->users;
  attributes.out(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, mr->key);
  attributes.out(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, mr->key);
  attributes.out_handle(UVERBS_ATTR_REG_DM_MR_HANDLE, mr->handle);
  return 0;
}

int devx_other(const Attributes& attributes) {
  std::size_t in_bytes = 0;
  const std::byte* const in = attributes.data(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in_bytes);
  ib_uverbs_attr* const out = attributes.find(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT);
  if (in == nullptr || out == nullptr || out->len < 16) return EINVAL;
  auto* const to = reinterpret_cast<std::byte*>(out->data);
  query_hca_cap(in, in_bytes, to, out->len);
  out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
  return to[0] == std::byte{0} ? 0 : EREMOTEIO;
}

// The only change of a QP by DEVX: RTS2RTS, which resets a stream of a DCI.
int devx_modify(Device& device, Context& context, const Attributes& attributes) {
  std::size_t bytes = 0;
  const std::byte* const in = attributes.data(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN, bytes);
  ib_uverbs_attr* const out = attributes.find(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT);
  Qp* const qp =
      Device::find(device.qps, &context, attributes.handle(MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE));
  constexpr std::uint16_t kRtsToRts = 0x0505;
  constexpr std::size_t kMask = 268;
  constexpr std::size_t kStream = 274;
  if (qp == nullptr || in == nullptr || out == nullptr || out->len < 16) return EINVAL;
  auto* const to = reinterpret_cast<std::byte*>(out->data);
  std::memset(to, 0, out->len);
  out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
  const bool fits = bytes >= kStream + 2 && load_be16(in) == kRtsToRts &&
                    (in[8] >> 7) == std::byte{1} && (load_be32(in + 8) & 0xff'ffff) == qp->number &&
                    load_be32(in + kMask) == 1;
  if (fits && device.reset_stream(*qp, load_be16(in + kStream))) return 0;
  to[0] = std::byte{3};  // bad parameter
  return EREMOTEIO;
}

template <class T>
int destroy(Device& device, Context& context, Table<T>& table, std::uint32_t handle) {
  T* const object = Device::find(table, &context, handle);
  return object == nullptr ? ENOENT : device.destroy(object);
}

}  // namespace

int execute_ioctl(Context& context, ib_uverbs_ioctl_hdr* header) {
  Device& device = Device::get();
  const Attributes attributes(*header);
  const Device::CallLock lock(device);
  const auto is = [header](unsigned object, unsigned method) {
    return header->object_id == object && header->method_id == method;
  };
  if (is(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC))
    return allocate_uar(device, context, attributes);
  if (is(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY))
    return destroy(device, context, device.uars,
                   attributes.handle(MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE));
  if (is(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC)) return allocate_dm(device, context, attributes);
  if (is(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE))
    return destroy(device, context, device.dms, attributes.handle(UVERBS_ATTR_FREE_DM_HANDLE));
  if (is(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG))
    return register_dm(device, context, attributes);
  if (is(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER)) return devx_other(attributes);
  if (is(MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY))
    return devx_modify(device, context, attributes);
  return EPROTONOSUPPORT;
}

}  // namespace soft_mlx5
