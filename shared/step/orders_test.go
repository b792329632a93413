package step_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
	"github.com/loadbay/loadbay/shared/step/process"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const orderHeader = "clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity," +
	"receiverPincode,itemCount,totalWeight,serviceType,declaredValue,codAmount,specialInstructions\n"

// orderLine returns a line with the given reference and item count; all else is constant.
func orderLine(reference string, items int) string {
	return fmt.Sprintf("7,%s,Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune,411001,%d,2.50,express,1500,0,\n", reference, items)
}

// batch creates a numbered job for a file of orders; with a nil plan it is written immediately.
func (e *engine) batch(t *testing.T, file string, plan *job.Plan) (job.Ref, error) {
	t.Helper()
	sum := sha256.Sum256([]byte(file))
	ref := e.create(t, "ORDER", "orders.csv", file, func(j *job.Job) { j.SHA256, j.Plan = hex.EncodeToString(sum[:]), plan })
	err := e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		j, err := e.DB.Job(t.Context(), tx, ref.JobID)
		if err != nil {
			return err
		}
		return e.DB.AssignBatchNumber(t.Context(), tx, j, "tester", true)
	})
	return ref, err
}

// orders imports a file of orders from beginning to end.
func (e *engine) orders(t *testing.T, file string, backwards bool) job.Ref {
	t.Helper()
	ref, err := e.batch(t, file, nil)
	require.NoError(t, err)
	e.prepare(t, ref)
	e.drain(t, backwards)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	return ref
}

func TestAllOrderErrorsAreReported(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.orders(t, orderHeader+
		"7,A-1,Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune,,0,-1,overnight,150000,-5,\n"+
		orderLine("A-2", 1)+
		"x,,Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune,04110,1,2.5,STANDARD,100000.0000000000000000000001,0,\n"+
		"8,A-3,Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune,411001,1,2.5,STANDARD,100000,,\n", false)
	require.Equal(t, []string{
		"2 ERROR RECEIVER_PINCODE CELL_REQUIRED ITEM_COUNT CELL_TOO_SMALL TOTAL_WEIGHT CELL_TOO_SMALL SERVICE_TYPE CELL_ENUM" +
			" DECLARED_VALUE CELL_TOO_LARGE COD_AMOUNT CELL_TOO_SMALL",
		"3 CREATED",
		"4 ERROR CLIENT_ID CELL_NUMBER RECEIVER_PINCODE CELL_PATTERN DECLARED_VALUE CELL_TOO_LARGE",
		"5 CREATED",
	}, e.results(t, ref))
	require.Equal(t, []string{"7:A-2", "8:A-3"}, postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(idempotency_key ORDER BY id) FROM orders`))
	require.Regexp(t, `^ORD\d{6}$`, postgrestest.Query[string](t, e.Database, `SELECT order_id FROM orders LIMIT 1`))
	require.Equal(t, "EXPRESS", postgrestest.Query[string](t, e.Database, `SELECT service_type FROM orders ORDER BY id LIMIT 1`))
}

// TestFirstRowCreatesOrder: the first row of a key creates the order, for any chunk size and any
// order of the chunks.
func TestFirstRowCreatesOrder(t *testing.T) {
	t.Parallel()
	file := orderHeader + orderLine("R-1", 1) + orderLine("", 5) + orderLine("R-1", 2) + "\n" + orderLine("", 5) + orderLine("", 6) + orderLine("R-1", 3)
	for _, chunkRows := range []int{1, 2, 100} {
		for _, backwards := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d rows a chunk, backwards %v", chunkRows, backwards), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				ref := e.orders(t, file, backwards)
				require.Equal(t, []string{
					"2 CREATED", "3 CREATED", "4 SKIPPED  ROW_DUPLICATE", "6 SKIPPED  ROW_DUPLICATE", "7 CREATED", "8 SKIPPED  ROW_DUPLICATE",
				}, e.results(t, ref))
				require.Equal(t, []int64{1, 5, 6}, postgrestest.Query[[]int64](t, e.Database,
					`SELECT array_agg(item_count ORDER BY source_row) FROM orders`), "each order has its first row's values")
				require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 SKIPPED_DUPLICATE", "6 SKIPPED_DUPLICATE", "7 CREATED", "8 SKIPPED_DUPLICATE"},
					postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(row_number || ' ' || status ORDER BY row_number) FROM bulk_upload_row`))
				require.True(t, e.job(t, ref).Progress.Reconciles())
				require.Equal(t, "COMPLETED 6 3 0 3", postgrestest.Query[string](t, e.Database, `
					SELECT concat_ws(' ', status, total_rows, created_count, failed_count, skipped_duplicate_count) FROM bulk_upload_batch`))
			})
		}
	}
}

// TestConcurrentOverlappingBatches: two uploads with shared rows create each order once,
// regardless of which comes first.
func TestConcurrentOverlappingBatches(t *testing.T) {
	t.Parallel()
	e := setup(t, 3)
	processor := e.processor(noopFinisher{})
	const runs, shared, own = 20, 12, 4
	for run := range runs {
		var files [2]strings.Builder
		for side := range files {
			files[side].WriteString(orderHeader)
		}
		for n := range shared {
			for side := range files {
				at := n
				if side == 1 {
					at = shared - 1 - n // reverse order of the other batch: locks must not deadlock
				}
				files[side].WriteString(orderLine(fmt.Sprintf("%d-shared-%d", run, at), 1))
			}
		}
		for n := range own {
			for side := range files {
				files[side].WriteString(orderLine(fmt.Sprintf("%d-own-%d-%d", run, side, n), 1))
			}
		}
		var refs [2]job.Ref
		for side := range files {
			ref, err := e.batch(t, files[side].String(), nil)
			require.NoError(t, err)
			e.prepare(t, ref)
			refs[side] = ref
		}
		queued := e.queued
		e.queued = nil
		var wg sync.WaitGroup
		for _, chunk := range queued {
			wg.Go(func() {
				if err := processor.Run(t.Context(), chunk); err != nil {
					t.Errorf("chunk %d: %v", chunk.Chunk, err)
				}
			})
		}
		wg.Wait()
		var created, skipped int64
		for _, ref := range refs {
			require.NoError(t, e.complete.Run(t.Context(), ref))
			c := e.job(t, ref).Progress.Counts
			created, skipped = created+c.Created, skipped+c.Skipped
		}
		require.Equal(t, int64(shared+2*own), created, "run %d", run)
		require.Equal(t, int64(shared), skipped, "run %d", run)
	}
	require.Equal(t, int64(runs*(shared+2*own)), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM orders`))
	require.Equal(t, int64(runs*(shared+2*own)), postgrestest.Query[int64](t, e.Database,
		`SELECT count(DISTINCT order_id) FROM bulk_upload_row WHERE status = 'CREATED'`))
}

// TestBatchNumbersHaveNoGaps: also if every third creation fails after it has taken its number.
func TestBatchNumbersHaveNoGaps(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	const creators = 30
	jobs := make([]*job.Job, creators)
	for i := range jobs {
		sum := sha256.Sum256(fmt.Append(nil, i))
		jobs[i] = e.job(t, e.create(t, "ORDER", "orders.csv", orderHeader, func(j *job.Job) { j.SHA256 = hex.EncodeToString(sum[:]) }))
	}
	failed := errors.New("the creation fails")
	var wg sync.WaitGroup
	for i, j := range jobs {
		wg.Go(func() {
			err := e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
				if err := e.DB.AssignBatchNumber(t.Context(), tx, j, "tester", true); err != nil {
					return err
				}
				if i%3 == 0 {
					return failed
				}
				return nil
			})
			if (i%3 == 0) != (err != nil) {
				t.Errorf("creation %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, "20 20 20", postgrestest.Query[string](t, e.Database, `
		SELECT concat_ws(' ', count(*), count(DISTINCT batch_id), max(right(batch_id, 4)::int)) FROM bulk_upload_batch`))
	require.Regexp(t, `^BU20\d{6}0001$`, postgrestest.Query[string](t, e.Database, `SELECT min(batch_id) FROM bulk_upload_batch`))
}

func TestOrdersFileIsOneBatch(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	file := orderHeader + orderLine("F-1", 1)
	first, err := e.batch(t, file, nil)
	require.NoError(t, err)
	_, err = e.batch(t, file, nil)
	require.Equal(t, problem.FileRepeated, problem.CodeOf(err))
	e.Exec(t, `UPDATE import_jobs SET status = 'FAILED', completed_at = now() WHERE uuid = $1`, first.JobID)
	_, err = e.batch(t, file, nil)
	require.NoError(t, err, "a file whose batch failed can be sent again")
}

// TestUndoneOrdersAreImportedAgain: the file of an undone batch is a new batch that creates its orders.
func TestUndoneOrdersAreImportedAgain(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	file := orderHeader + orderLine("U-1", 1) + orderLine("U-2", 1)
	count := func() int64 { return postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM orders`) }
	first := e.orders(t, file, false)
	_, err := e.batch(t, file, nil)
	require.Equal(t, problem.FileRepeated, problem.CodeOf(err))
	e.undo(t, first, rules.Safe)
	require.Zero(t, count())
	second := e.orders(t, file, false)
	require.Equal(t, []string{"2 CREATED", "3 CREATED"}, e.results(t, second))
	_, err = e.batch(t, file, nil)
	require.Equal(t, problem.FileRepeated, problem.CodeOf(err), "the new batch claims the file")
	require.Equal(t, int64(2), count())
}

// TestBatchConstraints tries to write invalid batches.
func TestBatchConstraints(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.orders(t, orderHeader+orderLine("I-1", 1)+orderLine("I-1", 1), false)
	for constraint, sql := range map[string]string{
		"import_jobs_batch_counts":   `UPDATE import_jobs SET total_rows = total_rows + 1`,
		"import_jobs_batch_id_check": `UPDATE import_jobs SET batch_id = 'BU1'`,
		"bulk_upload_row_order":      `UPDATE bulk_upload_row SET order_id = (SELECT id FROM orders) WHERE status <> 'CREATED'`,
		"bulk_upload_row_creator":    `UPDATE bulk_upload_row SET status = 'CREATED', order_id = (SELECT id FROM orders)`,
		"bulk_upload_row_basis":      `UPDATE bulk_upload_row SET idempotency_basis = 'HASH'`,
		"orders_idempotency_key": `
			INSERT INTO orders (organisation_id, idempotency_key, client_id, sender_name, sender_address, sender_contact,
				receiver_name, receiver_address, receiver_city, receiver_pincode, item_count, total_weight, service_type)
			SELECT organisation_id, idempotency_key, client_id, sender_name, sender_address, sender_contact,
				receiver_name, receiver_address, receiver_city, receiver_pincode, item_count, total_weight, service_type FROM orders`,
		"orders_declared_value_check": `UPDATE orders SET declared_value = 100000.01`,
	} {
		t.Run(constraint, func(t *testing.T) {
			require.ErrorContains(t, e.tryStatement(t, sql), constraint)
		})
	}
}

// noopFinisher replaces AwaitRows: several processors complete its task concurrently.
type noopFinisher struct{}

func (noopFinisher) CompleteIfRowsDone(context.Context, *job.Job, job.Progress) error { return nil }

// processor returns another processor of the same engine.
func (e *engine) processor(f process.Finisher) *process.Step {
	log := telemetry.NewLogger(io.Discard, slog.LevelDebug)
	metrics := telemetry.NewMetrics(io.Discard)
	return process.New(e.DB, e.memory, catalog.New(), f, telemetry.NewTransitions(log, metrics), metrics, sheet.DefaultLimits(), log)
}

// tryStatement runs a statement as the superuser and returns its error.
func (e *engine) tryStatement(t *testing.T, sql string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), e.AdminURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	_, err = conn.Exec(t.Context(), sql)
	return err
}

// TestOrderIdentityIgnoresFormatting: an order without a reference is identified by its parsed
// values, not by their formatting in the file.
func TestOrderIdentityIgnoresFormatting(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.orders(t, orderHeader+orderLine("", 5), false)
	ref := e.orders(t, orderHeader+
		"007,,Acme,1 Dock Road,0801234567, Bea ,2 Hill Street,Pune,411001,5,2.5,EXPRESS,1500.00,0.0,\n"+
		"7,,Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune,411001,5,2.5,EXPRESS,1500,,\n", false)
	require.Equal(t, []string{"2 SKIPPED  ALREADY_EXISTS", "3 CREATED"}, e.results(t, ref), "an empty amount differs from zero")
}

// TestPurgedBatchKeepsOrders: the rows of a batch are deleted with it, its orders are not.
func TestPurgedBatchKeepsOrders(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.orders(t, orderHeader+orderLine("P-1", 1)+orderLine("P-1", 1), false)
	require.NoError(t, e.Maintenance.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `DELETE FROM import_jobs WHERE uuid = $1`, ref.JobID)
		return err
	}))
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM bulk_upload_row`))
	require.Equal(t, int64(1), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM orders`))
	again := e.orders(t, orderHeader+orderLine("P-1", 1), false)
	require.Equal(t, []string{"2 SKIPPED  ALREADY_EXISTS"}, e.results(t, again), "the order's key is still known")
}

// Programs write the number 1001 as 1001, 1001.0 or 1.001e3. All of these are one reference, in
// every file format.
func TestNumericReferenceIsNormalised(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.orders(t, orderHeader+orderLine("1001", 1), false)

	var cells strings.Builder
	for _, row := range []string{orderHeader, orderLine("1001.0", 1)} {
		cells.WriteString("<row>")
		for _, v := range strings.Split(strings.TrimSpace(row), ",") {
			switch v {
			case "1001.0", "411001":
				fmt.Fprintf(&cells, "<c><v>%s.0</v></c>", strings.TrimSuffix(v, ".0"))
			default:
				fmt.Fprintf(&cells, `<c t="inlineStr"><is><t>%s</t></is></c>`, v)
			}
		}
		cells.WriteString("</row>")
	}
	workbook := string(xlsxtest.Workbook(cells.String()).Bytes(t))
	require.Equal(t, []string{"2 SKIPPED  ALREADY_EXISTS"}, e.results(t, e.orders(t, workbook, false)))

	object := `{"clientId":7.0,"clientReference":1.001e3,"senderName":"Acme","senderAddress":"1 Dock Road","senderContact":"0801234567",` +
		`"receiverName":"Bea","receiverAddress":"2 Hill Street","receiverCity":"Pune","receiverPincode":411001.0,"itemCount":1e0,` +
		`"totalWeight":2.50,"serviceType":"express"}` + "\n"
	require.Equal(t, []string{"1 SKIPPED  ALREADY_EXISTS"}, e.results(t, e.orders(t, object, false)))
	require.Equal(t, []string{"7:1001"}, postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(idempotency_key) FROM orders`))
}
