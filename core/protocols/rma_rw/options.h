#pragma once
// RMA-RW's parameters as the code reads them, with their defaults. Names, bounds, help and sources
// are in rma_rw.cc.

#include <cstdint>

#include "core/base/time.h"

namespace latchlab::rma_rw {

enum class Form : std::uint8_t { flat, tree };
enum class Notes : std::uint8_t { messages, words };
enum class Barrier : std::uint8_t { resettable, at_most, below };

struct Options {
  Form form = Form::flat;
  std::uint64_t writer_threshold = 16;
  std::uint64_t reader_threshold = 4000;
  std::uint64_t node_threshold = 50;
  std::uint64_t group_threshold = 50;
  std::uint64_t clients_per_counter = 16;
  Notes notes = Notes::messages;
  Barrier barrier = Barrier::resettable;
  bool readers_subtract = false;
  bool successor_at_grant = false;
  Duration intra_node_delay;
  std::uint32_t max_held = 16;
};

}  // namespace latchlab::rma_rw
