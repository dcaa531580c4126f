// Bars with whiskers, or a line with a band when the key is a date.

import { Answer, Value } from "./api";
import { svg } from "./dom";
import { brief, isNarrow, short } from "./format";

const HEIGHT = 300, LEFT = 58, RIGHT = 12, TOP = 14, BOTTOM = 46;

interface Point { label: string; value: number; low: number; high: number }

/** A moment whose clock stands at midnight is a day. */
const label = (v: Value): string => (v === null ? "NULL" : String(v).replace(/^(\d{4,}-\d\d-\d\d) 00:00:00$/, "$1"));

function points(answer: Answer, column: number): Point[] {
  const keys = answer.columns.map((c, i) => (c.noisy ? -1 : i)).filter(i => i >= 0);
  return answer.rows.map((row, r) => {
    const interval = answer.intervals[r][column];
    const value = Number(row[column]);
    return {
      label: keys.map(k => label(row[k])).join(" · "),
      value,
      low: interval ? Number(interval[0]) : value,
      high: interval ? Number(interval[1]) : value,
    };
  }).filter(p => Number.isFinite(p.value));
}

function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 4 || 1;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough) as number;
  const out: number[] = [];
  for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-9; t += step) out.push(t);
  return out;
}

/** So many groups that the chart takes the whole width of the page. */
export const isBroad = (answer: Answer): boolean => answer.rows.length > 16;

/** The chart of one noisy column; null if there is nothing to draw. */
export function chart(answer: Answer, column: number): SVGElement | null {
  const data = points(answer, column);
  if (data.length === 0 || data.length > 400) return null;
  const low = Math.min(0, ...data.map(p => p.low)), high = Math.max(0, ...data.map(p => p.high));
  const span = high - low || 1;
  const y = (v: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (v - low) / span);
  const WIDTH = isNarrow() ? 360 : isBroad(answer) ? 880 : 460;
  const step = (WIDTH - LEFT - RIGHT) / data.length;
  const x = (i: number): number => LEFT + step * (i + 0.5);
  const key = answer.columns.find(c => !c.noisy);
  const isLine = key !== undefined && (key.type === "date" || key.type === "timestamp") && data.length > 1;
  const title = answer.columns[column].name;
  const root = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img",
    "aria-label": `${title} by group, with 95 % intervals`, xmlns: "http://www.w3.org/2000/svg",
  });
  const marks = ticks(low, high), inThousands = Math.max(...marks.map(Math.abs)) >= 1e4 ? 1e3 : 1e4;
  for (const t of marks)
    root.append(
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(t), y2: y(t) }),
      svg("text", { class: "tick", x: LEFT - 8, y: y(t) + 4, "text-anchor": "end" }, brief(t, 4, inThousands)));
  if (isLine) drawLine(root, data, x, y);
  else drawBars(root, data, x, y, Math.min(step * 0.7, 64));
  drawLabels(root, data, x, { step, end: WIDTH });
  return root;
}

type Place = (v: number) => number;

function drawBars(root: SVGElement, data: Point[], x: Place, y: Place, width: number): void {
  data.forEach((p, i) => {
    const top = Math.min(y(p.value), y(0)), cap = Math.min(width / 3, 8);
    root.append(
      svg("rect", { class: "bar", x: x(i) - width / 2, y: top, width, height: Math.abs(y(p.value) - y(0)), rx: 2 },
        svg("title", {}, `${p.label}: ${short(p.value, 6)} (95 %: ${short(p.low, 6)} to ${short(p.high, 6)})`)),
      svg("path", {
        class: "whisker",
        d: `M${x(i)} ${y(p.low)}V${y(p.high)}M${x(i) - cap} ${y(p.low)}h${2 * cap}M${x(i) - cap} ${y(p.high)}h${2 * cap}`,
      }));
  });
}

function drawLine(root: SVGElement, data: Point[], x: Place, y: Place): void {
  const up = data.map((p, i) => `${x(i)} ${y(p.high)}`), down = data.map((p, i) => `${x(i)} ${y(p.low)}`).reverse();
  root.append(
    svg("path", { class: "band", d: "M" + up.concat(down).join("L") + "Z" }),
    svg("path", { class: "line", d: "M" + data.map((p, i) => `${x(i)} ${y(p.value)}`).join("L") }));
}

/** As many labels as fit, in two rows where one is not enough; one that would pass the edge ends there. */
function drawLabels(root: SVGElement, data: Point[], x: Place, { step, end }: { step: number; end: number }): void {
  const letters = Math.max(...data.map(p => Math.min(p.label.length, 14)));
  const needed = Math.ceil((letters * 6.6 + 8) / step);
  const rows = needed > 1 ? 2 : 1, every = Math.max(1, Math.ceil(needed / rows));
  data.forEach((p, i) => {
    const row = (i / every) % rows;
    if (i % every !== 0) return;
    const text = p.label.length > 14 ? p.label.slice(0, 13) + "…" : p.label, passes = x(i) + text.length * 3.5 > end;
    root.append(svg("text", { class: "tick", x: passes ? end : x(i), y: HEIGHT - BOTTOM + 18 + 15 * row, "text-anchor": passes ? "end" : "middle" }, text));
  });
}
