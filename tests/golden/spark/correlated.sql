-- correlated of whole, real, decimal, stepped, unbounded, {share: 0.3}
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CAST(
    (
      LEAST(
        GREATEST(
          CAST(
            FLOOR(
              (
                CAST(`t`.`whole` AS DOUBLE) + 15.8273046167e0 * (
                  SQRT(
                    (-2.0e0) * LN(CAST((`t`.`sdc draw 0 0` + 1) AS DOUBLE) * 2.3283064365386963e-10)
                  ) * COS(
                    6.283185307179586e0 * CAST(`t`.`sdc draw 0 1` AS DOUBLE) * 2.3283064365386963e-10
                  )
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
          CAST(`t`.`real` AS DOUBLE) + (-0.163867571877e0) * (
            SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 0` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
              6.283185307179586e0 * CAST(`t`.`sdc draw 0 1` AS DOUBLE) * 2.3283064365386963e-10
            )
          ) + 1.60454639107e0 * (
            SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 2` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
              6.283185307179586e0 * CAST(`t`.`sdc draw 0 3` AS DOUBLE) * 2.3283064365386963e-10
            )
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
                        CAST(`t`.`decimal` AS DOUBLE) + (-0.999275349568e0) * (
                          SQRT(
                            (-2.0e0) * LN(CAST((`t`.`sdc draw 0 0` + 1) AS DOUBLE) * 2.3283064365386963e-10)
                          ) * COS(
                            6.283185307179586e0 * CAST(`t`.`sdc draw 0 1` AS DOUBLE) * 2.3283064365386963e-10
                          )
                        ) + (-0.733196620463e0) * (
                          SQRT(
                            (-2.0e0) * LN(CAST((`t`.`sdc draw 0 2` + 1) AS DOUBLE) * 2.3283064365386963e-10)
                          ) * COS(
                            6.283185307179586e0 * CAST(`t`.`sdc draw 0 3` AS DOUBLE) * 2.3283064365386963e-10
                          )
                        ) + 7.68132400027e0 * (
                          SQRT(
                            (-2.0e0) * LN(CAST((`t`.`sdc draw 0 4` + 1) AS DOUBLE) * 2.3283064365386963e-10)
                          ) * COS(
                            6.283185307179586e0 * CAST(`t`.`sdc draw 0 5` AS DOUBLE) * 2.3283064365386963e-10
                          )
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
CASE
  WHEN `t`.`stepped` IS NULL THEN NULL
  ELSE CAST(
    RINT(
      10.0e0 + (
        CAST(
          LEAST(
            GREATEST(
              CAST(
                FLOOR(
                  (
                    (
                      (
                        CAST(`t`.`stepped` AS DOUBLE) + (-0.559894206641e0) * (
                          SQRT(
                            (-2.0e0) * LN(CAST((`t`.`sdc draw 0 0` + 1) AS DOUBLE) * 2.3283064365386963e-10)
                          ) * COS(
                            6.283185307179586e0 * CAST(`t`.`sdc draw 0 1` AS DOUBLE) * 2.3283064365386963e-10
                          )
                        ) + 3.89653197055e0 * (
                          SQRT(
                            (-2.0e0) * LN(CAST((`t`.`sdc draw 0 2` + 1) AS DOUBLE) * 2.3283064365386963e-10)
                          ) * COS(
                            6.283185307179586e0 * CAST(`t`.`sdc draw 0 3` AS DOUBLE) * 2.3283064365386963e-10
                          )
                        ) + 4.52727990303e0 * (
                          SQRT(
                            (-2.0e0) * LN(CAST((`t`.`sdc draw 0 4` + 1) AS DOUBLE) * 2.3283064365386963e-10)
                          ) * COS(
                            6.283185307179586e0 * CAST(`t`.`sdc draw 0 5` AS DOUBLE) * 2.3283064365386963e-10
                          )
                        ) + 38.6286715136e0 * (
                          SQRT(
                            (-2.0e0) * LN(CAST((`t`.`sdc draw 0 6` + 1) AS DOUBLE) * 2.3283064365386963e-10)
                          ) * COS(
                            6.283185307179586e0 * CAST(`t`.`sdc draw 0 7` AS DOUBLE) * 2.3283064365386963e-10
                          )
                        )
                      ) - 10.0e0
                    ) / 10.0e0
                  ) + 0.5e0
                ) AS BIGINT
              ),
              0
            ),
            24
          ) AS DOUBLE
        ) * 10.0e0
      )
    ) AS SMALLINT
  )
END AS `stepped`,
CASE
  WHEN `t`.`unbounded` IS NULL THEN NULL
  ELSE CAST(
    (
      CAST(`t`.`unbounded` AS DOUBLE) + 10.4346121917e0 * (
        SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 0` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
          6.283185307179586e0 * CAST(`t`.`sdc draw 0 1` AS DOUBLE) * 2.3283064365386963e-10
        )
      ) + 7.5561961635e0 * (
        SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 2` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
          6.283185307179586e0 * CAST(`t`.`sdc draw 0 3` AS DOUBLE) * 2.3283064365386963e-10
        )
      ) + (-3.5203911996e0) * (
        SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 4` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
          6.283185307179586e0 * CAST(`t`.`sdc draw 0 5` AS DOUBLE) * 2.3283064365386963e-10
        )
      ) + (-22.4499301963e0) * (
        SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 0 6` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
          6.283185307179586e0 * CAST(`t`.`sdc draw 0 7` AS DOUBLE) * 2.3283064365386963e-10
        )
      ) + 143.599560019e0 * (
        SQRT((-2.0e0) * LN(CAST((`t`.`sdc draw 1 0` + 1) AS DOUBLE) * 2.3283064365386963e-10)) * COS(
          6.283185307179586e0 * CAST(`t`.`sdc draw 1 1` AS DOUBLE) * 2.3283064365386963e-10
        )
      )
    ) AS DOUBLE
  )
END AS `unbounded`,
`t`.`word` AS `word`, `t`.`many words` AS `many words`, `t`.`one word` AS `one word`, `t`.`flag` AS `flag`,
`t`.`letter` AS `letter`, `t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*, CAST(conv(substr(`t`.`sdc digest 1`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw 1 1`,
  CAST(conv(substr(`t`.`sdc digest 0`, 33, 8), 16, 10) AS BIGINT) AS `sdc draw 0 7`,
  CAST(conv(substr(`t`.`sdc digest 0`, 1, 8), 16, 10) AS BIGINT) AS `sdc draw 0 3`,
  CAST(conv(substr(`t`.`sdc digest 0`, 49, 8), 16, 10) AS BIGINT) AS `sdc draw 0 5`,
  CAST(conv(substr(`t`.`sdc digest 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw 0 1`,
  CAST(conv(substr(`t`.`sdc digest 1`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw 1 0`,
  CAST(conv(substr(`t`.`sdc digest 0`, 41, 8), 16, 10) AS BIGINT) AS `sdc draw 0 6`,
  CAST(conv(substr(`t`.`sdc digest 0`, 9, 8), 16, 10) AS BIGINT) AS `sdc draw 0 2`,
  CAST(conv(substr(`t`.`sdc digest 0`, 57, 8), 16, 10) AS BIGINT) AS `sdc draw 0 4`,
  CAST(conv(substr(`t`.`sdc digest 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw 0 0`
  FROM (
    SELECT `t`.*,
    sha2(
      concat(
        'b4d2591ab9d81ba32310aed3adb86fcd:1:',
        coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
      ),
      256
    ) AS `sdc digest 1`,
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
