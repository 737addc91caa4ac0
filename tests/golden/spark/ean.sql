-- ean of word, {categories: {'warm': ['red'], 'cold': ["gr'een", 'blüe'], 'odd': ['NULL', 'a "b"', 'unused']}}
WITH `p` AS (
  SELECT from_json(
    '["red", "gr\'een", "blüe", "NULL", "a \\"b\\"", "unused"]', 'ARRAY<STRING>', map('mode', 'FAILFAST')
  ) AS `word ean values`,
  from_json('[0, 1, 1, 2, 2, 2]', 'ARRAY<BIGINT>', map('mode', 'FAILFAST')) AS `word ean categories`
)
SELECT `t`.`unbounded` AS `unbounded`,
CASE
  WHEN `t`.`word` IS NULL THEN NULL
  ELSE CASE
    WHEN `t`.`sdc code 0` IS NULL THEN NULL
    ELSE TRANSFORM(
      ARRAY_SORT(
        ARRAY(
          `t`.`sdc draw bits 0 32 32` * 65536 + CAST(
            FLOOR(CAST((`t`.`sdc draw bits 0 0 32` * 1) AS DOUBLE) * 2.3283064365386963e-10) AS BIGINT
          ) + 0,
          `t`.`sdc draw ean 5ba27d08:word:0 32 32` * 65536 + CAST(
            FLOOR(
              CAST((`t`.`sdc draw ean 5ba27d08:word:0 0 32` * 2) AS DOUBLE) * 2.3283064365386963e-10
            ) AS BIGINT
          ) + 1,
          `t`.`sdc draw ean 5ba27d08:word:0 96 32` * 65536 + CAST(
            FLOOR(
              CAST((`t`.`sdc draw ean 5ba27d08:word:0 64 32` * 3) AS DOUBLE) * 2.3283064365386963e-10
            ) AS BIGINT
          ) + 3
        )
      ),
      `sdc_key` -> CAST(
        get(
          `t`.`sdc list word ean values`,
          CAST(
            CASE
              WHEN get(
                `t`.`sdc list word ean categories`, CAST((`sdc_key` % 65536) + 1 AS INT) - 1
              ) = get(
                `t`.`sdc list word ean categories`, CAST(`t`.`sdc code 0` + 1 AS INT) - 1
              ) THEN `t`.`sdc code 0`
              ELSE `sdc_key` % 65536
            END + 1 AS INT
          ) - 1
        ) AS STRING
      )
    )
  END
END AS `word`,
`t`.`many words` AS `many words`, `t`.`one word` AS `one word`, `t`.`flag` AS `flag`,
`t`.`letter` AS `letter`, `t`.`day` AS `day`, `t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  (NULLIF(array_position(`t`.`sdc list word ean values`, CAST(`t`.`word` AS STRING)), 0) - 1) AS `sdc code 0`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`,
  CAST(
    conv(substr(`t`.`sdc digest ean 5ba27d08:word:0`, 17, 8), 16, 10) AS BIGINT
  ) AS `sdc draw ean 5ba27d08:word:0 32 32`,
  CAST(
    conv(substr(`t`.`sdc digest ean 5ba27d08:word:0`, 1, 8), 16, 10) AS BIGINT
  ) AS `sdc draw ean 5ba27d08:word:0 96 32`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
  CAST(
    conv(substr(`t`.`sdc digest ean 5ba27d08:word:0`, 25, 8), 16, 10) AS BIGINT
  ) AS `sdc draw ean 5ba27d08:word:0 0 32`,
  CAST(
    conv(substr(`t`.`sdc digest ean 5ba27d08:word:0`, 9, 8), 16, 10) AS BIGINT
  ) AS `sdc draw ean 5ba27d08:word:0 64 32`
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
        'b4d2591ab9d81ba32310aed3adb86fcd:ean 5ba27d08:word:0:',
        coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
      ),
      256
    ) AS `sdc digest ean 5ba27d08:word:0`,
    (SELECT `word ean values` FROM `p`) AS `sdc list word ean values`,
    (SELECT `word ean categories` FROM `p`) AS `sdc list word ean categories`
    FROM `people` AS `t`
  ) AS `t`
) AS `t`
