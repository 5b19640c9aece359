package remote

import (
	"context"
	"errors"

	"track"
	"track/answer"
	"track/ask"
)

// seedsAtOnce is how many seeds a server lists in an answer.
const seedsAtOnce = 1000

// Seeds returns the seeds of configurations that the server has, without their values.
func (c *Client) Seeds(ctx context.Context, scenario string, configurations []track.Configuration) (all []track.Seed, err error) {
	for _, configuration := range configurations {
		q := answer.SeedsQuestion{Of: answer.Selector{Scenario: scenario, Configuration: configuration.Hash()}, Page: answer.Page{Limit: seedsAtOnce}}
		for page, err := range ask.Seeds().Pages(ctx, c.Source(), q) {
			if errors.Is(err, track.ErrNotFound) {
				break
			}
			if err != nil {
				return nil, err
			}
			for _, s := range page.Items {
				all = append(all, track.Seed{Scenario: scenario, Configuration: configuration, Number: s.Number, Outcome: s.Outcome})
			}
		}
	}
	return all, nil
}
