// The canonical form of a record (N-9.1 to N-9.10) as far as it needs no rules: N-2.6.

import { SPACE } from "./text.mjs";
import { glyphOf } from "./movetext.mjs";

const WIDTH = 80; // N-9.4
const COMPLETED = {
  Event: "?", Site: "?", Date: "????.??.??", Round: "?", South: "?", North: "?", Result: "*",
};
const THEN = [
  "Version", "Game", "Options", "Rules", "Score", "First", "Setup", "Race", "RacePosition", "Match", "MatchGame", "SouthTeam",
  "NorthTeam", "Termination", "TimeControl", "Board", "Recorder", "Arbiter", "Transcriber",
  "Source", "License", "Consent",
];
/** The end of a `position`: the side to move, and the ply. */
const SIDE_AND_PLY = / ([sn]) ([0-9]+)(?: sn| s| n)?$/;
const AFTER = new RegExp(`\\[%after[${SPACE}]+"([^"]*)"`, "u");

export function canonicalText(record) {
  const tags = Object.entries(orderedTags(record.tags)).map(([name, value]) => `[${name} "${escaped(value)}"]\n`);
  return `${tags.join("")}\n${wrapped(words(record))}`;
}

/** N-9.2, N-9.3. */
function orderedTags(tags) {
  const ordered = { ...COMPLETED };
  for (const name of [...Object.keys(COMPLETED), ...THEN, ...Object.keys(tags)]) {
    if (Object.hasOwn(tags, name)) ordered[name] = tags[name];
  }
  if (ordered.Version === "1") delete ordered.Version;
  if (ordered.Options === "") delete ordered.Options;
  return ordered;
}

function escaped(value) {
  return value.replace(/["\\]/g, "\\$&");
}

/** The words of a movetext; a word that `endsLine` is a whole line comment. */
function words(record) {
  const list = record.comments.flatMap(commentWords);
  lineWords(record.plies, startOf(record.tags), list);
  list.push({ text: record.ended ?? record.tags.Result ?? "*" });
  return list;
}

/** N-9.7 from a `Setup`. */
function startOf(tags) {
  const [, side, ply] = SIDE_AND_PLY.exec(tags.Setup ?? "") ?? [null, tags.First === "North" ? "n" : "s", "0"];
  const northBegan = (Number(ply) % 2 === 0) === (side === "n");
  const played = Number(ply);
  return { number: (northBegan ? Math.ceil(played / 2) : Math.floor(played / 2)) + 1, toMove: side, mover: null, rearranged: false, at: played, turns: 0 };
}

/** Add the words of a line of play that begins in a state. */
function lineWords(plies, state, list) {
  let interrupted = true; // a line's first move has a number, and one after a comment or variation
  for (const ply of plies) {
    const before = state;
    const mover = sideOf(ply.move) ?? before.toMove;
    const again = mover === before.mover;
    const number = numberAfter(before, mover);
    const at = before.at + (again && before.rearranged ? 0 : before.turns);
    // N-9.6: a rearrangement that the same side's turn follows was an initial one.
    if (interrupted || (again ? before.rearranged : mover === "s")) {
      list.push({ text: mover === "s" ? `${number}.` : `${number}...` });
    }
    const turns = turnsOf(ply, at);
    const toMove = sideAfter(ply) ?? ((mover === "s") === (turns % 2 === 0) ? "s" : "n");
    state = { number, mover, toMove, rearranged: ply.move.includes("@"), at, turns };
    plyWords(ply, before, list);
    interrupted = ply.comments.length > 0 || ply.variations.length > 0 || ply.move.startsWith("~~");
  }
}

/** N-9.6, N-9.11: the number of the turn of `mover` after a state. */
function numberAfter(before, mover) {
  if (before.turns > 1) return before.number + Math.floor((before.turns + (before.mover === "n" ? 1 : 0)) / 2);
  return before.number + (mover === "s" && before.mover === "n" ? 1 : 0);
}

/** How many turns a move is that is played after `at` turns: one, unless nobody saw them. */
function turnsOf(ply, at) {
  if (!ply.move.startsWith("~~")) return 1;
  const after = afterOf(ply);
  return Math.max(after ? Number(after[2]) - at : Number(ply.move.slice(2)), 1);
}

/** N-9.8. */
function plyWords(ply, before, list) {
  const [first, ...others] = ply.nags;
  const glyph = glyphOf(first);
  list.push({ text: ply.move + (glyph ?? "") });
  for (const annotation of glyph ? others : ply.nags) list.push({ text: `$${annotation}` });
  list.push(...ply.comments.flatMap(commentWords));
  for (const variation of ply.variations) {
    list.push({ text: "(" }, ...variation.comments.flatMap(commentWords));
    lineWords(variation.plies, before, list);
    list.push({ text: ")" });
  }
}

function sideOf(move) {
  const letter = /^~?([A-Za-z])/.exec(move)?.[1];
  return letter && (letter === letter.toLowerCase() ? "s" : "n");
}

/** The side to move after an irregular turn or a gap, if its `after` says it. */
function sideAfter(ply) {
  return afterOf(ply)?.[1];
}

function afterOf(ply) {
  const position = ply.move.startsWith("~") && ply.comments.map((comment) => AFTER.exec(comment)?.[1]).find(Boolean);
  return position ? SIDE_AND_PLY.exec(position) : null;
}

/** N-9.9: a comment that contains `}` is a line comment. */
function commentWords(comment) {
  if (comment.includes("}")) return [{ text: `;${comment}`, endsLine: true }];
  return `{${comment}}`.split(" ").map((text) => ({ text }));
}

/** N-9.4: as many words in each line as fit. */
function wrapped(list) {
  const lines = [];
  let line = "";
  let room = 0;
  for (const { text, endsLine } of list) {
    const length = Array.from(text).length;
    if (line !== "" && length + 1 > room) {
      lines.push(line);
      line = "";
    }
    room = line === "" ? WIDTH - length : room - length - 1;
    line += line === "" ? text : ` ${text}`;
    if (endsLine) {
      lines.push(line);
      line = "";
    }
  }
  if (line !== "") lines.push(line);
  return lines.map((one) => `${one}\n`).join("");
}
