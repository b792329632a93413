package submit

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// ProfileStore loads the profiles that requests name.
type ProfileStore interface {
	ProfileNamed(ctx context.Context, tx pgx.Tx, importType, name string) (*profile.Profile, error)
	UseProfile(ctx context.Context, tx pgx.Tx, key job.Key, p *job.UsedProfile, options json.RawMessage) error
}

// applyProfile loads the profile that the request names, and adds the profile's reading
// options that the request does not contain. It returns nil if no profile is named.
func (s *Service) applyProfile(ctx context.Context, tx pgx.Tx, r *Request) (*job.UsedProfile, error) {
	if r.Profile == "" {
		return nil, nil
	}
	p, err := s.store.ProfileNamed(ctx, tx, r.Type.Name, r.Profile)
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

// useProfile stores with the job which profile it uses.
func (s *Service) useProfile(ctx context.Context, tx pgx.Tx, j *job.Job, p *job.UsedProfile) error {
	if p == nil || j.Profile != nil {
		return nil // stored already if an earlier attempt created the job
	}
	j.Profile = p
	return s.store.UseProfile(ctx, tx, j.Key, p, j.Options)
}
