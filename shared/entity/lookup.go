package entity

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Lookup says how texts become references to entities. Row level security
// narrows both statements to the transaction's organisation.
type Lookup struct {
	// Match takes the texts ($1 text[]) and the context's id ($2 int8) and yields
	// (place in $1 from 1 on int8, id int8) for each text that stands for exactly
	// one entity.
	Match string
	// Candidates takes the context's id ($1 int8) and yields (id int8, name text):
	// what a person can choose from, by name.
	Candidates string
	// ContextScoped says that these are entities of the context: what an id of one context
	// says, its name says in another.
	ContextScoped bool
	// Create takes the organisation's id ($1 int8), the context's ($2 int8) and names
	// ($3 text[]) and yields (place in $3 from 1 on int8, id int8) for every name: of
	// the entity that already has the name, without regard to case, else of a new
	// one. Two transactions that create the same name at once must create one entity.
	// "" where an entity cannot be created from a name alone.
	Create string
	// Adds names the type's option that makes it add the texts of a Listed field to their
	// list by itself when it writes the rows; "" where nothing does.
	AddOption string
	// Translate returns what Match may know a text as that it does not know itself:
	// a code for a name in another language. nil where there are no such texts.
	Translate func(text string) (string, bool)
	// OtherNames returns the names of the candidate with that id besides its own. nil
	// where there are none.
	OtherNames func(id int64) []string
}

// maxNameRunes is the most characters of a name that an entity is created from.
const maxNameRunes = 200

// CanCreate reports whether an entity can be created from that text, in an import whose
// settings do not forbid it.
func (l *Lookup) CanCreate(text string) bool {
	return (l.Create != "" || l.AddOption != "") && text != "" && utf8.RuneCountInString(text) <= maxNameRunes
}

// CanCreateIn reports whether an entity can be created from that text in an import with
// those settings.
func (l *Lookup) CanCreateIn(text string, s Settings) bool {
	return l.CanCreate(text) && (l.Create != "" || l.addsMissing(s))
}

// addsMissing reports whether texts that are in no list are added to it.
func (l *Lookup) addsMissing(s Settings) bool { return l.AddOption != "" && s[l.AddOption] == "true" }

// AddsValue reports whether that text is added to the field's list when the rows are
// written, without anybody being asked.
func (l *Lookup) AddsValue(text string, s Settings) bool {
	return l.addsMissing(s) && l.CanCreate(text)
}

// Candidate is an entity that a value can be mapped to.
type Candidate struct {
	ID         int64    `db:"id"`
	Name       string   `db:"name"`
	OtherNames []string `db:"-"` // by which it is found too
	// Word says that it is no entity but a word that the field takes: its ID tells it
	// from the other ones only.
	IsWord bool `db:"-"`
}

// Resolve returns the ids of the entities that the texts stand for in fields of that lookup;
// texts that stand for none are absent. What an entity is called comes before translations.
func Resolve(ctx context.Context, tx pgx.Tx, l *Lookup, contextID int64, texts []string) (map[string]int64, error) {
	ids, err := l.match(ctx, tx, contextID, texts)
	if err != nil || l.Translate == nil {
		return ids, err
	}
	var open, translated []string
	for _, text := range texts {
		if _, found := ids[text]; found {
			continue
		}
		if other, ok := l.Translate(text); ok {
			open, translated = append(open, text), append(translated, other)
		}
	}
	if len(open) == 0 {
		return ids, nil
	}
	more, err := l.match(ctx, tx, contextID, translated)
	if err != nil {
		return nil, err
	}
	for i, text := range open {
		if id, found := more[translated[i]]; found {
			ids[text] = id
		}
	}
	return ids, nil
}

func (l *Lookup) match(ctx context.Context, tx pgx.Tx, contextID int64, texts []string) (map[string]int64, error) {
	column := NewColumn(Text, len(texts))
	for _, t := range texts {
		column.AppendText([]byte(t))
	}
	ids := make(map[string]int64, len(texts))
	_, err := Query(ctx, tx, l.Match, []Param{ArrayParam(&column), Int64Param(contextID)}, func(v [][]byte) error {
		ids[texts[Int64(v[0])-1]] = Int64(v[1])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("resolve %d texts: %w", len(texts), err)
	}
	return ids, nil
}

// FindOrCreate returns the ids of the entities with those names, and makes those that
// there are none of.
func FindOrCreate(ctx context.Context, tx pgx.Tx, l *Lookup, organisation tenant.ID, contextID int64, names []string) ([]int64, error) {
	column := NewColumn(Text, len(names))
	for _, name := range names {
		column.AppendText([]byte(name))
	}
	ids := make([]int64, len(names))
	made := 0
	_, err := Query(ctx, tx, l.Create, []Param{Int64Param(organisation), Int64Param(contextID), ArrayParam(&column)}, func(v [][]byte) error {
		ids[Int64(v[0])-1] = Int64(v[1])
		made++
		return nil
	})
	if err == nil && made != len(names) {
		err = fmt.Errorf("there are %d", made)
	}
	if err != nil {
		return nil, fmt.Errorf("make %d entities: %w", len(names), err)
	}
	return ids, nil
}

// Candidates returns what a person can choose from, by name.
func Candidates(ctx context.Context, tx pgx.Tx, l *Lookup, contextID int64) ([]Candidate, error) {
	rows, err := tx.Query(ctx, l.Candidates, contextID)
	if err != nil {
		return nil, fmt.Errorf("list candidates: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[Candidate])
	if err != nil {
		return nil, fmt.Errorf("list candidates: %w", err)
	}
	if l.OtherNames != nil {
		for i := range found {
			found[i].OtherNames = l.OtherNames(found[i].ID)
		}
	}
	return found, nil
}

// TrimReference is the part of a cell that is looked up: without the white
// space around it.
func TrimReference(cell []byte) []byte { return bytes.TrimSpace(cell) }
