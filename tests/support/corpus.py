"""The table, its policy and its surroundings that the corpus of logged statements is about."""

POLICY = """\
version: 1
tables:
  staff:
    key: id
    columns:
      id: identifier
      name: identifier
      sex: quasi
      dept: quasi
      age: quasi
      salary: {role: confidential, domain: [0, 1000], step: 1}
      bonus: {role: confidential, domain: [0, 500000], step: 0.01}
      diagnosis: confidential
      smoker: confidential
    restrict: {min_set: 2, min_interval: 10%}
  dims: public
  guesses: public
"""
DATA = """
CREATE TABLE staff AS SELECT i AS id, 'p' || i AS name, ['F', 'M'][1 + i % 2] AS sex,
    ['it', 'hr', 'lab'][1 + i % 3] AS dept, 20 + i % 40 AS age, 100 + (i * 37) % 800 AS salary,
    CAST(1000 + i * 1234.56 AS DECIMAL(10, 2)) AS bonus, ['flu', 'cold', 'none'][1 + (i // 3) % 3] AS diagnosis,
    i % 5 = 0 AS smoker FROM range(60) t(i);
CREATE TABLE dims AS SELECT * FROM (VALUES ('it', 'north'), ('hr', 'south'), ('lab', 'north')) t(dept, site);
CREATE TABLE guesses AS SELECT range AS x FROM range(9);
CREATE VIEW everybody AS FROM staff;
CREATE VIEW through AS SELECT salary AS x FROM everybody;
CREATE MACRO leak(a) AS (SELECT salary FROM staff WHERE id = a);
"""
