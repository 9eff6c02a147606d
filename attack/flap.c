/* one of four lies in echoes; do the ways to the others move? */
#include <stdio.h>
#include <string.h>
#include "net/paths.h"
#include "net/route.h"
#define MS 1000000ull
static void run(int lies, int cut12)
{
    static bksi_paths p; bksi_paths_init(&p,0,15,1000*MS); bksi_paths_set_calm(&p,true);
    uint64_t now=1000*MS; uint64_t trips[BKS_PEERS_MAX]={0,300*MS,300*MS,300*MS}; uint64_t lost2=0, detour2=0;
    for (int i=0;i<6000;i++) { now+=10*MS;
        for (uint32_t q=1;q<4;q++) { const bool direct=bksi_route_is_direct(&p.peers[q].route);
            if (q==1) { bksi_paths_heard(&p,1,true,now); /* lies: never echoes by a path, only as if from the straight time */
                if (lies && !direct) bksi_paths_echoed_straight(&p,1,p.peers[1].straight_to_ns-1,now); continue; }
            if (q==2 && cut12) { /* 0-2 cut, a detour works */ bksi_paths_heard(&p,2,false,now); if (!direct && !(p.peers[2].route.carriers==1&&0)) { if (i%5==0) bksi_paths_echoed(&p,2,p.peers[2].id,now); detour2++; } else lost2++; continue; }
            bksi_paths_heard(&p,q,true,now); if (i%5==0) bksi_paths_echoed(&p,q,p.peers[q].id,now); }
        bksi_paths_update(&p,trips,now); }
    printf("lies %d cut %d: changes of the ways to 1, 2, 3 in 60 s: %llu %llu %llu; to the cut one: 10 ms by its detour %llu, straight (lost) %llu\n",lies,cut12,(unsigned long long)p.peers[1].changes,(unsigned long long)p.peers[2].changes,(unsigned long long)p.peers[3].changes,(unsigned long long)detour2,(unsigned long long)lost2);
}
int main(void){ run(0,0); run(1,0); run(0,1); run(1,1); return 0; }
