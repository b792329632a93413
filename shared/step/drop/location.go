package drop

import (
	"cmp"
	"path"
	"slices"
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

// Limits of a file's key and of each name in it, which leave room for the keys of its settings, its
// reason in quarantine and its results: S3 allows 1,024 bytes, and the longest of them has 60 more
// than the file. The local bucket stores names of up to 255 bytes.
const (
	maxKeyBytes  = 960
	maxNameBytes = 240
)

// fits reports whether a key is short enough.
func fits(key string) bool {
	return len(key) <= maxKeyBytes && !slices.ContainsFunc(strings.Split(key, "/"), func(name string) bool { return len(name) > maxNameBytes })
}

// shorten cuts a key that is too long, for its copy in quarantine.
func shorten(key string) string {
	if fits(key) {
		return key
	}
	names := strings.Split(key, "/")
	for i := range names {
		names[i] = cut(names[i], maxNameBytes-60)
	}
	return cut(strings.Join(names, "/"), maxKeyBytes-60)
}

// cut returns the first bytes of a text, up to a whole character.
func cut(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

func parseLocation(key string) (location, error) {
	if !fits(key) {
		return location{}, problem.New(problem.FilenameInvalid, "The path of the file is too long. Store it with at most %d bytes, and at most %d in each name.", maxKeyBytes, maxNameBytes)
	}
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
