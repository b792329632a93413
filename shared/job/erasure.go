package job

import "github.com/loadbay/loadbay/shared/job/tenant"

// ErasureRef is a message of the erasures queue: it refers to the erasure of a person.
type ErasureRef struct {
	OrganisationID tenant.ID `json:"organisationId"`
	PersonID       int64     `json:"personId"`
}

// DeletionRef is an event of the function erase: it refers to the deletion of an organisation.
type DeletionRef struct {
	OrganisationID    tenant.ID `json:"organisationId"`
	WholeOrganisation bool      `json:"wholeOrganisation"` // distinguishes it from ErasureRef
}

// Valid reports whether its ids are well-formed.
func (r ErasureRef) Valid() bool { return r.OrganisationID.Valid() && r.PersonID != 0 }
