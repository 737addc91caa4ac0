-- cgadp of whole, real, decimal, {}
WITH `p` AS (
  SELECT from_json(
    '[2.0, 2.0022579987, 2.003137374914, 2.004332790603, 2.005947465818, 2.008114538098, 2.011004443364, 2.014833711758, 2.019875330492, 2.026470807094, 2.035044034834, 2.046117015191, 2.060327427898, 2.078447955799, 2.1014071686, 2.130311646852, 2.16646888661, 2.211410369413, 2.266914016341, 2.335025075913, 2.418074332154, 2.518692372105, 2.639818533233, 2.78470307398, 2.956901088182, 3.320513458714, 3.797752869791, 4.354180103235, 4.998798135323, 5.37041155105, 5.794763876677, 6.554059757531, 7.643237352501, 8.432663059301, 9.227801931353, 10.73710636261, 11.69920093318, 13.82300240064, 16.78472394243, 19.98273718084, 21.80462532775, 24.02388738674, 25.63080256867, 27.6747256613, 30.09629852233, 32.14698235575, 36.09869242911, 38.99026463024, 41.77540217761, 45.74810005457, 48.0, 50.25189994543, 52.74153260746, 55.33657845659, 58.70392271267, 62.42650882213, 64.80740295535, 66.9758230161, 72.42299357832, 74.97611261326, 78.78149868899, 82.67817521278, 84.40509201919, 85.78466506624, 87.30079906682, 88.26289363739, 89.77219806865, 91.7020108221, 93.17838132375, 93.72297012123, 94.41047224665, 95.2591768979, 96.00060093234, 96.32290994838, 96.6011235651, 96.83974327064, 97.12929673545, 97.64589077806, 98.0805444003, 98.44392288369, 98.74577700354, 98.99492477226, 99.19925795098, 99.36576889176, 99.50059334017, 99.60906505944, 99.6957784942, 99.7646561326, 99.81901771631, 99.86164895443, 99.8948678955, 99.92058757872, 99.94037400852, 99.95549886473, 99.96698666991, 99.97565638571, 99.98215760255, 99.98700162819, 99.99058787526, 99.9932260039, 100.0]',
    'ARRAY<DOUBLE>', map('mode', 'FAILFAST')
  ) AS `whole quantiles`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole of whole`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole of real`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole of decimal`,
  from_json('[1.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole draw whole`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole draw real`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `whole draw decimal`,
  from_json(
    '[-4.967023083841, -4.966653031091, -4.966508914274, -4.966313003239, -4.966048381739, -4.965693230491, -4.965219617556, -4.964592056832, -4.963765809733, -4.962684908201, -4.96127988237, -4.95946518388, -4.95713630641, -4.954166618616, -4.950403941591, -4.94566692307, -4.939741283697, -4.932376036191, -4.923279805456, -4.912117405367, -4.898506854728, -4.882017039047, -4.862166244179, -4.838421800607, -4.810201080782, -4.776874084526, -4.737767827198, -4.692172710637, -4.639351007198, -4.578547522362, -4.509002422529, -4.42083053251, -4.313621585669, -4.207597939717, -4.095953074477, -3.972276684586, -3.836145744937, -3.667222453307, -3.492490347904, -3.317787915906, -3.130350201108, -2.897554180648, -2.685894063524, -2.463120806982, -2.197169024021, -1.955078891605, -1.701866285066, -1.41570787137, -1.154303335289, -0.7174657141496, -0.4262016588388, -0.2906407559458, -0.02587054299596, 0.301793567331, 0.6888322590445, 0.9528552392914, 1.213857342199, 1.446832209, 1.692181419992, 2.234183477289, 2.638694360196, 2.826132074995, 3.014193192546, 3.324200665829, 3.682179890241, 3.841368320441, 3.965044710332, 4.169667749125, 4.317364428584, 4.335323287699, 4.378094058384, 4.447639158217, 4.508442643053, 4.561264346492, 4.606859463053, 4.645965720381, 4.679292716637, 4.707513436462, 4.731257880034, 4.751108674902, 4.767598490583, 4.781209041221, 4.792371441311, 4.801467672046, 4.808832919552, 4.814758558925, 4.819495577445, 4.823258254471, 4.826227942265, 4.828556819735, 4.830371518225, 4.831776544056, 4.832857445587, 4.833683692687, 4.834311253411, 4.834784866345, 4.835140017594, 4.835404639094, 4.835600550129, 4.835744666946, 4.836114719696]',
    'ARRAY<DOUBLE>', map('mode', 'FAILFAST')
  ) AS `real quantiles`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real of whole`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real of real`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real of decimal`,
  from_json('[-0.08178149049023]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real draw whole`,
  from_json('[0.9966502836066]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real draw real`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `real draw decimal`,
  from_json(
    '[0.42, 0.420948359454, 0.421317697464, 0.4218197720534, 0.4224979356434, 0.4234081060012, 0.4246218662129, 0.4262301589383, 0.4283476388065, 0.4311177389793, 0.4347184946302, 0.4393691463802, 0.4453375197173, 0.4529481414354, 0.4625910108118, 0.4747308916778, 0.4899169323764, 0.5087923551534, 0.5321038868634, 0.5607105318834, 0.5955912195048, 0.637850796284, 0.688723783958, 0.7495752910717, 0.8218984570364, 0.90730782633, 1.007528102656, 1.124377821679, 1.259747608418, 1.415572851441, 1.593800828205, 1.796352549082, 2.025079844025, 2.281718484907, 2.908402292957, 5.481766348257, 6.517328783871, 7.02522033609, 7.43986135194, 7.887583205317, 10.77377236764, 11.87003270243, 12.54493707884, 13.40338477775, 16.99044537938, 17.61086629471, 18.25145082023, 19.18727409647, 22.56855630487, 23.61420202292, 24.35, 25.35659041841, 28.28144369513, 28.95136295177, 29.60854917977, 30.24913370529, 33.19206741824, 34.03661522225, 34.60753146058, 35.14996729757, 36.24622763236, 39.13241679468, 39.58013864806, 39.99477966391, 40.50267121613, 41.14520766385, 41.46216159442, 43.20633745269, 44.57492015597, 44.80364745092, 45.09239834359, 45.44885429712, 45.76025239158, 45.89562217832, 46.01247189734, 46.11269217367, 46.21620308593, 46.36084941786, 46.48255243208, 46.58429840743, 46.66881756099, 46.73857893623, 46.79579222627, 46.84241528969, 46.88016613525, 46.91053821664, 46.93481797838, 46.95410371713, 46.96932496057, 46.98126170724, 46.99056301074, 46.99776452204, 47.00330472239, 47.00753968212, 47.01075626757, 47.013183788, 47.01500412871, 47.01636045589, 47.01736460507, 47.01810328109, 47.02]',
    'ARRAY<DOUBLE>', map('mode', 'FAILFAST')
  ) AS `decimal quantiles`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal of whole`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal of real`,
  from_json('[0.0]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal of decimal`,
  from_json('[-0.2106444206769]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal draw whole`,
  from_json('[-0.06774644504256]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal draw real`,
  from_json('[0.9752124626059]', 'ARRAY<DOUBLE>', map('mode', 'FAILFAST')) AS `decimal draw decimal`
)
SELECT CASE
  WHEN `t`.`whole` IS NULL THEN NULL
  ELSE CAST(
    (
      LEAST(
        GREATEST(
          CAST(
            FLOOR(
              (
                get(
                  `t`.`sdc list whole quantiles`,
                  CAST(
                    (CAST(0 AS BIGINT) * 101) + CAST(
                      FLOOR(
                        GREATEST(
                          LEAST(
                            (
                              (
                                (
                                  (
                                    0.0e0 + 1.0e0 * `t`.`sdc once normal cgadp 94a1e166:whole` + 6291456.0e0
                                  ) - 6291456.0e0
                                ) + 4.0e0
                              ) * 12.5e0
                            ),
                            99.999999999e0
                          ),
                          0.0e0
                        )
                      ) AS BIGINT
                    ) + 1 AS INT
                  ) - 1
                ) + (
                  (
                    get(
                      `t`.`sdc list whole quantiles`,
                      CAST(
                        (CAST(0 AS BIGINT) * 101) + CAST(
                          FLOOR(
                            GREATEST(
                              LEAST(
                                (
                                  (
                                    (
                                      (
                                        0.0e0 + 1.0e0 * `t`.`sdc once normal cgadp 94a1e166:whole` + 6291456.0e0
                                      ) - 6291456.0e0
                                    ) + 4.0e0
                                  ) * 12.5e0
                                ),
                                99.999999999e0
                              ),
                              0.0e0
                            )
                          ) AS BIGINT
                        ) + 1 + 1 AS INT
                      ) - 1
                    ) - get(
                      `t`.`sdc list whole quantiles`,
                      CAST(
                        (CAST(0 AS BIGINT) * 101) + CAST(
                          FLOOR(
                            GREATEST(
                              LEAST(
                                (
                                  (
                                    (
                                      (
                                        0.0e0 + 1.0e0 * `t`.`sdc once normal cgadp 94a1e166:whole` + 6291456.0e0
                                      ) - 6291456.0e0
                                    ) + 4.0e0
                                  ) * 12.5e0
                                ),
                                99.999999999e0
                              ),
                              0.0e0
                            )
                          ) AS BIGINT
                        ) + 1 AS INT
                      ) - 1
                    )
                  ) * (
                    GREATEST(
                      LEAST(
                        (
                          (
                            (
                              (
                                0.0e0 + 1.0e0 * `t`.`sdc once normal cgadp 94a1e166:whole` + 6291456.0e0
                              ) - 6291456.0e0
                            ) + 4.0e0
                          ) * 12.5e0
                        ),
                        99.999999999e0
                      ),
                      0.0e0
                    ) - CAST(
                      FLOOR(
                        GREATEST(
                          LEAST(
                            (
                              (
                                (
                                  (
                                    0.0e0 + 1.0e0 * `t`.`sdc once normal cgadp 94a1e166:whole` + 6291456.0e0
                                  ) - 6291456.0e0
                                ) + 4.0e0
                              ) * 12.5e0
                            ),
                            99.999999999e0
                          ),
                          0.0e0
                        )
                      ) AS DOUBLE
                    )
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
          get(
            `t`.`sdc list real quantiles`,
            CAST(
              (CAST(0 AS BIGINT) * 101) + CAST(
                FLOOR(
                  GREATEST(
                    LEAST(
                      (
                        (
                          (
                            (
                              0.0e0 + (
                                -0.08178149049023e0
                              ) * `t`.`sdc once normal cgadp 94a1e166:whole` + 0.9966502836066e0 * `t`.`sdc once normal cgadp 94a1e166:real` + 6291456.0e0
                            ) - 6291456.0e0
                          ) + 4.0e0
                        ) * 12.5e0
                      ),
                      99.999999999e0
                    ),
                    0.0e0
                  )
                ) AS BIGINT
              ) + 1 AS INT
            ) - 1
          ) + (
            (
              get(
                `t`.`sdc list real quantiles`,
                CAST(
                  (CAST(0 AS BIGINT) * 101) + CAST(
                    FLOOR(
                      GREATEST(
                        LEAST(
                          (
                            (
                              (
                                (
                                  0.0e0 + (
                                    -0.08178149049023e0
                                  ) * `t`.`sdc once normal cgadp 94a1e166:whole` + 0.9966502836066e0 * `t`.`sdc once normal cgadp 94a1e166:real` + 6291456.0e0
                                ) - 6291456.0e0
                              ) + 4.0e0
                            ) * 12.5e0
                          ),
                          99.999999999e0
                        ),
                        0.0e0
                      )
                    ) AS BIGINT
                  ) + 1 + 1 AS INT
                ) - 1
              ) - get(
                `t`.`sdc list real quantiles`,
                CAST(
                  (CAST(0 AS BIGINT) * 101) + CAST(
                    FLOOR(
                      GREATEST(
                        LEAST(
                          (
                            (
                              (
                                (
                                  0.0e0 + (
                                    -0.08178149049023e0
                                  ) * `t`.`sdc once normal cgadp 94a1e166:whole` + 0.9966502836066e0 * `t`.`sdc once normal cgadp 94a1e166:real` + 6291456.0e0
                                ) - 6291456.0e0
                              ) + 4.0e0
                            ) * 12.5e0
                          ),
                          99.999999999e0
                        ),
                        0.0e0
                      )
                    ) AS BIGINT
                  ) + 1 AS INT
                ) - 1
              )
            ) * (
              GREATEST(
                LEAST(
                  (
                    (
                      (
                        (
                          0.0e0 + (
                            -0.08178149049023e0
                          ) * `t`.`sdc once normal cgadp 94a1e166:whole` + 0.9966502836066e0 * `t`.`sdc once normal cgadp 94a1e166:real` + 6291456.0e0
                        ) - 6291456.0e0
                      ) + 4.0e0
                    ) * 12.5e0
                  ),
                  99.999999999e0
                ),
                0.0e0
              ) - CAST(
                FLOOR(
                  GREATEST(
                    LEAST(
                      (
                        (
                          (
                            (
                              0.0e0 + (
                                -0.08178149049023e0
                              ) * `t`.`sdc once normal cgadp 94a1e166:whole` + 0.9966502836066e0 * `t`.`sdc once normal cgadp 94a1e166:real` + 6291456.0e0
                            ) - 6291456.0e0
                          ) + 4.0e0
                        ) * 12.5e0
                      ),
                      99.999999999e0
                    ),
                    0.0e0
                  )
                ) AS DOUBLE
              )
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
                        get(
                          `t`.`sdc list decimal quantiles`,
                          CAST(
                            (CAST(0 AS BIGINT) * 101) + CAST(
                              FLOOR(
                                GREATEST(
                                  LEAST(
                                    (
                                      (
                                        (
                                          (
                                            0.0e0 + (
                                              -0.2106444206769e0
                                            ) * `t`.`sdc once normal cgadp 94a1e166:whole` + (
                                              -0.06774644504256e0
                                            ) * `t`.`sdc once normal cgadp 94a1e166:real` + 0.9752124626059e0 * `t`.`sdc once normal cgadp 94a1e166:decimal` + 6291456.0e0
                                          ) - 6291456.0e0
                                        ) + 4.0e0
                                      ) * 12.5e0
                                    ),
                                    99.999999999e0
                                  ),
                                  0.0e0
                                )
                              ) AS BIGINT
                            ) + 1 AS INT
                          ) - 1
                        ) + (
                          (
                            get(
                              `t`.`sdc list decimal quantiles`,
                              CAST(
                                (CAST(0 AS BIGINT) * 101) + CAST(
                                  FLOOR(
                                    GREATEST(
                                      LEAST(
                                        (
                                          (
                                            (
                                              (
                                                0.0e0 + (
                                                  -0.2106444206769e0
                                                ) * `t`.`sdc once normal cgadp 94a1e166:whole` + (
                                                  -0.06774644504256e0
                                                ) * `t`.`sdc once normal cgadp 94a1e166:real` + 0.9752124626059e0 * `t`.`sdc once normal cgadp 94a1e166:decimal` + 6291456.0e0
                                              ) - 6291456.0e0
                                            ) + 4.0e0
                                          ) * 12.5e0
                                        ),
                                        99.999999999e0
                                      ),
                                      0.0e0
                                    )
                                  ) AS BIGINT
                                ) + 1 + 1 AS INT
                              ) - 1
                            ) - get(
                              `t`.`sdc list decimal quantiles`,
                              CAST(
                                (CAST(0 AS BIGINT) * 101) + CAST(
                                  FLOOR(
                                    GREATEST(
                                      LEAST(
                                        (
                                          (
                                            (
                                              (
                                                0.0e0 + (
                                                  -0.2106444206769e0
                                                ) * `t`.`sdc once normal cgadp 94a1e166:whole` + (
                                                  -0.06774644504256e0
                                                ) * `t`.`sdc once normal cgadp 94a1e166:real` + 0.9752124626059e0 * `t`.`sdc once normal cgadp 94a1e166:decimal` + 6291456.0e0
                                              ) - 6291456.0e0
                                            ) + 4.0e0
                                          ) * 12.5e0
                                        ),
                                        99.999999999e0
                                      ),
                                      0.0e0
                                    )
                                  ) AS BIGINT
                                ) + 1 AS INT
                              ) - 1
                            )
                          ) * (
                            GREATEST(
                              LEAST(
                                (
                                  (
                                    (
                                      (
                                        0.0e0 + (
                                          -0.2106444206769e0
                                        ) * `t`.`sdc once normal cgadp 94a1e166:whole` + (
                                          -0.06774644504256e0
                                        ) * `t`.`sdc once normal cgadp 94a1e166:real` + 0.9752124626059e0 * `t`.`sdc once normal cgadp 94a1e166:decimal` + 6291456.0e0
                                      ) - 6291456.0e0
                                    ) + 4.0e0
                                  ) * 12.5e0
                                ),
                                99.999999999e0
                              ),
                              0.0e0
                            ) - CAST(
                              FLOOR(
                                GREATEST(
                                  LEAST(
                                    (
                                      (
                                        (
                                          (
                                            0.0e0 + (
                                              -0.2106444206769e0
                                            ) * `t`.`sdc once normal cgadp 94a1e166:whole` + (
                                              -0.06774644504256e0
                                            ) * `t`.`sdc once normal cgadp 94a1e166:real` + 0.9752124626059e0 * `t`.`sdc once normal cgadp 94a1e166:decimal` + 6291456.0e0
                                          ) - 6291456.0e0
                                        ) + 4.0e0
                                      ) * 12.5e0
                                    ),
                                    99.999999999e0
                                  ),
                                  0.0e0
                                )
                              ) AS DOUBLE
                            )
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
`t`.`unbounded` AS `unbounded`, `t`.`word` AS `word`, `t`.`many words` AS `many words`,
`t`.`one word` AS `one word`, `t`.`flag` AS `flag`, `t`.`letter` AS `letter`, `t`.`day` AS `day`,
`t`.`code` AS `code`, `t`.`untouched` AS `untouched`
FROM (
  SELECT `t`.*,
  `t`.`sdc once radius 64 32` * COS(
    CAST(`t`.`sdc draw bits 0 96 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal cgadp 94a1e166:real`,
  `t`.`sdc once radius 0 32` * COS(
    CAST(`t`.`sdc draw bits 0 32 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal cgadp 94a1e166:whole`,
  `t`.`sdc once radius 128 32` * COS(
    CAST(`t`.`sdc draw bits 0 160 32` AS DOUBLE) * 1.4629180792671596e-09
  ) AS `sdc once normal cgadp 94a1e166:decimal`
  FROM (
    SELECT `t`.*,
    SQRT(
      (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 64 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS `sdc once radius 64 32`,
    SQRT(
      (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 0 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS `sdc once radius 0 32`,
    SQRT(
      (-2.0e0) * LN(CAST((`t`.`sdc draw bits 0 128 32` + 1) AS DOUBLE) * 2.3283064365386963e-10)
    ) AS `sdc once radius 128 32`
    FROM (
      SELECT `t`.*,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 9, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 64 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 25, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 0 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 57, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 128 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 1, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 96 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 17, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 32 32`,
      CAST(conv(substr(`t`.`sdc digest bits 0`, 49, 8), 16, 10) AS BIGINT) AS `sdc draw bits 0 160 32`
      FROM (
        SELECT `t`.*,
        sha2(
          concat(
            'b4d2591ab9d81ba32310aed3adb86fcd:bits 0:',
            coalesce(CAST(`t`.`key` AS STRING), raise_error('a record has no key'))
          ),
          256
        ) AS `sdc digest bits 0`,
        (SELECT `whole quantiles` FROM `p`) AS `sdc list whole quantiles`,
        (SELECT `whole of whole` FROM `p`) AS `sdc list whole of whole`,
        (SELECT `whole of real` FROM `p`) AS `sdc list whole of real`,
        (SELECT `whole of decimal` FROM `p`) AS `sdc list whole of decimal`,
        (SELECT `whole draw whole` FROM `p`) AS `sdc list whole draw whole`,
        (SELECT `whole draw real` FROM `p`) AS `sdc list whole draw real`,
        (SELECT `whole draw decimal` FROM `p`) AS `sdc list whole draw decimal`,
        (SELECT `real quantiles` FROM `p`) AS `sdc list real quantiles`,
        (SELECT `real of whole` FROM `p`) AS `sdc list real of whole`,
        (SELECT `real of real` FROM `p`) AS `sdc list real of real`,
        (SELECT `real of decimal` FROM `p`) AS `sdc list real of decimal`,
        (SELECT `real draw whole` FROM `p`) AS `sdc list real draw whole`,
        (SELECT `real draw real` FROM `p`) AS `sdc list real draw real`,
        (SELECT `real draw decimal` FROM `p`) AS `sdc list real draw decimal`,
        (SELECT `decimal quantiles` FROM `p`) AS `sdc list decimal quantiles`,
        (SELECT `decimal of whole` FROM `p`) AS `sdc list decimal of whole`,
        (SELECT `decimal of real` FROM `p`) AS `sdc list decimal of real`,
        (SELECT `decimal of decimal` FROM `p`) AS `sdc list decimal of decimal`,
        (SELECT `decimal draw whole` FROM `p`) AS `sdc list decimal draw whole`,
        (SELECT `decimal draw real` FROM `p`) AS `sdc list decimal draw real`,
        (SELECT `decimal draw decimal` FROM `p`) AS `sdc list decimal draw decimal`
        FROM `people` AS `t`
      ) AS `t`
    ) AS `t`
  ) AS `t`
) AS `t`
