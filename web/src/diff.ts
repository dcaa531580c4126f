// The difference of two texts, line by line: the longest common subsequence stays.

export interface Line { kind: "same" | "gone" | "new"; text: string; number: number }

export function diff(before: string, after: string): Line[] {
  const a = before.split("\n"), b = after.split("\n");
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  const out: Line[] = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) out.push({ kind: "same", text: a[i++], number: ++j });
    else if (i < a.length && (j === b.length || common[i + 1][j] >= common[i][j + 1])) out.push({ kind: "gone", text: a[i], number: ++i });
    else out.push({ kind: "new", text: b[j], number: ++j });
  }
  return out;
}

/** Only changed lines, with `around` lines of what surrounds them; null stands for what was left out. */
export function excerpt(lines: Line[], around: number): (Line | null)[] {
  const near = lines.map((_, i) => lines.slice(Math.max(0, i - around), i + around + 1).some(l => l.kind !== "same"));
  return lines.flatMap((l, i) => (near[i] ? [l] : i > 0 && near[i - 1] ? [null] : []));
}
