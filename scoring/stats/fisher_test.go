package stats

import "testing"

// The p-values are of R 4: fisher.test(matrix(c(k, n-k, all-k, size-n-all+k), 2))$p.value and pf(f, df1, df2,
// lower=FALSE).
func TestFisherExact(t *testing.T) {
	for _, c := range []struct {
		k, n, all, size int
		want            float64
	}{
		{60, 60, 120, 360, 6.17722662806224e-35},
		{25, 60, 120, 360, 0.136783768499291},
		{0, 3, 2, 9, 0.5},
		{3, 3, 3, 6, 0.1},
		{5, 10, 5, 40, 0.000382974067184593},
		{1, 4, 7, 12, 0.222222222222222},
		{0, 5, 0, 10, 1},
		{300, 5000, 500, 20000, 2.79394923717316e-63},
	} {
		if got := FisherExact(c.k, c.n, c.all, c.size); !near(got, c.want, 1e-9*c.want) {
			t.Errorf("%d of %d, %d of %d: %v, want %v", c.k, c.n, c.all, c.size, got, c.want)
		}
	}
}

func TestFTest(t *testing.T) {
	for _, c := range []struct{ f, df1, df2, want float64 }{
		{1, 1, 1, 0.5},
		{3.5, 2, 10, 0.0704296277723743},
		{0.2, 4, 234, 0.938174320834235},
		{40, 26, 9, 1.57541865649255e-06},
		{2.2, 1.5, 30, 0.139205481662772},
	} {
		if got := FTest(c.f, c.df1, c.df2); !near(got, c.want, 1e-10*c.want) {
			t.Errorf("F(%v, %v) = %v: %v, want %v", c.df1, c.df2, c.f, got, c.want)
		}
	}
}

// The p-values are of R 4: mantelhaen.test.
func TestMantelHaenszel(t *testing.T) {
	for _, c := range []struct {
		strata []Table
		want   float64
	}{
		{[]Table{{8, 10, 9, 30}, {5, 10, 6, 30}, {0, 10, 1, 20}}, 2.88939742681858e-05},
		{[]Table{{2, 10, 4, 20}, {3, 10, 6, 20}}, 1},
		{[]Table{{1, 10, 9, 30}, {0, 5, 2, 10}}, 0.069190299541944},
		{[]Table{{10, 10, 10, 10}, {1, 1, 1, 1}, {}}, 1}, // nothing to compare with
	} {
		if got := MantelHaenszel(c.strata); !near(got, c.want, 1e-10*c.want) {
			t.Errorf("%v: %v, want %v", c.strata, got, c.want)
		}
	}
}
