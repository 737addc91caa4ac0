-- suppression of whole, {share: 5%}
SELECT CASE
  WHEN "t"."whole" IS NULL THEN NULL
  ELSE CASE WHEN t."sdc draw bits 0 0 32" < 214748365 THEN CAST(NULL AS INT) ELSE "t"."whole" END
END AS "whole",
"t"."unbounded" AS "unbounded", "t"."word" AS "word", "t"."many words" AS "many words",
"t"."one word" AS "one word", "t"."flag" AS "flag", "t"."letter" AS "letter", "t"."day" AS "day",
"t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*, CAST(((t."sdc word bits 0 0") & 4294967295) AS BIGINT) AS "sdc draw bits 0 0 32"
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
