-- sampling of the records, {size: 25%}
SELECT "t"."whole" AS "whole", "t"."real" AS "real", "t"."decimal" AS "decimal", "t"."stepped" AS "stepped",
"t"."unbounded" AS "unbounded", "t"."word" AS "word", "t"."many words" AS "many words",
"t"."one word" AS "one word", "t"."flag" AS "flag", "t"."letter" AS "letter", "t"."day" AS "day",
"t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*, CAST(((t."sdc word bits 0 0") & 4294967295) AS BIGINT) AS "sdc draw bits 0 0 32",
  CAST((t."sdc word bits 0 0" >> 32) AS BIGINT) AS "sdc draw bits 0 32 32"
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
WHERE t."sdc draw bits 0 0 32" < 925332660
OR (t."sdc draw bits 0 0 32" = 925332660 AND t."sdc draw bits 0 32 32" < 1495885099)
