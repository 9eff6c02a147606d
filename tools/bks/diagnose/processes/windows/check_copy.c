// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_copy.h"

bool check_copy_is_possible(void)
{
    return false;
}

pid_t check_copy_make(void)
{
    return -1;
}

bool check_copy_wait(const variant_process *variant, pid_t process)
{
    (void)variant, (void)process;
    return false;
}
