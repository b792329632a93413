package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// Profiles keeps profiles, and which of them jobs are read by.
type Profiles interface {
	AutoProfiles(ctx context.Context, tx pgx.Tx, importType string) ([]profile.AutoProfile, error)
	ProfileVersion(ctx context.Context, tx pgx.Tx, id job.ProfileID, number int) (*profile.Version, error)
	UseProfile(ctx context.Context, tx pgx.Tx, key job.Key, p *job.UsedProfile, options json.RawMessage) error
}

// chosenProfile is the profile that a file is read by.
type chosenProfile struct {
	used    *job.UsedProfile
	mapping *document.Document
	// fresh says that the file has only now been seen to be one of the profile's; options
	// are those that it is read by then.
	automatic bool
	options   json.RawMessage
}

// inspectWithProfile is inspect with the profile that the file is read by, if any: the one
// that the job names, or else the one that takes files with exactly these headers.
func (s *Step) inspectWithProfile(ctx context.Context, j *job.Job) (*findings, error) {
	found, err := s.inspect(ctx, j)
	if err != nil {
		return nil, err
	}
	c := &chosenProfile{used: j.Profile, options: j.Options}
	if j.Profile == nil {
		if c, found, err = s.matchProfile(ctx, j, found); err != nil || c == nil {
			return found, err
		}
	}
	if c.mapping, err = s.loadProfileMapping(ctx, j, c.used); err != nil {
		return nil, errors.Join(err, found.rows.Close())
	}
	found.profile = c
	return found, nil
}

// loadProfileMapping returns the mapping of the version of a profile that a job is read by.
func (s *Step) loadProfileMapping(ctx context.Context, j *job.Job, used *job.UsedProfile) (*document.Document, error) {
	var v *profile.Version
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		v, err = s.store.ProfileVersion(ctx, tx, used.ID, used.Version)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v.Document()
}

// maxProfileTries is how many ways to read a file are tried, beside the one that was found, to
// see whether it then has the headers of a profile that says how its source is read.
const maxProfileTries = 10

// matchProfile looks for the profile that takes a file by itself: read as the profile says,
// it has exactly the profile's headers. It returns what the file is then; on an error,
// nothing of it is open.
func (s *Step) matchProfile(ctx context.Context, j *job.Job, found *findings) (*chosenProfile, *findings, error) {
	var autos []profile.AutoProfile
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		autos, err = s.store.AutoProfiles(ctx, tx, j.ImportType)
		return err
	})
	if err != nil {
		return nil, nil, errors.Join(err, found.rows.Close())
	}
	as := found.fingerprint()
	slices.SortStableFunc(autos, func(a, b profile.AutoProfile) int { // the likely one first
		return strings.Compare(fingerprintRank(a.Fingerprint, as), fingerprintRank(b.Fingerprint, as))
	})
	tries := 0
	for i := range autos {
		if autos[i].Source != nil {
			tries++
		} else if autos[i].Fingerprint != as {
			continue
		}
		if tries > maxProfileTries {
			break
		}
		c, other, err := s.tryProfile(ctx, j, &autos[i], found)
		if err != nil {
			return nil, nil, errors.Join(err, found.rows.Close())
		}
		if c != nil {
			return c, other, nil
		}
	}
	return nil, found, nil
}

// fingerprintRank orders fingerprints: the wanted one comes first.
func fingerprintRank(fingerprint, wanted string) string {
	if fingerprint == wanted {
		return ""
	}
	return "other"
}

// tryProfile returns the profile and what the file is, read as the profile says, if it then has
// the profile's headers; the findings before that are closed. Else nil.
func (s *Step) tryProfile(ctx context.Context, j *job.Job, a *profile.AutoProfile, found *findings) (*chosenProfile, *findings, error) {
	c := &chosenProfile{used: a.UsedProfile(), automatic: true}
	var err error
	if c.options, err = a.Options(j.Options); err != nil {
		return nil, nil, ignoreOptionError(err) // what is stated of this file does not go with the profile
	}
	if a.Source == nil {
		return c, found, nil
	}
	as := *j
	as.Options = c.options
	other, err := s.inspect(ctx, &as)
	if err != nil {
		return nil, nil, ignoreOptionError(err)
	}
	if other.fingerprint() != a.Fingerprint {
		return nil, nil, other.rows.Close()
	}
	other.stated = found.stated // which the job still has
	return c, other, found.rows.Close()
}

// ignoreOptionError is nil for an error that only says that a file cannot be read in some way.
func ignoreOptionError(err error) error {
	if isOptionError(err) {
		return nil
	}
	return err
}

// fingerprint is that of the file's headers, without what an error workbook has before them.
func (f *findings) fingerprint() string {
	return profile.Fingerprint(slices.DeleteFunc(slices.Clone(f.dialect.Header), job.IsAnnotationHeader))
}

// saveProfile keeps with the job that it is read by the profile that takes its file.
func (s *Step) saveProfile(ctx context.Context, tx pgx.Tx, j *job.Job, c *chosenProfile) error {
	if c == nil || !c.automatic {
		return nil
	}
	err := s.store.UseProfile(ctx, tx, j.Key, c.used, c.options)
	if problem.CodeOf(err) == problem.ProfileUnknown {
		return errors.New("the profile has been deleted meanwhile") // the next attempt sees that
	}
	return err
}

// applyProfile makes the columns what the file's profile says of them, and notes what it
// has decided and what of it does not fit.
func (f *findings) applyProfile(d *entity.Declaration, columns []job.MappedColumn) []job.MappedColumn {
	if f.profile == nil {
		return columns
	}
	applied, unfit := applyDocument(d, f.profile.mapping, columns, job.ByProfile)
	misfits, decisions := profile.NewMismatchWarnings(f.profile.used), profile.NewDecisionWarnings(f.profile.used)
	for _, what := range unfit {
		misfits.Add(what)
	}
	made, headers := job.TargetFields(applied), document.NewHeaders(f.dialect.Header)
	for i := range f.profile.mapping.Fields {
		if field := &f.profile.mapping.Fields[i]; made[field.Field] {
			decisions.Add(describeField(field))
		}
	}
	for _, name := range f.profile.mapping.Ignore {
		if _, there := headers.Place(name); there {
			decisions.Add(fmt.Sprintf("column %.60q is ignored", name))
		}
	}
	f.misfits = append(f.misfits, misfits.Lines()...)
	f.decisions = decisions.Lines()
	return applied
}

// describeField is what a field of a mapping says, in words.
func describeField(f *document.Field) string {
	switch {
	case f.Constant != nil:
		return fmt.Sprintf("%s is %.60q in all rows", f.Field, *f.Constant)
	case len(f.From) == 1:
		return fmt.Sprintf("column %.60q is %s", f.From[0], f.Field)
	}
	names := make([]string, len(f.From))
	for i, name := range f.From {
		names[i] = fmt.Sprintf("%.60q", name)
	}
	return fmt.Sprintf("columns %s make %s", strings.Join(names, ", "), f.Field)
}
