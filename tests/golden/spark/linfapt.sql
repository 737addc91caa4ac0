-- linfapt of whole, {class: letter, attributes: ['real', 'word', 'whole'], min_cases: 20, confidence: 0.5}
WITH `p` AS (
  SELECT from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole starts`,
  from_json('[101.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole widths`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole sds`
)
SELECT CAST(
  RINT(
    (
      (
        CAST(
          FLOOR(
            CAST(`t`.`whole` AS DOUBLE) + (
              0.0e0 * (
                `t`.`sdc once radius 0 24` * COS(
                  CAST(`t`.`sdc draw bits 0 24 24` AS DOUBLE) * 3.7450702829239286e-07
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
                      CAST(`t`.`whole` AS DOUBLE) + (
                        0.0e0 * (
                          `t`.`sdc once radius 0 24` * COS(
                            CAST(`t`.`sdc draw bits 0 24 24` AS DOUBLE) * 3.7450702829239286e-07
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
    )
  ) AS INT
) AS `whole`,
`t`.`unbounded` AS `unbounded`, `t`.`word` AS `word`, `t`.`many words` AS `many words`,
`t`.`one word` AS `one word`, `t`.`flag` AS `flag`, `t`.`letter` AS `letter`, `t`.`day` AS `day`,
`t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  SQRT(
    (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 0 24` + 1) AS DOUBLE) * 5.960464477539063e-08)
  ) AS `sdc once radius 0 24`
  FROM (
    SELECT `t`.*,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 21, 6), 16, 10) AS BIGINT) AS `sdc draw bits 0 24 24`,
    CAST(conv(substr(`t`.`sdc digest bits 0`, 27, 6), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 24`
    FROM (
      SELECT `t`.*,
      sha2(
        concat(
          'b4d2591ab9d81ba32310aed3adb86fcd:bits 0:',
          coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
        ),
        256
      ) AS `sdc digest bits 0`,
      (SELECT `whole starts` FROM `p`) AS `sdc list whole starts`,
      (SELECT `whole widths` FROM `p`) AS `sdc list whole widths`,
      (SELECT `whole sds` FROM `p`) AS `sdc list whole sds`
      FROM `people` AS `t`
    ) AS `t`
  ) AS `t`
) AS `t`
