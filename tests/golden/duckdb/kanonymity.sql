-- kanonymity of the records, {k: 5}
SELECT "t"."whole" AS "whole", "t"."real" AS "real", "t"."decimal" AS "decimal", "t"."stepped" AS "stepped",
"t"."unbounded" AS "unbounded", CASE WHEN "t"."word" IS NULL THEN NULL ELSE "j0"."word" END AS "word",
CASE WHEN "t"."many words" IS NULL THEN NULL ELSE "j0"."many words" END AS "many words",
CASE WHEN "t"."one word" IS NULL THEN NULL ELSE "j0"."one word" END AS "one word",
CASE WHEN "t"."flag" IS NULL THEN NULL ELSE "j0"."flag" END AS "flag",
CASE WHEN "t"."letter" IS NULL THEN NULL ELSE "j0"."letter" END AS "letter",
CASE WHEN "t"."day" IS NULL THEN NULL ELSE "j0"."day" END AS "day",
CASE WHEN "t"."code" IS NULL THEN NULL ELSE "j0"."code" END AS "code", "t"."untouched" AS "untouched"
FROM "a ""table"" ü" AS "t"
LEFT JOIN "sdc"."kanonymity of the view" AS "j0" ON "t"."key" = "j0"."key"
WHERE NOT "j0"."sdc published" IS NULL
