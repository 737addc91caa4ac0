-- rounding of whole, {base: 5}
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
                  CAST(FLOOR((CAST("t"."whole" AS DOUBLE) / 5.0e0)) AS DOUBLE) + (
                    CASE
                      WHEN (
                        CAST(
                          FLOOR(
                            (
                              (
                                (
                                  (CAST("t"."whole" AS DOUBLE) / 5.0e0) - CAST(
                                    FLOOR((CAST("t"."whole" AS DOUBLE) / 5.0e0)) AS DOUBLE
                                  )
                                ) * 4294967296.0e0
                              ) + 0.5e0
                            )
                          ) AS DOUBLE
                        ) * 2.3283064365386963e-10
                      ) >= 0.5e0 THEN 1.0e0
                      ELSE 0.0e0
                    END
                  )
                ) * 5.0e0
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
"t"."unbounded" AS "unbounded", "t"."word" AS "word", "t"."many words" AS "many words",
"t"."one word" AS "one word", "t"."flag" AS "flag", "t"."letter" AS "letter", "t"."day" AS "day",
"t"."code" AS "code", "t"."untouched" AS "untouched"
FROM "a ""table"" ü" AS "t"
