/* a hostile host's REFUSE 12 before START: is name_parts called without a state? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session/toy_network.h"
#include "session/inside.h"
#include "session/session_internal.h"
#include "wire/join.h"
#include "wire/packet.h"
static toy_network net;
static int called, has_state;
static size_t name_parts(void *context, const uint8_t *differ, uint32_t n, char *out, size_t cap)
{
    (void)context; (void)differ; (void)n; called++; has_state = net.peers[1].session->lobby.start.is_made;
    return (size_t)snprintf(out, cap, "in nothing");
}
static void tune(bks_session_config *c, uint32_t p){ c->ticks = 600; if (p == 1) c->name_parts = name_parts; c->players = c->players; }
int main(void)
{
    toy_create(&net, 3, 5, tune);
    net.delay_ns = 20 * TOY_MS;
    net.cut[2] = 255; net.cut[0] = 4; net.cut[1] = 4; /* the third does not come: the roster gathers */
    toy_run_until(&net, 500 * TOY_MS);
    bks_session *guest = net.peers[1].session, *host = net.peers[0].session;
    printf("guest: phase %d, made a state: %d, knows seats %x\n", bks_session_phase(guest), guest->lobby.start.is_made, guest->common.seats.all);
    bksi_refuse refuse = {.reason = BKSI_REFUSED_UNEQUAL, .nonce = guest->common.config.nonce, .compat = guest->common.compat};
    refuse.difference.peers = 2; refuse.difference.parts = 120; memset(refuse.difference.differ, 255, 15);
    uint8_t body[BKSI_BODY_BYTES_MAX]; bksi_byte_writer w = bksi_byte_writer_over(body, sizeof body);
    bksi_refuse_write(&w, &refuse);
    inside_say(guest, net.now_ns, host, BKSI_PACKET_REFUSE, body, w.at);
    printf("name_parts called %d times, state made %d; phase now %d\n", called, has_state, bks_session_phase(guest));
    bks_event e; while (bks_session_event(guest, &e)) printf("event %d: %s (own hash %llx)\n", e.kind, e.text, (unsigned long long)e.own_hash);
    return 0;
}
