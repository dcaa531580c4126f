// Numbers as people read them: only digits that mean something beside their error.

import { Value } from "./api";

export function short(x: number, digits = 4): string {
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e15 || size < 1e-4) return x.toExponential(digits - 1).replace(/\.?0+e/, "e");
  const after = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = x.toFixed(Math.min(after, 12));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** 20000 as 20k, where there is little room; numbers below `from` as they are. */
export function brief(x: number, digits = 3, from = 1e4): string {
  const size = Math.abs(x);
  return size >= 1e6 ? `${short(x / 1e6, digits)}M` : size >= from ? `${short(x / 1e3, digits)}k` : short(x, digits);
}

/** Drawings are made narrower for a phone, so that their letters are not. */
export const isNarrow = (): boolean => matchMedia("(max-width: 40rem)").matches;

/** A value beside the half width of its interval: two digits of the error, no more. */
export function beside(x: number, error: number): string {
  if (!(error > 0)) return short(x, 12);
  const after = Math.max(0, 1 - Math.floor(Math.log10(error)));
  return x.toLocaleString("en", { minimumFractionDigits: 0, maximumFractionDigits: Math.min(after, 12) });
}

/** The half width of an interval, as its value is written: 1,442 ± 1,514. */
export function margin(error: number, digits = 2): string {
  const text = short(error, digits);
  return /^\d{4,}$/.test(text) ? Number(text).toLocaleString("en") : text;
}

/** A key names its group: the year 2023 is no two thousand and has no comma. */
export function key(v: Value): string {
  return v === null ? "" : typeof v === "number" ? v.toLocaleString("en", { maximumFractionDigits: 12, useGrouping: false }) : String(v);
}

export function plain(v: Value): string {
  if (v === null) return "";
  if (typeof v === "number") return v.toLocaleString("en", { maximumFractionDigits: 12 });
  return String(v);
}

export function day(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** How much is left, never rounded up. */
export function left(x: number): string {
  const digits = 6;
  if (x <= 0) return "0";
  const scale = Math.pow(10, digits - 1 - Math.floor(Math.log10(x)));
  const near = Math.round(x * scale); // a double may lie just below a whole number of digits
  return short((Math.abs(near - x * scale) < 1e-9 * near ? near : Math.floor(x * scale)) / scale, digits);
}
