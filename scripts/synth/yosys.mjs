// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Runs one Yosys script in the WebAssembly build of Yosys, which sees a file system of its own:
//   node yosys.mjs SCRIPT OUTPUT_FOLDER FILE...
// The files keep their relative paths. What the script writes lands in the output folder.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Exit, runYosys } from "@yowasp/yosys";

const [script, output, ...inputs] = process.argv.slice(2);

const tree = { "script.ys": readFileSync(script, "utf8") };
for (const path of inputs) {
  const parts = path.split("/");
  const name = parts.pop();
  let folder = tree;
  for (const part of parts) folder = folder[part] ??= {};
  folder[name] = readFileSync(path, "utf8");
}

const isFolder = (node) => typeof node === "object" && !(node instanceof Uint8Array);

function write(node, folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(node)) {
    if (isFolder(content)) write(content, join(folder, name));
    else writeFileSync(join(folder, name), content);
  }
}

try {
  write(await runYosys(["-q", "-l", "yosys.log", "-s", "script.ys"], tree), output);
} catch (error) {
  if (!(error instanceof Exit)) throw error;
  write(error.files, output);
  process.exitCode = error.code;
}
