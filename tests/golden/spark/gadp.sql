-- gadp of whole, real, decimal, {}
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CAST(
    (
      LEAST(
        GREATEST(
          CAST(
            FLOOR(
              ((48.90384615385e0 + 29.41619138337e0 * `t`.`sdc once normal gadp 9af4c0cf:whole`)) + 0.5e0
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
            (
              -0.3246189206017e0
            ) + (
              -0.2732976982791e0
            ) * `t`.`sdc once normal gadp 9af4c0cf:whole` + 3.384388538233e0 * `t`.`sdc once normal gadp 9af4c0cf:real`
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
                          23.82692307692e0 + (
                            -1.879105653606e0
                          ) * `t`.`sdc once normal gadp 9af4c0cf:whole` + (
                            -0.6459822296772e0
                          ) * `t`.`sdc once normal gadp 9af4c0cf:real` + 13.55126990341e0 * `t`.`sdc once normal gadp 9af4c0cf:decimal`
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
  ) AS `sdc once normal gadp 9af4c0cf:real`,
  SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 0` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
    6.283185307179586e0 * CAST(`t`.`sdc draw 0 1` AS DOUBLE) * 2.3283064365386963e-10
  ) AS `sdc once normal gadp 9af4c0cf:whole`,
  SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 4` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
    6.283185307179586e0 * CAST(`t`.`sdc draw 0 5` AS DOUBLE) * 2.3283064365386963e-10
  ) AS `sdc once normal gadp 9af4c0cf:decimal`
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
