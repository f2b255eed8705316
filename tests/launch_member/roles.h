#pragma once
// Roles of launch_member; each returns the exit code.

#include <cstdint>
#include <string>

int be_a_member(std::uint16_t port, const std::string& token, int rank);

// Rank 0: the coordinator, with a process of its own for rank 0, started as `program`; it prints
// the result of each rank. Other ranks: members.
int run_under_mpi(const std::string& program);
