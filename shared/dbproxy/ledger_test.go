package dbproxy_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/dbproxy"
	"github.com/loadbay/loadbay/shared/job"
)

// The operations are tested where they are used, through this package: shared/step/fetch and
// shared/step/notify.

func TestUnknownOperationFails(t *testing.T) {
	t.Parallel()
	_, err := dbproxy.New(nil, nil).Run(t.Context(), dbproxy.Request{Do: "fetch.everything"})
	require.ErrorContains(t, err, `unknown operation "fetch.everything"`)
}

// fakeFunction is a function with a configured response.
type fakeFunction struct {
	answer string
	err    error
}

func (a fakeFunction) Call(context.Context, []byte) ([]byte, error) { return []byte(a.answer), a.err }

func TestInvalidResponseFails(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]fakeFunction{
		"ledger: fetch.begin: throttled":          {err: errors.New("throttled")},
		"ledger: fetch.begin: unexpected end":     {answer: "{"},
		"ledger: fetch.begin: json: cannot unmar": {answer: "[]"},
	} {
		_, err := dbproxy.NewClient(f).Begin(t.Context(), job.Ref{})
		require.ErrorContains(t, err, name)
	}
}
