package drop_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/step/drop"
)

type intake struct {
	arrived func(ref job.Ref) error
}

func (i intake) Arrived(_ context.Context, ref job.Ref) error { return i.arrived(ref) }

func TestRun(t *testing.T) {
	t.Parallel()
	const id = "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	broken := errors.New("out of order")
	for name, c := range map[string]struct {
		key     string
		arrived bool
		fail    error
	}{
		"an upload":                 {"uploads/7/" + id + "/source", true, nil},
		"one that cannot be noted":  {"uploads/7/" + id + "/source", true, broken},
		"an object of another kind": {"uploads/7/" + id + "/preview", false, nil},
		"another prefix":            {"exports/7/" + id + "/source", false, nil},
		"no id":                     {"uploads/7/../source", false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen []job.Ref
			step := drop.New(intake{func(ref job.Ref) error {
				seen = append(seen, ref)
				return c.fail
			}}, slog.New(slog.NewTextHandler(io.Discard, nil)))

			err := step.Run(t.Context(), drop.Object{Key: c.key, Size: 10})

			require.ErrorIs(t, err, c.fail)
			if c.arrived {
				require.Equal(t, []job.Ref{{JobID: id, OrganisationID: 7}}, seen)
			} else {
				require.Empty(t, seen)
			}
		})
	}
}
