package step_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// planOrders plans a batch and checks that it awaits approval.
func (e *engine) planOrders(t *testing.T, file string, backwards bool) job.Ref {
	t.Helper()
	ref, err := e.batch(t, file, &job.Plan{Requested: true})
	require.NoError(t, err)
	e.prepare(t, ref)
	e.drain(t, backwards)
	require.Empty(t, e.awaitApproval(t, ref), "the job waits for approval")
	return ref
}

// apply applies a plan to the end.
func (e *engine) apply(t *testing.T, ref job.Ref, backwards bool) {
	t.Helper()
	require.NoError(t, e.approve(t, ref, job.SkipStale))
	e.drain(t, backwards)
	require.NoError(t, e.complete.Run(t.Context(), ref))
}

// batchRows returns the rows of a batch: "2 7:R-1 made ORD000001", "4 7:R-1 like ORD000001".
func (e *engine) batchRows(t *testing.T, ref job.Ref) (all []string) {
	t.Helper()
	numbers := make([]int64, 20)
	for i := range numbers {
		numbers[i] = int64(i)
	}
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		found, err := e.DB.BatchRows(t.Context(), tx, e.job(t, ref).Key, numbers)
		for _, n := range numbers {
			if r, ok := found[n]; ok {
				line := fmt.Sprintf("%d %.9s", n, r.Key)
				if r.EntityID != "" {
					line += " made " + r.EntityID
				}
				if r.Duplicate != "" {
					line += " like " + r.Duplicate
				}
				all = append(all, line)
			}
		}
		return err
	}))
	return all
}

func (e *engine) orderIDs(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `SELECT coalesce(array_agg(order_id ORDER BY source_row), '{}') FROM orders`)
}

// TestOrdersPlanEqualsImport: rows of one key create one order, for any chunk size and any order
// in which the chunks are planned and applied. Each row refers to its order once it exists.
func TestOrdersPlanEqualsImport(t *testing.T) {
	t.Parallel()
	file := orderHeader + orderLine("R-1", 1) + orderLine("", 5) + orderLine("R-1", 2) + "\n" + orderLine("", 5) + orderLine("", 6) + orderLine("R-1", 3) + orderLine("R-2", 0) + orderLine("R-0", 1)
	plain := setup(t, 100)
	plain.orders(t, orderHeader+orderLine("R-0", 1), false)
	imported := plain.orders(t, file, false)
	want := plain.results(t, imported)
	require.Contains(t, want, "8 SKIPPED  ROW_DUPLICATE")
	require.Contains(t, want, "10 SKIPPED  ALREADY_EXISTS")
	for _, chunkRows := range []int{1, 2, 100} {
		for order := range 4 {
			t.Run(fmt.Sprintf("%d rows a chunk, order %d", chunkRows, order), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				e.orders(t, orderHeader+orderLine("R-0", 1), false)
				before := e.entities(t)
				ref := e.planOrders(t, file, order&1 > 0)
				require.Equal(t, want, e.results(t, ref), "rehearsed")
				require.Equal(t, before, e.entities(t))
				require.Equal(t, []string{"2 7:R-1", "3 HASH:09f0", "4 7:R-1", "6 HASH:09f0", "7 HASH:165d", "8 7:R-1", "10 7:R-0 like " + e.firstOrderID(t)}, e.batchRows(t, ref))
				require.Equal(t, job.WaitApproval, e.readBatch(t, ref).WaitingFor)

				e.apply(t, ref, order&2 > 0)
				require.Equal(t, want, e.results(t, ref), "applied")
				require.Equal(t, plain.job(t, imported).Progress.Counts, e.job(t, ref).Progress.Counts)
				require.Equal(t, plain.comparable(t), e.comparable(t))
				before.explains(t, e.changeSet(t, ref, false), e.entities(t))
				requireOrderIDs(t, e, ref)
				require.Equal(t, job.BatchCompleted, e.readBatch(t, ref).Status)
			})
		}
	}
}

// firstOrderID returns the id of the oldest order.
func (e *engine) firstOrderID(t *testing.T) string {
	t.Helper()
	return postgrestest.Query[string](t, e.Database, `SELECT order_id FROM orders ORDER BY id LIMIT 1`)
}

// requireOrderIDs checks that the rows refer to orders with these ids.
func requireOrderIDs(t *testing.T, e *engine, ref job.Ref) {
	t.Helper()
	first, second, third := "", "", ""
	for _, at := range []struct {
		row int64
		id  *string
	}{{2, &first}, {3, &second}, {7, &third}} {
		*at.id = postgrestest.Query[string](t, e.Database, fmt.Sprintf(`
			SELECT order_id FROM orders WHERE source_row = %d AND source_job = (SELECT id FROM import_jobs WHERE uuid = '%s')`, at.row, ref.JobID))
	}
	require.Equal(t, []string{
		"2 7:R-1 made " + first, "3 HASH:09f0 made " + second, "4 7:R-1 like " + first, "6 HASH:09f0 like " + second,
		"7 HASH:165d made " + third, "8 7:R-1 like " + first, "10 7:R-0 like " + e.firstOrderID(t),
	}, e.batchRows(t, ref))
}

func TestConcurrentlyCreatedOrderIsReused(t *testing.T) {
	t.Parallel()
	for _, chunkRows := range []int{1, 100} {
		e := setup(t, chunkRows)
		ref := e.planOrders(t, orderHeader+orderLine("R-1", 1)+orderLine("R-2", 2)+orderLine("R-1", 3), false)
		e.orders(t, orderHeader+orderLine("R-1", 9), false)
		e.apply(t, ref, false)
		require.Equal(t, []string{"2 SKIPPED  PLAN_STALE", "3 CREATED", "4 SKIPPED  ROW_DUPLICATE"}, e.results(t, ref))
		rows := e.batchRows(t, ref)
		taken := postgrestest.Query[string](t, e.Database, `SELECT order_id FROM orders WHERE item_count = 9`)
		require.Equal(t, []string{"2 7:R-1 like " + taken, "4 7:R-1 like " + taken}, []string{rows[0], rows[2]})
		require.Equal(t, []string{"CREATED", "SKIPPED_DUPLICATE", "SKIPPED_DUPLICATE"}, postgrestest.Query[[]string](t, e.Database, fmt.Sprintf(`
			SELECT array_agg(status ORDER BY status) FROM bulk_upload_row WHERE job_id = %d`, e.job(t, ref).Key)))
		require.Equal(t, int64(2), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM orders`))
	}
}

// TestDecidedOrdersShareKeys: rows that wait for a decision about a word belong to the orders
// identified by their references or their values.
func TestDecidedOrdersShareKeys(t *testing.T) {
	t.Parallel()
	overnight := strings.NewReplacer("express", "overnight")
	file := orderHeader + orderLine("R-1", 1) + overnight.Replace(orderLine("R-1", 2)) + orderLine("", 5) + overnight.Replace(orderLine("", 5)) + orderLine("R-1", 3)
	for _, chunkRows := range []int{1, 100} {
		e := setup(t, chunkRows)
		ref := e.create(t, "ORDER", "orders.csv", file, func(j *job.Job) { j.AutoStart, j.Review, j.Plan = false, job.ReviewAlways, &job.Plan{Requested: true} })
		open := e.runUntilValues(t, ref, "CELL_MAPPING")
		e.decideValues(t, ref, review.CellDecision{ID: open["SERVICE_TYPE overnight"].ID, TargetValue: "EXPRESS"})
		require.NoError(t, e.split.Run(t.Context(), ref))
		e.drain(t, true)
		require.Empty(t, e.awaitApproval(t, ref))
		want := []string{"2 CREATED", "3 SKIPPED  ROW_DUPLICATE", "4 CREATED", "5 SKIPPED  ROW_DUPLICATE", "6 SKIPPED  ROW_DUPLICATE"}
		require.Equal(t, want, e.results(t, ref), "%d rows a chunk", chunkRows)
		e.apply(t, ref, false)
		require.Equal(t, want, e.results(t, ref))
		require.Len(t, e.orderIDs(t), 2)
	}
}

// A word is undecided when the file is split. Its row waits, and so do the rows that share its
// reference.
func TestOrdersWaitForKeyGroup(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	file := orderHeader + orderLine("R-1", 1) + strings.ReplaceAll(orderLine("R-1", 2), "express", "overnight") + orderLine("R-2", 3)
	ref := e.create(t, "ORDER", "orders.csv", file, func(j *job.Job) { j.AutoStart, j.Review, j.Plan = false, job.ReviewAlways, &job.Plan{Requested: true} })
	e.runUntilValues(t, ref, "CELL_MAPPING")
	e.Exec(t, `DELETE FROM import_cell_mappings`)
	_, err := e.review().ConfirmCells(t.Context(), ref, "")
	require.NoError(t, err)
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	require.Equal(t, job.CellMapping, e.job(t, ref).Status)
	require.Equal(t, int64(2), e.job(t, ref).Progress.Counts.Deferred)
	require.Equal(t, []string{"4 7:R-2"}, e.batchRows(t, ref), "deferred orders are not recorded")
	e.decideValues(t, ref, review.CellDecision{TargetField: "SERVICE_TYPE", TargetValue: "EXPRESS"})
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, true)
	require.Empty(t, e.awaitApproval(t, ref))
	want := []string{"2 CREATED", "3 SKIPPED  ROW_DUPLICATE", "4 CREATED"}
	require.Equal(t, want, e.results(t, ref))
	e.apply(t, ref, true)
	require.Equal(t, want, e.results(t, ref))
}

// TestPlannedOrdersAreUndoneAndRecreated: the rows refer to their orders again, with the
// original ids.
func TestPlannedOrdersAreUndoneAndRecreated(t *testing.T) {
	t.Parallel()
	for _, planned := range []bool{false, true} {
		e := setup(t, 2)
		before := e.entities(t)
		file := orderHeader + orderLine("R-1", 1) + orderLine("R-2", 2) + orderLine("R-1", 3) + orderLine("R-3", 4)
		var ref job.Ref
		if planned {
			ref = e.planOrders(t, file, false)
			e.apply(t, ref, true)
		} else {
			ref = e.orders(t, file, true)
		}
		require.Empty(t, e.job(t, ref).WhyNotUndoable())
		made := e.batchRows(t, ref)
		require.Len(t, made, 4)
		require.Contains(t, made[0], " made ORD")
		undone := e.undo(t, ref, rules.Safe)
		require.Equal(t, before, e.entities(t))
		require.Equal(t, []string{"2 7:R-1", "3 7:R-2", "4 7:R-1", "5 7:R-3"}, e.batchRows(t, ref))

		e.orders(t, orderHeader+orderLine("R-2", 7), false) // another order than that of row 3 has the key now
		require.Equal(t, "3 7:R-2", e.batchRows(t, ref)[1])
		e.undo(t, undone, rules.Safe)
		made[1] = "3 7:R-2"
		require.Equal(t, made, e.batchRows(t, ref), "planned %t", planned)
	}
}

// TestDiscardedOrdersPlanCreatesNothing: the result reports this, and the file can be uploaded
// again.
func TestDiscardedOrdersPlanCreatesNothing(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	file := orderHeader + orderLine("R-1", 1) + orderLine("R-1", 2)
	ref := e.planOrders(t, file, false)
	e.transition(t, e.job(t, ref), job.Cancelled)
	b := e.readBatch(t, ref)
	require.Equal(t, job.BatchFailed, b.Status)
	require.Contains(t, b.Failure.Message, "No orders were created")
	require.Equal(t, []string{"2 7:R-1", "3 7:R-1"}, e.batchRows(t, ref))
	require.Equal(t, []string{"2 CREATED", "3 SKIPPED  ROW_DUPLICATE"}, e.results(t, e.orders(t, file, false)))
}

// TestRetriedOrdersArePlanned: the failed rows form their own batch, which awaits approval like
// the first one.
func TestRetriedOrdersArePlanned(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	first := e.planOrders(t, orderHeader+orderLine("R-1", 1)+orderLine("R-2", 0)+orderLine("R-3", 0), false)
	e.apply(t, first, false)
	e.saveCorrections(t, first, map[string]string{"3 ITEM_COUNT": "4", "4 ITEM_COUNT": "5", "4 CLIENT_REFERENCE": `"R-1"`})
	again, err := e.retry(t, first, false)
	require.NoError(t, err)
	require.NotEqual(t, e.readBatch(t, first).Number, e.readBatch(t, again).Number)
	e.prepare(t, again)
	e.drain(t, true)
	require.Empty(t, e.awaitApproval(t, again), "the job waits for approval")
	require.Len(t, e.orderIDs(t), 1)
	e.apply(t, again, false)
	require.Equal(t, []string{"3 CREATED", "4 SKIPPED  ALREADY_EXISTS"}, e.results(t, again))
	ids := e.orderIDs(t)
	require.Equal(t, []string{"3 7:R-2 made " + ids[1], "4 7:R-1 like " + ids[0]}, e.batchRows(t, again))
}
