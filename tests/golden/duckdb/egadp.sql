-- egadp of whole, real, decimal, {}
SELECT CASE
  WHEN "t"."whole" IS NULL THEN NULL
  ELSE CAST(
    (
      LEAST(
        GREATEST(
          CAST(
            FLOOR(
              (
                (
                  38.63381437559e0 + 0.05901551255956e0 * CAST(
                    "t"."whole" AS DOUBLE
                  ) + 0.9917254374919e0 * COALESCE(
                    CAST("t"."real" AS DOUBLE), (-0.3246189206017e0)
                  ) + 0.2325287264947e0 * COALESCE(
                    CAST("t"."decimal" AS DOUBLE), 23.82692307692e0
                  ) + 29.74104549391e0 * t."sdc once normal egadp 08c0de44:whole"
                )
              ) + 0.5e0
            ) AS BIGINT
          ),
          0
        ),
        100
      )
    ) AS INT
  )
END AS "whole",
CASE
  WHEN "t"."real" IS NULL THEN NULL
  ELSE CAST(
    LEAST(
      GREATEST(
        (
          (
            1.383132137821e0 + (-0.02848754469201e0) * COALESCE(
              CAST("t"."whole" AS DOUBLE), 48.90384615385e0
            ) + (-0.1415586354087e0) * CAST("t"."real" AS DOUBLE) + (-0.0215550164144e0) * COALESCE(
              CAST("t"."decimal" AS DOUBLE), 23.82692307692e0
            ) + (
              -0.05166624255489e0
            ) * t."sdc once normal egadp 08c0de44:whole" + 3.552089270085e0 * t."sdc once normal egadp 08c0de44:real"
          )
        ),
        (-5.0e0)
      ),
      5.0e0
    ) AS DOUBLE
  )
END AS "real",
CASE
  WHEN "t"."decimal" IS NULL THEN NULL
  ELSE CAST(
    0.0e0 + (
      CAST(
        LEAST(
          GREATEST(
            CAST(
              FLOOR(
                (
                  (
                    (
                      23.6726858153e0 + (-0.07235553451058e0) * COALESCE(
                        CAST("t"."whole" AS DOUBLE), 48.90384615385e0
                      ) + (-0.1902545071224e0) * COALESCE(
                        CAST("t"."real" AS DOUBLE), (-0.3246189206017e0)
                      ) + 0.1132833862895e0 * CAST(
                        "t"."decimal" AS DOUBLE
                      ) + (
                        -0.368335516696e0
                      ) * t."sdc once normal egadp 08c0de44:whole" + 0.494874942806e0 * t."sdc once normal egadp 08c0de44:real" + 13.92571365043e0 * t."sdc once normal egadp 08c0de44:decimal"
                    )
                  ) / 0.01e0
                ) + 0.5e0
              ) AS BIGINT
            ),
            0
          ),
          5000
        ) AS DOUBLE
      ) * 0.01e0
    ) AS DECIMAL(8, 2)
  )
END AS "decimal",
"t"."unbounded" AS "unbounded", "t"."word" AS "word", "t"."many words" AS "many words",
"t"."one word" AS "one word", "t"."flag" AS "flag", "t"."letter" AS "letter", "t"."day" AS "day",
"t"."code" AS "code", "t"."untouched" AS "untouched"
FROM (
  SELECT "t".*,
  SQRT((-2.0e0) * LN(CAST((t."sdc draw 0 2" + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
    6.283185307179586e0 * CAST(t."sdc draw 0 3" AS DOUBLE) * 2.3283064365386963e-10
  ) AS "sdc once normal egadp 08c0de44:real",
  SQRT((-2.0e0) * LN(CAST((t."sdc draw 0 0" + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
    6.283185307179586e0 * CAST(t."sdc draw 0 1" AS DOUBLE) * 2.3283064365386963e-10
  ) AS "sdc once normal egadp 08c0de44:whole",
  SQRT((-2.0e0) * LN(CAST((t."sdc draw 0 4" + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
    6.283185307179586e0 * CAST(t."sdc draw 0 5" AS DOUBLE) * 2.3283064365386963e-10
  ) AS "sdc once normal egadp 08c0de44:decimal"
  FROM (
    SELECT "t".*, CAST((t."sdc word 0 1" >> 32) AS BIGINT) AS "sdc draw 0 3",
    CAST((t."sdc word 0 0" >> 32) AS BIGINT) AS "sdc draw 0 1",
    CAST((t."sdc word 0 1" & 4294967295) AS BIGINT) AS "sdc draw 0 2",
    CAST((t."sdc word 0 0" & 4294967295) AS BIGINT) AS "sdc draw 0 0",
    CAST((t."sdc word 0 2" >> 32) AS BIGINT) AS "sdc draw 0 5",
    CAST((t."sdc word 0 2" & 4294967295) AS BIGINT) AS "sdc draw 0 4"
    FROM (
      SELECT "t".*, CAST((t."sdc half 0 0" & 18446744073709551615) AS UBIGINT) AS "sdc word 0 0",
      CAST((t."sdc half 0 0" >> 64) AS UBIGINT) AS "sdc word 0 1",
      CAST('0x' || substr(t."sdc digest 0", 49, 16) AS UBIGINT) AS "sdc word 0 2"
      FROM (
        SELECT "t".*, CAST(CAST(unhex(substr(t."sdc digest 0", 1, 32)) AS BIT) AS UHUGEINT) AS "sdc half 0 0"
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
  ) AS "t"
) AS "t"
