-- pram of letter, {matrix: {'x': {'x': 0.8, 'y': 0.2}, 'y': {'y': 0.5, 'x': 0.25, 'z': 0.25}, 'z': {'z': 1}}}
SELECT "t"."unbounded" AS "unbounded", "t"."word" AS "word", "t"."many words" AS "many words",
"t"."one word" AS "one word", "t"."flag" AS "flag",
CAST(
  "p"."letter values"[
    ((t."sdc draw bits 0 0 16" * 3) >> 16) + 1 + CAST(
      (
        ((t."sdc draw bits 0 0 16" * 3) & 65535) >= "p"."letter thresholds"[
          ((t."sdc draw bits 0 0 16" * 3) >> 16) + ((CAST(t."sdc code letter values" AS INT) * 3) + 1)
        ]
      ) AS BIGINT
    ) * "p"."letter moves"[
      ((t."sdc draw bits 0 0 16" * 3) >> 16) + ((CAST(t."sdc code letter values" AS INT) * 3) + 1)
    ]
  ] AS ENUM('x', 'y', 'z')
) AS "letter",
"t"."day" AS "day", "t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*, CAST(((t."sdc word bits 0 0") & 65535) AS INT) AS "sdc draw bits 0 0 16",
  CAST(
    enum_code(TRY_CAST(CAST(CAST("t"."letter" AS TEXT) AS VARCHAR) AS sdc.values_567a648207b52b51)) AS INT
  ) AS "sdc code letter values"
  FROM (
    SELECT "t".*,
    CAST(CAST(unhex(substr(t."sdc digest bits 0", 17, 16)) AS BIT) AS UBIGINT) AS "sdc word bits 0 0"
    FROM (
      SELECT "t".*, sha256('b4d2591ab9d81ba32310aed3adb86fcd:bits 0:' || t."sdc key") AS "sdc digest bits 0"
      FROM (
        SELECT "t".*,
        CASE
          WHEN t."key" IS NULL THEN error('a record has no key') ELSE CAST(t."key" AS VARCHAR)
        END AS "sdc key"
        FROM "a ""table"" ü" AS "t"
      ) AS "t"
    ) AS "t"
  ) AS "t"
) AS "t"
CROSS JOIN "sdc"."lists of the view" AS "p"
