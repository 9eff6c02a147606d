// SPDX-License-Identifier: MIT

#include "base/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/args.h"
#include "base/stop.h"
#include "base/tool.h"
#include "inspect/inspect_client.h"
#include "inspect/inspect_print.h"

enum { NOT_GIVEN = -1 };

static struct {
    args_list positionals;
    bool is_once;
    bool is_json;
    const char *token;
    args_list changes;
    int64_t every_ms;
    int64_t web;
} given = {.every_ms = 500, .web = NOT_GIVEN};

static const args_option options[] = {
    ARGS_FLAG("--once", &given.is_once,
              "print it once, as plain text (the default if stdout is no terminal)"),
    ARGS_INT("--every", "MS", &given.every_ms, 100, 60000, "look this often (default 500)"),
    ARGS_INT("--web", "PORT", &given.web, 0, 65535,
             "serve it to browsers of this machine instead, 0 at any port; stdout has the address"),
    ARGS_TEXT("--token", "@FILE|HEX", &given.token,
              "what the program printed at its start; it allows changes. Others see it among the "
              "arguments: give a file, or BKS_INSPECT_TOKEN in the environment"),
    ARGS_LIST("--set", "NAME=VALUE", &given.changes,
              "change something, then look: window=N, delay=auto|N, pace=slew|stall|none, "
              "link=SPEC (as --link of bks play); needs --token"),
    ARGS_JSON(&given.is_json),
};

static int parse(int argc, char **argv)
{
    const args_spec spec = {
        .command = "inspect",
        .usage = "ADDR [options]",
        .about = "Look at a running match of any program that allows it, such as\n"
                 "'bks play --inspect PORT': figures of the match and of each connection, and\n"
                 "the state's memory. ADDR is ADDR:PORT, or PORT of this machine.",
        ARGS_OPTIONS(options),
        ARGS_POSITIONALS(&given.positionals, 1, 1),
        .more = "Ctrl-C ends it.\n"
                "\n"
                "examples:\n"
                "  bks inspect 7780\n"
                "  bks inspect 7780 --once --json\n"
                "  bks inspect 7780 --web 8080\n"
                "  BKS_INSPECT_TOKEN=0123… bks inspect 7780 --set link=delay=80ms,loss=5%",
    };
    return args_parse(&spec, argc, argv);
}

static int complain_silent(const inspect_client *client)
{
    tool_complain(inspect_client_address(client),
                  "no answer, expected a match that allows 'bks inspect'");
    return TOOL_NO;
}

/// Make the changes that the command line asks for, in order.
static int make_changes(inspect_client *client)
{
    bks_inspect_request request = {0};
    bool has_token = false;
    if (given.changes.count == 0 && given.token == NULL) {
        return TOOL_OK; // ignore the token in the environment, which may be for another match
    }
    const int found = inspect_token_find(given.token, &has_token, request.token);
    if (found != TOOL_OK) {
        return found;
    }
    if (given.changes.count > 0 && !has_token) {
        tool_complain("--set", "given without a token, expected what the program printed, in "
                               "BKS_INSPECT_TOKEN or by --token");
        return TOOL_MISUSE;
    }
    for (uint32_t i = 0; i < given.changes.count; i++) {
        const char *text = given.changes.items[i];
        const char *why = "";
        char what[128];
        bks_inspect_status status = BKS_INSPECT_OK;
        snprintf(what, sizeof(what), "--set '%.100s'", text);
        if (!inspect_read_change(text, &request, &why)) {
            tool_complain(what, "cannot be read, %s", why);
            return TOOL_MISUSE;
        }
        char answer[128];
        if (!inspect_client_change(client, &request, &status, answer, sizeof(answer))) {
            return complain_silent(client);
        }
        if (status != BKS_INSPECT_OK) {
            tool_complain(what, "%s", answer);
            return TOOL_NO;
        }
    }
    return TOOL_OK;
}

static int print_once(inspect_client *client, inspect_view *view)
{
    const char *address = inspect_client_address(client);
    if (!inspect_client_poll(client, view)) {
        return complain_silent(client);
    }
    if (given.is_json) {
        return inspect_print_json(view, address, stdout) ? TOOL_OK : TOOL_DAMAGED;
    }
    const inspect_style style = {.end = "\n", .columns = 160};
    inspect_print_text(view, address, &style, stdout);
    return TOOL_OK;
}

/// Redraw the view repeatedly, from the terminal's upper left corner.
static int print_again(inspect_client *client, inspect_view *view)
{
    bool has_seen = false;
    fputs("\033[2J", stdout);
    while (!stop_is_wanted()) {
        const uint64_t begun_ns = tool_clock_ns(NULL);
        if (inspect_client_poll(client, view)) {
            has_seen = true;
            const inspect_style style = {.has_graphs = true,
                                         .has_colour = tool_has_colour(1),
                                         .end = "\033[K\n",
                                         .columns = (uint32_t)tool_columns(),
                                         .remark = "Ctrl-C ends"};
            fputs("\033[H", stdout);
            inspect_print_text(view, inspect_client_address(client), &style, stdout);
            fputs("\033[J", stdout);
            fflush(stdout);
        } else if (!stop_is_wanted()) {
            if (!has_seen) {
                return complain_silent(client);
            }
            printf("no answer any more\n");
            return TOOL_OK;
        }
        const uint64_t passed_ns = tool_clock_ns(NULL) - begun_ns;
        const uint64_t every_ns = (uint64_t)given.every_ms * UINT64_C(1000000);
        if (passed_ns < every_ns) {
            tool_sleep_ns(every_ns - passed_ns);
        }
    }
    return TOOL_OK;
}

int cmd_inspect(int argc, char **argv)
{
    int status = parse(argc, argv);
    if (status != ARGS_GO) {
        return status;
    }
    inspect_client *client = NULL;
    inspect_view *view = calloc(1, sizeof(*view));
    status = view != NULL ? inspect_client_open(given.positionals.items[0], &client) : TOOL_NO;
    stop_catch();
    if (status == TOOL_OK) {
        status = make_changes(client);
    }
    if (status == TOOL_OK) {
        const bool is_live = !given.is_once && !given.is_json && isatty(STDOUT_FILENO) != 0;
        status = given.web != NOT_GIVEN ? inspect_web_run(client, view, (uint16_t)given.web)
                 : is_live              ? print_again(client, view)
                                        : print_once(client, view);
    }
    inspect_client_close(client);
    free(view);
    return status;
}
