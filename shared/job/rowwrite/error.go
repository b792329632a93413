package rowwrite

import "github.com/loadbay/loadbay/shared/problem"

// Error is one reason for a row's outcome. Errors of rows that are not Errored are warnings or
// reasons for skipping them.
type Error struct {
	Code    problem.Code `json:"code"`
	Field   string       `json:"field,omitempty"` // Field.Name, or "" for the row as a whole
	Value   string       `json:"value,omitempty"` // value of the cell, shortened
	Message string       `json:"message"`
}
