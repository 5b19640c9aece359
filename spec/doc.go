// Package spec reads, identifies and compares spec files: the declared metrics of a scenario, in YAML or JSON.
//
// A spec file is one mapping:
//
//	scenario: growth_plus                # required: the scenario it judges
//	title: Growth+ scenario
//	metrics:                             # required: at least one; their order is the order of summation
//	  - {name: unemployment_rate_mean, type: MEAN_TOLERANCE, weight: 1.5, target: 0.065, tolerance: 0.02}
//	  - {name: unemployment_ceiling, type: BOOLEAN, weight: 3, threshold: 0.2, invert: true, target_desc: "< 20%"}
//	improvement: {baseline: baseline, max_degradation_base: 0.25}
//	gate: {min_pass_rate: 0.95, stable: true, min_seeds: 10}
//
// Every metric has a name and a type, and may have weight (default 1), group, format (DEFAULT, PERCENT, TREND or
// INTEGER) and target_desc. Names follow [track.CheckName]. The type decides the other fields:
//
//	MEAN_TOLERANCE  target, tolerance; optional hard bounds min, max (null: no bound)
//	RANGE           min, max
//	PCT_WITHIN      target, min
//	OUTLIER         max_outlier; optional penalty_weight (default 2)
//	BOOLEAN         threshold; optional invert (default false)
//
// Any metric may have from, which says how its value follows from the series of a seed; without it the seed carries the
// value:
//
//	from: {series: unemployment, skip: 500, reduce: mean}
//	from: {series: inflation, skip: 500, reduce: fraction_between, min: -0.02, max: 0.1}
//	from: {series: wages, reduce: pearson, with: prices, drop_outliers: 1.5, nan: skip}
//
// Every reduction has a series and a reducer, and may have skip (default 0), the number of points at the beginning that
// do not count, and nan (default fail): a NaN among the points makes the value NaN, or with skip does not count. The
// reducers are those of [scoring.Reducer]; some have fields of their own:
//
//	quantile          q
//	autocorrelation   lag
//	pearson           with; optional drop_outliers
//	ratio_of_means    with
//	fraction_between  min, max or both; optional strict (default false): the bounds themselves do not count
//	outlier_fraction  min, max or both; or iqr_factor
//
// improvement is optional: baseline (default: the scenario itself) is the scenario to compare with,
// max_degradation_base (default 0.25) the base of the check of the mean delta.
//
// gate is optional: the rules of [scoring.GateRules] that the seeds of a configuration must follow. A rule that is left
// out is not in force:
//
//	min_pass_rate   the pass rate must be shown to be at least this
//	confidence      of all the bounds of the gate (default 0.95)
//	stable          true: the configuration must be stable
//	max_std         the standard deviation of the total scores must be shown to be at most this
//	min_score       the mean total score must be shown to be at least this
//	bound           of min_score: t (default), or distribution-free, which assumes nothing about the scores
//	no_degradation  true: no metric may be worse than the baseline
//	guard           the metrics and groups that no_degradation judges, as in [growth, LABOUR] (default all)
//	leave_out       those that it does not judge, as in [{name: skew, reason: bimodal}]
//	min_seeds       fewer seeds decide nothing (default 0)
//	fail_on         the verdicts that fail in addition to fail, as in [warn, inconclusive]
//	                (default [inconclusive]; [] for fail alone)
//
// A file that starts with { is JSON, any other is YAML. Both become the same tree, read by the same code, so both are
// refused for the same reasons in the same words. Of YAML, aliases, merge keys, tags of one's own and several documents
// are refused; numbers are decimal. [Schema] describes the file for editors and other tools.
//
// The identity of a spec is its [Hash]: two files that say the same have the same one, whatever their format, the order
// of their keys, and whether defaults are written out.
package spec
