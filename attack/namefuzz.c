/* names in the refusal over hostile states and sound random maps: bksi_start_parts_name() with any bits, count and room.
   Oracle: the text fits and ends; "behind its N bytes" only where no marked part holds a byte in use;
   the object of a marked byte is named, or the text says " and more". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "game/start_parts.h"
#include "backstitch/state_compare.h"
#include "backstitch/state_map.h"
#include "state/region.h"
enum { TYPES = 6, MEMBERS = 3 };
static uint64_t S; static uint32_t r(uint32_t n){ S = S*6364136223846793005ull+1442695040888963407ull; return n ? (uint32_t)(S>>33)%n : 0; }
static uint32_t root_bytes, state_bytes;
static void init(void *state, const bks_start *start)
{
    (void)start;
    if (root_bytes == 0) { for (uint32_t i = 0; i < state_bytes; i++) ((uint8_t*)state)[i] = (uint8_t)r(4); return; }
    bks_arena *arena = bks_arena_of(state, root_bytes);
    bks_pool *pool = bks_pool_create(arena, "pool", 48, 4 + r(4));
    void *item = NULL; if (pool) for (uint32_t i = r(4); i > 0; i--) (void)bks_pool_add(pool, &item);
    void *block = bks_arena_alloc(arena, 64, 8);
    bks_ref *root = state;
    (void)bks_ref_set(&root[0], pool); (void)bks_ref_set(&root[1], block);
    if (item) (void)bks_ref_set(item, block);
    if (block) (void)bks_ref_set(block, root);
}
static void step(void *s, const bks_step *st){ (void)s; (void)st; }
static const char *const names[] = {"m","","byte count","[x]","a_very_long_name_of_a_member_that_goes_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_x","%s%n","root"};
int main(int argc, char **argv)
{
    setvbuf(stdout,NULL,_IONBF,0); (void)argc; uint64_t from = strtoull(argv[1],0,10), to = strtoull(argv[2],0,10);
    unsigned long long maps=0, named=0, none=0, over=0, behind=0, falsebehind=0, left=0, cut=0;
    for (uint64_t seed = from; seed < to; seed++) {
        S = seed*991+1;
        bks_map_type types[TYPES]; bks_map_member members[TYPES][MEMBERS];
        static const int kinds[]={4,4,5,8,8,9,10,7,6,0}; static const uint64_t kbytes[]={1,4,2,4,8,sizeof(bks_ref),sizeof(bks_id),1,1,16}; int kb[TYPES];
        static const uint64_t sizes[] = {1,2,4,8,16,48,96,3};
        for (int i=0;i<TYPES;i++) {
            for (int m=0;m<MEMBERS;m++) members[i][m]=(bks_map_member){.name=names[r(7)],.type=i+1+r(TYPES-i),.offset_bytes=r(4)?r(12)*8:r(96),.count={r(3)?0:r(9),r(6)?0:r(3)},.bits=(uint16_t)(r(8)?0:r(9)),.bit_offset=(uint16_t)r(8)};
            types[i]=(bks_map_type){.name="t",.kind=(bks_map_kind)(i==0?1:i<3?1+r(2):kinds[kb[i]=r(10)]),.bytes=i==0?96:i<3?sizes[r(7)]:kbytes[kb[i]],.members=members[i],.member_count=i<3?r(MEMBERS+1):0,.target=r(TYPES),.target_count=r(40),.pool=r(2)?"pool":NULL};
        }
        const bks_map_pool pool={.name="pool",.type=r(TYPES)};
        const bks_map_case one={.type=r(TYPES),.by=r(MEMBERS),.value=r(3),.member=r(MEMBERS),.selected=r(MEMBERS)};
        root_bytes = r(3)?96:0; state_bytes = (root_bytes?1500:200) + r(r(3)?3000:60000);
        const bks_state_map map={.types=types,.type_count=TYPES,.has_arena=root_bytes>0,.pools=&pool,.pool_count=1,.cases=&one,.case_count=r(2),.rest_name=root_bytes==0&&r(2)?"rest":NULL,.rest_type=r(TYPES)};
        bool has_map = r(5)>0 && bks_state_map_check(&map,NULL)==BKS_OK;
        maps += has_map;
        if (!has_map && r(4)) continue;
        static const bks_field f = {.name="x",.bits=5};
        bks_game game={.name="g",.tick_rate_hz=60,.players_max=2,.fields=&f,.field_count=1,.state_bytes=state_bytes,.root_bytes=root_bytes,.init=init,.step=step,.map=has_map?&map:NULL};
        bksi_runner_config c={.game=&game,.players=1,.tick_rate_hz=60};
        bksi_runner *run=NULL; bks_error e;
        if (bksi_runner_create(&c,&run,&e)!=BKS_OK) { continue; }
        uint8_t *st=bksi_runner_state(run);
        for (int k=0;k<6;k++) {
            size_t used=bksi_runner_used_bytes(run);
            if (k>0) for (uint32_t i=r(20);i>0;i--) { /* hostile: any bytes, those of the arena's head too (used_bytes but for its own word) */
                size_t at=r((uint32_t)used); st[at]=(uint8_t)(r(2)?r(256):r(3)==0?255:0); }
            used=bksi_runner_used_bytes(run);
            uint64_t hashes[130]; uint32_t parts=bksi_start_parts_hash(run,hashes,BKSI_START_PARTS_MAX);
            uint8_t differ[15]; for (int i=0;i<15;i++) differ[i]=(uint8_t)(r(3)?0:r(256));
            uint64_t piece=1; while(piece<4096&&piece*120<state_bytes) piece*=2;
            size_t byte=r((uint32_t)(used?used:1)); uint32_t part=(uint32_t)(byte/piece);
            bool marks=r(4)>0 && part<120 && used>0; if (marks) differ[part/8]|=(uint8_t)(1u<<part%8);
            uint32_t count=marks?120:r(121); size_t cap=r(4)?300+r(200):1+r(60);
            char *out=malloc(cap); memset(out,'#',cap);
            size_t n=bksi_start_parts_name(run,differ,count,out,cap);
            if (n>=cap || memchr(out,0,cap)==NULL || (n>0 && strlen(out)!=n)) { printf("seed %llu: %zu of %zu, text %zu\n",(unsigned long long)seed,n,cap,strnlen(out,cap)); abort(); }
            named+=n>0; none+=n==0;
            bool is_behind=strncmp(out,"behind its",10)==0; behind+=is_behind;
            if (is_behind && marks && byte<used) { falsebehind++; if (falsebehind<4) printf("seed %llu k %d: '%s', though byte %zu of %zu is marked (parts %u)\n",(unsigned long long)seed,k,out,byte,used,parts); }
            if (marks && n>0 && !is_behind && strstr(out," and more")==NULL && cap>=300 && has_map) {
                bks_map_place p; 
                if (bks_state_map_find(&map,st,used,byte,0,&p)==BKS_OK && p.use==BKS_MAP_LIVE) {
                    char stem[300]; snprintf(stem,sizeof stem,"%s",strcmp(p.object,"root")?p.object:p.name); char *b=strrchr(stem,'['); if (b&&!strstr(p.field,"byte ")) *b=0;
                    if (strstr(out,stem)==NULL) { left++; if (left<6) printf("seed %llu k %d: '%s' leaves out '%s' (%s) at byte %zu\n",(unsigned long long)seed,k,out,p.name,stem,byte); }
                }
            }
            cut += cap<60 && n>0;
            free(out);
        }
        bksi_runner_destroy(run);
    }
    (void)over; printf("maps sound %llu, texts %llu, empty %llu, short rooms %llu, behind %llu of them false %llu, left out without a word %llu\n",maps,named,none,cut,behind,falsebehind,left);
}
