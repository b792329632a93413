package undo

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
)

// KeptNotes stores notes about values that undos could not revert because of later changes.
type KeptNotes interface {
	AddKept(ctx context.Context, tx pgx.Tx, j *job.Job, kept []undo.KeptValue) error
	Kept(ctx context.Context, tx pgx.Tx, table string, ids []string, place int64) (map[string]undo.KeptValues, error)
	KeptByID(ctx context.Context, tx pgx.Tx, ids []int64) ([]undo.KeptValue, error)
	MarkKeptApplied(ctx context.Context, tx pgx.Tx, ids []int64) error
}

// notesOf returns the notes about the entities of a run that concern changes before its part.
func (s *Step) notesOf(ctx context.Context, tx pgx.Tx, p *part, run []*reversal) (map[string]undo.KeptValues, error) {
	of := &run[0].change
	if of.IsInternal() || of.Op != changeset.Updated {
		return nil, nil
	}
	return s.store.Kept(ctx, tx, of.Table, idsOf(run), p.chunk.Offset)
}

// removeKept deletes entities that an earlier undo would have deleted if these changes had not
// prevented it.
func (s *Step) removeKept(ctx context.Context, tx pgx.Tx, p *part, t *entitytable.Table, tasks []task, notes map[string]undo.KeptValues) error {
	due := make(map[string][]undo.KeptValue) // by hashed columns
	for i := range tasks {
		for _, k := range notes[tasks[i].change.ID].ForEntity(p.chunk.Offset) {
			due[*k.Before] = append(due[*k.Before], k)
		}
	}
	for columns, kept := range due {
		if err := s.removeUntouched(ctx, tx, p, t, strings.Split(columns, ","), kept); err != nil {
			return err
		}
	}
	return nil
}

// removeUntouched deletes those of the entities that are unchanged since they were created.
func (s *Step) removeUntouched(ctx context.Context, tx pgx.Tx, p *part, t *entitytable.Table, hashed []string, kept []undo.KeptValue) error {
	ids := make([]string, len(kept))
	for i := range kept {
		ids[i] = kept[i].Entity
	}
	found, err := s.store.LockEntities(ctx, tx, t, ids, nil, hashed)
	if err != nil {
		return err
	}
	var removals []task
	var heeded []int64
	for _, k := range kept {
		e := found[k.Entity]
		if e == nil || !e.Hashed || hashText(e.Hash) != *k.Value {
			continue
		}
		delete(found, k.Entity)
		removals = append(removals, task{&reversal{change: changeset.Change{Op: changeset.Created, Table: t.Name, ID: k.Entity}}, undo.Reversal{Action: undo.Delete}})
		heeded = append(heeded, k.ID)
	}
	if err := s.write(ctx, tx, p, t, removals); err != nil {
		return err
	}
	return s.store.MarkKeptApplied(ctx, tx, heeded)
}

// loadNotes returns the existing notes with these ids, which are given as in changes.
func (s *Step) loadNotes(ctx context.Context, tx pgx.Tx, texts []string) ([]undo.KeptValue, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(texts))
	for i, text := range texts {
		var err error
		if ids[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, err
		}
	}
	return s.store.KeptByID(ctx, tx, ids)
}

// revertNotes prepares to revert the notes of an undo that is undone. If a later undo has
// restored the value of a note, the value of the import is restored, since it is in force again.
func (s *Step) revertNotes(ctx context.Context, tx pgx.Tx, p *part, run []*reversal) error {
	kept, err := s.loadNotes(ctx, tx, idsOf(run))
	if err != nil {
		return err
	}
	for _, k := range kept {
		if !k.Applied || k.Column == "" {
			continue
		}
		t, err := s.table(ctx, tx, p, k.Table)
		if err != nil || t == nil {
			return err
		}
		back := changeset.Change{
			Op: changeset.Updated, Table: k.Table, ID: k.Entity, Columns: []string{k.Column},
			Before: []*string{k.Value}, After: []*string{k.Before},
		}
		found, err := s.store.LockEntities(ctx, tx, t, []string{k.Entity}, back.Columns, nil)
		if err != nil {
			return err
		}
		d := undo.ComputeReversal(&back, found[k.Entity], undo.RevertToBefore, false)
		if d.Action == undo.Restore {
			if err := s.write(ctx, tx, p, t, []task{{&reversal{change: back}, d}}); err != nil {
				return err
			}
		}
	}
	return nil
}
