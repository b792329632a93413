package order

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Write creates an order for each row with a new key, and skips the others. The unique index
// on the key ensures that concurrent batches create an order only once. If two rows of a file
// have the same key, the order belongs to the earlier one, whichever was written first.
func (t *Type) Write(ctx context.Context, tx pgx.Tx, b *entity.Batch) error {
	b.Results, b.Displaced = make([]entity.Result, b.Len()), nil
	w := newBatchWriter(b)
	if err := w.insert(ctx, tx); err != nil {
		return err
	}
	if err := w.findExisting(ctx, tx); err != nil {
		return err
	}
	if err := w.reassignOrders(ctx, tx); err != nil {
		return err
	}
	w.setResults()
	return nil
}

// batchWriter writes one batch.
type batchWriter struct {
	*entity.Batch
	keys, bases []string
	first       []int                 // the first rows of the batch with their key
	repeats     map[int]repeat        // other row → first row with its key
	created     map[int]int64         // row → id of the order that it created
	holders     map[int]existingOrder // row → existing order with its key
}

// repeat is a row of the batch with the key of an earlier one.
type repeat struct {
	first   int
	differs []string // titles of the fields with other values
}

// existingOrder is an order and its source row.
type existingOrder struct {
	id, jobKey, row int64
	differs         []string // titles of the fields in which the row has other values
}

func newBatchWriter(b *entity.Batch) *batchWriter {
	w := &batchWriter{
		Batch: b, keys: make([]string, b.Len()), bases: make([]string, b.Len()),
		repeats: make(map[int]repeat), created: make(map[int]int64, b.Len()), holders: make(map[int]existingOrder),
	}
	seen := make(map[string]int, b.Len())
	for i := range b.Len() {
		w.keys[i], w.bases[i] = idempotencyKey(b, i)
		if first, ok := seen[w.keys[i]]; ok {
			w.repeats[i] = repeat{first, differingFields(b, i, first)}
			continue
		}
		seen[w.keys[i]] = i
		w.first = append(w.first, i)
	}
	return w
}

// columns returns the arrays of the rows at places, in the order of the names in the statements
// below: place, row, key, and the fields in their order.
func (w *batchWriter) columns(places []int) []entity.Param {
	positions, keys := entity.NewColumn(entity.Integer, len(places)), entity.NewColumn(entity.Text, len(places))
	for _, i := range places {
		positions.AppendInt64(int64(i))
		keys.AppendText([]byte(w.keys[i]))
	}
	rows := w.Rows.Pick(places)
	params := []entity.Param{
		entity.Int64Param(w.Organisation), entity.Int64Param(w.JobKey),
		entity.ArrayParam(&positions), entity.ArrayParam(&rows), entity.ArrayParam(&keys),
	}
	for c := range w.Columns {
		picked := w.Columns[c].Pick(places)
		params = append(params, entity.ArrayParam(&picked))
	}
	return params
}

// rowsFromParams is the SQL that reads the parameters of columns as a table.
const rowsFromParams = `
	unnest($3::int8[], $4::int8[], $5::text[], $6::int8[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
		$13::text[], $14::text[], $15::int8[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[])
		AS v(place, r, k, client_id, client_reference, sender_name, sender_address, sender_contact, receiver_name, receiver_address,
		receiver_city, receiver_pincode, item_count, total_weight, service_type, declared_value, cod_amount, special_instructions)`

// insert creates the orders with free keys. It waits for other transactions that are about to
// commit the same key.
func (w *batchWriter) insert(ctx context.Context, tx pgx.Tx) error {
	rowOf := make(map[int64]int, len(w.first))
	for _, i := range w.first {
		rowOf[w.Row(i)] = i
	}
	_, err := entity.Query(ctx, tx, `
		INSERT INTO orders (organisation_id, source_job, source_row, idempotency_key, client_id, client_reference,
			sender_name, sender_address, sender_contact, receiver_name, receiver_address, receiver_city, receiver_pincode,
			item_count, total_weight, service_type, declared_value, cod_amount, special_instructions)
		SELECT $1, $2, v.r, v.k, v.client_id, v.client_reference,
			v.sender_name, v.sender_address, v.sender_contact, v.receiver_name, v.receiver_address, v.receiver_city, v.receiver_pincode,
			v.item_count, v.total_weight::numeric, v.service_type, v.declared_value::numeric, v.cod_amount::numeric, v.special_instructions
		FROM `+rowsFromParams+`
		ORDER BY v.k -- one order of locks for all who write orders at the same time
		ON CONFLICT (organisation_id, idempotency_key) DO NOTHING
		RETURNING source_row, id`,
		w.columns(w.first), func(v [][]byte) error {
			w.created[rowOf[entity.Int64(v[0])]] = entity.Int64(v[1])
			return nil
		})
	if err != nil {
		return fmt.Errorf("create orders: %w", err)
	}
	return nil
}

// findExisting finds the orders with the keys of the rows that created none. Their transactions
// have committed, otherwise the insert would still wait.
func (w *batchWriter) findExisting(ctx context.Context, tx pgx.Tx) error {
	var places []int
	for i := range w.Len() {
		first := i
		if r, ok := w.repeats[i]; ok {
			first = r.first
		}
		if _, ok := w.created[first]; !ok {
			places = append(places, i)
		}
	}
	return w.findHolders(ctx, tx, places, "")
}

// findHolders finds the orders with the keys of the rows at places, and locks them with lock.
func (w *batchWriter) findHolders(ctx context.Context, tx pgx.Tx, places []int, lock string) error {
	if len(places) == 0 {
		return nil
	}
	found := 0
	_, err := entity.Query(ctx, tx, `
		SELECT v.place, o.id, coalesce(o.source_job, 0), coalesce(o.source_row, 0), `+storedDifferences()+`
		FROM `+rowsFromParams+`
		JOIN orders AS o ON o.organisation_id = $1 AND o.idempotency_key = v.k
		ORDER BY o.idempotency_key `+lock,
		w.columns(places), func(v [][]byte) error {
			w.holders[int(entity.Int64(v[0]))] = existingOrder{
				id: entity.Int64(v[1]), jobKey: entity.Int64(v[2]), row: entity.Int64(v[3]), differs: declaration.FieldTitles(v[4]),
			}
			found++
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up orders: %w", err)
	}
	if found < len(places) {
		return fmt.Errorf("look up orders: %d of %d not found", len(places)-found, len(places))
	}
	return nil
}

// reassignOrders assigns orders of later rows of the same file, which were written first because
// chunks run concurrently, to the earlier row.
func (w *batchWriter) reassignOrders(ctx context.Context, tx pgx.Tx) error {
	// Another earlier row may reassign the same order concurrently. The lock makes the current
	// row of the order definite.
	if err := w.findHolders(ctx, tx, w.laterRowHolders(), "FOR UPDATE OF o"); err != nil {
		return err
	}
	places := w.laterRowHolders()
	losers := entity.NewColumn(entity.Integer, 0)
	for _, i := range places {
		h := w.holders[i]
		losers.AppendInt64(h.row)
		w.created[i] = h.id
		w.Displaced = append(w.Displaced, entity.Displaced{Row: h.row, Err: duplicateError(w.Row(i), h.differs), Skipped: true})
	}
	if len(places) == 0 {
		return nil
	}
	if err := markDuplicates(ctx, tx, w.Organisation, w.JobKey, &losers); err != nil {
		return fmt.Errorf("claim orders of rows: %w", err)
	}
	_, err := entity.Exec(ctx, tx, `
		UPDATE orders AS o
		SET source_row = v.r, client_id = v.client_id, client_reference = v.client_reference,
			sender_name = v.sender_name, sender_address = v.sender_address, sender_contact = v.sender_contact,
			receiver_name = v.receiver_name, receiver_address = v.receiver_address, receiver_city = v.receiver_city,
			receiver_pincode = v.receiver_pincode, item_count = v.item_count, total_weight = v.total_weight::numeric,
			service_type = v.service_type, declared_value = v.declared_value::numeric, cod_amount = v.cod_amount::numeric,
			special_instructions = v.special_instructions, updated_at = now()
		FROM `+rowsFromParams+`
		WHERE o.organisation_id = $1 AND o.source_job = $2 AND o.idempotency_key = v.k`, w.columns(places))
	if err != nil {
		return fmt.Errorf("take over orders: %w", err)
	}
	return nil
}

// laterRowHolders returns the rows with an order that belongs to a later row of the file.
func (w *batchWriter) laterRowHolders() []int {
	var places []int
	for _, i := range w.first {
		if h, ok := w.holders[i]; ok && h.jobKey == w.JobKey && h.row > w.Row(i) {
			places = append(places, i)
		}
	}
	return places
}

// setResults sets the results and the notes of the rows.
func (w *batchWriter) setResults() {
	n := rowNotes{rows: w.Rows, status: entity.NewColumn(entity.Text, w.Len()), keys: entity.NewColumn(entity.Text, w.Len()),
		bases: entity.NewColumn(entity.Text, w.Len()), orders: entity.NewColumn(entity.Integer, w.Len())}
	for i := range w.Len() {
		n.keys.AppendText([]byte(w.keys[i]))
		n.bases.AppendText([]byte(w.bases[i]))
		if id, ok := w.created[i]; ok {
			w.Results[i].Outcome = rowwrite.Created
			n.status.AppendText([]byte(statusCreated))
			n.orders.AppendInt64(id)
			continue
		}
		w.Results[i] = entity.Result{Outcome: rowwrite.Skipped, Errors: []rowwrite.Error{w.skipError(i)}}
		n.status.AppendText([]byte(statusSkipped))
		n.orders.AppendNull()
	}
	w.Notes = &n
}
