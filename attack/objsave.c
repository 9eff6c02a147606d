/* a game that keeps its state to itself: how often is `save` called a tick? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "game/some_game.h"
#include "peer/peer_network.h"
static peer_network network; static uint64_t saves, steps, saved_bytes; static uint32_t keep, window, every;
typedef struct obj { uint8_t bytes[65536]; uint32_t n; } obj;
static void *create(const bks_start *s){ (void)s; return calloc(1,sizeof(obj)); }
static void destroy(void *o){ free(o); }
static size_t save(const void *o, void *b, size_t cap){ saves++; if (cap<sizeof(obj)) return 0; memcpy(b,o,sizeof(obj)); saved_bytes+=sizeof(obj); return sizeof(obj); }
static bool load(void *o, const void *b, size_t n){ if (n!=sizeof(obj)) return false; memcpy(o,b,n); return true; }
static void hash(const void *o, bks_hasher *h){ bks_hash_add(h,o,sizeof(obj)); }
static void init(void *o, const bks_start *s){ (void)s; memset(o,0,sizeof(obj)); }
static void step(void *o, const bks_step *s){ (void)s; ((obj*)o)->n++; ((obj*)o)->bytes[((obj*)o)->n%65536]++; steps++; }
static bks_game game;
static void tune(bks_peer_config *c, uint32_t p){ (void)p; c->game=&game; c->session.tuning.keep_ticks=keep; c->session.tuning.window_ticks=window; if (every) c->session.tuning.hash_every_ticks=every; }
int main(void)
{
    game=(bks_game){.name="o",.tick_rate_hz=60,.players_max=2,.fields=some_fields,.field_count=2,.create=create,.destroy=destroy,.save=save,.load=load,.hash=hash,.save_bytes_max=sizeof(obj),.init=init,.step=step};
    static const struct {uint32_t k,w,e;} cs[]={{64,10,0},{0,10,0},{64,0,0},{0,0,0},{64,0,1},{0,0,1}};
    for (int i=0;i<6;i++){ keep=cs[i].k; window=cs[i].w; every=cs[i].e; saves=steps=saved_bytes=0; net_create(&network,2,tune); net_run_until(&network,10000*NET_MS); 
      bks_stats st; memset(&st,0,sizeof st); 
      printf("window %u keep %u hash_every %s: tick %d, steps %llu, saves %llu = %.2f a step\n",window,keep,every?"1":"default",(int)network.peers[0].tick,(unsigned long long)steps,(unsigned long long)saves,(double)saves/(double)steps); net_destroy(&network);} 
    return 0;
}
