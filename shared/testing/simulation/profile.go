package simulation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
)

// profileChoice is how the profile that contains the person's decisions is selected.
type profileChoice uint8

// The ways to select a profile.
const (
	noProfile profileChoice = iota
	namedProfile
	autoProfile
)

// drawProfile draws a choice for an import with questions.
func (p *importRun) drawProfile() profileChoice {
	if p.script.AutoStart || p.script.WholeFile || p.script.SkipDecisions || p.script.Mapping != "" || !p.chance(25) {
		return noProfile
	}
	return []profileChoice{namedProfile, autoProfile}[p.IntN(2)]
}

// createProfile creates the profile before the import.
func (p *importRun) createProfile(ctx context.Context) (*profile.Profile, error) {
	if p.plan.profile == noProfile {
		return nil, nil //nolint:nilnil // there is none
	}
	mapping, err := json.Marshal(p.personMapping())
	if err != nil {
		return nil, err
	}
	d := profile.Draft{ImportType: p.script.Type, Name: "Made up", Auto: p.plan.profile == autoProfile, Mapping: mapping, Headers: p.headers()}
	return profile.New(p.db, catalog.New(), false).Create(ctx, profile.Caller{Organisation: p.ref.OrganisationID}, d)
}

// useProfile selects the profile for the job, as the job's creation does.
func (p *importRun) useProfile(ctx context.Context, tx pgx.Tx, j *job.Job, kept *profile.Profile) error {
	if p.plan.profile != namedProfile {
		return nil
	}
	return p.db.UseProfile(ctx, tx, j.Key, kept.UsedProfile(job.ChosenByName), j.Options)
}

func (p *importRun) headers() []string {
	headers := make([]string, len(p.script.Columns))
	for i, c := range p.script.Columns {
		headers[i] = c.Header
	}
	return headers
}

// personMapping returns the person's decisions about the file.
func (p *importRun) personMapping() *document.Document {
	doc, names := &document.Document{}, document.NewHeaders(p.headers())
	for i, c := range p.script.Columns {
		if c.Field == "" {
			doc.Ignore = append(doc.Ignore, names.Name(i))
			continue
		}
		f := document.Field{Field: c.Field, From: []string{names.Name(i)}}
		if c.OrderDecided {
			f.DateOrder = c.Order
		}
		doc.Fields = append(doc.Fields, f)
	}
	t, _ := catalog.New().ByName(p.script.Type)
	for _, f := range t.Declaration().Fields {
		if f.Kind == entity.Reference {
			doc.Values = append(doc.Values, p.valueDecisions(f.Name)...)
		}
	}
	return doc
}

// valueDecisions returns the person's decisions about values, as those of one field.
func (p *importRun) valueDecisions(field string) (values []document.Value) {
	for text, n := range p.script.EntityDecisions {
		target := document.Target{Then: document.Skip}
		if n > 0 {
			target = document.Target{ToID: fmt.Sprint(generate.EntityID(p.ref.OrganisationID, n))}
		}
		values = append(values, document.Value{Field: field, Value: text, Target: target})
	}
	return values
}
