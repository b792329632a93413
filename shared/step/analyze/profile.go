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

// Profiles loads profiles, and saves which of them is applied to a job.
type Profiles interface {
	AutoProfiles(ctx context.Context, tx pgx.Tx, importType string) ([]profile.AutoProfile, error)
	ProfileVersion(ctx context.Context, tx pgx.Tx, id job.ProfileID, number int) (*profile.Version, error)
	UseProfile(ctx context.Context, tx pgx.Tx, key job.Key, p *job.UsedProfile, options json.RawMessage) error
}

// chosenProfile is the profile that is applied to a file.
type chosenProfile struct {
	used    *job.UsedProfile
	mapping *document.Document
	// automatic reports whether the profile was just matched by the file's headers; options are
	// the reading options that then apply.
	automatic bool
	options   json.RawMessage
	stored    job.StoredOptions // of the profile
}

// inspectWithProfile is inspect with the applied profile, if any: the one that the job names, or
// else an automatic one with exactly the file's headers.
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
	if err = s.loadProfile(ctx, j, c); err != nil {
		return nil, errors.Join(err, found.rows.Close())
	}
	found.profile = c
	return found, nil
}

// loadProfile loads the mapping and options of the profile version that is applied to a job.
func (s *Step) loadProfile(ctx context.Context, j *job.Job, c *chosenProfile) error {
	var v *profile.Version
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		v, err = s.store.ProfileVersion(ctx, tx, c.used.ID, c.used.Version)
		return err
	})
	if err != nil {
		return err
	}
	c.stored = v.StoredOptions
	c.mapping, err = v.Document()
	return err
}

// storedOptions returns the options of the job, including those of a profile that was just matched.
func (f *findings) storedOptions(j *job.Job) job.StoredOptions {
	stated := j.StatedOptions
	if f.profile != nil {
		stated = stated.Over(f.profile.stored)
	}
	return stated.Over(j.OptionDefaults)
}

// maxProfileTries is the maximum number of reading options, in addition to the detected ones, with
// which a file is compared with the headers of profiles that have their own.
const maxProfileTries = 10

// matchProfile finds the automatic profile whose headers are exactly those of the file when it is
// read with the profile's options. It returns the findings with these options; on an error, all
// findings are closed.
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
	slices.SortStableFunc(autos, func(a, b profile.AutoProfile) int { // most likely first
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

// fingerprintRank orders fingerprints with the wanted one first.
func fingerprintRank(fingerprint, wanted string) string {
	if fingerprint == wanted {
		return ""
	}
	return "other"
}

// tryProfile reads the file with the profile's options. If it then has the profile's headers,
// tryProfile closes the earlier findings and returns the profile with the new ones, otherwise nil.
func (s *Step) tryProfile(ctx context.Context, j *job.Job, a *profile.AutoProfile, found *findings) (*chosenProfile, *findings, error) {
	c := &chosenProfile{used: a.UsedProfile(), automatic: true}
	var err error
	if c.options, err = a.Options(j.Options); err != nil {
		return nil, nil, ignoreOptionError(err) // the options stated for this file conflict with the profile
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
	other.stated = found.stated // as stored with the job
	return c, other, found.rows.Close()
}

// ignoreOptionError returns nil for an error that only means that the file cannot be read with some
// options.
func ignoreOptionError(err error) error {
	if isOptionError(err) {
		return nil
	}
	return err
}

// fingerprint returns the fingerprint of the file's headers, without the columns that an error
// workbook adds.
func (f *findings) fingerprint() string {
	return profile.Fingerprint(slices.DeleteFunc(slices.Clone(f.dialect.Header), job.IsAnnotationHeader))
}

// saveProfile records with the job that the automatic profile is applied.
func (s *Step) saveProfile(ctx context.Context, tx pgx.Tx, j *job.Job, c *chosenProfile) error {
	if c == nil || !c.automatic {
		return nil
	}
	err := s.store.UseProfile(ctx, tx, j.Key, c.used, c.options)
	if problem.CodeOf(err) == problem.ProfileUnknown {
		return errors.New("the profile was deleted during the analysis") // the next attempt handles that
	}
	return err
}

// applyProfile applies the file's profile to the columns, and records its decisions and the parts
// that do not fit.
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

// describeField describes a field of a mapping for people.
func describeField(f *document.Field) string {
	switch {
	case f.Constant != nil:
		return fmt.Sprintf("%s has the value %.60q in all rows", f.Field, *f.Constant)
	case len(f.From) == 1:
		return fmt.Sprintf("column %.60q is matched to %s", f.From[0], f.Field)
	}
	names := make([]string, len(f.From))
	for i, name := range f.From {
		names[i] = fmt.Sprintf("%.60q", name)
	}
	return fmt.Sprintf("columns %s are joined into %s", strings.Join(names, ", "), f.Field)
}
