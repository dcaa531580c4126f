// Randomness for pictures of made-up data only: fast, repeatable, and predictable.
// Nothing private may ever be drawn from it; the program's own noise is src/core/random.

export interface Dice {
  /** Uniform in (0, 1). */
  uniform: () => number;
  below: (n: number) => number;
  normal: () => number;
  laplace: (scale: number) => number;
  /** P(z) proportional to alpha^|z| over the whole numbers. */
  geometric: (alpha: number) => number;
}

/** The sfc32 generator of Doty-Humphrey, started from one number. */
export function dice(seed: number): Dice {
  let a = 0x9e3779b9 ^ seed, b = 0x243f6a88, c = 0xb7e15162 ^ (seed << 7), counter = 1;
  const next = (): number => {
    const t = (a + b | 0) + counter | 0;
    counter = counter + 1 | 0;
    a = b ^ b >>> 9;
    b = c + (c << 3) | 0;
    c = (c << 21 | c >>> 11) + t | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 15; i++) next();
  const uniform = (): number => (next() + 0.5) / 4294967296;
  const oneSided = (alpha: number): number => Math.floor(Math.log(uniform()) / Math.log(alpha));
  return {
    uniform,
    below: n => Math.floor(uniform() * n),
    normal: () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
    laplace: scale => scale * Math.log(uniform() / uniform()),
    geometric: alpha => oneSided(alpha) - oneSided(alpha),
  };
}
