package registry

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Command is what whoever may invoke the function asks for, without a token: it is how
// the first organisation is made.
type Command struct {
	Organisation *NewOrganisation `json:"organisation"`
}

// Result says what a command has made, or found, and what comes next.
type Result struct {
	ID      tenant.ID `json:"id"`
	Name    string    `json:"name"`
	Created bool      `json:"created"`
	Next    []string  `json:"next"` // sentences for a person
}

// invocationSubject is the caller of a command in the log.
const invocationSubject = "invocation"

// Run carries a command out. It may be repeated.
func (s *Service) Run(ctx context.Context, c Command) (Result, error) {
	o, created, err := s.CreateOrganisation(ctx, invocationSubject, *c.Organisation)
	if err != nil {
		return Result{}, err
	}
	return Result{ID: o.ID, Name: o.Name, Created: created, Next: []string{
		fmt.Sprintf("Let your identity provider put the claim organisation_id %q and the scopes imports:read, imports:write, exports:read and exports:write into the tokens of this organisation's callers.", o.ID),
		"Give the scope admin to whoever operates the installation: it opens /api/admin for every organisation.",
		fmt.Sprintf("With it, make what files refer to: POST /api/admin/organisations/%d/periods, …/membership-types, …/events, …/events/{id}/categories; or import files of the types PERIOD, EVENT and EVENT_CATEGORY.", o.ID),
	}}, nil
}
