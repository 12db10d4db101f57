// From bytes to lines (N-1.1 to N-1.4, N-10.1): what a line is, what white space is, and where a character stands.

import { isUtf8 } from "node:buffer";

/** The inside of a character class for `blank` of the grammar. JavaScript's \s is another set: it has U+FEFF, and lacks U+0085. */
export const BLANK = " \\t\\r\\f\\v\\x1c-\\x1f\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
/** The same for `space`. */
export const SPACE = BLANK + "\\n";

/** N-1.5: the inside of a character class for what no comment has. */
const NEVER = "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ufffe\\uffff";

export const IN_NO_TEXT = new RegExp(`[${NEVER}]`, "u");
const NOT_WHITE = new RegExp(`[^${SPACE}]`, "u");
const SPACES = new RegExp(`[${SPACE}]+`, "u");
const LINE_FEED = 0x0a;

/**
 * The lines of a file: `text`, and `wrongByte`, the place of the first byte that is not UTF-8, or -1.
 * An LF ends its line and is no character of it, so nothing follows the last LF of a file.
 */
export function linesOf(bytes) {
  if (isUtf8(bytes)) {
    const texts = bytes.toString("utf8").split("\n");
    if (texts.at(-1) === "") texts.pop();
    return texts.map((text) => ({ text: withoutReturns(text), wrongByte: -1 }));
  }
  const lines = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LINE_FEED, start);
    const end = found < 0 ? bytes.length : found;
    lines.push(decodedLine(bytes.subarray(start, end)));
    start = end + 1;
  }
  return lines;
}

function decodedLine(bytes) {
  if (isUtf8(bytes)) {
    return { text: withoutReturns(bytes.toString("utf8")), wrongByte: -1 };
  }
  let wrongByte = -1;
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      if (wrongByte < 0) wrongByte = at;
      // A lone surrogate stands for one wrong byte: no correct line contains one.
      text += String.fromCharCode(0xdc00 + bytes[at]);
    } else {
      text += bytes.toString("utf8", at, at + length);
    }
    at += length || 1;
  }
  return { text: withoutReturns(text), wrongByte };
}

/** The length of the UTF-8 sequence at a place; 0 if none is there. */
function sequenceLength(bytes, at) {
  const first = bytes[at];
  const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  return length && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}

/** N-1.2. A loop, because /\r+$/ takes quadratic time on a line full of lone carriage returns. */
function withoutReturns(text) {
  let end = text.length;
  while (end > 0 && text[end - 1] === "\r") end--;
  return text.slice(0, end);
}

/** N-10.1: the column of a place in a line. */
export function columnOf(line, offset) {
  const characters = Array.from(line.text.slice(0, offset));
  if (line.wrongByte < 0) return characters.length + 1;
  return characters.reduce((column, one) => column + (/^[\udc80-\udcff]$/.test(one) ? 1 : Buffer.byteLength(one)), 1);
}

/** N-1.1: a line without the byte order marks before it. */
export function withoutMarks(line) {
  const text = line.text.replace(/^\ufeff+/, "");
  const bytes = 3 * (line.text.length - text.length);
  return { text, wrongByte: line.wrongByte < 0 ? -1 : line.wrongByte - bytes };
}

export function isEmpty(line) {
  return !NOT_WHITE.test(line.text);
}

/** N-3.9: white space counts as one space, at the ends as nothing. */
export function withSingleSpaces(text) {
  return text.split(SPACES).filter((word) => word !== "").join(" ");
}
