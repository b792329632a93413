package entity

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Lookup defines how texts are resolved to references. Row level security restricts both
// statements to the transaction's organisation.
type Lookup struct {
	// Match takes the texts ($1 text[]) and the context's id ($2 int8) and returns
	// (1-based index in $1 int8, id int8) for each text that matches exactly one entity.
	Match string
	// Candidates takes the context's id ($1 int8) and returns (id int8, name text): the entities
	// that a person can choose from, by name.
	Candidates string
	// ContextScoped marks entities of the context: the same entity has different ids in different
	// contexts, but the same name.
	ContextScoped bool
	// Create takes the organisation's id ($1 int8), the context's id ($2 int8) and names
	// ($3 text[]) and returns (1-based index in $3 int8, id int8) for every name: the existing
	// entity with the name, without regard to case, or a new one. Two transactions that create
	// the same name concurrently must create one entity. "" if an entity cannot be created from
	// a name alone.
	Create string
	// AddOption is the name of the type's option that makes it add missing texts of a Listed field
	// to their list when it writes the rows; "" if there is none.
	AddOption string
	// List is the list that AddOption adds to; nil without AddOption.
	List *List
	// Session lists the settings that both statements need. It is no function: the command line keeps
	// the methods of what declarations refer to, and would link the database driver.
	Session []SessionSetting
	// Translate returns an equivalent of the text that Match may know: for example a code for a
	// name in another language. nil if there are no translations.
	Translate func(text string) (string, bool)
	// OtherNames returns further names of the candidate with the id. nil if there are none.
	OtherNames func(id int64) []string
}

// maxNameRunes is the maximum number of characters in the name of a created entity.
const maxNameRunes = 200

// CanCreate reports whether an entity can be created from the text, unless the settings of the
// import forbid it.
func (l *Lookup) CanCreate(text string) bool {
	return (l.Create != "" || l.AddOption != "") && text != "" && utf8.RuneCountInString(text) <= maxNameRunes
}

// CanCreateIn reports whether an entity can be created from the text in an import with the
// settings.
func (l *Lookup) CanCreateIn(text string, s Settings) bool {
	return l.CanCreate(text) && (l.Create != "" || l.addsMissing(s))
}

// addsMissing reports whether missing texts are added to the list.
func (l *Lookup) addsMissing(s Settings) bool { return l.AddOption != "" && s[l.AddOption] == "true" }

// AddsValue reports whether the text is added to the field's list when the rows are written,
// without a decision by a person.
func (l *Lookup) AddsValue(text string, s Settings) bool {
	return l.addsMissing(s) && l.CanCreate(text)
}

// Candidate is an entity that a value can be mapped to.
type Candidate struct {
	ID         int64    `db:"id"`
	Name       string   `db:"name"`
	OtherNames []string `db:"-"` // further names for the search
	// IsWord marks a word that the field accepts instead of an entity. Its ID only distinguishes it
	// from other words.
	IsWord bool `db:"-"`
}

// Resolve returns the ids of the entities that the texts match in fields with the lookup; texts
// without a match are absent. Names of entities have priority over translations.
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
	if err := SetSession(ctx, tx, l.Session); err != nil {
		return nil, err
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

// FindOrCreate returns the ids of the entities with the names, and creates missing ones.
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
		return nil, fmt.Errorf("create %d entities: %w", len(names), err)
	}
	return ids, nil
}

// Candidates returns the entities that a person can choose from, by name.
func Candidates(ctx context.Context, tx pgx.Tx, l *Lookup, contextID int64) ([]Candidate, error) {
	if err := SetSession(ctx, tx, l.Session); err != nil {
		return nil, err
	}
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

// TrimReference returns the part of a cell that is looked up: without surrounding white space.
func TrimReference(cell []byte) []byte { return bytes.TrimSpace(cell) }
