#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include "game/some_game.h"
#include "peer/peer_network.h"
static peer_network network; static bks_game games[2]; static size_t at_byte; 
static void init0(void *s, const bks_start *st){ (void)st; ((uint8_t*)s)[0]=1; }
static void init1(void *s, const bks_start *st){ init0(s,st); ((uint8_t*)s)[at_byte]^=2; }
static void step(void *s, const bks_step *st){ (void)st; ((uint32_t*)s)[0]++; }
static void tune(bks_peer_config *c, uint32_t p){ c->game=&games[p]; }
int main(int argc, char **argv)
{
    uint32_t bytes=(uint32_t)atoi(argv[1]); at_byte=(size_t)atoi(argv[2]); int has_map=atoi(argv[3]); (void)argc;
    bks_map_member m[]={{.name="field",.type=1,.count={bytes/4}}};
    bks_map_type types[]={{.name="root",.kind=BKS_MAP_STRUCT,.bytes=bytes,.members=m,.member_count=1},{.name="float",.kind=BKS_MAP_FLOAT,.bytes=4}};
    bks_state_map map={.types=types,.type_count=2};
    for(int i=0;i<2;i++) games[i]=(bks_game){.name="g",.tick_rate_hz=60,.players_max=2,.fields=some_fields,.field_count=2,.state_bytes=bytes,.init=i?init1:init0,.step=step,.map=has_map?&map:NULL};
    struct timespec a,b;
    net_create(&network,2,tune);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&a);
    net_run_until(&network,1000*NET_MS);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&b);
    for(int i=0;i<2;i++) printf("peer %d: %s\n",i,network.peers[i].last[BKS_EVENT_REFUSED].text);
    printf("both: %.0f ms of CPU\n",(double)(b.tv_sec-a.tv_sec)*1e3+(double)(b.tv_nsec-a.tv_nsec)/1e6);
    return 0;
}
