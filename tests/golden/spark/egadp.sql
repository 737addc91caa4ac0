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
                  72.48371305205e0 + (-0.2512055319344e0) * CAST(
                    `t`.`whole` AS DOUBLE
                  ) + 0.9586935041998e0 * COALESCE(
                    CAST(`t`.`real` AS DOUBLE), (-0.3246189206017e0)
                  ) + (-0.0958413454363e0) * COALESCE(
                    CAST(`t`.`decimal` AS DOUBLE), 23.82692307692e0
                  ) + 35.3966254751e0 * `t`.`sdc once normal egadp 08c0de44:whole`
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
                      (
                        (-3.260453415404e0) + 0.05488272301762e0 * COALESCE(
                          CAST(`t`.`whole` AS DOUBLE), 48.90384615385e0
                        ) + (-0.2190312887027e0) * CAST(
                          `t`.`real` AS DOUBLE
                        ) + (-0.01188354050998e0) * COALESCE(
                          CAST(`t`.`decimal` AS DOUBLE), 23.82692307692e0
                        ) + (
                          -1.496253696809e0
                        ) * `t`.`sdc once normal egadp 08c0de44:whole` + 4.093771752322e0 * `t`.`sdc once normal egadp 08c0de44:real`
                      )
                    ) - (-5.0e0)
                  ) / 2.3283064365386963e-09
                ) + 6755399441055744.0e0
              ) - 6755399441055744.0e0
            ),
            0.0e0
          ),
          4294967296.0e0
        )
      ) * 2.3283064365386963e-09
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
                          28.29588351607e0 + (-0.1156323182524e0) * COALESCE(
                            CAST(`t`.`whole` AS DOUBLE), 48.90384615385e0
                          ) + (-0.7640196088249e0) * COALESCE(
                            CAST(`t`.`real` AS DOUBLE), (-0.3246189206017e0)
                          ) + 0.135791078998e0 * CAST(
                            `t`.`decimal` AS DOUBLE
                          ) + (
                            -3.502148359621e0
                          ) * `t`.`sdc once normal egadp 08c0de44:whole` + (
                            -1.234416347643e0
                          ) * `t`.`sdc once normal egadp 08c0de44:real` + 13.44721359675e0 * `t`.`sdc once normal egadp 08c0de44:decimal`
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
  `t`.`sdc once radius 0 32` * COS(
    CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal egadp 08c0de44:whole`,
  `t`.`sdc once radius 128 32` * COS(
    CAST(`t`.`sdc draw bits 0 160 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal egadp 08c0de44:decimal`,
  `t`.`sdc once radius 64 32` * COS(
    CAST(`t`.`sdc draw bits 0 96 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal egadp 08c0de44:real`
  FROM (
    SELECT `t`.*,
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
      CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 57, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 128 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 9, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 64 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 49, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 160 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 1, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 96 32`
      FROM (
        SELECT `t`.*,
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
) AS `t`
