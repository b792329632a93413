package submit

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// ProfileStore knows the profiles that requests name.
type ProfileStore interface {
	ProfileNamed(ctx context.Context, tx pgx.Tx, importType, name string) (*profile.Profile, error)
	UseProfile(ctx context.Context, tx pgx.Tx, key job.Key, p *job.UsedProfile, options json.RawMessage) error
}

// applyProfile looks for the profile that the request names, and takes the options of its
// source for those that the request does not state. It returns nil where none is named.
func (s *Service) applyProfile(ctx context.Context, r *Request) (*job.UsedProfile, error) {
	if r.Profile == "" {
		return nil, nil
	}
	var p *profile.Profile
	err := s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		p, err = s.store.ProfileNamed(ctx, tx, r.Type.Name, r.Profile)
		return err
	})
	if problem.CodeOf(err) == problem.NotFound {
		return nil, profile.NotFoundError(r.Profile)
	}
	if err != nil {
		return nil, err
	}
	if r.Options, err = p.Options(r.Options); err != nil {
		return nil, err
	}
	choice := job.ChosenByName
	if r.ProfileFromFolder {
		choice = job.ChosenByFolder
	}
	return p.UsedProfile(choice), nil
}

// useProfile keeps with the job which profile it is read by.
func (s *Service) useProfile(ctx context.Context, tx pgx.Tx, j *job.Job, p *job.UsedProfile) error {
	if p == nil || j.Profile != nil {
		return nil // of a job that was made by an earlier attempt it is kept
	}
	j.Profile = p
	return s.store.UseProfile(ctx, tx, j.Key, p, j.Options)
}
