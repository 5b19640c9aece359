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

// FindRevision returns the revision of the code and of the files that a plan depends on. declared is the commit that
// the user named; empty to ask git. notice is for people, and says what is missing; empty if nothing is.
func FindRevision(ctx context.Context, plan sweep.Plan, declared, program string) (revision track.Revision, files provenance.Files, notice string, err error) {
	origin := provenance.Find(ctx, declared, program)
	command, err := plan.ParsedCommand()
	if err == nil {
		files, err = provenance.FindFiles(ctx, origin.Revision, command.Literals(), plan.Depends)
	}
	origin.Revision.FilesHash = files.Hash()
	return origin.Revision, files, origin.Notice, err
}

const keptAttachment = 4 << 20 // bytes

// AddProvenance adds to the options what is known of the code, the machine and the libraries. declared says that the
// revision of the plan was given, and is not that of the working directory. If the changes of the code cannot be kept,
// notice hears why.
func (o *Options) AddProvenance(ctx context.Context, program string, declared bool, notice func(text string)) (err error) {
	revision := o.Plan.Revision
	o.Environment = provenance.Environment(program)
	for _, entry := range o.Plan.Env {
		name, value, _ := strings.Cut(entry, "=")
		o.Environment["env."+name], _ = o.Texts.Setting(name, value)
	}
	if !declared && revision.Commit != "" {
		revision.FilesHash = "" // they are watched on their own
		o.CodeChanged = func() bool { return provenance.HasChanged(context.WithoutCancel(ctx), revision) }
	}
	if !declared && revision.Dirty {
		if o.Changes, err = provenance.Changes(ctx, "", keptAttachment); err != nil {
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
