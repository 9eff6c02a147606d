// SPDX-License-Identifier: MIT

#include "diagnose/processes/check_options.h"

#include <string.h>

#include "base/tool.h"

// Number of texts before the given options in check_plan.texts: game, input, recorded, value.
enum { TEXTS = 4 };

static const char *text_at(const check_options *options, uint32_t index)
{
    const char *const texts[TEXTS] = {options->game, options->input, options->recorded,
                                      options->value};
    const char *text = index < TEXTS ? texts[index] : options->given_options.items[index - TEXTS];
    return text != NULL ? text : "";
}

bool check_options_write(const check_options *options, check_plan *plan)
{
    size_t used = 0;
    plan->first = options->first;
    plan->ticks = options->ticks;
    plan->seed = options->seed;
    plan->players = options->players;
    plan->is_serial = options->is_serial;
    plan->option_count = options->given_options.count;
    for (uint32_t i = 0; i < TEXTS + plan->option_count; i++) {
        const char *text = text_at(options, i);
        const size_t count = strlen(text) + 1;
        if (count > sizeof(plan->texts) - used) {
            tool_complain("check", "is given more than %zu bytes of paths and options",
                          sizeof(plan->texts));
            return false;
        }
        memcpy(plan->texts + used, text, count);
        used += count;
    }
    return true;
}

int check_options_read(const check_plan *plan, check_options *out)
{
    static check_plan own; // a copy, because the tape may be mapped elsewhere later
    static replay_file recording;
    own = *plan;
    *out = (check_options){.first = own.first,
                           .ticks = own.ticks,
                           .seed = own.seed,
                           .players = own.players,
                           .is_serial = own.is_serial};
    const char **const texts[TEXTS] = {&out->game, &out->input, &out->recorded, &out->value};
    const char *text = own.texts;
    for (uint32_t i = 0; i < TEXTS + own.option_count; i++) {
        if (i < TEXTS) {
            *texts[i] = text[0] != '\0' ? text : NULL;
        } else {
            out->given_options.items[out->given_options.count++] = text;
        }
        text += strlen(text) + 1;
    }
    if (out->recorded == NULL) {
        return TOOL_OK;
    }
    const int status = replay_file_open(out->recorded, &recording);
    replay_file_check(&recording);
    out->recording = &recording;
    return status != TOOL_OK ? status : recording.status;
}
