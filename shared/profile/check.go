package profile

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// Limits of profiles.
const (
	// maxProfiles is the maximum number of profiles per organisation and import type: all are
	// compared with the headers of a file.
	maxProfiles = 200
	// maxVersions is the number of versions kept per profile; older ones are deleted.
	maxVersions = 100
	maxName     = 100 // characters
	maxHeaders  = 500 // columns of a file
	maxHeader   = 300 // characters
)

// fieldErrors collects the validation errors of a profile by field.
type fieldErrors struct{ problem *problem.Error }

func (f *fieldErrors) add(field, rule string) {
	if f.problem == nil {
		f.problem = problem.New(problem.EntityInvalid, "The profile is not valid.")
	}
	f.problem.With(field, problem.EntityInvalid, rule)
}

func (f *fieldErrors) err() error {
	if f.problem == nil {
		return nil
	}
	return f.problem
}

// validate checks a version against the limits of profiles and the fields of its type, and
// normalises its mapping for storage.
func (v *Version) validate(decl *entity.Declaration) error {
	var f fieldErrors
	if !validName(v.Name) {
		f.add("name", fmt.Sprintf("A text of 1 to %d characters without slashes or surrounding white space, and not \"-\": \"Members\".", maxName))
	}
	if len(v.Headers) > maxHeaders {
		f.add("headers", fmt.Sprintf("At most %d headers.", maxHeaders))
	} else {
		for i, h := range v.Headers {
			if !pgtext.ValidText(h) || utf8.RuneCountInString(h) > maxHeader {
				f.add(fmt.Sprintf("headers[%d]", i), fmt.Sprintf("A text of up to %d characters.", maxHeader))
			}
		}
	}
	if v.Auto && len(v.Headers) == 0 {
		f.add("auto", "Automatic profiles need headers: add them, or save the profile from an import.")
	}
	if err := f.err(); err != nil {
		return err
	}
	doc, err := document.Parse(v.Mapping)
	if err != nil {
		return err
	}
	if err := doc.CheckFields(decl); err != nil {
		return err
	}
	if v.Mapping, err = json.Marshal(doc); err != nil {
		return fmt.Errorf("encode mapping of profile: %w", err)
	}
	return nil
}

// validName reports whether the name is allowed. The name is also that of a folder in the drop
// folder, where "-" means no profile.
func validName(name string) bool {
	n := utf8.RuneCountInString(name)
	return n > 0 && n <= maxName && pgtext.ValidText(name) && name != "-" && strings.TrimSpace(name) == name &&
		!strings.ContainsRune(name, '/') && !strings.ContainsFunc(name, unicode.IsControl)
}
