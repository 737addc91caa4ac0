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
  await assert.rejects(client.query("SELECT name FROM staff"), (refused) => refused.code === "0A000" && Boolean(refused.hint));
  await client.end();
  console.log("ok");
}

main();
