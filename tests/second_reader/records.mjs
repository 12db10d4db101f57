// From lines to records: where a record begins (N-3.3 to N-3.6), and its tags (N-4.1 to N-4.3).

import { BLANK, columnOf, isEmpty, withoutMarks } from "./text.mjs";
import { readMovetext } from "./movetext.mjs";

const NAME = "[A-Za-z][A-Za-z0-9_]*";
const NOT_IN_A_VALUE = "\\x00-\\x08\\n-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069\\ufffe\\uffff";
const ORDINARY = `[^"\\\\${NOT_IN_A_VALUE}]*`;
const VALUE = `${ORDINARY}(?:\\\\[^${NOT_IN_A_VALUE}]${ORDINARY})*`;
const TAG = new RegExp(`\\[[${BLANK}]*(${NAME})[${BLANK}]+"(${VALUE})"[${BLANK}]*\\]`, "uy");
const BLANKS = new RegExp(`[${BLANK}]*`, "uy");
/** N-3.4: what begins a record after movetext. */
const FIRST_TAG = new RegExp(`^[${BLANK}]*\\[[${BLANK}]*${NAME}[${BLANK}]+"`, "u");
/** N-3.5: what begins a record among the tags. */
const NEXT_EVENT = new RegExp(`^[${BLANK}]*\\[Event[${BLANK}]`, "u");
/** N-3.6: what begins a record after an empty line. */
const EVENT_TAG = new RegExp(`^[${BLANK}]*\\[Event[${BLANK}]+"`, "u");

/**
 * The records of a file. Each has `record`, its JSON form, or null if the grammar forbids it; `error`, the first
 * error of the grammar, or null; `gameTag`, the place of its `Game` tag; and `firstLine`, its first line that is not empty.
 */
export function readRecords(lines) {
  const records = [];
  for (let next = 0; next < lines.length; ) {
    const draft = cutRecord(lines, next);
    next = draft.next;
    if (draft.started) records.push(finished(draft));
  }
  return records;
}

/** The lines of one record, with its tags read and its movetext unread. */
function cutRecord(lines, first) {
  const draft = {
    started: false, // has it a tag, right or wrong, or movetext?
    tags: new Map(),
    gameTag: null,
    tagError: null,
    encodingError: null,
    firstLine: 0,
    movetext: null, // its lines: `text`, without what comes before the movetext, `line`, `number`, `offset` in the line
    inComment: false,
    next: first,
  };
  for (let before = null; draft.next < lines.length; draft.next++) {
    const bare = withoutMarks(lines[draft.next]);
    if (beginsRecord(draft, bare, before)) break;
    before = draft.inComment ? lines[draft.next] : bare;
    addLine(draft, before, draft.next + 1);
  }
  return draft;
}

/** N-3.4 to N-3.6: is a line the first of another record? */
function beginsRecord(draft, line, lineBefore) {
  if (!draft.started) return false;
  if (EVENT_TAG.test(line.text) && isEmpty(lineBefore)) return true;
  if (draft.inComment) return false;
  return draft.movetext ? FIRST_TAG.test(line.text) : draft.tags.has("Event") && NEXT_EVENT.test(line.text);
}

function addLine(draft, line, number) {
  if (draft.firstLine === 0 && !isEmpty(line)) draft.firstLine = number;
  if (line.wrongByte >= 0) {
    draft.encodingError ??= errorAt(number, line.wrongByte + 1, 0, "this byte is not UTF-8");
  }
  if (!draft.inComment && line.text.startsWith("%")) {
    // N-1.3: an escape counts as a line, so an empty one takes its place.
    draft.movetext?.push({ text: "", line, number, offset: 0 });
    return;
  }
  const offset = draft.movetext ? 0 : readTags(draft, line, number);
  if (offset === null) return;
  const text = line.text.slice(offset);
  draft.started = true;
  draft.movetext ??= [];
  draft.movetext.push({ text, line, number, offset });
  draft.inComment = endsInComment(text, draft.inComment);
}

/** Read the tags at the beginning of a line. Returns where movetext begins in it, or null. */
function readTags(draft, line, number) {
  for (let at = 0; ; at = TAG.lastIndex) {
    BLANKS.lastIndex = at;
    at += BLANKS.exec(line.text)[0].length;
    if (at === line.text.length) return null;
    if (line.text[at] !== "[") return at;
    draft.started = true;
    TAG.lastIndex = at;
    const tag = TAG.exec(line.text);
    const problem = !tag ? 'no tag: expected [Name "value"]' : draft.tags.has(tag[1]) ? `the tag ${tag[1]} is given twice` : null;
    if (problem) {
      draft.tagError ??= errorAt(number, columnOf(line, at), 0, problem);
      return null; // N-10.4: reading goes on in the next line
    }
    draft.tags.set(tag[1], tag[2].replace(/\\(["\\])/g, "$1"));
    if (tag[1] === "Game") draft.gameTag = { line: number, column: columnOf(line, at) };
  }
}

/** Is the end of a line in a brace comment? Asked of wrong movetext too, so it looks at nothing but comments. */
function endsInComment(text, inComment) {
  for (let at = 0; ; ) {
    if (inComment) {
      at = text.indexOf("}", at) + 1;
      if (at === 0) return true;
      inComment = false;
    }
    while (at < text.length && text[at] !== "{" && text[at] !== ";") at++;
    if (text[at] !== "{") return false;
    inComment = true;
    at++;
  }
}

/** N-10.5: errors in tags come first, then a line that is not UTF-8, then the movetext. */
function finished(draft) {
  const { gameTag, firstLine } = draft;
  const early = draft.tagError ?? draft.encodingError;
  if (early) return { record: null, error: early, gameTag, firstLine };
  const lines = draft.movetext ?? [];
  const { game, ended, problem } = readMovetext(lines.map((one) => one.text).join("\n"));
  if (problem) return { record: null, error: placed(lines, problem), gameTag, firstLine };
  return { record: { tags: Object.fromEntries(draft.tags), ...game, ended }, error: null, gameTag, firstLine };
}

/** An error of the movetext with its line and column in the file. */
function placed(lines, { offset, ply, message }) {
  let index = 0;
  while (offset > lines[index].text.length) {
    offset -= lines[index].text.length + 1;
    index++;
  }
  const { line, number, offset: before } = lines[index];
  return errorAt(number, columnOf(line, before + offset), ply, message);
}

export function errorAt(line, column, ply, message) {
  return { line, column, ply, message };
}
