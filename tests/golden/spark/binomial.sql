-- binomial of whole, {noise: 10%}
WITH `p` AS (
  SELECT from_json(
    '[4194304, 41943040, 188743680, 268435456, 33554432, 71303168, 41943040, 234881024, 188743680, 41943040, 4194304, 0, 0, 0, 0, 0]',
    'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `binomial whole keep`,
  from_json(
    '[-1, -1, -1, 0, -2, -1, 0, 1, -1, 0, 0, 0, 1, 1, 1, 2]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')
  ) AS `binomial whole other`
)
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CAST(
    (
      (
        (
          (
            (
              CAST(
                FLOOR(
                  (
                    CAST(`t`.`whole` AS DOUBLE) + (
                      CAST(
                        (
                          CASE
                            WHEN (`t`.`sdc draw bits 0 0 32` & 268435455) < get(
                              `t`.`sdc list binomial whole keep`,
                              CAST((SHIFTRIGHT(`t`.`sdc draw bits 0 0 32`, 28)) + 1 AS INT) - 1
                            ) THEN (SHIFTRIGHT(`t`.`sdc draw bits 0 0 32`, 28)) - 5
                            ELSE get(
                              `t`.`sdc list binomial whole other`,
                              CAST((SHIFTRIGHT(`t`.`sdc draw bits 0 0 32`, 28)) + 1 AS INT) - 1
                            )
                          END
                        ) AS DOUBLE
                      ) * 1.0e0
                    )
                  ) + 0.5e0
                ) AS BIGINT
              )
            ) % 101
          ) + 101
        ) % 101
      )
    ) AS INT
  )
END AS `whole`,
`t`.`unbounded` AS `unbounded`, `t`.`word` AS `word`, `t`.`many words` AS `many words`,
`t`.`one word` AS `one word`, `t`.`flag` AS `flag`, `t`.`letter` AS `letter`, `t`.`day` AS `day`,
`t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*, CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`
  FROM (
    SELECT `t`.*,
    sha2(
      concat(
        'b4d2591ab9d81ba32310aed3adb86fcd:bits 0:',
        coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
      ),
      256
    ) AS `sdc digest bits 0`,
    (SELECT `binomial whole keep` FROM `p`) AS `sdc list binomial whole keep`,
    (SELECT `binomial whole other` FROM `p`) AS `sdc list binomial whole other`
    FROM `people` AS `t`
  ) AS `t`
) AS `t`
