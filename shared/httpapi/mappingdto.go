package httpapi

import (
	"math"
	"strconv"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/pastanswer"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

// columnMapping describes the mapping of a column of the file to a field.
type columnMapping struct {
	ID              int64             `json:"id"`
	ColumnIndex     int               `json:"columnIndex"`
	SourceHeader    string            `json:"sourceHeader"`
	TargetField     *string           `json:"targetField"`
	Status          job.MappingStatus `json:"status"`
	ConfidenceScore float64           `json:"confidenceScore"`
	Required        bool              `json:"isRequired"`
	Confirmed       bool              `json:"confirmed"`
	Samples         []string          `json:"samples"`
	MatchedBy       *job.MatchedBy    `json:"matchedBy"`
	columnContent
	DateOrder   *columnReading `json:"dateOrder"`
	DecimalMark *columnReading `json:"decimalMark"`
	Unit        *columnUnit    `json:"unit"`
	// The columns and steps that compose the field: as in a mapping document.
	From       []string         `json:"from"`
	Separator  *string          `json:"separator"`
	Constant   *string          `json:"constant"`
	Transforms []transform.Step `json:"transforms"`
	Feeds      []string         `json:"feeds"` // fields composed from the column
	PastAnswer *pastAnswer      `json:"pastAnswer,omitempty"`
}

// columnReading describes how the texts of an ambiguous column are read.
type columnReading struct {
	Value          *string        `json:"value"`
	Evidence       sheet.Evidence `json:"evidence"`
	DecidingCells  int64          `json:"decidingCells"`
	AmbiguousCells int64          `json:"ambiguousCells"`
	// DecidingByOrder is the number of deciding cells by order if the column mixes date orders.
	DecidingByOrder sheet.OrderCounts `json:"decidingByOrder,omitzero"`
}

// columnUnit compares the unit in a column's header with that of a field.
type columnUnit struct {
	Field    string          `json:"field"`
	Expected string          `json:"expected"`
	Found    *string         `json:"found"`
	Convert  *transform.Step `json:"convert"` // the step that converts the values, if one is needed
}

// toColumnUnit compares the unit of a column with that of its field or, without one, of the first
// field with a unit that the header could mean. It returns nil if there is none.
func toColumnUnit(decl *entity.Declaration, m *job.MappedColumn) *columnUnit {
	for i := range decl.Fields {
		f := &decl.Fields[i]
		found := columnmatch.HeaderUnit(f, m.Header)
		if f.Unit == "" || m.TargetField != f.Name && (m.TargetField != "" || found == "") {
			continue
		}
		u := &columnUnit{Field: f.Name, Expected: f.Unit, Found: nilIfZero(found)}
		if _, ok := transform.NewFactor(found, f.Unit); ok && found != f.Unit {
			u.Convert = &transform.Step{Op: transform.Convert, Unit: found}
		}
		return u
	}
	return nil
}

// toColumnReading returns nil if the column was not analysed.
func toColumnReading(f sheet.Finding) *columnReading {
	if f.Evidence == "" {
		return nil
	}
	return &columnReading{Value: nilIfZero(f.Value), Evidence: f.Evidence, DecidingCells: f.DecidedBy, AmbiguousCells: f.Ambiguous, DecidingByOrder: f.ByOrder}
}

func toColumnMappings(decl *entity.Declaration, mapped []job.MappedColumn, past map[int64]*pastanswer.Entry) []columnMapping {
	out := make([]columnMapping, len(mapped))
	names, feeds := document.NewHeaders(apply.Header(mapped)), job.FieldsByColumn(mapped)
	for i := range mapped {
		m := &mapped[i]
		field := decl.FieldIndex(m.TargetField)
		out[i] = columnMapping{
			ID: m.ID, ColumnIndex: m.ColumnIndex, SourceHeader: m.Header, TargetField: nilIfZero(m.TargetField),
			Status: m.Status, ConfidenceScore: roundScore(m.Confidence), Required: field >= 0 && decl.Fields[field].Required,
			Confirmed: m.Confirmed, Samples: sliceOrEmpty(m.Samples), MatchedBy: nilIfZero(m.MatchedBy), columnContent: toColumnContent(&m.Content),
			DateOrder: toColumnReading(m.Locale.DateOrder), DecimalMark: toColumnReading(m.Locale.DecimalMark), Unit: toColumnUnit(decl, m),
			From: []string{}, Constant: m.Constant, Transforms: m.Transforms, Feeds: sliceOrEmpty(feeds[m.ColumnIndex]),
		}
		out[i].addFrom(m, names)
		out[i].addPastAnswer(past[m.ID])
	}
	return out
}

// addFrom adds the columns that compose the field.
func (c *columnMapping) addFrom(m *job.MappedColumn, names *document.Headers) {
	if c.Transforms == nil {
		c.Transforms = []transform.Step{}
	}
	if m.TargetField == "" {
		return
	}
	for _, place := range m.Columns() {
		c.From = append(c.From, names.Name(place))
	}
	if len(c.From) > 1 {
		c.Separator = &m.Separator
	}
}

// cellMapping is the mapping of a value of the file.
type cellMapping struct {
	ID             int64             `json:"id"`
	TargetField    string            `json:"targetField"`
	SourceValue    string            `json:"sourceValue"`
	Status         job.MappingStatus `json:"status"`
	TargetEntityID *int64            `json:"targetEntityId"`
	TargetValue    *string           `json:"targetValue"` // a word of the field, or the replacement name
	Create         bool              `json:"create"`
	Empty          bool              `json:"empty"`
	RowCount       int64             `json:"rowCount"`
	FirstRow       int64             `json:"firstRow"`
	Confirmed      bool              `json:"confirmed"`
	Suggestions    []candidate       `json:"suggestions"`
	PastAnswer     *pastAnswer       `json:"pastAnswer,omitempty"`
}

func toCellMappings(mapped []job.MappedCell, suggested map[int64]review.CellSuggestions) []cellMapping {
	out := make([]cellMapping, len(mapped))
	for i, m := range mapped {
		out[i] = cellMapping{
			ID: m.ID, TargetField: m.TargetField, SourceValue: m.Value, Status: m.Status,
			RowCount: m.Rows, FirstRow: m.FirstRow, Confirmed: m.Confirmed, TargetEntityID: entityID(m.EntityID),
			TargetValue: nilIfZero(m.TargetValue), Create: m.Create, Empty: m.Empty,
			Suggestions: toCandidates(suggested[m.ID].Candidates, true), PastAnswer: toPastAnswer(suggested[m.ID].Past),
		}
	}
	return out
}

// candidate is an entity, with its id, or a word that a value can be mapped to. The score, from 0 to
// 1, is the similarity to the value; it is absent if the request has no value.
type candidate struct {
	ID          *int64   `json:"id,omitempty"`
	Value       *string  `json:"value,omitempty"`
	DisplayName string   `json:"displayName"`
	Score       *float64 `json:"score,omitempty"`
}

func toCandidates(found []mapping.Suggestion, scored bool) []candidate {
	out := make([]candidate, len(found))
	for i, s := range found {
		if out[i] = (candidate{DisplayName: s.Name}); s.IsWord {
			out[i].Value = &found[i].Name
		} else {
			out[i].ID = &found[i].ID
		}
		if scored {
			score := roundScore(s.Score)
			out[i].Score = &score
		}
	}
	return out
}

// roundScore rounds a confidence or a score for display, independent of the stored precision.
func roundScore(share float64) float64 { return math.Round(share*1e4) / 1e4 }

// entityID returns the id of the mapped entity, or nil.
func entityID(text string) *int64 {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil
	}
	return &id
}
