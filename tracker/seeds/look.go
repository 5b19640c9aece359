package seeds

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"track"
	"track/answer"
	"track/scoring"
	"track/scoring/verdict"
	"track/store"
)

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

// prepareLook finds the earlier looks at the same question, and the plan that counts for it.
func prepareLook(ctx context.Context, st *store.Reader, look store.Look, j answer.Judging) (pendingLook, error) {
	p := pendingLook{Look: look, rule: verdict.Look{Plan: j.Plan, Anytime: j.Anytime}}
	if err := verdict.CheckPlan(j.Plan); err != nil {
		return p, fmt.Errorf("%w: plan: %w", track.ErrInvalid, err)
	}
	looks, err := st.Looks(ctx, look.Question)
	if err != nil {
		return p, err
	}
	p.rule.Number = 1 + previousLooks(looks, look.Evidence)
	planned := slices.IndexFunc(looks, func(l store.Look) bool { return len(l.Plan) > 0 })
	switch {
	case planned < 0:
		p.rule.Late = len(j.Plan) > 0 && len(looks) > 0
	case j.Anytime || len(j.Plan) > 0 && !slices.Equal(j.Plan, looks[planned].Plan):
		return p, plannedOtherwise(looks[planned], j)
	default:
		p.rule.Plan, p.rule.Late = looks[planned].Plan, planned > 0
	}
	p.Plan, p.Anytime = p.rule.Plan, p.rule.Anytime
	return p, nil
}

// plannedOtherwise refuses a plan that is not the first one of a question.
func plannedOtherwise(first store.Look, j answer.Judging) error {
	instead := "any time"
	if !j.Anytime {
		instead = verdict.PlanText(j.Plan)
	}
	err := fmt.Errorf("%w: looks at %s were planned on %s, not at %s", track.ErrConflict, verdict.PlanText(first.Plan), first.LookedAt.Format(time.DateOnly), instead)
	return track.WithHint(err, track.Hint{Text: "ask without a plan and without anytime: the plan that was made first counts; another configuration or another spec is another question"})
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

// tryRecordLooks records decisions as looks, and returns why it could not; empty if it could. The decisions stand
// without it, but not if the database is damaged.
func tryRecordLooks(ctx context.Context, st *store.Store, looks []store.Look) (unrecorded string, err error) {
	err = RecordLooks(ctx, st, looks, rand.Reader)
	if err == nil || store.IsDamaged(err) {
		return "", err
	}
	return err.Error(), nil
}

// RecordLooks records decisions as looks. It returns an error if the database cannot be written; the decisions stand
// without it.
func RecordLooks(ctx context.Context, st *store.Store, looks []store.Look, entropy io.Reader) error {
	looks = slices.DeleteFunc(slices.Clone(looks), func(l store.Look) bool { return l.N == 0 }) // nothing to look at
	if len(looks) == 0 {
		return nil
	}
	return st.Update(ctx, func(tx *store.Tx) (err error) {
		for _, look := range looks {
			look.LookedAt = st.Now()
			if look.ULID, err = NewID(look.LookedAt, entropy); err != nil {
				return err
			}
			if _, err := tx.AddLook(look); err != nil {
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

// checkGatePlan returns an error if a gate that only compares could decide nothing at one of the planned numbers of
// pairs. Other rules can fail with few seeds.
func checkGatePlan(rules scoring.GateRules, j answer.Judging) error {
	if rules.MinPassRate != nil || rules.Stable || rules.MaxStd != nil || rules.MinScore != nil {
		return nil
	}
	return answer.CheckLooks(j.Plan, &rules.Confidence)
}

// CheckGateLook returns an error if the gate of a configuration cannot be decided by these rules as j says, because it
// was planned otherwise before, or because a planned look could never decide.
func CheckGateLook(ctx context.Context, st *store.Reader, scenario string, specVersion int, configuration string, rules scoring.GateRules, j answer.Judging) error {
	spec, err := loadSpecInUse(ctx, st, scenario, specVersion)
	if err != nil {
		return err
	}
	if err := checkGatePlan(spec.decoded.ActiveRules(rules), j); err != nil {
		return err
	}
	_, err = prepareLook(ctx, st, store.Look{Kind: store.LookGate, Question: question(store.LookGate, spec.stored.Hash, scenario, configuration)}, j)
	return err
}
