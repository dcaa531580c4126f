// Where a sentence of the server points to: "… (line 2, character 8)".

export interface Place { line: number; character: number }

export function placeOf(sentence: string): Place | null {
  const at = /\bline (\d+)(?:, (?:character|column) (\d+))?/.exec(sentence);
  return at ? { line: Number(at[1]), character: at[2] ? Number(at[2]) : 0 } : null;
}

/** The word at a place, as offsets; the whole line if the place names no character. */
export function span(text: string, place: Place): { from: number; to: number } {
  const lines = text.split("\n");
  const line = Math.min(Math.max(place.line, 1), lines.length) - 1;
  const start = lines.slice(0, line).reduce((sum, l) => sum + l.length + 1, 0);
  if (place.character === 0) return { from: start, to: start + lines[line].length };
  const at = Math.min(place.character - 1, lines[line].length);
  const word = /^(?:[A-Za-z_0-9]+|.)/.exec(lines[line].slice(at))?.[0].length ?? 0;
  return word > 0 ? { from: start + at, to: start + at + word } : { from: Math.max(start, start + at - 1), to: start + at };
}
