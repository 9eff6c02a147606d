// SPDX-License-Identifier: MIT

#include "base/html.h"
#include "inspect/inspect_print.h"

static const char style[] =
    "#cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,430px),1fr));"
    "gap:18px;margin-top:18px}#cards "
    "section{min-width:0;margin-top:0}td.graph{width:112px;padding-right:0}"
    "td.graph svg{width:104px;height:26px}td{padding:3px 6px}td.range{color:var(--soft)}"
    ".area{fill:var(--good);opacity:.25}.plot{stroke:var(--good)}"
    "form{display:flex;flex-wrap:wrap;gap:12px;align-items:end}"
    "label{display:flex;flex-direction:column;color:var(--soft);font-size:13px;min-height:44px}"
    "input,select,button{font:inherit;color:var(--ink);background:var(--back);"
    "border:1px solid var(--soft);border-radius:6px;padding:6px 8px;min-height:36px;"
    "min-width:0;max-width:100%}"
    "button{cursor:pointer}#token,#link{width:min(100%,320px)}#window{width:80px}#delay{width:90px}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 14px;margin:0}"
    "dt{color:var(--soft)}dd{margin:0}"
    ".old{filter:grayscale(1);opacity:.6}"
    "@media(max-width:500px){main{padding:18px 10px 40px}section{padding:12px 10px}td{padding:3px "
    "4px}td.graph{width:84px}td.graph svg{width:80px}}";

static const char body[] =
    "<h1 id=\"title\">bks inspect</h1><p id=\"state\" role=\"status\">waiting for the match</p>"
    "<p id=\"tuning\"></p><p id=\"totals\"></p>"
    "<div id=\"cards\"></div>"
    "<section id=\"change\"><h2>change</h2><form id=\"form\">"
    "<label>token<input id=\"token\" autocomplete=\"off\" spellcheck=\"false\" maxlength=\"32\">"
    "</label>"
    "<label>what<select id=\"what\"><option>window</option><option>delay</option>"
    "<option>pace</option><option>link</option></select></label>"
    "<label>value<input id=\"value\" autocomplete=\"off\" spellcheck=\"false\" maxlength=\"150\">"
    "</label><button id=\"apply\">apply</button></form>"
    "<p id=\"answer\" role=\"status\">window: ticks. delay: auto or ticks. pace: slew, stall or "
    "none. link: delay=50ms,loss=2%, or perfect.</p></section>";

// Texts from the match are inserted only as text nodes, so that a browser never reads them as HTML.
static const char script[] =
    "'use strict';\n"
    "const get=id=>document.getElementById(id);\n"
    "const number=(v,most)=>{const a=Math.abs(v);"
    "const all=a>=99.95||a<0.0005?0:a>=9.995?1:a>=0.0095?2:3;"
    "return v.toFixed(a<0.095?all:Math.min(most,all))};\n"
    "const make=(kind,text,name)=>{const n=document.createElement(kind);"
    "if(text!==undefined)n.textContent=text;if(name)n.className=name;return n};\n"
    "const svg=(kind,all)=>{const n=document.createElementNS('http://www.w3.org/2000/svg',kind);"
    "for(const k in all)n.setAttribute(k,all[k]);return n};\n"
    "function graph(figure,least){\n"
    "  const s=svg('svg',{viewBox:'0 0 100 26',preserveAspectRatio:'none','aria-hidden':'true'});\n"
    "  const all=figure.history.filter(v=>v!==null);\n"
    "  let top=Math.max(least,...all),low=Math.min(0,...all);\n"
    "  if(low<0){top=Math.max(top,-low);low=-top}\n"
    "  const y=v=>(25-24*(v-low)/(top-low)).toFixed(1);\n"
    "  let line='',begun=-1,last=-1,area='';\n"
    "  const close=()=>{if(begun>=0)area+=`L${last} ${y(0)}Z`};\n"
    "  figure.history.forEach((v,i)=>{if(v===null){close();begun=-1;return}\n"
    "    if(begun<0){line+=`M${i} ${y(v)}h.5`;area+=`M${i} ${y(0)}L${i} ${y(v)}`;begun=i}\n"
    "    else{line+=`L${i} ${y(v)}`;area+=`L${i} ${y(v)}`}last=i});\n"
    "  close();\n"
    "  s.append(svg('path',{d:area,class:'area'}),"
    "svg('path',{d:line,class:'plot','vector-effect':'non-scaling-stroke'}));\n"
    "  return s;\n"
    "}\n"
    "const mark=v=>v.old?'? ':'';\n" // prefix `? ` for a value older than the newest poll
    "function rows(figures){\n"
    "  const table=make('table'),inside=make('tbody');\n"
    "  for(const key in figures){\n"
    "    if(!names[key])continue;\n"
    "    const [name,unit,scale,least]=names[key],f=figures[key],row=make('tr');\n"
    "    inside.append(row);\n"
    "    if(!f){row.append(make('td',name),make('td','- '+unit),make('td'),make('td'));continue}\n"
    "    const mean=f.mean===null?'-':number(f.mean*scale,2);\n"
    "    const range=f.least===f.most?'':number(f.least*scale,1)+'..'+number(f.most*scale,1);\n"
    "    const cell=make('td','','graph');cell.append(graph(f,least));\n"
    "    row.append(make('td',mark(f)+name),make('td',mean+' '+unit),"
    "make('td',range,'range'),cell);\n"
    "  }\n"
    "  table.append(inside);return table;\n"
    "}\n"
    "function card(id,title,inside){const s=make('section');s.id=id;s.append(make('h2',title),"
    "inside);return s}\n"
    "function memory(parts){\n"
    "  const table=make('table'),head=make('tr'),inside=make('tbody');\n"
    "  for(const t of ['part','bytes','live','most','grown'])head.append(make('th',t));\n"
    "  const top=make('thead');top.append(head);\n"
    "  for(const got of parts){const p=got||{kind:'-',bytes:'-'};\n"
    "    const row=make('tr'),pool=p.kind==='pool';\n"
    "    row.append(make('td',mark(p)+(pool?p.name:p.kind)),make('td',p.bytes),"
    "make('td',pool?p.live+' of '+p.capacity:''),make('td',pool?p.high_water:''),"
    "make('td',pool&&p.leaked?p.leaked:''));inside.append(row)}\n"
    "  table.append(top,inside);return table;\n"
    "}\n";

static const char script_live[] =
    "function show(d){\n"
    "  const t=d.tuning;\n"
    "  document.title=get('title').textContent=d.game+' at '+d.address;\n"
    "  get('state').textContent=`${d.phase}, tick ${d.tick}${d.ticks?'/'+d.ticks:''} at ${d.hz} "
    "Hz, "
    "seen by peer ${d.peer}, the host is peer ${d.host}`;\n"
    "  get('tuning').textContent=`window ${t.window} of ${t.window_max}, delay ${t.delay}, pace "
    "${t.pace}, link ${t.link===null?'not emulated':t.link}`;\n"
    "  const many=(n,word)=>n+' '+word+(n===1?'':'s');\n"
    "  get('totals').textContent=`so far ${many(d.rollbacks,'rollback')}, "
    "${many(d.resimulated,'tick')} stepped again, ${d.stalled_ticks} stalled, ${d.starved_ticks} "
    "starved, ${many(d.repairs,'repair')}`;\n"
    "  get('change').hidden=!t.changeable;\n"
    "  const cards=[];\n"
    "  if(d.figures)cards.push(card('match','match: mean, range, ten seconds',rows(d.figures)));\n"
    "  for(const p of d.peers)cards.push(card('peer-'+p.id,'peer '+p.id+(p.left?': left':''),"
    "rows(p)));\n"
    "  if(d.memory.length)cards.push(card('memory','memory of the state',memory(d.memory)));\n"
    "  get('cards').replaceChildren(...cards);\n"
    "}\n"
    "let seen=0;\n" // time at which the newest answer arrived
    "const mark_old=is=>{for(const id of ['tuning','totals','cards'])"
    "get(id).classList.toggle('old',is)};\n"
    "async function look(){\n"
    "  try{const r=await fetch('/data');if(!r.ok)throw new Error(await r.text());"
    "show(await r.json());seen=Date.now();mark_old(false)}\n"
    "  catch(e){const age=Math.round((Date.now()-seen)/1000);mark_old(seen>0);\n"
    "    get('state').textContent='no answer: '+e.message+"
    "(seen>0?`; what stands below is ${age} s old`:'')}\n"
    "  setTimeout(look,500);\n"
    "}\n"
    "get('form').addEventListener('submit',async e=>{\n"
    "  e.preventDefault();\n"
    "  try{const r=await fetch('/change',{method:'POST',body:get('token').value.trim()+'\\n'+"
    "get('what').value+'='+get('value').value.trim()});\n"
    "    get('answer').textContent=await r.text()}\n"
    "  catch(e){get('answer').textContent='no answer: '+e.message}\n"
    "});\n"
    "look();\n";

/// Print a JavaScript table of the figures. For each JSON key it has the figure's name, unit and
/// scale, and the least value that the top of the figure's graph may stand for.
static void print_rows(FILE *out)
{
    fprintf(out, "const names={");
    for (uint32_t peer = 0; peer <= BKS_PEERS_MAX; peer += BKS_PEERS_MAX) {
        for (uint32_t i = 0; bks_figure_row_of(peer, i) != NULL; i++) {
            const bks_figure_row *row = bks_figure_row_of(peer, i);
            fprintf(out, "%s:['%s','%s',%g,%g],", row->key, row->name, row->unit,
                    (double)row->scale, (double)row->graph_top);
        }
    }
    fprintf(out, "};\n");
}

static void print_words(FILE *out)
{
    fprintf(out, "<section id=\"words\"><h2>what the words mean</h2><dl>"
                 "<dt>window</dt><dd>ticks it may run ahead of the inputs, of the most</dd>");
    for (const figure_term *word = figure_terms; word->name != NULL; word++) {
        fprintf(out, "<dt>%s</dt><dd>%s</dd>", word->name, word->meaning);
    }
    fprintf(out, "</dl></section>");
}

void inspect_print_page(FILE *out)
{
    html_begin(out, "bks inspect", style);
    fprintf(out, "%s", body);
    print_words(out);
    fprintf(out, "<script>");
    print_rows(out);
    fprintf(out, "%s%s</script>", script, script_live);
    html_end(out);
}
