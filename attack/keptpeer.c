/* peers end to end: the bytes kept for each published tick give that tick's state hash (state-hash.md) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "game/some_game.h"
#include "peer/peer_network.h"
#include "peer/peer_inspect.h"
#include "session/session_internal.h"
#include "rollback/kept.h"
#include "base/hash.h"
#include "base/bytes.h"
static peer_network network; static uint32_t keep, window, every, pages, kind;
typedef struct root { uint64_t n; bks_ref list; uint8_t pad[48]; } root;
static void init(void *s, const bks_start *st){ (void)st; if (kind==1) { bks_arena *a=bks_arena_of(s,sizeof(root)); (void)a; } else memset(s,0,64); }
static void step(void *s, const bks_step *st)
{   uint64_t h=((root*)s)->n*6364136223846793005ull+(uint64_t)(uint32_t)st->inputs[0]*31+(uint64_t)(uint32_t)st->inputs[2]+1; ((root*)s)->n=h;
    if (kind==1) { bks_arena *a=bks_arena_of(s,sizeof(root)); size_t want=(size_t)(h>>40)%3000+1; uint8_t *b=bks_arena_alloc(a,want,8); if (b==NULL) { root keepit=*(root*)s; size_t u=bks_arena_used_bytes(a); (void)u; memset(s,0,pages*4096u-128); *(root*)s=keepit; (void)bks_arena_of(s,sizeof(root)); } else { b[0]=(uint8_t)h; b[want-1]=(uint8_t)(h>>8);} }
    else { uint32_t writes = kind==2?pages:3; for (uint32_t i=0;i<writes;i++){ h=h*6364136223846793005ull+1; ((uint8_t*)s)[64+(size_t)((h>>20)%(pages*4096ull-64))]=(uint8_t)(h>>50);} }
}
static bks_game game;
static void tune(bks_peer_config *c, uint32_t p){ (void)p; c->game=&game; c->session.tuning.keep_ticks=keep; c->session.tuning.window_ticks=window; c->session.tuning.hash_every_ticks=every; c->session.ticks=301; }
int main(void)
{
    setvbuf(stdout,NULL,_IOLBF,0); static uint8_t bytes[8<<20]; unsigned long long looked=0, wrong=0, gone=0, lost=0;
    static const struct {uint32_t kind,pages,keep,window,every,loss;} cs[]={{1,40,64,10,1,5},{1,40,64,0,1,5},{1,40,256,20,3,20},{1,9,8,10,1,10},{1,40,1,10,1,5},{0,3,64,10,1,10},{0,200,64,10,7,10},{0,200,256,30,1,30},{2,1500,64,10,1,3},{2,900,200,5,1,3},{0,3,64,10,1000,10},{0,3,2,10,1,0}};
    for (unsigned i=0;i<sizeof cs/sizeof*cs;i++) {
        kind=cs[i].kind; pages=cs[i].pages; keep=cs[i].keep; window=cs[i].window; every=cs[i].every;
        game=(bks_game){.name="k",.tick_rate_hz=60,.players_max=2,.fields=some_fields,.field_count=2,.state_bytes=pages*4096u-(kind==1?0:7),.root_bytes=kind==1?sizeof(root):0,.init=init,.step=step};
        net_create(&network,2,tune); network.loss_percent=cs[i].loss; uint64_t l0=looked,g0=gone; size_t least=SIZE_MAX,most=0;
        for (uint64_t ms=0;ms<(kind==2?2500:6500);ms+= kind==2?400:50) { net_run_until(&network,ms*NET_MS);
            for (int p=0;p<2;p++) { bks_session *s=bks_peer_session(network.peers[p].peer); const bksi_rollback *e=&s->common.engine; const bksi_kept_pages *k=bksi_runner_kept(bksi_peer_runner(network.peers[p].peer));
                for (bks_tick t=bks_session_published(s); t>=0 && t>bks_session_published(s)-(bks_tick)(keep*every)-2; t--) { uint64_t want; if (bks_session_hash(s,t,&want)!=BKS_OK) continue;
                    uint32_t slot=bksi_kept_find(&e->kept,t); if (slot==BKS_KEEP_NONE) { gone++; continue; }
                    size_t n=bksi_kept_pages_count(k,slot); if (n>sizeof bytes) abort(); memset(bytes,0,(n+4095)/4096*4096); bksi_kept_pages_read(k,slot,0,bytes,n);
                    uint64_t ph[2048]; size_t np=(n+4095)/4096; for (size_t q=0;q<np;q++) bksi_put_u64((uint8_t*)&ph[q],bksi_hash64(bytes+q*4096,4096,0));
                    looked++; least=n<least?n:least; most=n>most?n:most; if (bksi_hash64(ph,np*8,n)!=want) { wrong++; if (wrong<5) printf("case %u peer %d tick %d slot %u: kept bytes are not its state\n",i,p,t,slot); } } } }
        bks_stats st; (void)!bks_session_stats(bks_peer_session(network.peers[0].peer),&st); lost+=st.kept_lost;
        printf("case %2u kind %u pages %4u keep %3u window %2u every %4u: looked at %llu (%zu to %zu bytes), not there %llu, kept_lost %llu, tick %d\n",i,kind,pages,keep,window,every,(unsigned long long)(looked-l0),least,most,(unsigned long long)(gone-g0),(unsigned long long)st.kept_lost,(int)network.peers[0].tick); net_destroy(&network); }
    printf("kept states looked at %llu, wrong %llu\n",looked,wrong); return 0;
}
