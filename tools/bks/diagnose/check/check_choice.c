// SPDX-License-Identifier: MIT

#include "diagnose/check/check_choice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/tool.h"

// One of the list: its name, and what stands behind '='.
typedef struct asked {
    const char *name;
    const char *value; ///< NULL: none
} asked;

static int complain_name(const char *name)
{
    char names[512] = "";
    for (uint32_t i = 0; i < check_variant_count; i++) {
        const size_t used = strlen(names);
        (void)snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "",
                       check_variants[i].name);
    }
    tool_complain("--variants", "has '%s', expected some of %s, with commas between them", name,
                  names);
    return TOOL_MISUSE;
}

static int check_value(const check_variant *variant, const char *value, int64_t ticks)
{
    const char *name = variant->name;
    int64_t number = 0;
    if (value != NULL && variant->takes == CHECK_TAKES_NOTHING) {
        tool_complain("--variants", "has '%s=%s', but '%s' takes no value", name, value, name);
    } else if (value == NULL && variant->takes == CHECK_TAKES_GAME) {
        tool_complain("--variants", "has '%s' without a value, expected another build: %s=OTHER.so",
                      name, name);
    } else if (value != NULL && variant->takes == CHECK_TAKES_TICK &&
               (!args_number(value, &number) || number < 1 || number >= ticks)) {
        tool_complain("--variants", "has '%s=%s', expected a tick from 1 to %" PRId64, name, value,
                      ticks - 1);
    } else {
        return TOOL_OK;
    }
    return TOOL_MISUSE;
}

// Cut the next one from a list.
static asked next_asked(char **list)
{
    char *text = *list;
    asked next = {.name = text};
    const size_t length = strcspn(text, ",");
    *list = text[length] == ',' ? text + length + 1 : NULL;
    text[length] = '\0';
    char *equals = strchr(text, '=');
    if (equals != NULL) {
        *equals = '\0';
        next.value = equals + 1;
    }
    return next;
}

int check_choice_read(const char *list, int64_t ticks, check_choice *out)
{
    static char text[8192];
    *out = (check_choice){0};
    for (uint32_t i = 0; list == NULL && i < check_variant_count; i++) {
        out->is_chosen[i] = true;
    }
    if (list != NULL && (size_t)snprintf(text, sizeof(text), "%s", list) >= sizeof(text)) {
        tool_complain("--variants", "is longer than %zu bytes", sizeof(text) - 1);
        return TOOL_MISUSE;
    }
    for (char *at = list != NULL ? text : NULL; at != NULL;) {
        const asked next = next_asked(&at);
        const check_variant *variant = check_variant_find(next.name);
        const size_t i = variant != NULL ? (size_t)(variant - check_variants) : check_variant_count;
        if (i >= check_variant_count) {
            return complain_name(next.name);
        }
        if (check_value(variant, next.value, ticks) != TOOL_OK) {
            return TOOL_MISUSE;
        }
        out->is_chosen[i] = true;
        out->values[i] = next.value;
    }
    return TOOL_OK;
}
