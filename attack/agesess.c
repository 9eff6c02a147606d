/* sessions on the toy network; a member (match key alone) sits on the way and writes the age of ANSWERs */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sodium.h>
#include "session/toy_network.h"
#include "session/session_internal.h"
#include "net/guard_parts.h"
#include "base/bytes.h"
static toy_network net;
static uint8_t hello[8][8][512]; static size_t hello_count[8][8];
static uint32_t forged, mode, age_units, hello_seen[8][8], hello_drop;
static bool on_path(const toy_network *n, uint32_t from, uint32_t to, const uint8_t *bytes, size_t count)
{
    (void)n;
    if (count < 3 || bytes[0] >> 4 != 0) return false;
    if (bytes[1] == 1 && count == 420) { memcpy(hello[from][to], bytes, count); hello_count[from][to] = count;
        return from != 0 && to != 0 && hello_seen[from][to]++ < hello_drop; }
    if (mode && bytes[1] == 2 && hello_count[to][from]) {
        bksi_noise k = n->peers[from].session->common.guard.start; /* what the match key gives */
        uint8_t plain[1500]; size_t pc;
        if (!bksi_noise_read(&k, hello[to][from] + 2, 420 - 18, plain, &pc)) return false;
        uint8_t *b = (uint8_t *)(uintptr_t)bytes;
        bksi_put_u16(b + count - 18, (uint16_t)age_units);
        crypto_generichash(b + count - 16, 16, b, count - 16, k.chain, BKSI_NOISE_HASH_BYTES);
        forged++;
    }
    return false;
}
static uint32_t peers; static uint64_t delay_ms;
static void tune(bks_session_config *c, uint32_t p){ (void)p; c->ticks = 0; }
int main(int argc, char **argv)
{
    peers = (uint32_t)atoi(argv[1]); delay_ms = (uint64_t)atoi(argv[2]); mode = atoi(argv[3]) >= 0; age_units = (uint32_t)atoi(argv[3]); hello_drop = argc > 4 ? (uint32_t)atoi(argv[4]) : 0;
    toy_create(&net, peers, 5, tune);
    net.delay_ns = delay_ms * TOY_MS; net.loses = on_path;
    double first[8][8]; for (int i=0;i<64;i++) (&first[0][0])[i] = -1;
    double began[8]; for (int i=0;i<8;i++) began[i]=-1;
    double changes0 = 0; uint64_t ch = 0;
    for (uint64_t ms = 0; ms < 8000; ms += 1) {
        toy_run_until(&net, ms * TOY_MS);
        for (uint32_t p=0;p<peers;p++) { bks_session *s = net.peers[p].session;
            for (uint32_t q=0;q<peers;q++) { bksi_link *l = &s->common.links.peers[q].link;
                if (p!=q && l->has_round_trip && first[p][q] < 0) first[p][q] = l->round_trip_ns/1e6; }
            if (began[p] < 0 && bks_session_tick(s) > 0) began[p] = (double)ms; }
    }
    (void)changes0;
    for (uint32_t p=0;p<peers;p++) for (uint32_t q=0;q<peers;q++) ch += net.peers[p].session->ways.paths.peers[q].changes;
    printf("delay %llu ms, age %s, forged %u, first HELLOs lost %u\n first measured trips (true %llu):", (unsigned long long)delay_ms, mode?argv[3]:"-", forged, hello_drop, 2*(unsigned long long)delay_ms);
    for (uint32_t p=0;p<peers;p++) for (uint32_t q=0;q<peers;q++) if (p!=q) printf(" %u>%u:%.0f", p,q,first[p][q]);
    printf("\n first tick at ms:"); for (uint32_t p=0;p<peers;p++) printf(" %.0f", began[p]);
    printf("; path changes %llu; host clock trip_us:", (unsigned long long)ch); for (uint32_t p=1;p<peers;p++) printf(" %d", net.peers[p].session->lobby.host_clock.trip_us);
    printf("\n");
    { uint64_t before[8][8]; for (uint32_t p=0;p<peers;p++) for(uint32_t q=0;q<peers;q++) before[p][q]=net.peers[p].session->common.links.peers[q].packets_sent;
      toy_run_until(&net, 18000ull*TOY_MS);
      printf(" packets a second at 8..18 s:"); for (uint32_t p=0;p<peers;p++) for(uint32_t q=0;q<peers;q++) if(p!=q) printf(" %u>%u:%.1f",p,q,(double)(net.peers[p].session->common.links.peers[q].packets_sent-before[p][q])/10.0);
      for (uint32_t p=0;p<peers;p++){ bks_stats st; if (bks_session_stats(net.peers[p].session,&st)==BKS_OK) printf(" | peer %u starved %llu tick %d",p,(unsigned long long)st.starved_ticks,(int)bks_session_tick(net.peers[p].session)); }
      printf("\n"); }
    toy_destroy(&net); return 0;
}
