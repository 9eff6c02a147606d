// SPDX-License-Identifier: MIT

// A test program says nothing of the failures that it causes on purpose: without this the library
// would print them to stderr. A test that wants them sets a sink.

#include "backstitch/base.h"

__attribute__((constructor)) static void be_quiet(void)
{
    bks_log_clear_sink();
}
