// Plots of the lab: lines, steps, bars, whiskers and dots over two axes, and heat maps.

import { h, svg } from "../dom";
import { brief, isNarrow, short } from "../format";

export interface Series {
  kind: "line" | "bars" | "dots" | "area" | "whiskers";
  /** x and y; whiskers: x, low, high. */
  points: number[][];
  name?: string;
  /** Which of the colours, 0 to 5. */
  tone?: number;
  /** Of bars, as a part of the distance between two: default 0.8. */
  width?: number;
  shift?: number;
}
export interface Axis { label: string; min?: number; max?: number; log?: boolean; names?: string[] }
export interface Mark { x?: number; y?: number; label: string }
export interface Plot { label: string; x: Axis; y: Axis; series: Series[]; marks?: Mark[]; height?: number; width?: number }

/** Widths in the drawing's own units: of a picture alone, and of one beside another. */
const FULL = 640;
export const HALF = 400;
const LEFT = 62, RIGHT = 14, TOP = 20, BOTTOM = 44;
/** Half of a dot and of its edge: one at the end of an axis is whole. */
const DOT = 4.5;

export function ticks(low: number, high: number, log = false): number[] {
  if (log) {
    const out: number[] = [], every = Math.max(1, Math.ceil((Math.log10(high) - Math.log10(low)) / 6));
    for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high) + 1e-9; e += every) out.push(10 ** e);
    return out;
  }
  const rough = (high - low) / 5 || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough - 1e-12) as number;
  const out: number[] = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step) out.push(Math.abs(t) < step * 1e-9 ? 0 : t);
  return out;
}

interface Scale { at: (v: number) => number; low: number; high: number; unit: number }

function scale(axis: Axis, values: number[], from: number, to: number, zero: boolean): Scale {
  const finite = values.filter(v => Number.isFinite(v) && (!axis.log || v > 0));
  let low = axis.min ?? Math.min(...finite, ...(zero && !axis.log ? [0] : [])), high = axis.max ?? Math.max(...finite, ...(zero && !axis.log ? [0] : []));
  if (!(high > low)) { high = low + 1; }
  const f = axis.log ? Math.log : (v: number) => v, a = f(low), b = f(high);
  return { at: v => from + (to - from) * (Math.min(Math.max(f(v), a - (b - a)), b + (b - a)) - a) / (b - a), low, high, unit: (to - from) / (b - a) };
}

export function plot(p: Plot): HTMLElement {
  const H = p.height ?? 320, W = p.width ?? (isNarrow() ? HALF : FULL), clip = `clip${++clips}`;
  const ys = p.series.flatMap(s => s.points.flatMap(q => q.slice(1))), xs = p.series.flatMap(s => s.points.map(q => q[0]));
  const bars = p.series.some(s => s.kind === "bars");
  const x = scale({ ...p.x, min: p.x.min ?? (bars ? Math.min(...xs) - 0.6 : undefined), max: p.x.max ?? (bars ? Math.max(...xs) + 0.6 : undefined) }, xs, LEFT, W - RIGHT, false);
  const y = scale(p.y, ys, H - BOTTOM, TOP, true);
  const root = svg("svg", { viewBox: `0 0 ${W} ${H}`, class: "plot", role: "img", "aria-label": p.label },
    svg("clipPath", { id: clip }, svg("rect", { x: LEFT - DOT, y: TOP - DOT, width: W - LEFT - RIGHT + 2 * DOT, height: H - TOP - BOTTOM + 2 * DOT })));
  axes(root, p, x, y, H, W);
  const inside = svg("g", { "clip-path": `url(#${clip})` });
  p.series.forEach((s, i) => inside.append(draw(s, x, y, s.tone ?? i)));
  root.append(inside);
  (p.marks ?? []).forEach(m => root.append(...mark(m, x, y, H, W)));
  return h("div", { class: "plotted" }, legend(p.series), root);
}

let clips = 0;

function axes(root: SVGElement, p: Plot, x: Scale, y: Scale, H: number, W: number): void {
  for (const t of ticks(y.low, y.high, p.y.log))
    root.append(svg("line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: y.at(t), y2: y.at(t) }),
      svg("text", { class: "tick", x: LEFT - 7, y: y.at(t) + 4, "text-anchor": "end" }, p.y.log && t < 0.01 ? t.toExponential(0) : brief(t)));
  const names = p.x.names, LETTER = 6.6;
  /* Names that would touch stand on two lines in turn. */
  const crowded = names !== undefined && Math.max(...names.map(n => n.length)) * LETTER > x.unit;
  (names ? names.map((_, i) => i) : ticks(x.low, x.high, p.x.log)).forEach(t =>
    root.append(svg("text", { class: "tick", x: x.at(t), y: H - BOTTOM + (crowded && t % 2 === 1 ? 30 : 17), "text-anchor": x.at(t) > W - RIGHT - 16 && !names ? "end" : "middle" }, names ? names[t] : brief(t))));
  root.append(
    svg("line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: H - BOTTOM, y2: H - BOTTOM }),
    svg("text", { class: "axis-label", x: (LEFT + W - RIGHT) / 2, y: H - 6, "text-anchor": "middle" }, p.x.label),
    svg("text", { class: "axis-label", x: 13, y: (TOP + H - BOTTOM) / 2, "text-anchor": "middle", transform: `rotate(-90 13 ${(TOP + H - BOTTOM) / 2})` }, p.y.label));
}

function draw(s: Series, x: Scale, y: Scale, tone: number): SVGElement {
  const g = svg("g", { class: `tone${tone % 6} ${s.kind}` });
  const path = (points: number[][]): string => "M" + points.map(q => `${x.at(q[0]).toFixed(2)} ${y.at(q[1]).toFixed(2)}`).join("L");
  const points = s.points.filter(q => q.every(Number.isFinite));
  if (points.length === 0) return g;
  if (s.kind === "line") g.append(svg("path", { d: path(points) }));
  if (s.kind === "area") g.append(svg("path", { d: `${path(points)}V${y.at(Math.max(0, y.low))}H${x.at(points[0][0])}Z` }));
  if (s.kind === "dots") points.forEach(q => g.append(svg("circle", { cx: x.at(q[0]), cy: y.at(q[1]), r: DOT - 1 })));
  const width = Math.max(1, (s.width ?? 0.8) * x.unit);
  if (s.kind === "bars") points.forEach(q => g.append(svg("rect", {
    x: x.at(q[0] + (s.shift ?? 0)) - width / 2, y: Math.min(y.at(q[1]), y.at(0)), width, height: Math.abs(y.at(q[1]) - y.at(0)),
  }, svg("title", {}, short(q[1], 4)))));
  if (s.kind === "whiskers") points.forEach(q => {
    const at = x.at(q[0] + (s.shift ?? 0)), cap = Math.min(6, width / 3);
    g.append(svg("path", { d: `M${at} ${y.at(q[1])}V${y.at(q[2])}M${at - cap} ${y.at(q[1])}h${2 * cap}M${at - cap} ${y.at(q[2])}h${2 * cap}` }));
  });
  return g;
}

function mark(m: Mark, x: Scale, y: Scale, H: number, W: number): SVGElement[] {
  if (m.y !== undefined)
    return [svg("line", { class: "mark", x1: LEFT, x2: W - RIGHT, y1: y.at(m.y), y2: y.at(m.y) }),
      svg("text", { class: "mark-label", x: W - RIGHT - 4, y: y.at(m.y) - 5, "text-anchor": "end" }, m.label)];
  // Above the plot, where no bar is.
  const at = x.at(m.x as number), end = at + 6.6 * m.label.length > W - RIGHT && at > W / 2;
  return [svg("line", { class: "mark", x1: at, x2: at, y1: TOP, y2: H - BOTTOM }),
    svg("text", { class: "mark-label", x: at + (end ? 4 : -4), y: TOP - 6, "text-anchor": end ? "end" : "start" }, m.label)];
}

function legend(series: Series[]): HTMLElement {
  const named = series.map((s, i) => ({ s, tone: s.tone ?? i })).filter(n => n.s.name !== undefined);
  return h("ul", { class: "legend" }, ...named.map(({ s, tone }) => h("li", {},
    svg("svg", { viewBox: "0 0 24 12", width: 24, height: 12, "aria-hidden": "true" },
      svg("g", { class: `tone${tone % 6} ${s.kind === "whiskers" ? "line" : s.kind}` },
        s.kind === "bars" || s.kind === "area" ? svg("rect", { x: 4, y: 1, width: 16, height: 10 }) :
          s.kind === "dots" ? svg("circle", { cx: 12, cy: 6, r: DOT - 1 }) : svg("path", { d: "M1 6H23" }))),
    s.name as string)));
}

/** A matrix as squares: the darker, the more probable. */
export function heat(matrix: number[][], label: string, rows: string, columns: string): SVGElement {
  const n = matrix.length, m = matrix[0].length, size = 300 / Math.max(n, m), most = Math.max(...matrix.flat());
  const root = svg("svg", { viewBox: `0 0 ${46 + m * size} ${46 + n * size}`, class: "plot heat", role: "img", "aria-label": label });
  matrix.forEach((row, i) => row.forEach((p, j) => {
    const share = p / most;
    root.append(svg("rect", { class: "cell", x: 40 + j * size, y: 24 + i * size, width: size - 1, height: size - 1, "fill-opacity": (0.04 + 0.96 * share).toFixed(3) },
      svg("title", {}, `from ${i} to ${j}: ${short(p, 4)}`)));
    if (n <= 8) root.append(svg("text", {
      class: "cell-text", x: 40 + (j + 0.5) * size, y: 28 + (i + 0.5) * size, "text-anchor": "middle",
    }, p < 0.005 ? (p === 0 ? "0" : "·") : p.toFixed(2)));
  }));
  for (let i = 0; i < n; i++) root.append(svg("text", { class: "tick", x: 34, y: 28 + (i + 0.5) * size, "text-anchor": "end" }, String(i)));
  for (let j = 0; j < m; j++) root.append(svg("text", { class: "tick", x: 40 + (j + 0.5) * size, y: 18, "text-anchor": "middle" }, String(j)));
  root.append(svg("text", { class: "axis-label", x: 40 + m * size / 2, y: 40 + n * size, "text-anchor": "middle" }, columns),
    svg("text", { class: "axis-label", x: 10, y: 24 + n * size / 2, "text-anchor": "middle", transform: `rotate(-90 10 ${24 + n * size / 2})` }, rows));
  return root;
}

/** f at evenly spaced x. */
export const curve = (low: number, high: number, f: (x: number) => number, steps = 200): number[][] =>
  Array.from({ length: steps + 1 }, (_, i) => { const x = low + (high - low) * i / steps; return [x, f(x)]; });
