#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "session/toy_network.h"
#include "session/session_internal.h"
#include "rollback/kept.h"
#include "state/kept_pages.h"
#include "support/counting_allocator.h"
static toy_network net;
static void tune(bks_session_config *c, uint32_t p){ (void)p; c->ticks=0; c->tuning.window_ticks=10; c->tuning.hash_every_ticks=1; c->tuning.keep_ticks=64; }
int main(void)
{
    { const bks_allocator std={0}; bksi_kept k; (void)!bksi_kept_create(&k,8,&std); bksi_kept_start(&k,1,true); /* nobody agrees on anything */
      unsigned held=0; for (bks_tick t=0;t<100;t++){ (void)bksi_kept_place(&k,t); if (t==50) bksi_kept_failed(&k,t); }
      for (bks_tick t=0;t<100;t++) held += bksi_kept_find(&k,t)!=BKS_KEEP_NONE;
      printf("lost: 100 ticks, 1 did not fit, none agreed: held %u, kept_lost %llu, so %d go uncounted\n",held,(unsigned long long)k.lost,100-(int)held-(int)k.lost); bksi_kept_destroy(&k,&std);
      (void)!bksi_kept_create(&k,8,&std); bksi_kept_start(&k,1,true);
      for (bks_tick t=0;t<5;t++) (void)bksi_kept_place(&k,t); 
      (void)bksi_kept_place(&k,7); bksi_kept_failed(&k,7); (void)bksi_kept_place(&k,7); /* stepped again: it fits now */
      printf("a guess of tick 7 did not fit, the final one does: find %s, kept_lost %llu\n",bksi_kept_find(&k,7)!=BKS_KEEP_NONE?"there":"gone",(unsigned long long)k.lost); 
      bksi_kept_destroy(&k,&std);
    }
    static const struct { uint32_t keep; size_t bytes; } cases[]={{64,1u<<20},{64,16u<<20},{64,128u<<20},{64,200u<<20},{64,256u<<20},{256,128u<<20},{256,256u<<20},{256,(256u<<20)+1},{0,1u<<20}};
    for (unsigned i=0;i<sizeof cases/sizeof*cases;i++) {
        /* as runner.c make_kept */
        uint64_t two=2*(uint64_t)cases[i].bytes, most=two>(UINT64_C(256)<<20)?UINT64_C(256)<<20:two; most=most>(UINT64_C(16)<<20)?most:UINT64_C(16)<<20;
        /* count without touching: an allocator that only counts */
        const size_t pages=(cases[i].bytes+4095)/4096; const uint32_t slots=cases[i].keep?cases[i].keep+2:0; const size_t p=pages<=most/4096?pages:0;
        const size_t want=(size_t)slots*p, pool=want<most/4096?want:most/4096;
        double tables=(double)slots*(double)p*12+(double)pool*6; 
        bksi_kept_pages *k=NULL; const bks_allocator std={0}; bks_status st=bksi_kept_pages_create(slots,cases[i].bytes,(size_t)most,&std,&k); bksi_kept_pages_destroy(k);
        printf("keep %u, state %.1f MiB: pages %.1f MiB + tables %.1f MiB (create %d)\n",cases[i].keep,(double)cases[i].bytes/1048576,(double)pool*4096/1048576,tables/1048576,st);
    }
    for (int liar=0; liar<2; liar++) {
        toy_create(&net,2,5,tune); net.delay_ns=40*TOY_MS; 
        if (!liar) net.peers[1].flip_tick=300;
        bks_tick differs=-1; long truly=-1; 
        for (uint64_t ms=0;ms<9000;ms+=5){ toy_run_until(&net,ms*TOY_MS); 
            bks_session *s=net.peers[0].session; if (differs<0 && s->checking.peers[1].differs) { differs=s->checking.peers[1].differs_tick; truly=s->checking.peers[1].agreed; printf("differs at tick %d seen at published %d, agreed %d\n",differs,bks_session_published(s),s->common.engine.kept.agreed);} 
            if (liar && ms==5000) net.peers[1].session->checking.peers[0].agreed+=0; }
        bks_session *s=net.peers[0].session;
        printf("later: published %d, kept.agreed %d though peer 1 agreed last on %ld; state of that tick %s; pins %d %d; lost %llu\n",bks_session_published(s),s->common.engine.kept.agreed,truly,truly>=0&&bksi_kept_find(&s->common.engine.kept,(bks_tick)truly)!=BKS_KEEP_NONE?"kept":"gone",s->common.engine.kept.pins[0].tick,s->common.engine.kept.pins[1].tick,(unsigned long long)s->common.engine.kept.lost);
        toy_destroy(&net); break;
    }
    return 0;
}
