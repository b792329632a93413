package wake_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/step/wake"
)

type fakeItem struct {
	due bool
	err error
}

func (i fakeItem) Due(context.Context, time.Time) (bool, error) { return i.due, i.err }

type fakeReconcile struct {
	started int
	err     error
}

func (r *fakeReconcile) Start(context.Context) error {
	r.started++
	return r.err
}

func TestReconcileRunsWhenDue(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for name, c := range map[string]struct {
		item    fakeItem
		refuses error
		started int
		fails   error
	}{
		"nothing is due":             {fakeItem{}, nil, 0, nil},
		"something is due":           {fakeItem{due: true}, nil, 1, nil},
		"due state unknown":          {fakeItem{err: away}, nil, 1, away},
		"reconcile cannot be called": {fakeItem{due: true}, away, 1, away},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &fakeReconcile{err: c.refuses}
			require.ErrorIs(t, wake.New(c.item, r).Run(t.Context()), c.fails)
			require.Equal(t, c.started, r.started)
		})
	}
}
