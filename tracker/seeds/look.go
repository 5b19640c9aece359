package seeds

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"

	"track"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

// LookOptions say how looks at growing evidence are made valid.
type LookOptions struct {
	Plan    []int // numbers of seeds or pairs at which one looks; the first plan of a question stays in force
	Anytime bool
}

// pendingLook is a decision about to be recorded as a look.
type pendingLook struct {
	store.Look
	rule verdict.Look
}

// question identifies what is asked: of which seeds, judged by what.
func question(kind store.LookKind, parts ...string) [sha256.Size]byte {
	return sha256.Sum256([]byte(string(kind) + "\x00" + strings.Join(parts, "\x00")))
}

// evidence identifies the seeds that a decision is made on, in whatever order.
func evidence(sides ...[]store.SeedScore) [sha256.Size]byte {
	h := sha256.New()
	for _, side := range sides {
		ids := make([]string, len(side))
		for i, seed := range side {
			ids[i] = seed.ULID
		}
		slices.Sort(ids)
		_, _ = io.WriteString(h, strings.Join(ids, ",")+"\x00")
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// prepareLook finds the looks that came before at the same question, and the plan that holds for it.
func prepareLook(ctx context.Context, st *store.Reader, look store.Look, o LookOptions) (pendingLook, error) {
	p := pendingLook{Look: look, rule: verdict.Look{Plan: o.Plan, Anytime: o.Anytime}}
	if err := verdict.CheckPlan(o.Plan); err != nil {
		return p, fmt.Errorf("%w: --plan: %w", track.ErrInvalid, err)
	}
	looks, err := st.Looks(ctx, look.Question)
	if err != nil {
		return p, err
	}
	p.rule.Number = 1 + previousLooks(looks, look.Evidence)
	planned := slices.IndexFunc(looks, func(l store.Look) bool { return len(l.Plan) > 0 })
	switch {
	case planned < 0:
		p.rule.Late = len(o.Plan) > 0 && len(looks) > 0
	case o.Anytime || len(o.Plan) > 0 && !slices.Equal(o.Plan, looks[planned].Plan):
		instead := "any time"
		if !o.Anytime {
			instead = verdict.PlanText(o.Plan)
		}
		return p, track.WithHint(
			fmt.Errorf("%w: looks at %s were planned on %s, not at %s", track.ErrConflict, verdict.PlanText(looks[planned].Plan), looks[planned].LookedAt.Format("2006-01-02"), instead), track.Hint{Text: "leave --plan and --anytime out: the plan that was made first holds; another configuration or another spec is another question"})

	default:
		p.rule.Plan, p.rule.Late = looks[planned].Plan, planned > 0
	}
	p.Plan, p.Anytime = p.rule.Plan, p.rule.Anytime
	return p, nil
}

// previousLooks counts the different sets of seeds that a question was asked of before this one.
func previousLooks(looks []store.Look, evidence [sha256.Size]byte) int {
	seen := map[[sha256.Size]byte]bool{}
	for _, l := range looks {
		if l.Evidence == evidence {
			break // the same seeds once more tell nothing new
		}
		seen[l.Evidence] = true
	}
	return len(seen)
}

// RecordLooks records decisions as looks. A database that cannot be written gives an error, and the decisions stand without it.
func RecordLooks(ctx context.Context, st *store.Store, looks []store.Look, entropy io.Reader) error {
	if len(looks) == 0 {
		return nil
	}
	return st.Update(ctx, func(tx *store.Tx) (err error) {
		for _, look := range looks {
			if look.N == 0 {
				continue // there was nothing to look at
			}
			look.LookedAt = st.Now()
			if look.ULID, err = NewID(look.LookedAt, entropy); err != nil {
				return err
			}
			if err := tx.AddLook(look); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p pendingLook) decided(n int, v scoring.Verdict) store.Look {
	look := p.Look
	look.N, look.Verdict = n, v
	return look
}

// CheckGateLook reports an error if looks at the gate of a configuration cannot be taken as the options say, because they were planned
// otherwise before.
func CheckGateLook(ctx context.Context, st *store.Reader, scenario string, specVersion int, configuration string, o LookOptions) error {
	spec, err := loadSpecInUse(ctx, st, scenario, specVersion)
	if err != nil {
		return err
	}
	_, err = prepareLook(ctx, st, store.Look{Kind: store.LookGate, Question: question(store.LookGate, spec.stored.Hash, scenario, configuration)}, o)
	return err
}
