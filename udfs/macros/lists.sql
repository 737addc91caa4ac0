-- What an intruder believes about a value after noise (CAE paper 2014, appendix), by Bayes.
--
--   SELECT sdc_noise_belief([1, 2], [[0.75, 0.25], [0.25, 0.75]])
--
-- observed: for each matching record, the place of its published value among the columns of the likelihood, from 1.
-- likelihood: a row for each domain value. prior: a weight for each domain value; left out, all are equally likely.
CREATE OR REPLACE TEMP MACRO sdc_noise_belief(observed, likelihood, prior := NULL) AS
    _sdc_noise_belief(observed, likelihood, coalesce(prior, []::DOUBLE[]));

-- Chi-square of two lists of values of the same records, of any type: sdc_chi_square(list(sex), list(dept)).
CREATE OR REPLACE TEMP MACRO sdc_chi_square(first_values, second_values) AS
    _sdc_chi_square(first_values::VARCHAR[], second_values::VARCHAR[]);
