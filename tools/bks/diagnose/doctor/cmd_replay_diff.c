// SPDX-License-Identifier: MIT

#include "base/args.h"
#include "base/command.h"
#include "base/tool.h"
#include "diagnose/doctor/doctor_case.h"
#include "diagnose/doctor/doctor_play.h"
#include "diagnose/doctor/doctor_recorded.h"
#include "diagnose/doctor/doctor_report.h"
#include "diagnose/doctor/doctor_steps.h"

static int diff_files(doctor_case *c, bool is_json)
{
    static doctor_play straight;
    int status = doctor_files_compare(c);
    if (status != TOOL_OK) {
        return status;
    }
    doctor_page(c, &straight);
    doctor_recorded_note(c, &straight);
    doctor_play_close(&straight);
    status = c->verdict.is_same ? TOOL_OK : TOOL_NO;
    if (!doctor_print(c, is_json)) {
        status = TOOL_DAMAGED;
    }
    for (int s = 0; s < 2; s++) {
        status = c->sides[s].file.status > status ? c->sides[s].file.status : status;
    }
    return status;
}

int cmd_replay_diff(int argc, char **argv)
{
    static doctor_case c;
    const check_task task = check_task_read();
    if (task.role == CHECK_PLAYS) {
        return doctor_play_process(&task);
    }
    bool is_json = false;
    const char *game_name = NULL;
    args_list files = {0};
    const args_option options[] = {
        ARGS_RECORDED_GAME(&game_name),
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "replay diff",
        .usage = "[options] A B",
        .about =
            "Compare what two recordings both confirm: header, inputs, hashes, keyframes, joins "
            "and\n"
            "leaves, and what else both hold (--keep pages,values,marks). A tick that only one of\n"
            "them confirms is called a guess and does not count, nor does where and how long a\n"
            "match was recorded. Print the first tick and mark that differ, with object, field\n"
            "and both values, and whose hash this machine comes to. This is what 'bks doctor'\n"
            "begins with; it goes on to prove the cause. Exit status 1 if they differ.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&files, 2, 2),
    };
    int status = args_parse(&spec, argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    c.is_diff = true;
    status = doctor_open(&c, game_name, files.items[0], files.items[1]);
    if (status == TOOL_OK) {
        status = diff_files(&c, is_json);
    }
    doctor_close(&c);
    return status;
}
