// SPDX-License-Identifier: MIT

#include <stdio.h>
#include <string.h>

#include "bad_arguments.h"

static void bad_arguments_of_the_log(void)
{
    REFUSES(bks_log_set_sink(NULL) == BKS_ERR_BAD_ARGUMENT, "sink", NULL);
    REFUSES(bks_log_set_sink(&(bks_log_sink){0}) == BKS_ERR_BAD_ARGUMENT, "sink->write", NULL);
    ALLOWS(strcmp(bks_status_text((bks_status)99), "unknown status") == 0);
    ALLOWS(bks_arithmetic_text(0)[0] == '\0' && strlen(bks_arithmetic_text(UINT32_MAX)) > 0);
    ALLOWS(strcmp(bks_status_name((bks_status)-99), "BKS_ERR_UNKNOWN") == 0);
    bks_log_clear_sink();
    ALLOWS(bks_log_set_sink(NULL) == BKS_ERR_BAD_ARGUMENT); // without a sink nothing crashes
    bad_arguments_listen();
}

int main(void)
{
    (void)setvbuf(stdout, NULL, _IONBF, 0); // lines printed before a crash are not lost
    bad_arguments_listen();
    bad_arguments_of_the_log();
    bad_arguments_of_game();
    bad_arguments_of_det();
    bad_arguments_of_session();
    bad_arguments_of_match();
    bad_arguments_of_lab();
    bad_arguments_of_replay();
    return bad_arguments_report() == 0 ? 0 : 1;
}
