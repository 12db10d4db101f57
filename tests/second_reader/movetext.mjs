// The movetext of a record: moves, comments, annotations and variations (N-3.2, N-3.7 to N-3.12, N-11.1 to N-11.3).

import { IN_NO_TEXT, SPACE, withSingleSpaces } from "./text.mjs";

const DEEPEST = 64; // N-3.10
const HIGHEST_ANNOTATION = 255; // N-3.11
const GLYPHS = ["!", "?", "!!", "??", "!?", "?!"]; // $1 to $6

const PIT = "[A-Za-z]";
const COUNT = "[0-9]{1,4}";
const CLAIMS = `(?:x${COUNT}(?:,${COUNT})?)?(?:=${PIT}+)?`;
const MOVE = `${PIT}[<>]*${CLAIMS}|~(?:${PIT}[<>]*|\\?)${CLAIMS}|~~(?:[1-9][0-9]{0,3})?|${PIT}${PIT}@(?:${PIT}${COUNT})*|--`;
const GLYPH = "!!|!\\?|!|\\?\\?|\\?!|\\?";
const MOVE_WITH_GLYPH = new RegExp(`^(${MOVE})(${GLYPH})?$`, "u");
const DELIMITER = `(?=[${SPACE}{;()$]|$)`;

const SPACES = new RegExp(`[${SPACE}]+`, "uy");
const BRACE_COMMENT = /\{([^}]*)\}/uy;
const LINE_COMMENT = /;([^\n]*)/uy;
const RESULT = new RegExp(`(1-0|0-1|1/2-1/2|\\*)(?=[{;()${SPACE}]|$)`, "uy");
const NUMBER = new RegExp(`[0-9]+\\.*(?=[A-Za-z~{;()${SPACE}-]|$)`, "uy");
const ANNOTATION = new RegExp(`(?:\\$(${COUNT})|(${GLYPH}))${DELIMITER}`, "uy");
/** N-10.3: "A word runs up to white space or one of {};()$". */
const WORD = new RegExp(`[^${SPACE}{};()$]+`, "uy");
/** N-10.3: a word that is no move, but stands for one. */
const LIKE_A_MOVE = /^(?:[A-Za-z]|~[A-Za-z?])[^!?]*[!?]{0,2}$/u;

/** The first error of a movetext: where reading stops. */
class Wrong extends Error {
  constructor(offset, ply, message) {
    super(message);
    this.offset = offset;
    this.ply = ply;
  }
}

/** Read a movetext: `game` with its comments and plies, `ended`, and `problem`, the first error or null. */
export function readMovetext(text) {
  const reader = new Movetext(text);
  try {
    reader.read();
    return { game: reader.game, ended: reader.ended, problem: null };
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return { game: reader.game, ended: null, problem: error };
  }
}

class Movetext {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.game = { comments: [], plies: [] };
    this.ended = null;
    // The game and the variations around the place, innermost last. `before` is the number of turns before the line.
    this.lines = [{ line: this.game, before: 0 }];
  }

  get line() {
    return this.lines.at(-1).line;
  }

  /** The move that a comment, annotation or variation belongs to, or undefined. */
  get ply() {
    return this.line.plies.at(-1);
  }

  /** The number of the next turn of the line. */
  get nextTurn() {
    return this.lines.at(-1).before + this.line.plies.length + 1;
  }

  read() {
    for (this.take(SPACES); this.at < this.text.length; this.take(SPACES)) {
      if (this.ended) throw this.wrong("text after the result");
      this.readOne();
    }
    if (this.lines.length > 1) throw this.wrong("a variation is not closed: expected ')'");
  }

  readOne() {
    const sign = this.text[this.at];
    if (sign === "{" || sign === ";") this.readComment(sign);
    else if (sign === "(") this.openVariation();
    else if (sign === ")") this.closeVariation();
    else if (sign === "$" || sign === "!" || sign === "?") this.readAnnotation();
    else if (!this.readResult() && !this.take(NUMBER)) this.readWord();
  }

  readComment(sign) {
    const start = this.at;
    const comment = this.take(sign === "{" ? BRACE_COMMENT : LINE_COMMENT);
    if (!comment) throw this.wrong("a comment is not closed: expected '}'");
    if (IN_NO_TEXT.test(comment[1])) throw this.wrong("a comment has a control character", start);
    const text = withSingleSpaces(comment[1]);
    if (text) (this.ply ?? this.line).comments.push(text);
  }

  openVariation() {
    if (!this.ply) throw this.wrong("a variation without a move that it replaces");
    if (this.lines.length > DEEPEST) throw this.wrong(`variations are nested more than ${DEEPEST} deep`);
    const variation = { comments: [], plies: [] };
    const before = this.nextTurn - 2;
    this.ply.variations.push(variation);
    this.lines.push({ line: variation, before });
    this.at++;
  }

  closeVariation() {
    if (this.lines.length === 1) throw this.wrong("')' without its '('");
    if (!this.ply) throw this.wrong("a variation has no move: expected one before ')'");
    this.lines.pop();
    this.at++;
  }

  readAnnotation() {
    const start = this.at;
    const annotation = this.take(ANNOTATION);
    const number = annotation && (annotation[2] ? GLYPHS.indexOf(annotation[2]) + 1 : Number(annotation[1]));
    if (!annotation || number > HIGHEST_ANNOTATION) {
      throw this.wrong(`no annotation: expected $0 to $${HIGHEST_ANNOTATION}, or one of ${GLYPHS.join(" ")}`, start);
    }
    if (!this.ply) throw this.wrong("an annotation without its move", start);
    this.ply.nags.push(number);
  }

  /** N-3.2: asked before numbers, because the result is read where both could be. */
  readResult() {
    const start = this.at;
    const result = this.take(RESULT);
    if (!result) return false;
    if (this.lines.length > 1) throw this.wrong(`the result ${result[1]} inside a variation`, start);
    this.ended = result[1];
    return true;
  }

  readWord() {
    const start = this.at;
    const word = this.take(WORD);
    if (!word) throw this.wrong(`'${this.text[start]}' is not expected here`);
    const move = MOVE_WITH_GLYPH.exec(word[0]);
    if (!move) {
      const standsForMove = LIKE_A_MOVE.test(word[0]) && this.text[this.at] !== "}";
      const ply = standsForMove ? this.nextTurn : this.game.plies.length;
      throw new Wrong(start, ply, `'${word[0]}' is no move`);
    }
    const nags = move[2] ? [GLYPHS.indexOf(move[2]) + 1] : [];
    this.line.plies.push({ move: moveText(move[1]), nags, comments: [], variations: [] });
  }

  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found) this.at = pattern.lastIndex;
    return found;
  }

  /** An error with the ply of most of them: the number of moves of the main line before it. */
  wrong(message, offset = this.at) {
    return new Wrong(offset, this.game.plies.length, message);
  }
}

/** N-11.2: numbers without leading zeros, and `x7,0` as `x7`. */
function moveText(move) {
  return move.replace(/[0-9]+/g, (digits) => String(Number(digits))).replace(/,0(?![0-9])/, "");
}

/** N-9.8: the glyph of an annotation, or undefined. */
export function glyphOf(annotation) {
  return GLYPHS[annotation - 1];
}
