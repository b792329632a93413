// Package tablegrant manages the tables for which organisations may declare import types. A grant names
// a table and the rows that belong to the organisation, so that a declaration cannot choose those of
// others. An operator grants and revokes; package declaration checks declarations against the grants.
//
// Tested by shared/httpapi: grants and types through the API, on a real database.
package tablegrant

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Grant permits types for a table.
type Grant struct {
	ID string
	// Organisations are sorted. Every means all of them, also those that are created later.
	Organisations []tenant.ID
	Every         bool
	Schema, Table string
	// Tenant is the one that a declaration must have.
	Tenant declared.Tenant
	// Modes are those that a declaration may have; all if it is empty.
	Modes []string
	// ReferenceOnly permits references to rows of the table, and no type.
	ReferenceOnly bool
	GrantedBy     string // the caller's name in the token
	GrantedAt     time.Time
}

// sameTenant reports whether two tenants select the same rows.
func sameTenant(a, b *declared.Tenant) bool {
	return a.None == b.None && a.Column == b.Column && a.Value == b.Value && maps.Equal(a.Session, b.Session)
}

// allRows reports whether rows of all organisations belong to a tenant.
func allRows(t *declared.Tenant) bool { return t.Column == "" && len(t.Session) == 0 }

// ofOrganisation reports whether a part of the tenant is the organisation's id: each organisation then
// has rows of its own.
func ofOrganisation(t *declared.Tenant) bool {
	return t.Column != "" && t.Value == declared.ValueOrganisation || slices.Contains(slices.Collect(maps.Values(t.Session)), declared.ValueOrganisation)
}

// disjoint reports whether two organisations with these tenants have no row in common. It compares
// values of the same column or setting, and assumes that different columns do not exclude each other.
func disjoint(a, b *declared.Tenant) bool {
	if allRows(a) || allRows(b) || a.Column != b.Column {
		return false
	}
	differ := func(one, other string) bool {
		const id = declared.ValueOrganisation
		return one == id && other == id || one != id && other != id && one != other
	}
	if a.Column != "" && differ(a.Value, b.Value) {
		return true
	}
	for name, value := range a.Session {
		if other, both := b.Session[name]; both && differ(value, other) {
			return true
		}
	}
	return false
}

// conflict reports whether two grants of a table let different organisations reach the same rows. Rows
// that only one organisation writes may be referred to by others.
func conflict(a, b *Grant) bool {
	switch {
	case a.ReferenceOnly && b.ReferenceOnly:
		return false
	case a.ReferenceOnly || b.ReferenceOnly:
		write, refer := a, b
		if a.ReferenceOnly {
			write, refer = b, a
		}
		if allRows(&write.Tenant) {
			return false
		}
		return !disjoint(&write.Tenant, &refer.Tenant)
	default:
		return !disjoint(&a.Tenant, &b.Tenant)
	}
}

// describe returns a tenant as a declaration writes it.
func describe(t *declared.Tenant) string {
	var parts []string
	if t.Column != "" {
		parts = append(parts, "column: "+t.Column, "value: "+t.Value)
	}
	if len(t.Session) > 0 {
		var settings []string
		for _, name := range slices.Sorted(maps.Keys(t.Session)) {
			settings = append(settings, name+": "+t.Session[name])
		}
		parts = append(parts, "session: {"+strings.Join(settings, ", ")+"}")
	}
	if len(parts) == 0 {
		return "{none: true}"
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
