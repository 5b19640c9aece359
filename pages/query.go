package pages

import (
	"context"

	"track/ask"
)

// composeQuery shows the rows of a statement.
func composeQuery(ctx context.Context, b *builder) error {
	a, err := b.askWhole(ctx, ask.Query().Question())
	if err != nil {
		return err
	}
	b.view.Heading, b.view.Title = "SQL", "SQL"
	b.show(a)
	return nil
}
