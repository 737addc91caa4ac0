-- linfapt of whole, {class: letter, attributes: ['real', 'word', 'whole'], min_cases: 20, confidence: 0.5}
SELECT CAST(
  (
    (
      CAST(
        FLOOR(
          CAST("t"."whole" AS DOUBLE) + (
            0.0e0 * (
              SQRT((-2.0e0) * LN(CAST((t."sdc draw 0 0" + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
                6.283185307179586e0 * CAST(t."sdc draw 0 1" AS DOUBLE) * 2.3283064365386963e-10
              )
            )
          ) + 0.5e0
        ) AS DOUBLE
      )
    ) - (
      101.0e0 * CAST(
        FLOOR(
          (
            (
              (
                CAST(
                  FLOOR(
                    CAST("t"."whole" AS DOUBLE) + (
                      0.0e0 * (
                        SQRT(
                          (-2.0e0) * LN(CAST((t."sdc draw 0 0" + 1) AS DOUBLE) * 2.3283064365386963e-10)
                        ) * COS(
                          6.283185307179586e0 * CAST(t."sdc draw 0 1" AS DOUBLE) * 2.3283064365386963e-10
                        )
                      )
                    ) + 0.5e0
                  ) AS DOUBLE
                )
              ) - 0.0e0
            ) / 101.0e0
          )
        ) AS DOUBLE
      )
    )
  ) AS INT
) AS "whole",
"t"."unbounded" AS "unbounded", "t"."word" AS "word", "t"."many words" AS "many words",
"t"."one word" AS "one word", "t"."flag" AS "flag", "t"."letter" AS "letter", "t"."day" AS "day",
"t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*, CAST((t."sdc word 0 0" >> 32) AS BIGINT) AS "sdc draw 0 1",
  CAST((t."sdc word 0 0" & 4294967295) AS BIGINT) AS "sdc draw 0 0"
  FROM (
    SELECT "t".*, CAST('0x' || substr(t."sdc digest 0", 17, 16) AS UBIGINT) AS "sdc word 0 0"
    FROM (
      SELECT "t".*, sha256('b4d2591ab9d81ba32310aed3adb86fcd:0:' || t."sdc key") AS "sdc digest 0"
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
