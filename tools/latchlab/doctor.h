#pragma once
// `latchlab doctor`: prerequisites on this machine or across a cluster.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/latchlab/run.h"

namespace latchlab::tool {

struct FabricArguments {
  HardwareArguments hardware;
  std::uint32_t nodes = 0;  // 0: the processes that MPI started, or derived from the addresses
  std::string data;
  bool json = false;
};
int doctor(const std::string& data, bool json);
int doctor_fabric(const FabricArguments& arguments);

// ---- lines of its output: the subject, the finding and the remedy ----

// `missing` and `wrong` make the command fail.
enum class Health { fine, optional, note, missing, wrong };
const char* name_of(Health health);

struct Line {
  Health health;
  std::string what;   // "simulate"
  std::string found;  // the state of the machine
  std::string fix;    // the remedy; empty: nothing to do
};
using Lines = std::vector<Line>;

bool is_well(const Lines& lines);
void print(const Lines& lines);
std::string json_of(const Lines& lines);  // an array

}  // namespace latchlab::tool
