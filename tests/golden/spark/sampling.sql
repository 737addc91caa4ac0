-- sampling of the records, {size: 25%}
SELECT `t`.`whole` AS `whole`, `t`.`real` AS `real`, `t`.`decimal` AS `decimal`, `t`.`stepped` AS `stepped`,
`t`.`unbounded` AS `unbounded`, `t`.`word` AS `word`, `t`.`many words` AS `many words`,
`t`.`one word` AS `one word`, `t`.`flag` AS `flag`, `t`.`letter` AS `letter`, `t`.`day` AS `day`,
`t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
  CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`
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
WHERE `t`.`sdc draw bits 0 0 32` < 925332660
OR (`t`.`sdc draw bits 0 0 32` = 925332660 AND `t`.`sdc draw bits 0 32 32` < 1495885099)
