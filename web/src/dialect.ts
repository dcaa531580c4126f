// The words of SQL that questions are made of: PostgreSQL has ten times as many, and a column may be called like one of them.

import { PostgreSQL, SQLDialect } from "@codemirror/lang-sql";

const CLAUSES = "select distinct from where group by having order limit offset as asc desc nulls first last with union all intersect except values " +
  "join inner left right full outer cross natural on using " +
  "and or not in is null true false between like ilike similar to exists case when then else end cast at time zone interval " +
  "over partition rows range unbounded preceding following current row filter within grouping sets rollup cube qualify";

const FUNCTIONS = "count sum avg min max median mode stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp " +
  "percentile_cont percentile_disc quantile " +
  "abs ceil floor round trunc sign exp ln log sqrt power mod greatest least coalesce nullif " +
  "lower upper length trim substring position replace concat extract date_trunc date_part";

const TYPES = "boolean integer bigint smallint numeric double precision real text varchar date timestamp";

export const questions = SQLDialect.define({ ...PostgreSQL.spec, keywords: CLAUSES, types: TYPES, builtin: FUNCTIONS });
