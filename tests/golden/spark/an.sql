-- an of word, {l: 3, values: ['red', "gr'een", 'blüe', 'NULL', 'a "b"', 'unused']}
WITH `p` AS (
  SELECT from_json(
    '["red", "gr\'een", "blüe", "NULL", "a \\"b\\"", "unused"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')
  ) AS `word an values`
)
SELECT `t`.`unbounded` AS `unbounded`,
CASE
  WHEN `t`.`word` IS NULL THEN NULL
  ELSE CASE
    WHEN `t`.`sdc code 0` IS NULL THEN NULL
    ELSE FLATTEN(
      TRANSFORM(
        TRANSFORM(
          TRANSFORM(
            ARRAY(
              ARRAY(
                CAST(
                  FLOOR(CAST((`t`.`sdc draw bits 0 0 32` * 4) AS DOUBLE) * 2.3283064365386963e-10) AS BIGINT
                )
              )
            ),
            `sdc_chosen` -> ARRAY_APPEND(
              `sdc_chosen`,
              CASE
                WHEN ARRAY_CONTAINS(
                  `sdc_chosen`,
                  CAST(
                    FLOOR(
                      CAST((`t`.`sdc draw an 41bef636:word:0 0 32` * 5) AS DOUBLE) * 2.3283064365386963e-10
                    ) AS BIGINT
                  )
                ) THEN 4
                ELSE CAST(
                  FLOOR(
                    CAST((`t`.`sdc draw an 41bef636:word:0 0 32` * 5) AS DOUBLE) * 2.3283064365386963e-10
                  ) AS BIGINT
                )
              END
            )
          ),
          `sdc_chosen` -> ARRAY_APPEND(
            TRANSFORM(
              `sdc_chosen`, `sdc_n` -> CASE WHEN `sdc_n` >= `t`.`sdc code 0` THEN `sdc_n` + 1 ELSE `sdc_n` END
            ),
            `t`.`sdc code 0`
          )
        ),
        `sdc_places` -> TRANSFORM(
          ARRAY_SORT(
            ARRAY(
              (`t`.`sdc draw bits 0 32 32` * 65536) + 1,
              (`t`.`sdc draw an 41bef636:word:0 32 32` * 65536) + 2,
              (`t`.`sdc draw an 41bef636:word:0 96 32` * 65536) + 3
            )
          ),
          `sdc_key` -> CAST(
            get(
              `t`.`sdc list word an values`,
              CAST(GET(`sdc_places`, CAST(CAST(`sdc_key` % 65536 AS INT) AS INT) - 1) + 1 AS INT) - 1
            ) AS STRING
          )
        )
      )
    )
  END
END AS `word`,
`t`.`many words` AS `many words`, `t`.`one word` AS `one word`, `t`.`flag` AS `flag`,
`t`.`letter` AS `letter`, `t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  (NULLIF(array_position(`t`.`sdc list word an values`, CAST(`t`.`word` AS STRING)), 0) - 1) AS `sdc code 0`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`,
  CAST(
    conv(substr(`t`.`sdc digest an 41bef636:word:0`, 17, 8), 16, 10) AS BIGINT
  ) AS `sdc draw an 41bef636:word:0 32 32`,
  CAST(
    conv(substr(`t`.`sdc digest an 41bef636:word:0`, 1, 8), 16, 10) AS BIGINT
  ) AS `sdc draw an 41bef636:word:0 96 32`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
  CAST(
    conv(substr(`t`.`sdc digest an 41bef636:word:0`, 25, 8), 16, 10) AS BIGINT
  ) AS `sdc draw an 41bef636:word:0 0 32`
  FROM (
    SELECT `t`.*,
    sha2(
      concat(
        'b4d2591ab9d81ba32310aed3adb86fcd:bits 0:',
        coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
      ),
      256
    ) AS `sdc digest bits 0`,
    sha2(
      concat(
        'b4d2591ab9d81ba32310aed3adb86fcd:an 41bef636:word:0:',
        coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
      ),
      256
    ) AS `sdc digest an 41bef636:word:0`,
    (SELECT `word an values` FROM `p`) AS `sdc list word an values`
    FROM `people` AS `t`
  ) AS `t`
) AS `t`
