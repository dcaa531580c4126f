// node-postgres against sotto serve: node client.js MODULES PORT NAME KEY DATABASE
const [modules, port, user, password, database] = process.argv.slice(2);
const { Client } = require(modules + "/pg");
const check = (ok, what) => {
  if (!ok) {
    console.log("failed: " + what);
    process.exit(1);
  }
};
(async () => {
  const c = new Client({ host: "127.0.0.1", port: +port, user, password, database });
  const notices = [];
  c.on("notice", (n) => notices.push(n.message));
  await c.connect();
  await c.query("SET sotto.epsilon = 0.1");
  const asked = "SELECT COUNT(*) AS n FROM patients WHERE age > $1 AND city = $2 AND smoker = $3";
  const r = await c.query(asked, [30, "Padova", true]);
  check(r.rows.length === 1 && /^-?[0-9]+$/.test(r.rows[0].n), "a count comes with parameters");
  check(notices.some((n) => /^cost epsilon 0.1; left epsilon/.test(n)), "its price is told");
  const again = await c.query({ name: "p", text: asked, values: [30, "Padova", true] });
  check(again.rows[0].n === r.rows[0].n, "the same with a prepared statement");
  const written = await c.query(
    "SELECT COUNT(*) AS n FROM patients WHERE age > '30' AND city = 'Padova' AND smoker = 'true'");
  check(written.rows[0].n === r.rows[0].n, "and with the values written: it is the same question");
  const limited = await c.query("SELECT smoker, COUNT(*) FROM patients GROUP BY smoker ORDER BY smoker LIMIT $1", ["1"]);
  check(limited.rows.length === 1 && limited.rows[0].smoker === false, "LIMIT takes a parameter");
  const tables = await c.query(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1", ["public"]);
  check(tables.rows.map((t) => t.table_name).join() === "cities,patients,visits", "the catalog takes parameters");
  for (const evil of ["x' OR '1'='1", "'; DROP TABLE patients; --", "$2", "\\'", 'a"b', "Pad\u00e9"]) {
    const e = await c.query("EXPLAIN SELECT COUNT(*) FROM patients WHERE city = $1", [evil]);
    check(e.rows.length > 3, "a value is a value: " + evil);
  }
  let error;
  try {
    await c.query("SELECT COUNT(*) FROM patients WHERE age > $2", [1]);
  } catch (e) {
    error = e;
  }
  check(error && /no value for the parameter \$2/.test(error.message) && error.code === "0A000", "a missing value is an error");
  await c.end();
  console.log("good");
})().catch((e) => {
  console.log("failed: " + e.message);
  process.exit(1);
});
