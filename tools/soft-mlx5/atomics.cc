#include "tools/soft-mlx5/atomics.h"

#include "tools/soft-mlx5/bits.h"

namespace soft_mlx5 {

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
