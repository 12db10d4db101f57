// Read a file of Portable Mancala Notation on standard input, and print what corpus/README.md describes as JSON.
// With names of files as arguments, read these instead, and print a line for each.
// The program knows the grammar and no rules of games: by N-2.5 a record that the grammar allows has an error at its
// `Game` tag and no turns, but is given as JSON and in the canonical form of N-2.6.

import { readFileSync } from "node:fs";
import { linesOf } from "./text.mjs";
import { errorAt, readRecords } from "./records.mjs";
import { canonicalText } from "./canonical.mjs";

function answer({ record, error, gameTag, firstLine }) {
  if (!record) return { record, error: { ...error, grammar: true }, turns: [], canonical: null };
  const unknown = gameTag
    ? errorAt(gameTag.line, gameTag.column, 0, `the rule set ${record.tags.Game} is not known`)
    : errorAt(firstLine, 1, 0, "the tag Game is missing");
  return { record, error: { ...unknown, grammar: false }, turns: [], canonical: canonicalText(record) };
}

const names = process.argv.slice(2);
for (const file of names.length ? names : [0]) {
  const records = readRecords(linesOf(readFileSync(file)));
  process.stdout.write(`${JSON.stringify({ records: records.map(answer) })}\n`);
}
