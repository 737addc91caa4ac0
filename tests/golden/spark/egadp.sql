-- egadp of whole, real, decimal, {}
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CAST(
    (
      LEAST(
        GREATEST(
          CAST(
            FLOOR(
              (
                (
                  38.63381437559e0 + 0.05901551255956e0 * CAST(
                    `t`.`whole` AS DOUBLE
                  ) + 0.9917254374919e0 * COALESCE(
                    CAST(`t`.`real` AS DOUBLE), (-0.3246189206017e0)
                  ) + 0.2325287264947e0 * COALESCE(
                    CAST(`t`.`decimal` AS DOUBLE), 23.82692307692e0
                  ) + 29.74104549391e0 * `t`.`sdc once normal egadp 08c0de44:whole`
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
END AS `whole`,
CASE
  WHEN `t`.`real` IS NULL THEN NULL
  ELSE CAST(
    LEAST(
      GREATEST(
        (
          (
            1.383132137821e0 + (-0.02848754469201e0) * COALESCE(
              CAST(`t`.`whole` AS DOUBLE), 48.90384615385e0
            ) + (-0.1415586354087e0) * CAST(`t`.`real` AS DOUBLE) + (-0.0215550164144e0) * COALESCE(
              CAST(`t`.`decimal` AS DOUBLE), 23.82692307692e0
            ) + (
              -0.05166624255489e0
            ) * `t`.`sdc once normal egadp 08c0de44:whole` + 3.552089270085e0 * `t`.`sdc once normal egadp 08c0de44:real`
          )
        ),
        (-5.0e0)
      ),
      5.0e0
    ) AS DOUBLE
  )
END AS `real`,
CASE
  WHEN `t`.`decimal` IS NULL THEN NULL
  ELSE CAST(
    ROUND(
      (
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
                            CAST(`t`.`whole` AS DOUBLE), 48.90384615385e0
                          ) + (-0.1902545071224e0) * COALESCE(
                            CAST(`t`.`real` AS DOUBLE), (-0.3246189206017e0)
                          ) + 0.1132833862895e0 * CAST(
                            `t`.`decimal` AS DOUBLE
                          ) + (
                            -0.368335516696e0
                          ) * `t`.`sdc once normal egadp 08c0de44:whole` + 0.494874942806e0 * `t`.`sdc once normal egadp 08c0de44:real` + 13.92571365043e0 * `t`.`sdc once normal egadp 08c0de44:decimal`
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
        )
      ) * 100.0e0
    ) / 100.0e0 AS DECIMAL(8, 2)
  )
END AS `decimal`,
`t`.`unbounded` AS `unbounded`, `t`.`word` AS `word`, `t`.`many words` AS `many words`,
`t`.`one word` AS `one word`, `t`.`flag` AS `flag`, `t`.`letter` AS `letter`, `t`.`day` AS `day`,
`t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 2` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
    6.283185307179586e0 * CAST(`t`.`sdc draw 0 3` AS DOUBLE) * 2.3283064365386963e-10
  ) AS `sdc once normal egadp 08c0de44:real`,
  SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 0` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
    6.283185307179586e0 * CAST(`t`.`sdc draw 0 1` AS DOUBLE) * 2.3283064365386963e-10
  ) AS `sdc once normal egadp 08c0de44:whole`,
  SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 4` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
    6.283185307179586e0 * CAST(`t`.`sdc draw 0 5` AS DOUBLE) * 2.3283064365386963e-10
  ) AS `sdc once normal egadp 08c0de44:decimal`
  FROM (
    SELECT `t`.*, CAST(conv(substr(`t`.`sdc digest 0`, 1, 8), 16, 10) AS BIGINT) AS `sdc draw 0 3`,
    CAST(conv(substr(`t`.`sdc digest 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw 0 1`,
    CAST(conv(substr(`t`.`sdc digest 0`, 9, 8), 16, 10) AS BIGINT) AS `sdc draw 0 2`,
    CAST(conv(substr(`t`.`sdc digest 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw 0 0`,
    CAST(conv(substr(`t`.`sdc digest 0`, 49, 8), 16, 10) AS BIGINT) AS `sdc draw 0 5`,
    CAST(conv(substr(`t`.`sdc digest 0`, 57, 8), 16, 10) AS BIGINT) AS `sdc draw 0 4`
    FROM (
      SELECT `t`.*,
      sha2(
        concat(
          'b4d2591ab9d81ba32310aed3adb86fcd:0:',
          coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
        ),
        256
      ) AS `sdc digest 0`
      FROM `people` AS `t`
    ) AS `t`
  ) AS `t`
) AS `t`
