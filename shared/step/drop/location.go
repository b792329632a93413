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

// Key prefixes.
const (
	dropFolder       = "drop/"            // the drop folder
	quarantineFolder = "drop-quarantine/" // for files that cannot be imported
)

// Name suffixes of objects that belong to a file.
const (
	settingsSuffix = ".options.json"
	reasonSuffix   = ".reason.json"
)

// location is the parsed location of a file in the drop folder:
// drop/{organisation}/{importType}/{contextId or -}/{profile or -}/…file, or without the
// profile folder.
type location struct {
	organisation tenant.ID
	importType   string
	contextID    *int64
	profile      string // "" for none
	filename     string
}

func parseLocation(key string) (location, error) {
	if !pgtext.ValidText(key) {
		return location{}, locationError("The path of the file contains text that cannot be stored. It must be: " + pgtext.RuleText)
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
		return location{}, locationError("The folder after drop/ must be the ID of an organisation.")
	}
	if parts[2] == "-" {
		return p, nil
	}
	id, err := parseID(parts[2])
	if err != nil {
		return location{}, locationError("The folder after the import type must be the ID of the context of the rows, or -.")
	}
	p.contextID = &id
	return p, nil
}

// parseID accepts an id only in its canonical form.
func parseID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (id <= 0 || strconv.FormatInt(id, 10) != text) {
		err = strconv.ErrSyntax
	}
	return id, err
}

func locationError(message string) error { return problem.New(problem.NotFound, "%s", message) }

// setProfile applies the profile named in a file's settings, which must not contradict the
// folder.
func (p *location) setProfile(named string) error {
	if named != "" && p.profile != "" && !strings.EqualFold(named, p.profile) {
		return problem.New(problem.OptionInvalid, "The file is in the folder of one profile, but its settings name another profile.").
			With("profile", problem.OptionInvalid, "Use the profile of the folder, or remove it.")
	}
	p.profile = cmp.Or(named, p.profile)
	return nil
}
