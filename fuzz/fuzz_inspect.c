// SPDX-License-Identifier: MIT

// Sends any packet to a match that can be inspected, and reads any packet as an answer. The first
// byte of the input decides whether the token is right. For each packet there is one answer of one
// size or none, all reads stay within the answer, and nothing changes without the right token.

#include <stdlib.h>
#include <string.h>

#include "backstitch/toolkit/inspector.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static const bks_field fields[] = {{.name = "x", .bits = 4}};
static bks_session *session;
static bks_figures figures;
static uint8_t region[4096];
static const uint8_t token[BKS_INSPECT_TOKEN_BYTES] = {1};
static uint32_t links_changed;

static bool change_link(void *context, const char *link)
{
    (void)context;
    must(strlen(link) < BKS_INSPECT_LINK_BYTES);
    links_changed++;
    return link[0] == 'd';
}

static const char *link_now(void *context)
{
    (void)context;
    return "perfect";
}

static void set_up(void)
{
    bks_session_config config = bks_session_config_default();
    config.game_name = "fuzz";
    config.fields = fields;
    config.field_count = 1;
    config.is_host = true;
    config.key[0] = config.identity[0] = config.entropy[0] = 1;
    must(bks_session_create(&config, &session, NULL) == BKS_OK);
    figures.links[1].has_peer = true;
}

static bool is_text(const char *text, size_t capacity)
{
    return memchr(text, '\0', capacity) != NULL;
}

static void read(const void *bytes, size_t count)
{
    static bks_inspect_answer_read answer;
    if (bks_inspect_read(bytes, count, &answer) == BKS_OK) {
        must(answer.kind >= BKS_INSPECT_SUMMARY && answer.kind <= BKS_INSPECT_CHANGE);
        must(answer.status <= BKS_INSPECT_NOT_THERE);
        must(answer.part_count <= BKS_INSPECT_PARTS_MAX);
        must(is_text(answer.summary.game, sizeof(answer.summary.game)));
        must(is_text(answer.summary.link, sizeof(answer.summary.link)));
        must(answer.figure.mean == answer.figure.mean);
        for (uint32_t i = 0; i < BKS_INSPECT_PARTS_MAX; i++) {
            must(is_text(answer.parts[i].name, sizeof(answer.parts[i].name)));
        }
    }
}

static void ask(const uint8_t *bytes, size_t count, bool has_token)
{
    const bks_inspected inspected = {.session = session,
                                     .game = "fuzz",
                                     .figures = &figures,
                                     .state = region,
                                     .state_bytes = sizeof(region),
                                     .root_bytes = 64,
                                     .token = has_token ? token : NULL,
                                     .change_link = change_link,
                                     .link = link_now};
    uint8_t out[BKS_INSPECT_BYTES];
    bks_tuning before;
    bks_tuning after;
    links_changed = 0;
    (void)bks_session_tuning(session, &before);
    const size_t answered = bks_inspect_answer(&inspected, bytes, count, out);
    (void)bks_session_tuning(session, &after);
    must(answered == 0 || (answered == BKS_INSPECT_BYTES && answered == count));
    must(has_token || (links_changed == 0 && memcmp(&before, &after, sizeof(before)) == 0));
    if (answered > 0) {
        static bks_inspect_answer_read answer;
        must(bks_inspect_read(out, answered, &answer) == BKS_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    if (session == NULL) {
        set_up();
    }
    if (count == 0) {
        return 0;
    }
    // Fill the game's state from the input, too.
    memcpy(region, bytes + 1, count - 1 < sizeof(region) ? count - 1 : sizeof(region));
    // Pad some short inputs, so that more are packets. The copy has exactly the size of the packet.
    const bool is_padded = (bytes[0] & 2) != 0;
    const size_t size = is_padded ? BKS_INSPECT_BYTES : count - 1;
    uint8_t *packet = calloc(size + (size == 0), 1);
    must(packet != NULL);
    memcpy(packet, bytes + 1, count - 1 < size ? count - 1 : size);
    ask(packet, size, (bytes[0] & 1) != 0);
    read(packet, size);
    free(packet);
    return 0;
}
