// SPDX-License-Identifier: MIT

// Runs a program for wasm32-wasi: node run_wasi.mjs PROGRAM [ARGUMENT...]

import { readFile } from 'node:fs/promises';
import { argv, exit } from 'node:process';
import { WASI } from 'node:wasi';

const wasi = new WASI({ version: 'preview1', args: argv.slice(2), returnOnExit: true });
const module = await WebAssembly.compile(await readFile(argv[2]));
const imports = { wasi_snapshot_preview1: wasi.wasiImport };
exit(wasi.start(await WebAssembly.instantiate(module, imports)));
