package declared

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// Write writes the batch in its mode. All rows of the file that share a key with one of its rows are
// in the batch, so their order in the file is known.
func (t *Type) Write(ctx context.Context, tx pgx.Tx, b *entity.Batch) error {
	if err := t.LockKeys(ctx, tx); err != nil {
		return err
	}
	if b.Len() > 1 {
		return refusedByPolicy(t.write(ctx, tx, b))
	}
	err := refusedByPolicy(entity.Savepoint(ctx, tx, func(tx pgx.Tx) error { return t.write(ctx, tx, b) }))
	var refused *pgconn.PgError
	if !entity.IsDataError(err) || !errors.As(err, &refused) {
		return err
	}
	b.Results = []entity.Result{{Outcome: rowwrite.Errored, Errors: []rowwrite.Error{t.explain(b, refused)}}}
	return nil
}

// refusedByPolicy returns an error about the data of a row, WITH CHECK OPTION, for one of a policy of
// the table, which has the code of a missing privilege.
func refusedByPolicy(err error) error {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != policyViolation || refused.Routine != "ExecWithCheckOptions" {
		return err
	}
	changed := *refused
	changed.Code = checkOptionViolation
	return &changed
}

// LockKeys lets writers of rows with a key that no index guarantees take turns, until their transactions
// end.
func (t *Type) LockKeys(ctx context.Context, tx pgx.Tx) error {
	if !slices.ContainsFunc(t.keys, func(k key) bool { return !k.guarded || k.beyond }) {
		return nil
	}
	// Chunks may wait long for their turn; those that have it do not wait long for others.
	const set = "SELECT set_config($1, $2, true)"
	batch := &pgx.Batch{}
	batch.Queue(set, lockTimeout, "0")
	batch.Queue("SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || "+t.tenantValue(nil)+", 0))", "import into "+t.name)
	batch.Queue(set, lockTimeout, pgtable.LockTimeout)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("lock keys of %s: %w", t.name, err)
	}
	return nil
}

// writer writes one batch.
type writer struct {
	*Type
	b        *entity.Batch
	written  []int                  // fields that a column of the file is mapped to
	tokens   [][]string             // by key and row: equal for equal values, "" for none
	found    []matches              // by key
	missing  map[int]rowwrite.Error // rows that refer to nothing that the tenant has
	excluded map[int]bool           // rows that cannot be written, with or without the others
}

// maxAttempts limits the retries after concurrent writes of the same rows.
const maxAttempts = 5

// errChanged reports that a stored row has changed since it was looked up.
var errChanged = errors.New("the row has changed since it was looked up")

func (t *Type) write(ctx context.Context, tx pgx.Tx, asRead *entity.Batch) (err error) {
	b, missing, err := t.resolveNames(ctx, tx, asRead)
	if err != nil {
		return err
	}
	defer func() { asRead.Results, asRead.Displaced = b.Results, b.Displaced }()
	w := &writer{Type: t, b: b, missing: missing, excluded: make(map[int]bool)}
	for i := range t.fields {
		if b.Mapped[i] {
			w.written = append(w.written, i)
		}
	}
	b.Results, b.Displaced = make([]entity.Result, b.Len()), nil
	for k := range t.keys {
		tokens, err := w.keyTokens(ctx, tx, k)
		if err != nil {
			return err
		}
		w.tokens = append(w.tokens, tokens)
	}
	if err := w.findMissingReferences(ctx, tx); err != nil {
		return err
	}
	for attempt := 0; ; attempt++ {
		before := w.found
		w.found = nil
		for k := range t.keys {
			found, lookErr := w.find(ctx, tx, k)
			if lookErr != nil {
				return lookErr
			}
			w.found = append(w.found, found)
		}
		if attempt == maxAttempts || attempt > 0 && !errors.Is(err, errChanged) && sameMatches(before, w.found) {
			return err // nobody else is the cause
		}
		err = entity.Savepoint(ctx, tx, func(tx pgx.Tx) error { return w.writeTargets(ctx, tx) })
		if !errors.Is(err, errChanged) && !isKeyViolation(err) {
			w.warnRounded()
			return err
		}
	}
}

func isKeyViolation(err error) bool {
	return entity.IsUniqueViolation(err) || entity.SQLState(err) == exclusionViolation
}

// sameMatches reports whether two look-ups have found the same rows.
func sameMatches(a, b []matches) bool {
	return slices.EqualFunc(a, b, func(a, b matches) bool {
		return maps.EqualFunc(a, b, func(a, b []match) bool {
			return slices.EqualFunc(a, b, func(a, b match) bool { return a.id == b.id && a.deleted == b.deleted })
		})
	})
}

// writeTargets writes the rows of the batch. A row that the table's rules exclude may have a key that
// another row of the file has too, so the others are classified again without it.
func (w *writer) writeTargets(ctx context.Context, tx pgx.Tx) error {
	clear(w.excluded)
	for i, e := range w.missing {
		w.exclude(i, e)
	}
	for {
		targets := w.classify()
		var fresh, known []*target
		for _, of := range targets {
			if of.id == "" {
				fresh = append(fresh, of)
			} else {
				known = append(known, of)
			}
		}
		known, err := w.lockChanged(ctx, tx, known)
		if err != nil {
			return err
		}
		excluded := len(w.excluded)
		w.rejectMissing(fresh)
		if err := w.rejectViolations(ctx, tx, fresh, known); err != nil {
			return err
		}
		if len(w.excluded) > excluded {
			continue
		}
		if err := w.update(ctx, tx, known); err != nil {
			return err
		}
		return w.insert(ctx, tx, fresh)
	}
}

// exclude rejects a row, with or without the others.
func (w *writer) exclude(i int, e rowwrite.Error) {
	w.excluded[i] = true
	w.b.Results[i] = entity.Result{Outcome: rowwrite.Errored, Errors: []rowwrite.Error{e}}
}

// rejectMissing excludes new rows without a value that the table requires, unless a trigger may set it.
func (w *writer) rejectMissing(fresh []*target) {
	if w.hasTriggerBefore(true) {
		return
	}
	for _, of := range fresh {
		for at := range w.fields {
			f := &w.fields[at]
			if !f.NotNull || f.Default != "" || f.Identity != "" || f.declared.Default != nil || w.rowHasValue(of.rows[0], at) {
				continue
			}
			w.exclude(of.rows[0], rowwrite.Error{Field: f.declared.Name, Code: problem.CellRequired, Message: "A new entry needs a value here."})
			break
		}
	}
}

// hasValue reports whether a row of the target has a value of a field.
func (w *writer) hasValue(of *target, field int) bool {
	return slices.ContainsFunc(of.rows, func(i int) bool { return w.rowHasValue(i, field) })
}

func (w *writer) rowHasValue(i, field int) bool {
	_, ok := w.b.Columns[field].Bytes(i)
	return ok
}

// merge returns a batch of one row per target, with the last value of each field among its rows.
func (w *writer) merge(targets []*target) *entity.Batch {
	last, several := make([]int, len(targets)), false
	for i, of := range targets {
		last[i] = of.last()
		several = several || len(of.rows) > 1
	}
	if !several {
		return w.b.Pick(last)
	}
	part := w.b.Pick(last)
	for _, at := range w.written {
		if !w.fields[at].keepsValue() {
			continue // the last row's, even if it is empty
		}
		rows := slices.Clone(last)
		for i, of := range targets {
			for _, row := range slices.Backward(of.rows) {
				if _, ok := w.b.Columns[at].Bytes(row); ok {
					rows[i] = row
					break
				}
			}
		}
		part.Columns[at] = w.b.Columns[at].Pick(rows)
	}
	return part
}

// lockChanged locks the targets with values that differ from the stored ones and returns them. The
// others are unchanged: they take no lock and write no log.
func (w *writer) lockChanged(ctx context.Context, tx pgx.Tx, known []*target) ([]*target, error) {
	maybe := slices.DeleteFunc(slices.Clone(known), func(of *target) bool {
		return len(of.rows) == 1 && !of.deleted && !strings.Contains(of.differs, "1")
	})
	for _, of := range known {
		w.setOutcome(of, rowwrite.Unchanged)
	}
	if len(maybe) == 0 {
		return nil, nil
	}
	slices.SortFunc(maybe, func(a, b *target) int { return strings.Compare(a.id, b.id) }) // as all other writers do
	part, p := w.merge(maybe), &params{}
	p.addFields(part, w.written)
	is := w.addIdentity(p, maybe)
	sql := fmt.Sprintf(`
		SELECT v._lb_place, e.differs
		FROM %s
		CROSS JOIN LATERAL (SELECT %s AS differs FROM %s AS e WHERE %s LIMIT 1 FOR NO KEY UPDATE) AS e`,
		p.from(), w.differences("v."), w.name, is("e"))
	seen := 0
	var changed []*target
	_, err := entity.Query(ctx, tx, sql, p.list, func(v [][]byte) error {
		of := maybe[entity.Int64(v[0])-1]
		seen++
		if of.differs = string(v[1]); of.deleted || strings.Contains(of.differs, "1") {
			changed = append(changed, of)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock rows of %s: %w", w.name, err)
	}
	if seen < len(maybe) {
		return nil, errChanged
	}
	return slices.DeleteFunc(changed, w.isRefusedUpdate), nil
}

// isRefusedUpdate rejects the rows of a target that change a value which an update cannot change.
func (w *writer) isRefusedUpdate(of *target) bool {
	for place, at := range w.written {
		f := &w.fields[at]
		if of.differs[place] == '0' || f.Update && !f.identity {
			continue
		}
		e := rowwrite.Error{Field: f.declared.Name, Code: problem.RowRejected, Value: w.b.Columns[at].Display(of.last()),
			Message: "The value differs from the stored one, and the database's role may not change it. Grant UPDATE on the column."}
		if f.identity {
			e.Code, e.Message = problem.AlreadyExists, "The row names an entry by another value, and an import does not change this one."
		}
		for _, i := range of.rows {
			w.reject(i, e)
		}
		return true
	}
	return false
}

// setOutcome sets the outcome of all rows of a target.
func (w *writer) setOutcome(of *target, outcome rowwrite.Outcome) {
	for _, i := range of.rows {
		w.b.Results[i].Outcome = outcome
	}
}

// refusedByTrigger is the reason for a row that the database has accepted and not written.
var refusedByTrigger = rowwrite.Error{Code: problem.RefusedByTrigger, Message: "A trigger of the table dropped this row. Ask the table's owner which rows it accepts."}

// update writes the targets, which are locked and differ.
func (w *writer) update(ctx context.Context, tx pgx.Tx, known []*target) error {
	if len(known) == 0 {
		return nil
	}
	part, p := w.merge(known), &params{}
	var set []string
	mapped, sent := make(map[string]bool), make(map[int]bool)
	for place, at := range w.written {
		f := &w.fields[at]
		mapped[f.Name] = true
		if !slices.ContainsFunc(known, func(of *target) bool { return of.differs[place] == '1' }) {
			continue
		}
		p.addFields(part, []int{at})
		sent[at] = true
		value := f.assigned("v." + cell(at))
		if f.keepsValue() {
			value = fmt.Sprintf("CASE WHEN v.%s IS NULL THEN e.%s ELSE %s END", cell(at), entitytable.Quote(f.Name), value)
		}
		set = append(set, entitytable.Quote(f.Name)+" = "+value)
	}
	if w.deleted != nil && !mapped[w.deleted.Name] && slices.ContainsFunc(known, func(of *target) bool { return of.deleted }) {
		value := "NULL"
		if w.deleted.Base == "boolean" {
			value = "false"
		}
		set = append(set, entitytable.Quote(w.deleted.Name)+" = "+value)
	}
	for _, column := range w.touched {
		if !mapped[column.Name] {
			set = append(set, entitytable.Quote(column.Name)+" = now()")
		}
	}
	altered := "''"
	if w.hasTriggerBefore(false) {
		altered = w.altered(func(f *field) string { return "e." + entitytable.Quote(f.Name) }, slices.Collect(maps.Keys(sent)))
	}
	p.addNumbers("_lb_row", w.rowNumbers(known))
	is := w.addIdentity(p, known)
	sql := fmt.Sprintf(`
		WITH written AS (
			UPDATE %s AS e
			SET %s
			FROM %s
			JOIN %s AS o ON %s
			WHERE %s
			RETURNING v._lb_place AS place, v._lb_row AS line, %s AS altered, %s
		)
		SELECT coalesce(string_agg(concat(place, ':', altered), ' '), ''), %s
		FROM written`,
		w.name, strings.Join(set, ", "), p.from(), w.name, is("o"), is("e"), altered, w.stored.RecordedUpdate(), w.recording(p, "UPDATE"))
	places, err := w.run(ctx, tx, sql, p)
	if err != nil {
		return fmt.Errorf("update %s: %w", w.name, err)
	}
	written := parsePlaces(places)
	for i, of := range known {
		if fields, ok := written[i]; ok {
			w.setOutcome(of, rowwrite.Updated)
			w.warnAltered(of, fields)
			continue
		}
		w.setOutcome(of, rowwrite.Skipped)
		w.warn(of.last(), refusedByTrigger)
	}
	return nil
}

// rowNumbers returns the number in the file of each target's last row.
func (w *writer) rowNumbers(targets []*target) []int64 {
	numbers := make([]int64, len(targets))
	for i, of := range targets {
		numbers[i] = w.b.Row(of.last())
	}
	return numbers
}

// insert inserts the targets. Those without a value of an identity column are inserted separately:
// the table then generates the value.
func (w *writer) insert(ctx context.Context, tx pgx.Tx, fresh []*target) error {
	groups := make(map[string][]*target)
	for _, of := range fresh {
		var generated []byte
		for _, at := range w.written {
			if w.fields[at].Identity != "" && !w.hasValue(of, at) {
				generated = append(generated, w.fields[at].Name+" "...)
			}
		}
		groups[string(generated)] = append(groups[string(generated)], of)
	}
	for _, generated := range slices.Sorted(maps.Keys(groups)) {
		if err := w.insertTargets(ctx, tx, groups[generated]); err != nil {
			return err
		}
	}
	return nil
}

// errDropped reports that a trigger has dropped some of several rows.
var errDropped = errors.New("a trigger dropped rows")

// insertTargets inserts targets in order. If a trigger drops some of them, it finds out which ones.
func (w *writer) insertTargets(ctx context.Context, tx pgx.Tx, fresh []*target) error {
	err := entity.Savepoint(ctx, tx, func(tx pgx.Tx) error { return w.tryInsert(ctx, tx, fresh) })
	switch {
	case err == nil:
		for _, of := range fresh {
			w.setOutcome(of, rowwrite.Updated)
			w.b.Results[of.rows[0]].Outcome = rowwrite.Created
		}
		return nil
	case !errors.Is(err, errDropped):
		return err
	case len(fresh) == 1:
		w.setOutcome(fresh[0], rowwrite.Skipped)
		w.warn(fresh[0].last(), refusedByTrigger)
		return nil
	}
	half := len(fresh) / 2
	if err := w.insertTargets(ctx, tx, fresh[:half]); err != nil {
		return err
	}
	return w.insertTargets(ctx, tx, fresh[half:])
}

func (w *writer) tryInsert(ctx context.Context, tx pgx.Tx, fresh []*target) error {
	part, p := w.merge(fresh), &params{}
	var names, values []string
	var sent []int
	overriding := ""
	if w.tenant != nil {
		names, values = append(names, entitytable.Quote(w.tenant.Name)), append(values, w.tenantValue(w.tenant))
	}
	for at := range w.fields {
		f := &w.fields[at]
		constant := ""
		if f.declared.Default != nil {
			constant = quoteText(*f.declared.Default) + "::" + baseType(f.Column)
		}
		if !w.b.Mapped[at] {
			if constant != "" {
				names, values = append(names, entitytable.Quote(f.Name)), append(values, constant)
			}
			continue
		}
		if f.Identity != "" && !w.hasValue(fresh[0], at) {
			continue // nor has any other
		}
		if f.Identity == "always" {
			overriding = "OVERRIDING SYSTEM VALUE"
		}
		p.addFields(part, []int{at})
		sent = append(sent, at)
		value := f.assigned("v." + cell(at))
		if constant == "" && f.keepsValue() && f.Default != "" {
			constant = "(" + f.Default + ")"
		}
		if constant != "" {
			value = "CASE WHEN v." + cell(at) + " IS NULL THEN " + constant + " ELSE " + value + " END"
		}
		names, values = append(names, entitytable.Quote(f.Name)), append(values, value)
	}
	returned, altered := w.stored.RecordedInsert(), "NULL"
	if w.hasTriggerBefore(true) {
		for _, at := range sent {
			returned += ", e." + entitytable.Quote(w.fields[at].Name) + " AS _lb_s" + fmt.Sprint(at)
		}
		altered = fmt.Sprintf(`(SELECT string_agg(concat(i.place, ':', i.altered), ' ') FROM (SELECT i.place, %s AS altered FROM written AS i JOIN %s ON v._lb_place = i.place) AS i WHERE i.altered <> '')`,
			w.altered(func(f *field) string { return "i._lb_s" + fmt.Sprint(w.fieldOf(f.Column)) }, sent), p.from())
	}
	p.addNumbers("_lb_row", w.rowNumbers(fresh))
	rows := fmt.Sprintf("$%d::int8[]", len(p.list))
	sql := fmt.Sprintf(`
		WITH inserted AS (
			INSERT INTO %s AS e (%s) %s
			SELECT %s
			FROM %s
			ORDER BY v._lb_place
			RETURNING %s
		), written AS (
			SELECT i.*, (%s)[i.place] AS line
			FROM (SELECT row_number() OVER () AS place, inserted.* FROM inserted) AS i
		)
		SELECT concat_ws(' ', count(*), %s), %s
		FROM written`,
		w.name, strings.Join(names, ", "), overriding, strings.Join(values, ", "), p.from(), returned, rows, altered, w.recording(p, "INSERT"))
	text, err := w.run(ctx, tx, sql, p)
	if err != nil {
		return fmt.Errorf("insert into %s: %w", w.name, err)
	}
	written, places, _ := strings.Cut(text, " ")
	if written != fmt.Sprint(len(fresh)) {
		return errDropped
	}
	for place, fields := range parsePlaces(places) {
		w.warnAltered(fresh[place], fields)
	}
	return nil
}

// recording returns the SQL that records what the statement has written.
func (w *writer) recording(p *params, operation string) string {
	if w.stored.Declared.Off {
		return "NULL"
	}
	return w.stored.Recording(operation, p.addText(w.stored.RecordingHead()))
}

// run runs a statement and returns the first column of its row.
func (w *writer) run(ctx context.Context, tx pgx.Tx, sql string, p *params) (text string, err error) {
	_, err = entity.Query(ctx, tx, sql, p.list, func(v [][]byte) error {
		text = string(v[0])
		return nil
	})
	return text, err
}
