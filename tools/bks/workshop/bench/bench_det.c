// SPDX-License-Identifier: MIT

// What the library's mathematics costs beside the C library's.

#include <stdio.h>

#include "base/args.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/tool.h"
#include "workshop/bench/bench.h"
#include "workshop/bench/bench_det_run.h"

static void print_timed(const det_timed *row)
{
    const double times = row->own_ns / row->libm_ns;
    printf("  %-8s %-14s %7.2f %7.2f %6.2f", row->name, row->arguments, row->own_ns, row->libm_ns,
           times);
    if (row->goal > 0) {
        printf("   %.1f%s\n", row->goal, times > row->goal ? "  missed" : "");
    } else {
        printf("   none\n");
    }
}

static void json_timed(json *out, const det_timed *row)
{
    json_object(out, NULL);
    json_text(out, "name", row->name);
    json_text(out, "arguments", row->arguments);
    json_number(out, "own_ns", row->own_ns, 2);
    json_number(out, "libm_ns", row->libm_ns, 2);
    json_number(out, "goal", row->goal, 1);
    json_close(out);
}

static int measure(bool is_json)
{
    json out;
    if (is_json) {
        json_begin(&out, stdout);
        json_text(&out, "bench", "det");
        json_array(&out, "functions");
    } else {
        printf("  function arguments       own ns libm ns  times   goal\n");
    }
    progress bar;
    progress_begin(&bar, "det", det_timed_count());
    for (uint32_t i = 0; i < det_timed_count(); i++) {
        progress_show(&bar, i);
        const det_timed row = det_time(i);
        progress_end(&bar); // wipes it away; the next progress_show() draws it again
        if (is_json) {
            json_timed(&out, &row);
        } else {
            print_timed(&row);
        }
    }
    if (is_json) {
        json_close(&out);
        return json_end(&out) ? TOOL_OK : TOOL_DAMAGED;
    }
    return TOOL_OK;
}

int bench_det(int argc, char **argv)
{
    bool is_json = false;
    const args_option options[] = {
        ARGS_JSON(&is_json),
    };
    const args_spec spec = {
        .command = "bench det",
        .usage = "[options]",
        .about =
            "Print how long a call of each function of the library's mathematics takes, and one\n"
            "of the C library's of the same name, in ns of processor time: the least mean of\n"
            "200 rounds over 4096 arguments.",
        ARGS_OPTIONS(options),
    };
    const int status = args_parse(&spec, argc, argv);
    return status == ARGS_GO ? measure(is_json) : status;
}
