package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

const (
	ordersPath   = "/api/orders/bulk-uploads"
	ordersHeader = "clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity,receiverPincode," +
		"itemCount,totalWeight,serviceType,declaredValue\n"
)

func orderRow(reference, pincode, value string) string {
	return "7," + reference + ",Acme,1 Dock Road,0801234567,Bea,2 Hill Street,Pune," + pincode + ",1,2.5,EXPRESS," + value + "\n"
}

// orderBatch is a batch of orders as returned by the API.
type orderBatch struct {
	BatchID, Status                                             string
	TotalRows, CreatedCount, FailedCount, SkippedDuplicateCount int
}

func (r *testStack) uploadOrders(ctx context.Context, t *testing.T, file string) (b orderBatch) {
	t.Helper()
	require.NoError(t, r.PostForm(ctx, http.MethodPost, ordersPath, "orders.csv", []byte(file), nil, &b))
	return b
}

// awaitBatch returns a batch after it has completed.
func (r *testStack) awaitBatch(ctx context.Context, t *testing.T, b orderBatch) orderBatch {
	t.Helper()
	for tick := time.NewTicker(20 * time.Millisecond); ; {
		require.NoError(t, r.Get(ctx, ordersPath+"/"+b.BatchID, &b))
		if b.Status != "PROCESSING" {
			require.Equal(t, "COMPLETED", b.Status)
			return b
		}
		select {
		case <-ctx.Done():
			require.NoError(t, ctx.Err())
		case <-tick.C:
		}
	}
}

// TestOrderBatches uploads a file of orders, the same file again, and an overlapping one.
func TestOrderBatches(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	file := ordersHeader + orderRow("A", "411001", "1500") + orderRow("B", "", "150000")
	first := r.uploadOrders(ctx, t, file)
	require.Regexp(t, `^BU20\d{6}0001$`, first.BatchID)
	require.Equal(t, orderBatch{first.BatchID, "COMPLETED", 2, 1, 1, 0}, r.awaitBatch(ctx, t, first))
	require.Equal(t, first.BatchID, r.uploadOrders(ctx, t, file).BatchID)
	second := r.uploadOrders(ctx, t, ordersHeader+orderRow("A", "411001", "1500")+orderRow("B", "411001", "15000"))
	require.Equal(t, orderBatch{second.BatchID, "COMPLETED", 2, 1, 0, 1}, r.awaitBatch(ctx, t, second))

	var rows []struct {
		RowIndex      int
		OrderID       *string
		ErrorMessages []struct{ Code, Field, Message string }
	}
	require.NoError(t, r.Get(ctx, ordersPath+"/"+first.BatchID+"/rows?status=FAILED_VALIDATION", &rows))
	require.Len(t, rows, 1)
	require.Equal(t, 2, rows[0].RowIndex)
	require.Nil(t, rows[0].OrderID)
	require.Equal(t, []struct{ Code, Field, Message string }{
		{"MISSING_RECEIVER_PINCODE", "receiverPincode", "Receiver pincode is missing."},
		{"DECLARED_VALUE_EXCEEDS_LIMIT", "declaredValue", "Declared value 150000 is above the limit of 100000."},
	}, rows[0].ErrorMessages)
}

// TestOverlappingOrders repeatedly uploads, at the same time, two files that share half of
// their rows: each order is created by exactly one of them.
func TestOverlappingOrders(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	const rounds, rows = 20, 100
	for round := range rounds {
		files := make([]strings.Builder, 2)
		for n, file := range [][2]int{{0, rows}, {rows / 2, rows + rows/2}} {
			files[n].WriteString(ordersHeader)
			for i := file[0]; i < file[1]; i++ {
				files[n].WriteString(orderRow(fmt.Sprintf("R%d-%d", round, i), "411001", "1500"))
			}
		}
		batches := make([]orderBatch, len(files))
		var uploads errgroup.Group
		for n := range files {
			uploads.Go(func() error {
				return rawclient.New("http://"+r.API, "").PostForm(ctx, http.MethodPost, ordersPath, "orders.csv", []byte(files[n].String()), nil, &batches[n])
			})
		}
		require.NoError(t, uploads.Wait())
		var created, skipped int
		for _, b := range batches {
			b = r.awaitBatch(ctx, t, b)
			require.Equal(t, []int{rows, 0}, []int{b.TotalRows, b.FailedCount})
			created, skipped = created+b.CreatedCount, skipped+b.SkippedDuplicateCount
		}
		require.Equal(t, []int{rows + rows/2, rows / 2}, []int{created, skipped}, "round %d", round)
	}
	require.Equal(t, int64(rounds*(rows+rows/2)), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM orders`))
	require.Equal(t, int64(rounds*(rows+rows/2)), stacktest.Query[int64](t, r.Stack, `SELECT count(DISTINCT client_reference) FROM orders`))
	require.Equal(t, int64(2*rounds), stacktest.Query[int64](t, r.Stack, `SELECT max(right(batch_id, 4)::bigint) FROM import_jobs`), "batch numbers have no gaps")
}
