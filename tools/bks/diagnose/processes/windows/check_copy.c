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

bool check_copy_wait(const check_guest *guest, pid_t process)
{
    (void)guest, (void)process;
    return false;
}
