package track

import "context"

type progressKey struct{}

// Progress is told how far a computation is that takes long. Calls do not overlap; the last one has done = total.
type Progress func(done, total int)

// WithProgress returns a context in which computations that take long report their progress.
func WithProgress(ctx context.Context, report Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ProgressOf returns what progress is reported to; a function that does nothing if nobody asked.
func ProgressOf(ctx context.Context) Progress {
	if report, ok := ctx.Value(progressKey{}).(Progress); ok {
		return report
	}
	return func(int, int) {}
}
