package registry

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Command is a request by direct invocation of the function, without a token: it creates the
// first organisation.
type Command struct {
	Organisation *NewOrganisation `json:"organisation"`
}

// Result contains what a command has created or found, and the next steps.
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
		fmt.Sprintf("Configure your identity provider to add the claim organisation_id %q and the scopes imports:read, imports:write, exports:read and exports:write to the tokens of this organisation.", o.ID),
		"Grant the scope admin to operators. It allows access to /api/admin for every organisation.",
		fmt.Sprintf("As an operator, create the entries that files refer to: POST /api/admin/organisations/%d/periods, …/membership-types, …/events, …/events/{id}/categories; or import files of the types PERIOD, EVENT and EVENT_CATEGORY.", o.ID),
	}}, nil
}
