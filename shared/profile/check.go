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

// Bounds of profiles.
const (
	// MaxProfiles is how many an organisation has for one import type: all are compared
	// with the headers of a file.
	MaxProfiles = 200
	// MaxVersions is how many versions of a profile are kept; the oldest go first.
	MaxVersions = 100
	maxName     = 100 // characters
	maxHeaders  = 500 // columns of a file
	maxHeader   = 300 // characters
)

// fieldErrors are what is wrong with a profile, by field.
type fieldErrors struct{ problem *problem.Error }

func (f *fieldErrors) add(field, rule string) {
	if f.problem == nil {
		f.problem = problem.New(problem.EntityInvalid, "The profile cannot be kept as it is.")
	}
	f.problem.With(field, problem.EntityInvalid, rule)
}

func (f *fieldErrors) err() error {
	if f.problem == nil {
		return nil
	}
	return f.problem
}

// validate holds a version to the bounds of profiles and to the fields of its type, and
// brings its mapping into the form in which it is kept.
func (v *Version) validate(decl *entity.Declaration) error {
	var f fieldErrors
	if !validName(v.Name) {
		f.add("name", fmt.Sprintf("A text of 1 to %d characters without a slash, and without white space around it: \"Members\". It is a folder's name, too; not \"-\".", maxName))
	}
	if len(v.Headers) > maxHeaders {
		f.add("headers", fmt.Sprintf("%d headers at most.", maxHeaders))
	} else {
		for i, h := range v.Headers {
			if !pgtext.ValidText(h) || utf8.RuneCountInString(h) > maxHeader {
				f.add(fmt.Sprintf("headers[%d]", i), fmt.Sprintf("A text of up to %d characters.", maxHeader))
			}
		}
	}
	if v.Auto && len(v.Headers) == 0 {
		f.add("auto", "A file is known by its headers: give them, or save the profile from an import.")
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
		return fmt.Errorf("keep mapping of profile: %w", err)
	}
	return nil
}

// validName reports whether a profile can be called so. The name is that of a folder of
// the drop folder too, where "-" is none.
func validName(name string) bool {
	n := utf8.RuneCountInString(name)
	return n > 0 && n <= maxName && pgtext.ValidText(name) && name != "-" && strings.TrimSpace(name) == name &&
		!strings.ContainsRune(name, '/') && !strings.ContainsFunc(name, unicode.IsControl)
}
