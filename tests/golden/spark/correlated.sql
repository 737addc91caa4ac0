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
                  `t`.`sdc once radius 0 32` * COS(
                    CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
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
    (-5.0e0) + (
      (
        LEAST(
          GREATEST(
            (
              (
                (
                  (
                    (
                      CAST(`t`.`real` AS DOUBLE) + (-0.163867571877e0) * (
                        `t`.`sdc once radius 0 32` * COS(
                          CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
                        )
                      ) + 1.60454639107e0 * (
                        `t`.`sdc once radius 64 32` * COS(
                          CAST(`t`.`sdc draw bits 0 96 32` AS DOUBLE) * 1.4629180792671596e-09
                        )
                      )
                    ) - (-5.0e0)
                  ) / 1.1641532182693481e-09
                ) + 6755399441055744.0e0
              ) - 6755399441055744.0e0
            ),
            0.0e0
          ),
          8589934592.0e0
        )
      ) * 1.1641532182693481e-09
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
                          `t`.`sdc once radius 0 32` * COS(
                            CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
                          )
                        ) + (-0.733196620463e0) * (
                          `t`.`sdc once radius 64 32` * COS(
                            CAST(`t`.`sdc draw bits 0 96 32` AS DOUBLE) * 1.4629180792671596e-09
                          )
                        ) + 7.68132400027e0 * (
                          `t`.`sdc once radius 128 32` * COS(
                            CAST(`t`.`sdc draw bits 0 160 32` AS DOUBLE) * 1.4629180792671596e-09
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
                          `t`.`sdc once radius 0 32` * COS(
                            CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
                          )
                        ) + 3.89653197055e0 * (
                          `t`.`sdc once radius 64 32` * COS(
                            CAST(`t`.`sdc draw bits 0 96 32` AS DOUBLE) * 1.4629180792671596e-09
                          )
                        ) + 4.52727990303e0 * (
                          `t`.`sdc once radius 128 32` * COS(
                            CAST(`t`.`sdc draw bits 0 160 32` AS DOUBLE) * 1.4629180792671596e-09
                          )
                        ) + 38.6286715136e0 * (
                          `t`.`sdc once radius 192 32` * COS(
                            CAST(`t`.`sdc draw bits 0 224 32` AS DOUBLE) * 1.4629180792671596e-09
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
      (
        (
          CAST(`t`.`unbounded` AS DOUBLE) + 10.4346121917e0 * (
            `t`.`sdc once radius 0 32` * COS(
              CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
            )
          ) + 7.5561961635e0 * (
            `t`.`sdc once radius 64 32` * COS(
              CAST(`t`.`sdc draw bits 0 96 32` AS DOUBLE) * 1.4629180792671596e-09
            )
          ) + (-3.5203911996e0) * (
            `t`.`sdc once radius 128 32` * COS(
              CAST(`t`.`sdc draw bits 0 160 32` AS DOUBLE) * 1.4629180792671596e-09
            )
          ) + (-22.4499301963e0) * (
            `t`.`sdc once radius 192 32` * COS(
              CAST(`t`.`sdc draw bits 0 224 32` AS DOUBLE) * 1.4629180792671596e-09
            )
          ) + 143.599560019e0 * (
            `t`.`sdc once radius 256 32` * COS(
              CAST(`t`.`sdc draw bits 1 32 32` AS DOUBLE) * 1.4629180792671596e-09
            )
          )
        ) + 805306368.0e0
      ) - 805306368.0e0
    ) AS DOUBLE
  )
END AS `unbounded`,
`t`.`word` AS `word`, `t`.`many words` AS `many words`, `t`.`one word` AS `one word`, `t`.`flag` AS `flag`,
`t`.`letter` AS `letter`, `t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  SQRT(
    (-2.0e0) * LN(CAST((`t`.`sdc draw bits 1 0 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
  ) AS `sdc once radius 256 32`,
  SQRT(
    (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 192 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
  ) AS `sdc once radius 192 32`,
  SQRT(
    (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 0 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
  ) AS `sdc once radius 0 32`,
  SQRT(
    (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 128 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
  ) AS `sdc once radius 128 32`,
  SQRT(
    (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 64 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
  ) AS `sdc once radius 64 32`
  FROM (
    SELECT `t`.*,
    CAST(conv(substr(`t`.`sdc digest bits 1`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 1 32 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 33, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 224 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 49, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 160 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 1, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 96 32`,
    CAST(conv(substr(`t`.`sdc digest bits 1`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 1 0 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 41, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 192 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 57, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 128 32`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 9, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 64 32`
    FROM (
      SELECT `t`.*,
      sha2(
        concat(
          'b4d2591ab9d81ba32310aed3adb86fcd:bits 1:',
          coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
        ),
        256
      ) AS `sdc digest bits 1`,
      sha2(
        concat(
          'b4d2591ab9d81ba32310aed3adb86fcd:bits 0:',
          coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
        ),
        256
      ) AS `sdc digest bits 0`
      FROM `people` AS `t`
    ) AS `t`
  ) AS `t`
) AS `t`
