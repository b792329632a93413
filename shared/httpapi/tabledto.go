package httpapi

import (
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/imports/adopt"
	"github.com/loadbay/loadbay/shared/output/translation"
)

// tableVerdict is the JSON form of a table with its verdict.
type tableVerdict struct {
	Table     string  `json:"table"` // as in declarations
	Comment   *string `json:"comment"`
	Rows      *int64  `json:"rows"` // an estimate
	Adoptable bool    `json:"adoptable"`
	Reason    *string `json:"reason"` // why it cannot be adopted
}

func toTableVerdict(l translation.Language, v *adopt.Verdict) tableVerdict {
	s := tableVerdict{Table: adopt.TableName(v.Schema, v.Name), Comment: nilIfZero(v.Comment), Adoptable: v.Refusal == "", Reason: nilIfZero(l.Text(v.Refusal))}
	if v.Rows >= 0 {
		s.Rows = &v.Rows
	}
	return s
}

// typeFinding is something that a person should know about a declaration.
type typeFinding struct {
	Severity string `json:"severity"` // mustDecide, error, warning
	Path     string `json:"path"`
	Message  string `json:"message"`
}

// typeDraft is the JSON form of a draft.
type typeDraft struct {
	Declaration *declared.Declaration `json:"declaration"`
	YAML        string                `json:"yaml"`
	Findings    []typeFinding         `json:"findings"`
	Grants      []string              `json:"grants"`
	Optional    []string              `json:"optional"`
}

func toDraft(l translation.Language, d *adopt.Draft) (*typeDraft, error) {
	text, err := d.YAML()
	if err != nil {
		return nil, err
	}
	document := &typeDraft{Declaration: &d.Declaration, YAML: string(text), Findings: []typeFinding{}, Grants: append([]string{}, d.Grants...), Optional: append([]string{}, d.Optional...)}
	for _, f := range d.Findings {
		severity := "warning"
		if f.MustDecide {
			severity = "mustDecide"
		}
		document.Findings = append(document.Findings, typeFinding{severity, f.Path, l.Text(f.Message)})
	}
	return document, nil
}

// typeCheck is the JSON form of a report.
type typeCheck struct {
	OK            bool          `json:"ok"`
	Findings      []typeFinding `json:"findings"`
	Grants        []string      `json:"grants"`
	Optional      []string      `json:"optional"`
	RehearsedRows int           `json:"rehearsedRows"`
	Derived       []string      `json:"derived"` // columns that the table changes while it is written
}

func toTypeCheck(l translation.Language, r *adopt.Report) typeCheck {
	c := typeCheck{
		OK: r.OK(), Findings: []typeFinding{}, Grants: append([]string{}, r.Grants...), Optional: append([]string{}, r.Optional...),
		RehearsedRows: r.Rehearsed, Derived: append([]string{}, r.Derived...),
	}
	for _, f := range r.Faults {
		c.Findings = append(c.Findings, typeFinding{"error", f.Path, l.Text(f.Message)})
	}
	for _, f := range r.Warnings {
		c.Findings = append(c.Findings, typeFinding{"warning", f.Path, l.Text(f.Message)})
	}
	return c
}

// typeDrift is the JSON form of the differences of a type's table.
type typeDrift struct {
	Version            int              `json:"version"`
	AdoptedFingerprint string           `json:"adoptedFingerprint"`
	CurrentFingerprint *string          `json:"currentFingerprint"` // null if the table is gone
	Differences        []typeDifference `json:"differences"`
}

type typeDifference struct {
	Category string  `json:"category"`
	Column   *string `json:"column"`
	Name     *string `json:"name"`     // of the constraint, index, trigger or policy
	Reaction string  `json:"reaction"` // hold, tell, ignore
	Message  string  `json:"message"`
}

func toTypeDifference(l translation.Language, d *declared.Drift) typeDifference {
	return typeDifference{Category: string(d.Category), Column: nilIfZero(d.Column), Name: nilIfZero(d.Name), Reaction: string(d.Reaction), Message: l.Text(d.Message)}
}
