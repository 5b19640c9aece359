// Package batch reads what clients hand over: JSON lines of seeds, and the values of one seed as JSON or CSV.
//
// A line of a batch is one JSON object, of which kind, scenario and seed are required:
//
//	{"kind":"seed","scenario":"growth_plus","seed":"7","values":{"unemployment_rate_mean":0.0699},
//	 "configuration":{"label":"v0.10.2","params":{"theta":14},"commit":"303e61f"},
//	 "outcome":"ok","message":"","started_at":"2026-01-02T15:04:05Z","duration_s":1.5,"environment":{"host":"n1"}}
//
// A line of kind execution is as package importer/jsonl says; both kinds may stand in one batch. A line of kind sweep says which command was
// run for which planned seeds; those name it in "run":{"sweep":"…","attempts":1,"exit_code":0}.
//
// A line of kind seed may carry "series": {"name": [0.1, …]}, or name a file of series as "series_file", from the folder of the batch.
// Numbers that JSON cannot say are the strings "NaN", "Infinity" and "-Infinity". Unknown and duplicate names are refused.
package batch
