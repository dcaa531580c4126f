// What goes wrong, with a code that programs can look at.

const SENTENCES: Record<string, string> = {
  EINVAL: "the value is of the wrong kind for this collection, or the parameters are not valid",
  ERANGE: "the value is outside the collection's domain or too long",
  EENTROPY: "there is no source of randomness",
  EBUDGET: "the limit of reports or of different values is reached",
  ECORRUPT: "the stored state is damaged",
  ESTATE: "the stored state belongs to another collection or metric",
  EPARSE: "these are not the parameters of a collection",
};

export class SottoError extends Error {
  /** EINVAL, ERANGE, EENTROPY, EBUDGET, ECORRUPT, ESTATE, EPARSE, EREFUSED by the collector, or EIO on the way. */
  readonly code: string;
  constructor(code: string, sentence?: string) {
    super(sentence ?? SENTENCES[code] ?? code);
    this.name = "SottoError";
    this.code = code;
  }
}

// The order of enum sotto_status (include/sotto/status.h).
const STATUSES = ["OK", "EINVAL", "ERANGE", "EOVERFLOW", "EPARSE", "ENOMEM", "EENTROPY", "EIO", "ECORRUPT", "ESTATE",
  "EREFUSED", "EBUDGET", "EMISSING", "EINFEASIBLE"];

export function check(status: number): void {
  if (status !== 0) throw new SottoError(STATUSES[status] ?? `status ${status}`);
}
