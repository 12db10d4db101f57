// Which reports of a board a page of many games must show: not each seed that moves.

const reports = new Map(); // what the boards last said that people must know, by board

/** Whether a board refuses a turn, asks, is mended, comes or goes: since the last call it has said so. */
export function isNews(board) {
  const { state, refusal, mend, dispute } = board.status;
  const notice = JSON.stringify([board.game, state, refusal, mend, dispute]);
  const before = reports.get(board.id);
  reports.set(board.id, notice);
  return before !== notice;
}
