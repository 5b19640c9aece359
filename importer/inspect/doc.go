// Package inspect reads logs of Inspect AI: one JSON document (.json), or a zip with a member for each sample
// (.eval).
//
// An execution is one epoch of one sample; the epoch is its trial. Scores become truths under the name of their
// scorer: numbers as they are, C 1, I 0, P 0.5, N 0, true and false 1 and 0; of a score with several values each is a
// truth of its own, scorer.value. Other values are left out.
//
// Calls come from the messages; a call of which the messages hold only the result is made of that. Times come from
// the tool events, where the log has them. A call has failed where its message carries an error.
//
// The final text is that of the output; Truncated tells of max_tokens and model_length. A sample that ended in an
// error has status error, one that ran into a limit of time has timeout. Tokens are the sum over models; where a
// model counts the cache within its input, which shows in its total, it is taken out.
package inspect
