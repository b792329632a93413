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
	dropFolder       = "drop/"            // the drop folder
	quarantineFolder = "drop-quarantine/" // where its files go that cannot be imported
)

// Ends of the names of objects that belong to a file.
const (
	settingsSuffix = ".options.json"
	reasonSuffix   = ".reason.json"
)

// location is what a file's place in the drop folder says:
// drop/{organisation}/{importType}/{contextId or -}/{profile or -}/…file, or without the
// folder of a profile.
type location struct {
	organisation tenant.ID
	importType   string
	contextID    *int64
	profile      string // "" for none
	filename     string
}

func parseLocation(key string) (location, error) {
	if !pgtext.ValidText(key) {
		return location{}, locationError("The place of the file holds what no text may hold. It must be: " + pgtext.RuleText)
	}
	parts := strings.SplitN(strings.TrimPrefix(key, dropFolder), "/", 4)
	if len(parts) < 4 {
		return location{}, locationError("Files belong in drop/{organisation}/{importType}/{contextId or -}/.")
	}
	p := location{importType: parts[1], filename: path.Base(parts[3])}
	if folder, _, deeper := strings.Cut(parts[3], "/"); deeper && folder != "-" {
		p.profile = folder
	}
	var err error
	if p.organisation, err = tenant.Parse(parts[0]); err != nil {
		return location{}, locationError("The folder after drop/ must be the id of an organisation.")
	}
	if parts[2] == "-" {
		return p, nil
	}
	id, err := parseID(parts[2])
	if err != nil {
		return location{}, locationError("The folder after the import type must be the id of what the rows belong to, or -.")
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

func locationError(message string) error { return problem.New(problem.NotFound, "%s", message) }

// setProfile adds the profile that a file's settings name, which must not be another one than
// its folder does.
func (p *location) setProfile(named string) error {
	if named != "" && p.profile != "" && !strings.EqualFold(named, p.profile) {
		return problem.New(problem.OptionInvalid, "The file stands in the folder of one profile, and its settings name another one.").
			With("profile", problem.OptionInvalid, "The profile of the folder, or none.")
	}
	p.profile = cmp.Or(named, p.profile)
	return nil
}
