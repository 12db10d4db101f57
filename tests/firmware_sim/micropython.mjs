// Runs a Python function under MicroPython: node micropython.mjs ENGINE HEAP < {files, entry, argument} > its answer.
import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [engine, heap] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(engine));
const job = JSON.parse(readFileSync(0, "utf-8"));
const python = await loadMicroPython({ heapsize: Number(heap), stdout: (line) => console.error(line), linebuffer: true });
python.FS.mkdir("/lib");
for (const [path, text] of Object.entries(job.files)) {
  const folders = path.split("/").slice(0, -1);
  folders.forEach((_, i) => {
    const folder = "/lib/" + folders.slice(0, i + 1).join("/");
    if (!python.FS.analyzePath(folder).exists) python.FS.mkdir(folder);
  });
  python.FS.writeFile("/lib/" + path, text);
}
python.FS.writeFile("/argument", JSON.stringify(job.argument));
try {
  python.runPython(`
import json
import ${job.entry}
with open("/argument") as file:
    argument = json.load(file)
answer = ${job.entry}.main(argument)
with open("/answer", "w") as file:
    json.dump(answer, file)
`);
} catch (error) {
  console.error(error.message); // without the engine's own source, which would follow
  process.exit(1);
}
writeSync(1, python.FS.readFile("/answer", { encoding: "utf8" }));
