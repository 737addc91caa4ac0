-- linnapt of whole, {class: letter, attributes: ['real', 'word', 'whole'], min_cases: 20, confidence: 0.5}
SELECT CAST(
  (
    (
      CAST(
        FLOOR(
          CAST("t"."whole" AS DOUBLE) + (
            33.6633e0 * (
              t."sdc once radius 0 24" * COS(
                CAST(t."sdc draw bits 0 24 24" AS DOUBLE) * 3.7450702829239286e-07
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
                      33.6633e0 * (
                        t."sdc once radius 0 24" * COS(
                          CAST(t."sdc draw bits 0 24 24" AS DOUBLE) * 3.7450702829239286e-07
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
  SELECT "t".*,
  SQRT(
    (-2.0e0) * LN(CAST((t."sdc draw bits 0 0 24" + 1) AS DOUBLE) * 5.960464477539063e-08)
  ) AS "sdc once radius 0 24"
  FROM (
    SELECT "t".*, CAST(((t."sdc word bits 0 0" >> 24) & 16777215) AS INT) AS "sdc draw bits 0 24 24",
    CAST(((t."sdc word bits 0 0") & 16777215) AS INT) AS "sdc draw bits 0 0 24"
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
) AS "t"
CROSS JOIN "sdc"."lists of the view" AS "p"
