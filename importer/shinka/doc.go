// Package shinka reads runs of ShinkaEvolve: programs with their code, score, patch and parents, one JSON object a
// line.
//
//	{"generation":77,"parent_generation":67,"parent_candidates":[62,67],"patch_type":"full","patch_name":"deep_polish_ils","title":"…",
//	 "correct":false,"combined_score_rounded":0.0,"normalized_sha256":"…","parent_normalized_sha256":"…","code":"…"}
//	{"id":"…","parent_id":"…","generation":3,"timestamp":1764210000.5,"combined_score":3.23,"correct":1,"code":"…",
//	 "archive_inspiration_ids":["…"],"top_k_inspiration_ids":["…"],"public_metrics":{…},"metadata":{"patch_type":"diff","patch_name":"…"}}
//
// The first has no ids: there the number of the generation is the id. The second are the fields that Shinka itself
// has for a program, of which lists and objects may stand as JSON in a text, as in its database.
//
// # Parents
//
// Where parent_generation is null, parent_candidates are all that may be the parent, found by equal content: with
// more than one, or one that the source does not vouch for, the parent is unknown. A
// program that has neither, but the hash of a parent, has lost it: sha256: and the hash stand for its id.
//
// A crossover (patch_type cross) is made of its parent and one of the programs that inspired it, and Shinka does not
// record which. Where there is only one it is the second parent; where there are more, it is unknown. A second
// parent that is recorded, in second_parent_id or parent_ids, is kept.
//
// # Scores
//
// The score is combined_score, or else combined_score_rounded, which has two decimals. A program that is not correct
// has no score: it is invalid, or, where error holds a text that says so, ran into a timeout. So is one whose score
// is no number.
package shinka
