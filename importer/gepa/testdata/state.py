# Makes gepa_state.bin: a small run with two components, a merge, rejected proposals and a failed instance.
import pickle

texts = [
    {"plan": "Plan.", "answer": "Answer."},
    {"plan": "Plan in steps.", "answer": "Answer."},
    {"plan": "Plan.", "answer": "Answer with a number."},
    {"plan": "Plan in steps.", "answer": "Answer with a number."},
]
state = {
    "program_candidates": texts,
    "parent_program_for_candidate": [[None], [0], [0], [1, 2]],
    "prog_candidate_val_subscores": [{0: 0.0, 1: 1.0}, {0: 1.0, 1: -2.5}, [0.5, 0.5], {0: 1.0, 1: float("nan")}],
    "prog_candidate_objective_scores": [{}, {"cost": 3}, {}, {}],
    "num_metric_calls_by_discovery": [0, 7, 12, 20],
    "full_program_trace": [
        {"i": 0, "selected_program_candidate": 0, "subsample_ids": [4, 2], "subsample_scores": [0.0, 1.0], "new_subsample_scores": [1.0, 1.0], "new_program_idx": 1,
         "reflection": "The steps were missing."},
        {"i": 1, "selected_program_candidate": 1, "subsample_ids": [3, 1], "subsample_scores": [1.0, 1.0], "new_subsample_scores": [0.0, 1.0]},
        {"i": 2, "selected_program_candidate": 0, "subsample_ids": [0, 1], "subsample_scores": [0.0, 0.0], "new_subsample_scores": [0.0, 0.5], "new_program_idx": 2},
        {"i": 3, "selected_program_candidate": 2, "subsample_ids": [0, 1], "subsample_scores": [1.0, 1.0]},
        {"i": 4, "new_program_idx": 3},
    ],
    "i": 4,
    "program_at_pareto_front_valset": {0: {1, 3}, 1: {0}},
}
with open("gepa_state.bin", "wb") as f:
    pickle.dump(state, f, protocol=2)
