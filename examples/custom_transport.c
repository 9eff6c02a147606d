// SPDX-License-Identifier: MIT
// A match over your own transport: an engine's socket layer, a relay, a platform's networking.
//
// bks_match needs two callbacks from a network. In this example they use a pair of mailboxes in
// memory, and two matches run in this process, on one thread.

#include <backstitch/backstitch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The transport -----------------------------------------------------------------------------------

enum { LETTERS_MAX = 64 };

typedef struct mail_letter {
    size_t count;
    uint8_t bytes[BKS_PACKET_BYTES_MAX];
} mail_letter;

/// One side of the pair. Messages lie in a ring. When it is full, the next message is lost, as a
/// network may lose it.
typedef struct mailbox {
    struct mailbox *other;
    bks_address address; ///< address of the side; it may be any bytes
    mail_letter letters[LETTERS_MAX];
    size_t first, waiting;
} mailbox;

static bks_status mailbox_send(void *context, const bks_address *to, const void *bytes,
                               size_t count)
{
    mailbox *receiver = ((mailbox *)context)->other;
    if (!bks_address_equal(to, &receiver->address) || receiver->waiting == LETTERS_MAX) {
        return BKS_OK; // lost on the way, which is not an error
    }
    mail_letter *letter = &receiver->letters[(receiver->first + receiver->waiting++) % LETTERS_MAX];
    letter->count = count;
    memcpy(letter->bytes, bytes, count);
    return BKS_OK;
}

static size_t mailbox_receive(void *context, bks_address *from, void *bytes, size_t capacity)
{
    mailbox *own = context;
    if (own->waiting == 0) {
        return 0;
    }
    const mail_letter *letter = &own->letters[own->first];
    own->first = (own->first + 1) % LETTERS_MAX;
    own->waiting--;
    if (letter->count > capacity) {
        return 0;
    }
    *from = own->other->address;
    memcpy(bytes, letter->bytes, letter->count);
    return letter->count;
}

// The game: the player that presses more often wins
// -------------------------------------------------------

typedef struct race_state {
    int32_t presses[2];
} race_state;

static void race_init(void *state, const bks_start *start)
{
    (void)start;
    memset(state, 0, sizeof(race_state));
}

static void race_step(void *state, const bks_step *step)
{
    race_state *race = state;
    for (uint32_t player = 0; player < step->players; player++) {
        const int32_t *button = bks_step_input(step, player);
        race->presses[player] += *button;
    }
}

static const bks_field race_fields[] = {{.name = "button", .bits = 1}};

static const bks_game race = {.name = "race",
                              .version = 1,
                              .tick_rate_hz = 120,
                              .players_min = 2,
                              .players_max = 2,
                              .fields = race_fields,
                              .field_count = 1,
                              .state_bytes = sizeof(race_state),
                              .init = race_init,
                              .step = race_step};

/// Press at random, in `context` of 100 ticks.
static void press(void *context, const bks_sample *sample, int32_t *values)
{
    (void)sample;
    values[0] = rand() % 100 < *(const int *)context;
}

// -------------------------------------------------------------------------------------------------

static bks_match *open_side(mailbox *own, bool is_host, int *diligence)
{
    bks_transport transport = {.send = mailbox_send, .receive = mailbox_receive, .context = own};
    bks_match_config config = bks_match_config_default();
    config.game = &race;
    config.transport = &transport;
    // No invitation carries the key, so both sides must know it. A real key is 32 random bytes that
    // reach the guests over a channel that others cannot read.
    memset(config.key, 42, sizeof(config.key));
    config.ticks = 240;
    config.record = false;
    config.sources[0] = (bks_source){.sample = press, .context = diligence};
    if (!is_host) {
        config.host_address = own->other->address;
    }

    bks_match *match = NULL;
    bks_error error;
    if (bks_match_open(&config, &match, &error) != BKS_OK) {
        fprintf(stderr, "custom_transport: %s\n", error.text);
        exit(1);
    }
    return match;
}

int main(void)
{
    static mailbox left, right;
    left.other = &right;
    right.other = &left;
    left.address = (bks_address){.length = 4, .bytes = "left"};
    right.address = (bks_address){.length = 5, .bytes = "right"};

    int often = 60, seldom = 40;
    bks_match *host = open_side(&left, true, &often);
    bks_match *guest = open_side(&right, false, &seldom);
    bks_status host_status = BKS_OK;
    bks_status guest_status = BKS_OK;
    while (host_status == BKS_OK || guest_status == BKS_OK) {
        (void)bks_match_wait(host);
        host_status = bks_match_update(host);
        guest_status = bks_match_update(guest);
    }

    race_state on_host = *(const race_state *)bks_match_state(host);
    race_state on_guest = *(const race_state *)bks_match_state(guest);
    printf("host:  %d to %d, %s\n", on_host.presses[0], on_host.presses[1],
           bks_status_text(host_status));
    printf("guest: %d to %d, %s\n", on_guest.presses[0], on_guest.presses[1],
           bks_status_text(guest_status));
    bks_match_close(host);
    bks_match_close(guest);
    bool is_same = memcmp(&on_host, &on_guest, sizeof(on_host)) == 0;
    return is_same && host_status == BKS_OVER && guest_status == BKS_OVER ? 0 : 1;
}
