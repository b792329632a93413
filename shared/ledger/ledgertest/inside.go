// Package ledgertest lets tests call the ledger function without AWS.
//
// Tested by shared/step/fetch: its tests reach the database through it, as those of shared/step/notify do.
package ledgertest

import (
	"context"
	"encoding/json"

	"github.com/loadbay/loadbay/shared/ledger"
)

// Inside is the function that has the database: it is reached as the real one is, by
// events and answers.
type Inside struct{ *ledger.Step }

// Call runs the function.
func (i Inside) Call(ctx context.Context, event []byte) ([]byte, error) {
	var r ledger.Request
	if err := json.Unmarshal(event, &r); err != nil {
		return nil, err
	}
	a, err := i.Run(ctx, r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(a)
}
