#pragma once
// A short list whose first N elements need no allocation, for lists of usually one or two and
// sometimes sixteen elements.

#include <array>
#include <cstddef>
#include <vector>

namespace latchlab {

template <class T, std::size_t N>
class SmallVector {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* data() const { return more_.empty() ? few_.data() : more_.data(); }
  T* data() { return more_.empty() ? few_.data() : more_.data(); }
  const T& operator[](std::size_t index) const { return data()[index]; }
  T& operator[](std::size_t index) { return data()[index]; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }

  void push_back(const T& value) {
    resize(size_ + 1);
    (*this)[size_ - 1] = value;
  }
  // New elements are T{}.
  void resize(std::size_t size) {
    for (std::size_t i = size; i < size_; ++i) (*this)[i] = T{};
    if (size > N && more_.empty()) more_.assign(few_.begin(), few_.end());
    if (!more_.empty() && size > more_.size()) more_.resize(size);
    size_ = size;
  }
  void clear() { resize(0); }

  bool operator==(const SmallVector& other) const {
    if (size_ != other.size_) return false;
    for (std::size_t i = 0; i < size_; ++i)
      if (!((*this)[i] == other[i])) return false;
    return true;
  }

 private:
  std::array<T, N> few_ = {};
  std::vector<T> more_;  // all elements, once there have been more than N
  std::size_t size_ = 0;
};

}  // namespace latchlab
