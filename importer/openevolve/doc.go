// Package openevolve reads runs of OpenEvolve: programs with their code, metrics and parents.
//
// A source is one of
//
//	programs.jsonl                 one program a line; beside it checkpoints.json, of which the best program is taken
//	checkpoint_N                   metadata.json, best_program_info.json and programs/ID.json, as OpenEvolve writes them
//	a folder of checkpoint_N       all of them, merged by id in the order of N; also where they stand in a folder checkpoints in it
//
// OpenEvolve removes programs from its population, so that a checkpoint names parents that it does not have: all
// checkpoints of a run together lose the fewest.
//
// # Scores
//
// The score is metrics.combined_score; where a program has none, it is what OpenEvolve takes in its place, the mean
// of its metrics, without those that the metadata of the checkpoints name as features. A program that failed has no
// score, whatever its metrics hold. It failed where they hold
//
//	timeout true, or a text        timeout: OpenEvolve keeps what earlier stages measured, which may be more than whole programs have
//	error, a text                  error; timeout where the text speaks of one
//	error, a number, no score      error: what OpenEvolve puts for an evaluation that broke; beside a score it is a measurement
//	stageN_passed 0                error: that stage broke, and the score is of those before
//	runs_successfully 0            error, by the custom of evaluators
//	validity 0                     invalid, by the same custom
//	no number as score             invalid: NaN and infinities too, which evaluators give to programs that failed
//
// # Operators
//
// "Full rewrite" is full_rewrite, a list of changes is diff, the copy of a program on another island is migration:
// its metrics were copied with it, not measured again. OpenEvolve has no crossover; the programs that inspire a
// prompt are not recorded, and no parents. Forks that have one name a second parent in second_parent_id or
// parent_ids.
package openevolve
