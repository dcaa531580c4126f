// A tree of noisy counts made consistent: least squares, then parent by parent without negatives.

export interface Node {
  name: string; value: number; variance: number; truth: number; children: Node[];
  estimate: number; whole: number;
  /** Of the node's own subtree alone, on the way up. */
  up?: { value: number; variance: number };
}

export function node(name: string, truth: number, children: Node[] = []): Node {
  return { name, value: truth, variance: 1, truth, children, estimate: 0, whole: 0 };
}

const sum = (v: number[]): number => v.reduce((a, b) => a + b, 0);

/** Pools a node's measurement with what its children say of it, weighted by precision. */
function up(n: Node): { value: number; variance: number } {
  const below = n.children.map(up);
  const kids = { value: sum(below.map(b => b.value)), variance: sum(below.map(b => b.variance)) };
  const own = 1 / n.variance, theirs = n.children.length > 0 ? 1 / kids.variance : 0;
  n.up = { value: (own * n.value + theirs * kids.value) / (own + theirs), variance: 1 / (own + theirs) };
  return n.up;
}

/** Spreads what the parent knows better over the children, in proportion to their variance. */
function down(n: Node, estimate: number): void {
  n.estimate = estimate;
  const of = (c: Node): { value: number; variance: number } => c.up as { value: number; variance: number };
  const gap = estimate - sum(n.children.map(c => of(c).value)), total = sum(n.children.map(c => of(c).variance));
  n.children.forEach(c => down(c, of(c).value + gap * of(c).variance / total));
}

/** Least squares over the whole tree (Hay, Rastogi, Miklau and Suciu 2010): every level adds up. */
export function leastSquares(root: Node): void {
  down(root, up(root).value);
}

/** The point nearest to v with no negative part and the given sum (Euclidean). */
export function project(v: number[], total: number): number[] {
  const sorted = [...v].sort((a, b) => b - a);
  let head = 0, shift = 0;
  sorted.forEach((x, i) => {
    head += x;
    const s = (head - total) / (i + 1);
    if (x > s || i === 0) shift = s;
  });
  return v.map(x => Math.max(0, x - shift));
}

/** Whole numbers with that sum, each within 1 of its part: the largest remainders go up. */
export function roundToSum(v: number[], total: number): number[] {
  const floors = v.map(Math.floor);
  const order = v.map((x, i) => [x - floors[i], i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]);
  order.slice(0, Math.round(total - sum(floors))).forEach(([, i]) => { floors[i]++; });
  return floors;
}

/** From the top: whole, non-negative, and the children add up to their parent. */
export function topDown(root: Node, total: number): void {
  root.whole = total;
  const parts = roundToSum(project(root.children.map(c => c.estimate), total), total);
  root.children.forEach((c, i) => topDown(c, parts[i]));
}
