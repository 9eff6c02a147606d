/* a flat state: one array of floats as the root's; every part marked */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "game/start_parts.h"
#include "backstitch/state_map.h"
static void init(void *s, const bks_start *st){ (void)s; (void)st; }
static void step(void *s, const bks_step *st){ (void)s; (void)st; }
int main(int argc, char **argv)
{
    (void)argc; uint32_t n=(uint32_t)atoi(argv[1])/4; int all = atoi(argv[2]);
    bks_map_member m[]={{.name="field",.type=1,.count={n}}};
    bks_map_type types[]={{.name="root",.kind=BKS_MAP_STRUCT,.bytes=(uint64_t)n*4,.members=m,.member_count=1},{.name="float",.kind=BKS_MAP_FLOAT,.bytes=4}};
    bks_state_map map={.types=types,.type_count=2};
    static const bks_field f={.name="x",.bits=5};
    bks_game game={.name="g",.tick_rate_hz=60,.players_max=2,.fields=&f,.field_count=1,.state_bytes=(size_t)n*4,.init=init,.step=step,.map=argc>3?NULL:&map};
    bksi_runner_config c={.game=&game,.players=1,.tick_rate_hz=60}; bksi_runner *run=NULL; bks_error e;
    if (bksi_runner_create(&c,&run,&e)!=BKS_OK) return 1;
    uint64_t h[120]; uint32_t parts=bksi_start_parts_hash(run,h,120); uint8_t d[15]={0}; memset(d,all?255:0,15); d[0]|=1; char out[200];
    struct timespec a,b; clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&a);
    size_t k=bksi_start_parts_name(run,d,parts,out,200);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&b);
    printf("%u bytes, %u parts, %s marked: '%s' %.0f ms\n",n*4,parts,all?"all":"one",k?out:"",(double)(b.tv_sec-a.tv_sec)*1e3+(double)(b.tv_nsec-a.tv_nsec)/1e6);
    bksi_runner_destroy(run); return 0;
}
