#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "game/start_parts.h"
#include "backstitch/state_map.h"
#include "state/region.h"
static uint32_t blocks, untyped;
typedef struct root { bks_ref list; uint32_t count; uint32_t last; } root;
static void init(void *state, const bks_start *start)
{
    (void)start; root *ro = state; bks_arena *arena = bks_arena_of(state, sizeof(root));
    bks_ref *list = bks_arena_alloc(arena, blocks * sizeof(bks_ref), 8);
    (void)bks_ref_set(&ro->list, list); ro->count = blocks;
    for (uint32_t i = 0; i < blocks; i++) { float *b = bks_arena_alloc(arena, 32, 8); b[0] = (float)i; if (bks_ref_set(&list[i], b) != BKS_OK) abort(); }
}
static void step(void *s, const bks_step *st){ (void)s; (void)st; }
enum { T_ROOT, T_THING, T_REF_LIST, T_REF, T_U32, T_F };
static const bks_map_member rm[] = {{.name="list",.type=T_REF_LIST},{.name="count",.type=T_U32,.offset_bytes=offsetof(root,count)},{.name="last",.type=T_U32,.offset_bytes=offsetof(root,last)}};
static const bks_map_member tm[] = {{.name="hp",.type=T_F,.count={8}}};
int main(int argc, char **argv)
{
    blocks = (uint32_t)atoi(argv[1]); (void)argc;
    bks_map_type types[] = {
        {.name="root",.kind=BKS_MAP_STRUCT,.bytes=sizeof(root),.members=rm,.member_count=3},
        {.name="thing",.kind=BKS_MAP_STRUCT,.bytes=32,.members=tm,.member_count=1},
        {.name="list",.kind=BKS_MAP_REF,.bytes=sizeof(bks_ref),.target=T_REF,.target_count=blocks},
        {.name="ref",.kind=BKS_MAP_REF,.bytes=sizeof(bks_ref),.target=T_THING,.target_count=1},
        {.name="u32",.kind=BKS_MAP_UINT,.bytes=4},{.name="float",.kind=BKS_MAP_FLOAT,.bytes=4}};
    bks_state_map map={.types=types,.type_count=6,.has_arena=true};
    bks_error e={0};
    if (bks_state_map_check(&map,&e)!=BKS_OK){ printf("%s\n",e.text); return 1; }
    static const bks_field f={.name="x",.bits=5};
    bks_game game={.name="g",.tick_rate_hz=60,.players_max=2,.fields=&f,.field_count=1,.state_bytes=blocks*40+4096,.root_bytes=sizeof(root),.init=init,.step=step,.map=&map};
    bksi_runner_config c={.game=&game,.players=1,.tick_rate_hz=60}; bksi_runner *run=NULL;
    if (bksi_runner_create(&c,&run,&e)!=BKS_OK) { printf("%s\n",e.text); return 1; }
    uint64_t hashes[120]; uint32_t parts=bksi_start_parts_hash(run,hashes,120);
    size_t used=bksi_runner_used_bytes(run);
    char out[200];
    for (uint32_t part = parts-1; ; part = part > parts/4 ? part - parts/4 : 0) {
        uint8_t differ[15]={0}; differ[part/8]=(uint8_t)(1u<<part%8);
        struct timespec a,b; clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&a);
        size_t n=bksi_start_parts_name(run,differ,parts,out,200);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&b);
        printf("%u blocks, %zu bytes in use, part %u of %u: '%s' (%.1f ms)\n",blocks,used,part,parts,n?out:"",(double)(b.tv_sec-a.tv_sec)*1e3+(double)(b.tv_nsec-a.tv_nsec)/1e6);
        if (part==0) break;
    }
    bksi_runner_destroy(run); return 0;
}
