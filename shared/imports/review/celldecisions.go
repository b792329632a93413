package review

import (
	"context"
	"slices"
	"strconv"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// CellDecision is one decision about a value of the file: to confirm its match; to match it
// to an entity, by id or by the name used in files, or to a word of an enum field; to create
// an entity for it; to treat it as empty; or to ignore its rows. With TargetField instead of
// ID it applies to all unresolved values of that field.
type CellDecision struct {
	ID             int64  `json:"id"`
	TargetField    string `json:"targetField"`
	Confirm        bool   `json:"confirm"`
	TargetEntityID *int64 `json:"targetEntityId"`
	TargetValue    string `json:"targetValue"`
	Create         bool   `json:"create"`
	Empty          bool   `json:"empty"`
	Ignore         bool   `json:"ignore"`
}

// cellActions lists the members of CellDecision of which exactly one is set.
const cellActions = "targetEntityId, targetValue, create, empty or ignore"

// countActions returns the number of actions that are set.
func (c *CellDecision) countActions() int {
	n := 0
	for _, is := range []bool{c.Confirm, c.TargetEntityID != nil, c.TargetValue != "", c.Create, c.Empty, c.Ignore} {
		if is {
			n++
		}
	}
	return n
}

// decisionTargets returns the values that the decisions are about: their ids, and the fields
// with decisions about all unresolved values.
func decisionTargets(decisions []CellDecision) (ids []int64, fields []string) {
	for _, c := range decisions {
		if c.TargetField == "" {
			ids = append(ids, c.ID)
		} else {
			fields = append(fields, c.TargetField)
		}
	}
	return ids, fields
}

// cellDecider applies decisions to the mappings of values.
type cellDecider struct {
	decl     *entity.Declaration
	settings entity.Settings
	cells    []job.MappedCell // cells that the decisions are about
	fields   []string         // fields with decisions for which the file has values
	changed  map[int]bool
	targets  *targetLookup
	people   map[string][]entity.Candidate // candidates of the questions about people, by text
}

func (a *cellDecider) changes() []job.MappedCell {
	changed := make([]job.MappedCell, 0, len(a.changed))
	for i := range a.cells {
		if a.changed[i] {
			changed = append(changed, a.cells[i])
		}
	}
	return changed
}

// applyAll applies the decisions about single values first: decisions about a whole field
// apply to the remaining values.
func (a *cellDecider) applyAll(ctx context.Context, decisions []CellDecision) error {
	places := make(map[int64]int, len(a.cells))
	for i := range a.cells {
		places[a.cells[i].ID] = i
	}
	fieldOf := func(c *CellDecision) string {
		if i, known := places[c.ID]; known && c.TargetField == "" {
			return a.cells[i].TargetField
		}
		return c.TargetField
	}
	if err := a.targets.preload(ctx, a.decl, decisions, fieldOf); err != nil {
		return err
	}
	for _, c := range decisions {
		if c.TargetField == "" {
			i, known := places[c.ID]
			if err := a.applyOne(ctx, c, i, known); err != nil {
				return err
			}
		}
	}
	for _, c := range decisions {
		if c.TargetField != "" {
			if err := a.applyToField(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *cellDecider) applyOne(ctx context.Context, decision CellDecision, i int, known bool) error {
	if !known {
		return invalidDecision("This import has no value with ID %d.", decision.ID)
	}
	if a.changed[i] {
		return invalidDecision("The value %d occurs twice.", decision.ID)
	}
	return a.apply(ctx, i, decision, true)
}

func (a *cellDecider) applyToField(ctx context.Context, decision CellDecision) error {
	if decision.ID != 0 || decision.Confirm {
		return invalidDecision("With targetField, set %s and no id.", cellActions)
	}
	if !slices.Contains(a.fields, decision.TargetField) {
		return invalidDecision("This import has no values to match for this field.").
			With(entity.Shorten(decision.TargetField), problem.MappingInvalid, "A field from the list of values to match.")
	}
	for i, c := range a.cells {
		if c.TargetField == decision.TargetField && c.Status == job.Unresolved && !a.changed[i] {
			// A default for the remaining values is no decision about any single value.
			if err := a.apply(ctx, i, decision, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// apply applies a decision to mapping i, about this single value or about several at once.
func (a *cellDecider) apply(ctx context.Context, i int, decision CellDecision, single bool) error {
	m := &a.cells[i]
	if decision.countActions() != 1 {
		return invalidDecision("Choose exactly one action for the value %d: confirm, %s.", m.ID, cellActions)
	}
	index := a.decl.FieldIndex(m.TargetField)
	if m.TargetField == job.PersonField {
		if err := a.setPerson(m, decision); err != nil {
			return err
		}
	} else if index < 0 || !a.decl.Fields[index].HasMappableValues() {
		return invalidDecision("The field of the value %d is not supported by this version.", m.ID)
	} else if err := a.setValue(ctx, m, &a.decl.Fields[index], decision); err != nil {
		return err
	}
	m.Confirmed, m.Decided = true, single
	a.changed[i] = true
	return nil
}

// setValue sets the target of a value of a field as decided.
func (a *cellDecider) setValue(ctx context.Context, m *job.MappedCell, f *entity.Field, decision CellDecision) error {
	switch {
	case decision.Ignore:
		m.SetTarget(job.Ignored, job.MappedCell{})
	case decision.Empty && f.Required:
		return invalidDecision("%s is required, so the value %d cannot be empty.", f.Title, m.ID).
			With(f.Name, problem.MappingInvalid, "Match the value, or skip its rows with ignore.")
	case decision.Empty:
		m.SetTarget(job.ManualMatched, job.MappedCell{Empty: true})
	case decision.TargetEntityID != nil:
		return a.setEntity(ctx, m, f, *decision.TargetEntityID)
	case decision.TargetValue != "":
		return a.setWord(ctx, m, f, decision.TargetValue)
	case decision.Create:
		return a.setCreate(m, f)
	case !m.HasTarget():
		return invalidDecision("The value %d has no suggested match to confirm.", m.ID)
	default:
		m.Status = job.ManualMatched
	}
	return nil
}

// setEntity matches a value to an existing entity. If the field stores the entity's name,
// the name is saved with the mapping so that every reader of the file uses the same text.
func (a *cellDecider) setEntity(ctx context.Context, m *job.MappedCell, f *entity.Field, id int64) error {
	var name string
	var exists bool
	var err error
	if f.Lookup != nil {
		name, exists, err = a.targets.nameByID(ctx, f, id)
	}
	if err != nil {
		return err
	}
	if !exists {
		return invalidDecision("ID %d is not a possible match for the value %d.", id, m.ID).
			With(m.TargetField, problem.MappingInvalid, "One of the candidates of the value.")
	}
	stands := job.MappedCell{EntityID: strconv.FormatInt(id, 10)}
	if f.IsContextList() {
		stands.TargetValue = name
	}
	m.SetTarget(job.ManualMatched, stands)
	return nil
}

// setWord matches a value to a word of its field, or to the entity with that name.
func (a *cellDecider) setWord(ctx context.Context, m *job.MappedCell, f *entity.Field, text string) error {
	if f.Lookup == nil {
		word, ok := f.FindWord(text)
		if !ok {
			return invalidDecision("%s has no such option to match the value %d.", f.Title, m.ID).
				With(f.Name, problem.MappingInvalid, problem.OneOf(f.Words()))
		}
		m.SetTarget(job.ManualMatched, job.MappedCell{TargetValue: word})
		return nil
	}
	id := a.targets.idByName(f, text)
	if id == 0 {
		return invalidDecision("No entry with this name is a possible match for the value %d.", m.ID).
			With(f.Name, problem.MappingInvalid, "One of the candidates of the value.")
	}
	return a.setEntity(ctx, m, f, id)
}

// setCreate marks a value for creation of an entity, if the type allows it.
func (a *cellDecider) setCreate(m *job.MappedCell, f *entity.Field) error {
	if f.Lookup == nil || !f.Lookup.CanCreateIn(m.Value, a.settings) {
		return invalidDecision("No entry can be created from the value %d.", m.ID).
			With(m.TargetField, problem.MappingInvalid,
				"Only for values of up to 200 characters in fields with canCreate.")
	}
	m.SetTarget(job.ManualMatched, job.MappedCell{Create: true})
	return nil
}
