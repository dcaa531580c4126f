// What is being asked, kept while pages change; other pages can put a question here.

export const EPSILONS = ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5"];

/** No epsilon: nobody has chosen one, so it is the policy's default, or 0.1 if that has none. */
export const draft = { sql: "", epsilon: "" };

/** "1/3" and "0.2" as numbers. */
export function amount(text: string): number {
  const [over, under] = text.split("/");
  return under === undefined ? Number(over) : Number(over) / Number(under);
}

/** The usual epsilons, and the given one in its place among them. */
export function ladder(epsilon: string): string[] {
  const all = EPSILONS.some(e => amount(e) === amount(epsilon)) ? EPSILONS : [...EPSILONS, epsilon];
  return [...all].sort((a, b) => amount(a) - amount(b));
}
