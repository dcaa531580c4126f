// Names of tables and columns as SQL wants them: in quotes where a bare word would mean something else.

/** Words that begin or join parts of a question, so that no column can be called so without quotes. */
const WORDS = new Set(("all and any array as asc between both by case cast check collate column constraint create cross current_date " +
  "current_time current_timestamp default desc distinct else end except exists extract false fetch filter for foreign from full " +
  "grant group having in inner intersect interval into is join lateral leading left like limit natural not null offset on only or " +
  "order outer over partition primary references right rows select set some table then to trailing true union unique user using " +
  "values when where window with").split(" "));

export function sqlName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/i.test(name) && !WORDS.has(name.toLowerCase()) ? name : `"${name.replace(/"/g, '""')}"`;
}

/** A table may have a schema before it: each part is a name. */
export function sqlTable(name: string): string {
  return name.split(".").map(sqlName).join(".");
}
