package drop

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// Prefixes of keys.
const (
	folder     = "drop/"            // the drop folder
	quarantine = "drop-quarantine/" // where its files go that cannot be imported
)

// Ends of the names of objects that belong to a file.
const (
	settingsSuffix = ".options.json"
	reasonSuffix   = ".reason.json"
)

// place is what a file's place in the drop folder says:
// drop/{organisation}/{importType}/{contextId or -}/{profile or -}/…file, or without the
// folder of a profile.
type place struct {
	organisation tenant.ID
	importType   string
	contextID    *int64
	profile      string // "" for none
	filename     string
}

func parsePlace(key string) (place, error) {
	if !pgtext.Text(key) {
		return place{}, misplaced("The place of the file holds what no text may hold. It must be: " + pgtext.Rule)
	}
	parts := strings.SplitN(strings.TrimPrefix(key, folder), "/", 4)
	if len(parts) < 4 {
		return place{}, misplaced("Files belong in drop/{organisation}/{importType}/{contextId or -}/.")
	}
	p := place{importType: parts[1], filename: path.Base(parts[3])}
	if folder, _, deeper := strings.Cut(parts[3], "/"); deeper && folder != "-" {
		p.profile = folder
	}
	var err error
	if p.organisation, err = tenant.Parse(parts[0]); err != nil {
		return place{}, misplaced("The folder after drop/ must be the id of an organisation.")
	}
	if parts[2] == "-" {
		return p, nil
	}
	id, err := parseID(parts[2])
	if err != nil {
		return place{}, misplaced("The folder after the import type must be the id of what the rows belong to, or -.")
	}
	p.contextID = &id
	return p, nil
}

// parseID takes an id only as it is written in one way.
func parseID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (id <= 0 || strconv.FormatInt(id, 10) != text) {
		err = strconv.ErrSyntax
	}
	return id, err
}

func misplaced(message string) error { return problem.New(problem.NotFound, "%s", message) }

// take adds the profile that a file's settings name, which must not be another one than
// its folder does.
func (p *place) take(named string) error {
	if named != "" && p.profile != "" && !strings.EqualFold(named, p.profile) {
		return problem.New(problem.OptionInvalid, "The file stands in the folder of one profile, and its settings name another one.").
			With("profile", problem.OptionInvalid, "The profile of the folder, or none.")
	}
	p.profile = cmp.Or(named, p.profile)
	return nil
}
