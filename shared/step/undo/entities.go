package undo

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// Entities reads and writes entities of any table with captured changes.
type Entities interface {
	DiscardQueryPlans(ctx context.Context, tx pgx.Tx) error
	entitytable.Store
	LockEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, ids, columns, hashed []string) (map[string]*undo.Entity, error)
	EntityHash(ctx context.Context, tx pgx.Tx, e *entitytable.Entity, columns []string, values map[string]*string) (hash int64, ok bool, err error)
	Referenced(ctx context.Context, tx pgx.Tx, t *entitytable.Table, ids []string) (map[string]bool, error)
	UpdateEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) error
	// CheckKeys returns entitytable.ErrKeyTaken if an entity of which columns were written has a key of
	// another one that no index guarantees.
	CheckKeys(ctx context.Context, tx pgx.Tx, t *entitytable.Table, columns []string, entities []entitytable.Row) error
	DeleteEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, ids []string) error
	InsertEntities(ctx context.Context, tx pgx.Tx, t *entitytable.Table, by job.Key, columns []string, entities []entitytable.Row) error
}

// task is the action for the entity of a line.
type task struct {
	*reversal
	undo.Reversal
}

// revertRun reverts changes of one table and operation.
func (s *Step) revertRun(ctx context.Context, tx pgx.Tx, p *part, run []*reversal) error {
	of := &run[0].change
	t, err := s.table(ctx, tx, p, of.Table)
	if err != nil {
		return err
	}
	if t == nil {
		for _, l := range run {
			p.setOutcome(l, rowwrite.KeptLaterEdit, "", "The table no longer exists.")
		}
		return nil
	}
	if of.IsInternal() && of.Op == changeset.Created {
		if err := s.revertNotes(ctx, tx, p, run); err != nil {
			return err
		}
	}
	found, err := s.store.LockEntities(ctx, tx, t, idsOf(run), columnsOf(run), of.Hashed)
	if err != nil {
		return err
	}
	if err := s.ignoreRecomputations(ctx, tx, p, t, run, found); err != nil {
		return err
	}
	notes, err := s.notesOf(ctx, tx, p, run)
	if err != nil {
		return err
	}
	tasks, err := s.decide(ctx, tx, p, run, found, notes)
	if err != nil {
		return err
	}
	if err := s.write(ctx, tx, p, t, tasks); err != nil {
		return err
	}
	return s.removeKept(ctx, tx, p, t, tasks, notes)
}

// table describes a table; it is loaded once per transaction.
func (s *Step) table(ctx context.Context, tx pgx.Tx, p *part, name string) (*entitytable.Table, error) {
	if t, known := p.tables[name]; known {
		return t, nil
	}
	t, err := entitytable.Find(ctx, tx, s.store, p.described, name)
	if err == nil {
		p.tables[name] = t
	}
	return t, err
}

func idsOf(run []*reversal) []string {
	ids := make([]string, len(run))
	for i, l := range run {
		ids[i] = l.change.ID
	}
	return ids
}

// columnsOf returns the columns that any of the changes concerns.
func columnsOf(run []*reversal) (columns []string) {
	seen := make(map[string]bool)
	for _, l := range run {
		if l.change.Op == changeset.Created {
			continue // its hash covers all columns
		}
		for _, name := range l.change.Columns {
			if !seen[name] {
				seen[name] = true
				columns = append(columns, name)
			}
		}
	}
	return columns
}

// decide determines the actions, and adds notes about values that are kept.
func (s *Step) decide(ctx context.Context, tx pgx.Tx, p *part, run []*reversal, found map[string]*undo.Entity, notes map[string]undo.KeptValues) ([]task, error) {
	var tasks []task
	var kept []undo.KeptValue
	var heeded []int64
	for _, l := range run {
		of := notes[l.change.ID]
		instead := func(column string, before *string) *string {
			back, _ := of.RevertTarget(column, before, p.chunk.Offset)
			return back
		}
		d := undo.ComputeReversal(&l.change, found[l.change.ID], instead, p.force || l.change.IsInternal())
		if !l.change.IsInternal() {
			heeded = append(heeded, of.Applied(&l.change, &d, p.chunk.Offset)...)
			kept = append(kept, p.noteKept(l, &d)...)
		}
		if d.Action != undo.None {
			tasks = append(tasks, task{l, d})
		}
	}
	if err := s.store.MarkKeptApplied(ctx, tx, heeded); err != nil {
		return nil, err
	}
	return tasks, s.store.AddKept(ctx, tx, p.job, kept)
}

// noteKept reports which values of a line are kept because of later changes, in its outcome and
// as notes. It also adds notes for values that are reverted despite later changes, since these
// changes may be undone themselves: with force, and for everything that a cascade reverts.
func (p *part) noteKept(l *reversal, d *undo.Reversal) (notes []undo.KeptValue) {
	c := &l.change
	note := undo.KeptValue{Table: c.Table, Entity: c.ID, Since: p.chunk.Offset}
	if d.EntityKept && !p.onlyComputed(c) {
		p.setOutcome(l, rowwrite.KeptLaterEdit, "", keptReasons[c.Op])
		if c.Op == changeset.Created {
			note.Value, note.Before = new(hashText(c.Hash)), new(strings.Join(c.Hashed, ","))
			notes = append(notes, note)
		}
	}
	for _, column := range d.KeptColumns {
		if p.isComputed(c.Table, column) {
			continue
		}
		p.setOutcome(l, rowwrite.KeptLaterEdit, p.kind.FieldForColumn(column), "The value was changed after the import and is kept.")
	}
	past := d.Overwritten
	if p.scope != nil && d.Action == undo.Restore {
		past = d.Columns
	}
	for _, column := range slices.Concat(d.KeptColumns, d.KeptTimestamps, d.AlreadyReverted, past) {
		i := slices.Index(c.Columns, column)
		note.Column, note.Value, note.Before = column, c.After[i], c.Before[i]
		notes = append(notes, note)
	}
	return notes
}

// onlyComputed reports whether an update has changed nothing but computed values, which do not matter
// once the entity no longer exists.
func (p *part) onlyComputed(c *changeset.Change) bool {
	return c.Op == changeset.Updated && !slices.ContainsFunc(c.Columns, func(column string) bool { return !p.isComputed(c.Table, column) })
}

// keptReasons are the messages that explain why an entity is kept.
var keptReasons = map[changeset.Op]string{
	changeset.Created: "The created entity was changed after the import and is kept.",
	changeset.Updated: "The entity was deleted after the import and is not restored.",
	changeset.Deleted: "The deleted entity exists again and is kept unchanged.",
}

// setOutcome sets the outcome of a line and its reason.
func (p *part) setOutcome(l *reversal, outcome rowwrite.Outcome, field, why string) {
	l.outcome = outcome
	l.errors = append(l.errors, rowwrite.Error{Code: problem.Code(outcome.String()), Field: field, Message: describeChange(&l.change) + ": " + why})
}
