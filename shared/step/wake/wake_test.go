package wake_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/step/wake"
)

type item struct {
	due bool
	err error
}

func (i item) Due(context.Context, time.Time) (bool, error) { return i.due, i.err }

type reconcile struct {
	started int
	err     error
}

func (r *reconcile) Start(context.Context) error {
	r.started++
	return r.err
}

func TestReconcileIsCalledWhenItMayHaveWork(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	for name, c := range map[string]struct {
		item    item
		refuses error
		started int
		fails   error
	}{
		"nothing is due":             {item{}, nil, 0, nil},
		"something is due":           {item{due: true}, nil, 1, nil},
		"nobody knows":               {item{err: away}, nil, 1, away},
		"reconcile cannot be called": {item{due: true}, away, 1, away},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &reconcile{err: c.refuses}
			require.ErrorIs(t, wake.New(c.item, r).Run(t.Context()), c.fails)
			require.Equal(t, c.started, r.started)
		})
	}
}
