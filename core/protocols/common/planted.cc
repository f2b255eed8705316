#include "core/protocols/common/planted.h"

#ifdef LATCHLAB_PLANTED_BUGS
namespace latchlab::planted {
Bug active = Bug::none;
}  // namespace latchlab::planted
#endif
