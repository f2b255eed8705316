#pragma once
// Planted bugs: PLANTED(name) is false at compile time in shipped objects. The tests link a second
// build of the protocols in which it reads a flag, so that each safety check can be seen to fail
// when the protocol is broken. The list below names each bug once; tests/planted says which check
// must catch it and within what budget.

namespace latchlab::planted {

enum class Bug {
  none,
  cas_release_by_non_holder,      // a client that gives up waiting frees the lock all the same
  cas_release_too_wide,           // the WRITE that frees the lock is 8 bytes longer than the lock
  mcs_early_handover,             // handed over before the critical section ends
  dslr_reader_ignores_nx,         // a reader does not wait for earlier writers
  dslr_no_count_max_reset,        // tickets run over
  shiftlock_no_relcnt_wait,       // a writer does not wait for RelCnt
  shiftlock_no_epoch_flip,        // the mode change leaves Epoch as it is
  shiftlock_late_release,         // releases after its lock was recovered
  cohort_enters_without_leading,  // told to lead, a client enters without taking the lock
  cohort_frees_and_passes,        // the lock is given back, and handed on at home as well
  cohort_forgets_its_neighbour,   // whoever is next on the node is never told
};

#ifdef LATCHLAB_PLANTED_BUGS
extern Bug active;
inline bool is_active(Bug bug) {
  return active == bug;
}
#else
constexpr bool is_active(Bug) {
  return false;
}
#endif

}  // namespace latchlab::planted

#define PLANTED(name) (::latchlab::planted::is_active(::latchlab::planted::Bug::name))
