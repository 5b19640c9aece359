package sweeps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"track"
	"track/internal/admission"
	"track/internal/provenance"
	"track/sweep"
)

// FindOrigin returns the origin of the seeds of a plan, with the revision of the code and of the files that the plan
// depends on. The files are read first, so that none changes unseen while git looks at them. declared is the commit
// that the user named; empty to ask git.
func FindOrigin(ctx context.Context, plan sweep.Plan, declared, program string, patience provenance.Patience) (origin provenance.Origin, files provenance.Files, err error) {
	command, err := plan.ParsedCommand()
	if err != nil {
		return origin, files, err
	}
	lines, err := command.Lines(plan.Grid)
	if err == nil {
		files, err = provenance.FindFiles(ctx, lines, plan.Env, plan.Depends)
	}
	if err != nil {
		return origin, files, err
	}
	origin = provenance.Find(ctx, declared, program, patience)
	origin.Revision.FilesHash, err = files.Hash(ctx, origin, patience)
	return origin, files, err
}

const keptAttachment = 4 << 20 // bytes

// AddProvenance adds to the options, which have the environment of the origin, what is known of the code, its variables
// and the libraries. declared says that the revision of the plan was given, and is not that of the working directory.
// If the changes of the code cannot be kept, notice hears why.
func (o *Options) AddProvenance(ctx context.Context, declared bool, patience provenance.Patience, notice func(text string)) (err error) {
	revision := o.Plan.Revision
	for _, entry := range o.Plan.Env {
		name, value, _ := strings.Cut(entry, "=")
		o.Environment["env."+name], _ = o.Texts.Setting(name, value)
	}
	if !declared && revision.Commit != "" && revision.Unknown == "" {
		revision.FilesHash = "" // they are watched on their own
		patience := patience
		patience.Notice = nil // the seeds run on
		o.CodeChanged = func() (bool, error) { return provenance.HasChanged(context.WithoutCancel(ctx), revision, patience) }
	}
	if !declared && revision.Dirty {
		if o.Changes, err = provenance.Changes(ctx, "", keptAttachment, patience); err != nil {
			notice(fmt.Sprintf("the changes of the code are not kept: %v", err))
		}
	}
	if command := o.Plan.LibrariesFrom; command != "" {
		if o.Libraries, err = provenance.Libraries(ctx, command, keptAttachment); err != nil {
			return track.WithHint(fmt.Errorf("list the libraries: %w: %w", track.ErrInvalid, err), track.Hint{Text: "sh -c runs it, before the first seed"})
		}
		o.Environment["libraries"] = hashOfMasked(o.Texts, o.Libraries)
	}
	return nil
}

func hashOfMasked(rules *admission.Rules, text string) string {
	masked, _ := rules.Text(text)
	sum := sha256.Sum256([]byte(masked))
	return hex.EncodeToString(sum[:])
}
