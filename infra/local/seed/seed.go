// Package seed creates, through the API, the data that an organisation needs before its first
// import: two organisations with the entities to which sample files refer.
//
// Tested by infra/tests/e2e: every stack of that suite is seeded with it.
package seed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// organisation lists the entities created for one organisation, in this order: in an empty
// database the ids of each kind start at 1, and documents and tests rely on that.
type organisation struct {
	id      int64
	name    string
	periods []string // years
	types   []string
	events  []event
	// allTables allows types for all tables without grants, as to the only organisation.
	allTables bool
}

type event struct {
	name, startsOn string
	categories     []string
}

func organisations() []organisation {
	return []organisation{
		{
			id: 1, name: "Harbour Athletics", periods: []string{"2026", "2027"}, types: []string{"Senior", "Junior", "Masters", "Social"},
			events:    []event{{"Harbour Half Marathon", "2026-06-07", []string{"Open", "Junior", "Veterans"}}},
			allTables: true,
		},
		{id: 2, name: "Mountain Runners", periods: []string{"2026"}, types: []string{"Senior", "Family"}},
	}
}

// requestsPerMinute is above the default limit: tests poll an import more
// often than people do.
const requestsPerMinute = 600_000

// Run creates missing entities. It is idempotent.
func Run(ctx context.Context, api string) error {
	token, err := rawclient.LocalOperatorToken(ctx, api)
	if err != nil {
		return err
	}
	m := seeder{rawclient.New(api, token)}
	for _, o := range organisations() {
		if err := m.createOrganisation(ctx, o); err != nil {
			return fmt.Errorf("create organisation %d: %w", o.id, err)
		}
	}
	return nil
}

type fields = map[string]any

type seeder struct{ *rawclient.Client }

func (m seeder) createOrganisation(ctx context.Context, o organisation) error {
	const all = "/api/admin/organisations"
	created, err := m.create(ctx, all, fields{"id": o.id, "name": o.name, "quotas": fields{"requestsPerMinute": requestsPerMinute}})
	if err != nil {
		return err
	}
	own := fmt.Sprintf("%s/%d", all, o.id)
	if created && o.allTables {
		if err := m.Do(ctx, http.MethodPut, own+"/whole-tables", "application/json", strings.NewReader(`{"wholeTables": true}`), nil); err != nil {
			return err
		}
	}
	for _, year := range o.periods {
		if _, err := m.create(ctx, own+"/periods", fields{"name": year, "startsOn": year + "-01-01", "endsOn": year + "-12-31"}); err != nil {
			return err
		}
	}
	for _, name := range o.types {
		if _, err := m.create(ctx, own+"/membership-types", fields{"name": name}); err != nil {
			return err
		}
	}
	for _, e := range o.events {
		if err := m.createEvent(ctx, own+"/events", e); err != nil {
			return err
		}
	}
	return nil
}

func (m seeder) createEvent(ctx context.Context, events string, e event) error {
	if _, err := m.create(ctx, events, fields{"name": e.name, "startsOn": e.startsOn}); err != nil {
		return err
	}
	var found []struct {
		ID   int64
		Name string
	}
	if err := m.Get(ctx, events, &found); err != nil {
		return err
	}
	for _, f := range found {
		if f.Name != e.name {
			continue
		}
		for _, category := range e.categories {
			if _, err := m.create(ctx, fmt.Sprintf("%s/%d/categories", events, f.ID), fields{"name": category}); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("event %s not found", e.name)
}

// create creates an entity, and reports false if it already exists.
func (m seeder) create(ctx context.Context, path string, document fields) (created bool, err error) {
	err = m.Post(ctx, path, document, nil)
	var refused *rawclient.Error
	if errors.As(err, &refused) && refused.Status == http.StatusConflict {
		return false, nil
	}
	return err == nil, err
}
