-- microaggregation of whole, real, {k: 5}
SELECT CASE
  WHEN "t"."whole" IS NULL THEN NULL
  ELSE CASE
    WHEN "j0"."whole" IS NULL THEN NULL
    ELSE CAST((LEAST(GREATEST(CAST(FLOOR("j0"."whole" + 0.5e0) AS BIGINT), 0), 100)) AS INT)
  END
END AS "whole",
CASE
  WHEN "t"."real" IS NULL THEN NULL
  ELSE CASE
    WHEN "j0"."real" IS NULL THEN NULL ELSE CAST(LEAST(GREATEST("j0"."real", (-5.0e0)), 5.0e0) AS DOUBLE)
  END
END AS "real",
"t"."unbounded" AS "unbounded", "t"."word" AS "word", "t"."many words" AS "many words",
"t"."one word" AS "one word", "t"."flag" AS "flag", "t"."letter" AS "letter", "t"."day" AS "day",
"t"."code" AS "code", "t"."untouched" AS "untouched"
FROM "a ""table"" ü" AS "t"
LEFT JOIN "sdc"."microaggregation of the view: whole, real" AS "j0" ON "t"."key" = "j0"."key"
