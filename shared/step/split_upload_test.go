package step_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
	"github.com/loadbay/loadbay/shared/step/split"
)

// slowBucket blocks a put until it is released.
type slowBucket struct {
	*memory
	put func(ctx context.Context) error
}

func (b slowBucket) Put(ctx context.Context, key, contentType string, body []byte) error {
	if err := b.put(ctx); err != nil {
		return err
	}
	return b.memory.Put(ctx, key, contentType, body)
}

// workbookOfUsers creates an import of a workbook with n users that is ready to be split.
func (e *engine) workbookOfUsers(t *testing.T, n int) job.Ref {
	t.Helper()
	cell := func(text string) string { return `<c t="inlineStr"><is><t>` + text + `</t></is></c>` }
	var rows strings.Builder
	rows.WriteString("<row>" + cell("Email") + cell("Full name") + "</row>")
	for i := range n {
		fmt.Fprintf(&rows, "<row>%s%s</row>", cell(fmt.Sprintf("u%d@x.org", i)), cell("User"))
	}
	ref := e.create(t, "USER", "users.xlsx", string(xlsxtest.Workbook(rows.String()).Bytes(t)), nil)
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	return ref
}

// splitterWith returns a splitter that stores chunks with put.
func (e *engine) splitterWith(t *testing.T, put func(ctx context.Context) error) *split.Step {
	t.Helper()
	s, err := split.New(e.DB, slowBucket{e.memory, put}, e.memory, catalog.New(), split.Config{ChunkRows: 5}, sheet.DefaultLimits(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return s
}

func TestChunksAreUploadedInParallel(t *testing.T) {
	t.Parallel()
	e := setup(t, 5)
	ref := e.workbookOfUsers(t, 40)
	all := make(chan struct{})
	var waiting atomic.Int64
	cutter := e.splitterWith(t, func(ctx context.Context) error {
		if waiting.Add(1) == 4 {
			close(all) // none of the four has been stored before the last one has begun
		}
		select {
		case <-all:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	require.NoError(t, cutter.Run(t.Context(), ref))
	e.drain(t, true)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.EqualValues(t, 40, e.job(t, ref).Progress.Counts.Created)
}

// TestFailedChunkUploadEndsSplit: nothing is queued, and a retry stores all chunks.
func TestFailedChunkUploadEndsSplit(t *testing.T) {
	t.Parallel()
	for failing := int64(1); failing <= 8; failing++ {
		t.Run(fmt.Sprint(failing), func(t *testing.T) {
			t.Parallel()
			e := setup(t, 5)
			ref := e.workbookOfUsers(t, 40)
			refused := errors.New("slow down")
			var puts atomic.Int64
			cutter := e.splitterWith(t, func(context.Context) error {
				if puts.Add(1) == failing {
					return refused
				}
				return nil
			})
			require.ErrorIs(t, cutter.Run(t.Context(), ref), refused)
			require.Empty(t, e.queued)
			require.False(t, e.job(t, ref).Progress.SplitComplete)
			require.NoError(t, cutter.Run(t.Context(), ref))
			e.drain(t, false)
			require.NoError(t, e.complete.Run(t.Context(), ref))
			require.EqualValues(t, 40, e.job(t, ref).Progress.Counts.Created)
		})
	}
}
