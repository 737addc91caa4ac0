-- swapping of whole, {range: 5%, share: 60%}
SELECT CASE WHEN "t"."whole" IS NULL THEN NULL ELSE "j0"."whole" END AS "whole",
"t"."unbounded" AS "unbounded", "t"."word" AS "word", "t"."many words" AS "many words",
"t"."one word" AS "one word", "t"."flag" AS "flag", "t"."letter" AS "letter", "t"."day" AS "day",
"t"."code" AS "code", "t"."untouched" AS "untouched"
FROM "a ""table"" ü" AS "t"
LEFT JOIN "sdc"."swapping of the view: whole" AS "j0" ON "t"."key" = "j0"."key"
