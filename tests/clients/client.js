// node-postgres: a question, parameters, a named statement, a denial.
const { Client } = require("pg");
const assert = require("assert");
const [host, port, user, password] = process.argv.slice(2);

async function main() {
  const client = new Client({ host, port: Number(port), user, password, database: "staff" });
  await client.connect();
  const counted = await client.query("SELECT COUNT(*) AS n FROM staff");
  assert(Number(counted.rows[0].n) > 0);
  const means = await client.query("SELECT sex, AVG(salary) AS mean FROM staff WHERE age > $1 GROUP BY sex", [30]);
  assert.strictEqual(means.rows.length, 2);
  for (const low of [30, 31]) {
    await client.query({ name: "older", text: "SELECT COUNT(*) AS n FROM staff WHERE age > $1", values: [low] });
  }
  const when = new Date("2024-01-02T03:04:05.006Z");
  const sent = [true, 7, 1.5, "naïve", Buffer.from([0, 255]), when, [1, 2, 3], ["a", 'b"c', null], null, { a: [1] }];
  const kinds = ["bool", "int4", "float8", "text", "bytea", "timestamptz", "int4[]", "text[]", "text", "json"];
  const list = kinds.map((kind, number) => `$${number + 1}::${kind} AS v${number}`).join(", ");
  const typed = (await client.query({ text: `SELECT ${list}`, values: sent })).rows[0];
  sent.forEach((value, number) => assert.deepStrictEqual(typed[`v${number}`], value, kinds[number]));
  const portion = await client.query("BEGIN; DECLARE c CURSOR FOR SELECT n FROM range(10) t(n); FETCH 4 FROM c; COMMIT");
  assert.strictEqual(portion[2].rows.length, 4);
  await assert.rejects(client.query("SELECT name FROM staff"), (refused) => refused.code === "0A000" && Boolean(refused.hint));
  await client.end();
  console.log("ok");
}

main();
