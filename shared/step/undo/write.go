package undo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// write performs the tasks of a run. Referenced entities are excluded first, since finding them
// one by one takes long.
func (s *Step) write(ctx context.Context, tx pgx.Tx, p *part, t *entitytable.Table, tasks []task) error {
	if len(tasks) == 0 {
		return nil
	}
	if tasks[0].Action == undo.Delete {
		var err error
		if tasks, err = s.unreferenced(ctx, tx, p, t, tasks); err != nil || len(tasks) == 0 {
			return err
		}
	}
	return s.bisect(ctx, tx, p, t, tasks)
}

// unreferenced returns the tasks without references to their entities.
func (s *Step) unreferenced(ctx context.Context, tx pgx.Tx, p *part, t *entitytable.Table, tasks []task) ([]task, error) {
	ids := make([]string, len(tasks))
	for i := range tasks {
		ids[i] = tasks[i].change.ID
	}
	referred, err := s.store.Referenced(ctx, tx, t, ids)
	if err != nil || len(referred) == 0 {
		return tasks, err
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(one task) bool {
		if referred[one.change.ID] {
			p.reject(one, foreignKeyViolation)
		}
		return referred[one.change.ID]
	}), nil
}

// bisect performs tasks with one statement if the database accepts it. Otherwise it tries their
// halves in order, until it has isolated the refused one.
func (s *Step) bisect(ctx context.Context, tx pgx.Tx, p *part, t *entitytable.Table, tasks []task) error {
	err := entity.Savepoint(ctx, tx, func(tx pgx.Tx) error { return s.execute(ctx, tx, p, t, tasks) })
	state, refused := rejection(t, err)
	switch {
	case err == nil, !refused:
		return err
	case len(tasks) == 1 && len(tasks[0].Columns) > 1 && tasks[0].Action == undo.Restore:
		return s.restoreByColumn(ctx, tx, p, t, tasks[0])
	case len(tasks) == 1:
		p.reject(tasks[0], state)
		return nil
	}
	half := len(tasks) / 2
	if err := s.bisect(ctx, tx, p, t, tasks[:half]); err != nil {
		return err
	}
	return s.bisect(ctx, tx, p, t, tasks[half:])
}

// restoreByColumn restores as many columns of an entity as the database accepts.
func (s *Step) restoreByColumn(ctx context.Context, tx pgx.Tx, p *part, t *entitytable.Table, whole task) error {
	for i := range whole.Columns {
		one := whole
		one.Columns, one.Values = whole.Columns[i:i+1], whole.Values[i:i+1]
		if err := s.bisect(ctx, tx, p, t, []task{one}); err != nil {
			return err
		}
	}
	return nil
}

// execute performs tasks of one action, with one statement for all that write the same columns.
func (s *Step) execute(ctx context.Context, tx pgx.Tx, p *part, t *entitytable.Table, tasks []task) error {
	if tasks[0].Action == undo.Delete {
		ids := make([]string, len(tasks))
		for i := range tasks {
			ids[i] = tasks[i].change.ID
		}
		return s.store.DeleteEntities(ctx, tx, t, ids)
	}
	statement := s.store.UpdateEntities
	if tasks[0].Action == undo.Recreate {
		statement = s.store.InsertEntities
	}
	for _, group := range groupByColumns(tasks) {
		entities := make([]entitytable.Row, len(group))
		for i, one := range group {
			entities[i] = entitytable.Row{ID: one.change.ID, Row: one.row, Values: one.Values}
		}
		if err := statement(ctx, tx, t, p.job.Key, group[0].Columns, entities); err != nil {
			return err
		}
		if err := s.store.CheckKeys(ctx, tx, t, group[0].Columns, entities); err != nil {
			return err
		}
	}
	return nil
}

// groupByColumns groups tasks by the columns that they write, in order of their first tasks.
func groupByColumns(tasks []task) (groups [][]task) {
	places := make(map[string]int)
	for _, one := range tasks {
		columns := strings.Join(one.Columns, "\x00")
		place, known := places[columns]
		if !known {
			place = len(groups)
			places[columns] = place
			groups = append(groups, nil)
		}
		groups[place] = append(groups[place], one)
	}
	return groups
}

// SQLSTATE codes of specific constraint violations.
const (
	foreignKeyViolation = "23503"
	uniqueViolation     = "23505"
	privilegeMissing    = "42501" // or refused by a policy, in a declared table
	statementTimeout    = "57014"
	raisedException     = "P0001"
)

// notWritten stands for the code of rows that the database has dropped without an error.
const notWritten = "dropped"

// rejection reports whether the database refuses a value for its content: SQLSTATE classes 22
// (data exception), such as for a column with a changed type, and 23 (integrity constraint). It may
// also refuse to write a declared table, as may the table's triggers.
func rejection(t *entitytable.Table, err error) (state string, refused bool) {
	if errors.Is(err, entitytable.ErrNotWritten) {
		return notWritten, true
	}
	if errors.Is(err, entitytable.ErrKeyTaken) {
		return uniqueViolation, true
	}
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return "", false
	}
	return pg.Code, strings.HasPrefix(pg.Code, "22") || strings.HasPrefix(pg.Code, "23") || pg.Code == privilegeMissing ||
		t.Declared != nil && pg.Code != statementTimeout && entity.IsDataError(err)
}

// reject sets the outcome of a task that the database has refused.
func (p *part) reject(one task, state string) {
	field := ""
	if one.Action == undo.Restore && len(one.Columns) == 1 {
		field = p.kind.FieldForColumn(one.Columns[0])
	}
	switch {
	case state == uniqueViolation:
		p.setOutcome(one.reversal, rowwrite.KeptKeyTaken, field, "The key to restore is used by another entity.")
	case state == foreignKeyViolation && one.Action == undo.Delete:
		p.setOutcome(one.reversal, rowwrite.KeptReferenced, "", "The created entity is kept because another entity refers to it.")
	case state == privilegeMissing && one.Action == undo.Delete:
		p.setOutcome(one.reversal, rowwrite.KeptLaterEdit, "", "The database's role may not delete this entity. Grant DELETE on the table, or delete it yourself.")
	case state == privilegeMissing:
		p.setOutcome(one.reversal, rowwrite.KeptLaterEdit, field, "The database's role may not write this value. Grant UPDATE on the column.")
	case state == notWritten, state == raisedException:
		p.setOutcome(one.reversal, rowwrite.KeptLaterEdit, field, "A trigger or a policy of the table does not allow it.")
	case state == foreignKeyViolation:
		p.setOutcome(one.reversal, rowwrite.KeptLaterEdit, field,
			"The entity that the restored value refers to was deleted after the import.")
	default:
		p.setOutcome(one.reversal, rowwrite.KeptLaterEdit, field, "The previous value is no longer valid ("+state+").")
	}
}

// describeChange describes the change that a line reverts.
func describeChange(c *changeset.Change) string {
	if c.Row == 0 {
		return fmt.Sprintf("%s %s", c.Table, c.ID)
	}
	return fmt.Sprintf("%s %s, written by row %d", c.Table, c.ID, c.Row)
}

func hashText(hash int64) string { return strconv.FormatInt(hash, 10) }
